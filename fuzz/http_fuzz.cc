// The HTTP request parser on arbitrary bytes: the resulting requests must not depend on where the bytes are cut.
// The first byte chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/encoding.h"
#include "net/http_codec.h"

namespace {

using openseat::net::Coding;
using openseat::net::HttpLimits;
using openseat::net::HttpRequest;
using openseat::net::RequestParser;
using State = RequestParser::State;

constexpr HttpLimits kLimits{.max_target_bytes = 64, .max_header_bytes = 256, .max_body_bytes = 128};

void Check(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<std::string> requests;
  bool failed = false;
};

Outcome Parse(std::string_view bytes, std::size_t step) {
  Outcome out;
  std::string left;
  auto parser = std::make_unique<RequestParser>(kLimits);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    left += bytes.substr(at, step);
    for (bool more = true; more && !left.empty();) {
      const std::size_t used = parser->Feed(left);
      Check(used <= left.size());
      left.erase(0, used);
      more = used > 0;
      if (parser->state() == State::kFailed) {
        Check(parser->error_status() >= 400 && !parser->error_message().empty());
        out.failed = true;
        return out;
      }
      if (parser->state() != State::kDone) continue;
      const HttpRequest& request = parser->request();
      Check(request.target.size() <= kLimits.max_target_bytes && request.body.size() <= kLimits.max_body_bytes);
      Check(request.path.starts_with('/') || request.path == "*");
      std::string& shown = out.requests.emplace_back(MethodName(request.method));
      shown += " " + request.target + (parser->keep_alive() ? " keep" : " close");
      const Coding coding = openseat::net::BestCoding(request.headers.Get("Accept-Encoding"));
      if (coding != Coding::kIdentity && !request.body.empty()) {
        const std::optional<std::string> packed = openseat::net::Compress(coding, request.body);
        Check(!packed || packed->size() <= request.body.size());
      }
      for (const auto& [name, value] : request.headers.all()) shown += "\n" + name + ": " + value;
      shown += "\n\n" + request.body;
      parser = std::make_unique<RequestParser>(kLimits);
      more = true;
    }
    Check(left.size() <= std::max(kLimits.max_header_bytes, step) + step);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = Parse(bytes, bytes.size() + 1);
  for (const std::size_t step : {std::size_t{1}, std::size_t{data[0]} + 2}) {
    const Outcome cut = Parse(bytes, step);
    Check(cut.requests == whole.requests);
    // With the input in pieces, an error may be found later (only at the end of the headers), but never earlier.
    Check(whole.failed || !cut.failed);
  }
  return 0;
}
