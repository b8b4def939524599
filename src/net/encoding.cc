#include "net/encoding.h"

#include <brotli/encode.h>
#include <zlib.h>

#include <charconv>
#include <limits>
#include <memory>

#include "base/text.h"
#include "net/http.h"

namespace openseat::net {
namespace {

// Levels beyond these take twice the time for a tenth less.
constexpr int kGzipLevel = 5;
constexpr int kBrotliQuality = 4;
constexpr int kGzipFormat = 15 + 16;  // zlib's way to say gzip
constexpr int kGzipMemory = 8;
// What may wait at once: a fifth of a second of work.
constexpr std::size_t kMostWaiting = 16u << 20;

std::string_view TrimBlanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// The weight in ";q=0.5"; 1 without one, 0 for one that cannot be read.
double WeightOf(std::string_view parameters) {
  while (!parameters.empty()) {
    parameters.remove_prefix(1);  // the semicolon
    const std::size_t end = parameters.find(';');
    const std::string_view each = TrimBlanks(parameters.substr(0, end));
    parameters = end == std::string_view::npos ? std::string_view() : parameters.substr(end);
    if (!each.starts_with("q=") && !each.starts_with("Q=")) continue;
    double weight = 0;
    const char* const last = each.data() + each.size();
    const auto read = std::from_chars(each.data() + 2, last, weight);
    return read.ec == std::errc() && read.ptr == last && weight >= 0 && weight <= 1 ? weight : 0;
  }
  return 1;
}

std::optional<std::string> Gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipFormat, kGzipMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(bytes.size(), '\0');                                         // more is not wanted
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's API is older than const
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> Brotli(std::string_view bytes) {
  std::string out(bytes.size(), '\0');
  std::size_t size = out.size();
  const BROTLI_BOOL done = BrotliEncoderCompress(kBrotliQuality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.size(),
                                                 reinterpret_cast<const std::uint8_t*>(bytes.data()), &size,
                                                 reinterpret_cast<std::uint8_t*>(out.data()));
  if (done == BROTLI_FALSE) return std::nullopt;
  out.resize(size);
  return out;
}

bool IsText(std::string_view content_type) {
  return content_type.starts_with("application/json") || content_type.starts_with("application/schema+json") ||
         (content_type.starts_with("text/") && !content_type.starts_with("text/event-stream"));
}

}  // namespace

std::string_view CodingName(Coding coding) {
  switch (coding) {
    case Coding::kGzip:
      return "gzip";
    case Coding::kBrotli:
      return "br";
    case Coding::kIdentity:
      break;
  }
  return "identity";
}

Coding BestCoding(std::string_view accept_encoding, bool has_brotli, bool has_gzip) {
  std::optional<double> gzip;
  std::optional<double> brotli;
  double others = 0;
  while (!accept_encoding.empty()) {
    const std::size_t comma = accept_encoding.find(',');
    const std::string_view each = accept_encoding.substr(0, comma);
    accept_encoding = comma == std::string_view::npos ? std::string_view() : accept_encoding.substr(comma + 1);
    const std::size_t semicolon = each.find(';');
    const std::string_view name = TrimBlanks(each.substr(0, semicolon));
    const double weight = WeightOf(semicolon == std::string_view::npos ? std::string_view() : each.substr(semicolon));
    if (EqualsIgnoringCase(name, "gzip") || EqualsIgnoringCase(name, "x-gzip")) gzip = weight;
    if (EqualsIgnoringCase(name, "br")) brotli = weight;
    if (name == "*") others = weight;
  }
  const double of_gzip = has_gzip ? gzip.value_or(others) : 0;
  const double of_brotli = has_brotli ? brotli.value_or(others) : 0;
  if (of_gzip <= 0 && of_brotli <= 0) return Coding::kIdentity;
  return of_brotli >= of_gzip ? Coding::kBrotli : Coding::kGzip;
}

bool MayCompress(const HttpResponse& response) {
  const std::size_t size = response.bytes().size();
  return !response.secret && response.status == 200 && size >= kLeastCompressed &&
         size <= std::numeric_limits<uInt>::max() && !response.headers.Has("Content-Encoding") &&
         !response.headers.Has("ETag") && IsText(response.headers.Get("Content-Type"));
}

std::optional<std::string> Compress(Coding coding, std::string_view bytes) {
  return coding == Coding::kBrotli ? Brotli(bytes) : Gzip(bytes);
}

void CompressBody(HttpResponse& response, Coding coding) {
  std::optional<std::string> smaller = Compress(coding, response.bytes());
  if (!smaller) return;
  response.headers.Add("Content-Encoding", std::string(CodingName(coding)));
  response.body = std::move(*smaller);
  response.shared_body.reset();
}

bool CompressionQueue::Enter(std::size_t bytes) {
  if (waiting_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMostWaiting) return true;
  Leave(bytes);
  return false;
}

}  // namespace openseat::net
