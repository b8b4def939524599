// Content codings of answers (RFC 9110, section 8.4): which one a client is given, and compressing. docs/net.md says
// which answers are compressed. Pure; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace openseat::net {

struct HttpResponse;

enum class Coding : std::uint8_t { kIdentity, kGzip, kBrotli };

// "gzip", "br"; "identity".
std::string_view CodingName(Coding coding);

// The coding that an Accept-Encoding header likes best, of those that are there; brotli if it likes both the same.
// kIdentity if it names neither, or nothing that can be read.
Coding BestCoding(std::string_view accept_encoding, bool has_brotli = true, bool has_gzip = true);

// Answers below this many bytes fit one packet anyway.
inline constexpr std::size_t kLeastCompressed = 1u << 10;
// Larger answers are compressed by a thread that serves no requests: this takes a loop about 0.1 ms.
inline constexpr std::size_t kMostCompressedInPlace = 16u << 10;

// Whether the answer is worth compressing and may be: text without a coding, large enough, and not secret.
bool MayCompress(const HttpResponse& response);

// `bytes` in that coding, at a cheap level; nullopt if it would not be smaller. REQUIRES a coding other than kIdentity.
std::optional<std::string> Compress(Coding coding, std::string_view bytes);

// Compresses the body in place, if that makes it smaller. REQUIRES MayCompress(response).
void CompressBody(HttpResponse& response, Coding coding);

// What one server has waiting to be compressed elsewhere. Any thread.
class CompressionQueue {
 public:
  // False if too much is waiting: then the answer is sent as it is.
  bool Enter(std::size_t bytes);
  void Leave(std::size_t bytes) { waiting_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> waiting_ = 0;
};

}  // namespace openseat::net
