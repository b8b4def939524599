#include "net/websocket_handshake.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/secure_random.h"
#include "base/text.h"
#include "net/bearer.h"
#include "net/http_codec.h"

namespace openseat::net {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

std::string Base64(const unsigned char* bytes, std::size_t size) {
  std::string out((size + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock appends a zero byte
  out.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes, static_cast<int>(size))));
  return out;
}

std::string ChooseSubprotocol(const HttpRequest& request, const UpgradeOptions& options) {
  const std::vector<std::string> offered = OfferedSubprotocols(request);
  for (const std::string& ours : options.subprotocols) {
    if (std::ranges::find(offered, ours) != offered.end()) return ours;
  }
  if (!options.echo_any_subprotocol) return {};
  const auto first =
      std::ranges::find_if_not(offered, [](const std::string& each) { return each.starts_with(kTokenSubprotocol); });
  return first == offered.end() ? std::string() : *first;
}

// 16 bytes in base64: 22 characters and "==".
bool IsKey(std::string_view key) {
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
         });
}

}  // namespace

std::vector<std::string> OfferedSubprotocols(const HttpRequest& request) {
  std::vector<std::string> offered;
  for (const auto& [name, value] : request.headers.all()) {
    if (!EqualsIgnoringCase(name, "Sec-WebSocket-Protocol")) continue;
    std::string token;
    for (const char c : value + ",") {
      if (c != ',') {
        if (c != ' ' && c != '\t') token.push_back(c);
      } else if (!token.empty()) {
        offered.push_back(std::exchange(token, std::string()));
      }
    }
  }
  return offered;
}

std::string AcceptKey(std::string_view key) {
  const std::string text = std::string(key) + std::string(kGuid);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return Base64(digest.data(), digest.size());
}

std::string NewKey() {
  std::array<unsigned char, 16> bytes{};
  SecureRandom(std::as_writable_bytes(std::span(bytes)));
  return Base64(bytes.data(), bytes.size());
}

HttpResponse AnswerUpgrade(const HttpRequest& request, const UpgradeOptions& options) {
  if (request.method != Method::kGet) return ErrorResponse(400, "a WebSocket begins with GET");
  if (request.headers.Get("Sec-WebSocket-Version") != "13") {
    HttpResponse response = ErrorResponse(426, "only version 13 of the WebSocket protocol is spoken here");
    response.headers.Add("Sec-WebSocket-Version", "13");
    response.headers.Add("Upgrade", "websocket");
    return response;
  }
  const std::string_view key = request.headers.Get("Sec-WebSocket-Key");
  if (!IsKey(key)) return ErrorResponse(400, "Sec-WebSocket-Key must be 16 bytes in base64");
  HttpResponse response;
  response.status = 101;
  response.headers.Add("Upgrade", "websocket");
  response.headers.Add("Connection", "Upgrade");
  response.headers.Add("Sec-WebSocket-Accept", AcceptKey(key));
  if (std::string chosen = ChooseSubprotocol(request, options); !chosen.empty()) {
    response.headers.Add("Sec-WebSocket-Protocol", std::move(chosen));
  }
  return response;
}

void AppendSwitchingProtocols(std::string& out, const HttpResponse& response, bool tls) {
  out += "HTTP/1.1 101 Switching Protocols\r\n";
  for (const auto& [name, value] : response.headers.all()) out += name + ": " + value + "\r\n";
  if (tls) out += kStrictTransport;
  out += "\r\n";
}

}  // namespace openseat::net
