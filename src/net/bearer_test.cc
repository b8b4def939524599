#include "net/bearer.h"

#include <gtest/gtest.h>

#include <string>

#include "net/websocket_handshake.h"

namespace openseat::net {
namespace {

HttpRequest Upgrading(const std::string& protocols) {
  HttpRequest request;
  request.headers.Add("Upgrade", "websocket");
  if (!protocols.empty()) request.headers.Add("Sec-WebSocket-Protocol", protocols);
  return request;
}

TEST(BearerToken, IsFoundWhereClientsCanPutIt) {
  HttpRequest plain;
  EXPECT_EQ(BearerToken(plain), "");
  plain.headers.Set("Authorization", "Bearer abc");
  EXPECT_EQ(BearerToken(plain), "abc");
  plain.headers.Set("Authorization", "bearer abc");
  EXPECT_EQ(BearerToken(plain), "abc");
  plain.headers.Set("Authorization", "Basic abc");
  EXPECT_EQ(BearerToken(plain), "");
  EXPECT_EQ(BearerToken(Upgrading("openseat.live, openseat.bearer.abc")), "abc");
  EXPECT_EQ(BearerToken(Upgrading("openseat.live")), "");
  plain.headers.Set("Sec-WebSocket-Protocol", "openseat.bearer.abc");
  EXPECT_EQ(BearerToken(plain), "") << "no upgrade";
}

TEST(BearerToken, StandsInTheUrlOfAWebSocketOnly) {
  HttpRequest request = Upgrading("");
  request.query = {{"a", "b"}, {"token", "abc"}};
  EXPECT_EQ(BearerToken(request), "");
  EXPECT_EQ(WebSocketToken(request), "abc");
  request.headers.Set("Authorization", "Bearer def");
  EXPECT_EQ(WebSocketToken(request), "def");
  HttpRequest plain;
  plain.query = {{"token", "abc"}};
  EXPECT_EQ(WebSocketToken(plain), "");
}

TEST(BearerToken, IsNeverChosenAsSubprotocol) {
  const auto chosen = [](const std::string& offered) {
    HttpRequest request = Upgrading(offered);
    request.headers.Set("Sec-WebSocket-Version", "13");
    request.headers.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    UpgradeOptions any;
    any.echo_any_subprotocol = true;
    return std::string(AnswerUpgrade(request, any).headers.Get("Sec-WebSocket-Protocol"));
  };
  EXPECT_EQ(chosen("openseat.bearer.abc, neuro"), "neuro");
  EXPECT_EQ(chosen("openseat.bearer.abc"), "");
}

}  // namespace
}  // namespace openseat::net
