#include "web_ui/web_ui.h"

#include <zlib.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/static_files.h"
#include "web_ui/web_files.h"

namespace openseat::web_ui {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to say gzip

// The pages load nothing from other hosts, run only their own scripts, and cannot be framed. The page's own script is
// added.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

std::string Unpack(const PackedFile& file) {
  std::string bytes(file.size, '\0');
  z_stream stream{};
  OPENSEAT_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK, "zlib has memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.gzip.data()));  // zlib's API is older than const
  stream.avail_in = static_cast<uInt>(file.gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  OPENSEAT_CHECK(result == Z_STREAM_END && stream.avail_out == 0, "the linked files are whole");
  return bytes;
}

void AddWebUi(net::Router& router) {
  std::vector<net::StaticFile> files;
  for (const PackedFile& packed : PackedFiles()) {
    net::StaticFile file;
    file.name = packed.name;
    file.bytes = Unpack(packed);
    if (packed.gzip.size() < packed.size) file.gzip = packed.gzip;
    if (packed.brotli.size() < packed.size) file.brotli = packed.brotli;
    file.immutable = packed.immutable;
    files.push_back(std::move(file));
  }
  net::Headers headers;
  headers.Set("Content-Security-Policy",
              std::string(kContentSecurityPolicy) + "; script-src 'self' " + std::string(PageScript()));
  headers.Set("Referrer-Policy", "no-referrer");
  headers.Set("Cross-Origin-Opener-Policy", "same-origin");
  net::StaticFiles::AddRoutes(router, std::make_shared<const net::StaticFiles>(std::move(files), std::move(headers)));
}

}  // namespace openseat::web_ui
