#include "net/static_files.h"

#include <openssl/sha.h>

#include <array>
#include <set>
#include <utility>

#include "base/check.h"
#include "net/encoding.h"
#include "net/http_codec.h"
#include "net/http_reply.h"

namespace openseat::net {
namespace {

// The first half of the SHA-256, in quotes.
std::string MakeTag(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string tag = "\"";
  for (std::size_t i = 0; i < digest.size() / 2; ++i) {
    tag.push_back(kHex[digest[i] >> 4]);
    tag.push_back(kHex[digest[i] & 15]);
  }
  return tag + '"';
}

std::string_view TakeElement(std::string_view& list) {
  const std::size_t comma = list.find(',');
  std::string_view element = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  while (element.starts_with(' ')) element.remove_prefix(1);
  while (element.ends_with(' ')) element.remove_suffix(1);
  return element;
}

// Whether an If-None-Match names `tag`: weak comparison, as required for GET.
bool Matches(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    std::string_view each = TakeElement(if_none_match);
    if (each == "*") return true;
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == tag) return true;
  }
  return false;
}

}  // namespace

StaticFile CompressedFile(std::string name, std::string bytes) {
  StaticFile file{.name = std::move(name), .bytes = std::move(bytes), .content_type = {}, .gzip = {}};
  file.gzip = Compress(Coding::kGzip, file.bytes).value_or(std::string());
  file.brotli = Compress(Coding::kBrotli, file.bytes).value_or(std::string());
  return file;
}

struct StaticFiles::Entry {
  std::string content_type;
  std::shared_ptr<const std::string> bytes;
  std::shared_ptr<const std::string> gzip;    // null: none
  std::shared_ptr<const std::string> brotli;  // null: none
  std::string tag;
  std::string gzip_tag;
  std::string brotli_tag;
  bool immutable = false;
};

StaticFiles::StaticFiles(std::vector<StaticFile> files, Headers headers) : headers_(std::move(headers)) {
  for (StaticFile& file : files) {
    auto entry = std::make_unique<Entry>();
    entry->content_type =
        file.content_type.empty() ? std::string(ContentTypeOf(file.name)) : std::move(file.content_type);
    entry->tag = MakeTag(file.bytes);
    entry->bytes = std::make_shared<const std::string>(std::move(file.bytes));
    const auto keep = [](std::string& packed, std::shared_ptr<const std::string>& bytes, std::string& tag) {
      if (packed.empty()) return;
      tag = MakeTag(packed);
      bytes = std::make_shared<const std::string>(std::move(packed));
    };
    keep(file.gzip, entry->gzip, entry->gzip_tag);
    keep(file.brotli, entry->brotli, entry->brotli_tag);
    entry->immutable = file.immutable;
    const bool added = files_.emplace(std::move(file.name), std::move(entry)).second;
    OPENSEAT_CHECK(added, "static files have different names");
  }
}

StaticFiles::~StaticFiles() = default;

HttpResponse StaticFiles::Answer(const HttpRequest& request, std::string_view name) const {
  const auto at = files_.find(name);
  if (at == files_.end()) return ErrorResponse(404, "nothing is at " + request.path);
  const Entry& entry = *at->second;
  const Coding coding =
      BestCoding(request.headers.Get("Accept-Encoding"), entry.brotli != nullptr, entry.gzip != nullptr);
  const std::string& tag = coding == Coding::kBrotli ? entry.brotli_tag
                           : coding == Coding::kGzip ? entry.gzip_tag
                                                     : entry.tag;

  HttpResponse response;
  Headers& headers = response.headers;
  headers = headers_;
  headers.Add("ETag", tag);
  headers.Add("Cache-Control", entry.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (entry.gzip != nullptr || entry.brotli != nullptr) headers.Add("Vary", "Accept-Encoding");
  if (Matches(request.headers.Get("If-None-Match"), tag)) {
    response.status = 304;
    return response;
  }
  headers.Add("Content-Type", entry.content_type);
  if (coding != Coding::kIdentity) headers.Add("Content-Encoding", std::string(CodingName(coding)));
  response.shared_body = coding == Coding::kBrotli ? entry.brotli : coding == Coding::kGzip ? entry.gzip : entry.bytes;
  return response;
}

void StaticFiles::AddRoutes(Router& router, const std::shared_ptr<const StaticFiles>& files) {
  const auto add = [&](std::string pattern, std::string summary, const std::string& fixed) {
    RouteInfo info;
    info.summary = std::move(summary);
    info.page = true;
    router.Add(Method::kGet, std::move(pattern), std::move(info),
               [files, fixed](const HttpRequest& request, HttpReply reply) {
                 const std::string name = fixed.empty() ? request.path.substr(1) : fixed;
                 std::move(reply).Send(files->Answer(request, name));
               });
  };
  std::set<std::string> folders;
  for (const auto& [name, entry] : files->files_) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      add("/" + name, "The file " + name + " of the web interface.", name);
    } else if (folders.insert(name.substr(0, slash)).second) {
      add("/" + name.substr(0, slash) + "/*file", "Files of the web interface.", "");
    }
  }
  if (files->Has("index.html")) add("/", "The web interface.", "index.html");
}

std::string_view ContentTypeOf(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".txt", "text/plain; charset=utf-8"},
      {".md", "text/markdown; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
  };
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace openseat::net
