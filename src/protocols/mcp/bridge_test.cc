#include "protocols/mcp/bridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "testing/fake_scheduler.h"

namespace openseat::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct FakeCaller final : net::HttpCaller {
  std::map<net::HttpCallId, std::pair<net::HttpCall, net::HttpDone>> calls;
  net::HttpCallId last;
  net::HttpCallId Call(Scheduler&, net::HttpCall call, net::HttpDone done) override {
    last = last.Next();
    calls[last] = {std::move(call), std::move(done)};
    return last;
  }
  void Cancel(Scheduler&, net::HttpCallId call) override { calls.erase(call); }
  void Answer(int status, std::string body, std::string type = "application/json", const std::string& session = {}) {
    ASSERT_EQ(calls.size(), 1u);
    auto done = std::move(calls.begin()->second.second);
    calls.clear();
    net::HttpResponse response = net::HttpResponse::Text(status, std::move(body), std::move(type));
    if (!session.empty()) response.headers.Add("mcp-session-id", session);
    done(response);
  }
  const net::HttpCall& call() const { return calls.begin()->second.first; }
};

class BridgeTest : public ::testing::Test {
 protected:
  void ShakeHands() {
    bridge_.Take(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})");
    caller_.Answer(200, R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}})", "application/json",
                   "one");
    lines_.clear();
  }

  ::openseat::testing::FakeScheduler scheduler_;
  FakeCaller caller_;
  std::vector<std::string> lines_;
  Bridge bridge_{caller_, scheduler_, "http://127.0.0.1:1/mcp", "secret",
                 [this](std::string line) { lines_.push_back(std::move(line)); }};
};

TEST_F(BridgeTest, CarriesTheSession) {
  ShakeHands();
  bridge_.Take(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_FALSE(bridge_.idle());
  EXPECT_EQ(caller_.call().headers.Get("Mcp-Session-Id"), "one");
  EXPECT_EQ(caller_.call().headers.Get("MCP-Protocol-Version"), "2025-06-18");
  EXPECT_EQ(caller_.call().headers.Get("Authorization"), "Bearer secret");
  caller_.Answer(200, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(lines_, ElementsAre("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"));
  EXPECT_TRUE(bridge_.idle());
}

TEST_F(BridgeTest, ShakesHandsAgainWithAServerThatForgot) {
  ShakeHands();
  bridge_.Take(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  caller_.Answer(404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Session not found"}})");
  EXPECT_THAT(caller_.call().body, HasSubstr("initialize"));
  caller_.Answer(200, R"({"jsonrpc":"2.0","id":0,"result":{}})", "application/json", "two");
  EXPECT_EQ(caller_.call().headers.Get("Mcp-Session-Id"), "two");
  caller_.Answer(200, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr(R"("id":1,"result")")));
}

TEST_F(BridgeTest, ModernRequestsHaveTheirHeadersAndAreCancelledByHangingUp) {
  bridge_.Take(
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ü","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_EQ(caller_.call().headers.Get("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(caller_.call().headers.Get("Mcp-Method"), "tools/call");
  EXPECT_EQ(caller_.call().headers.Get("Mcp-Name"), "=?base64?w7w=?=");
  bridge_.Take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  EXPECT_TRUE(caller_.calls.empty());
  EXPECT_TRUE(bridge_.idle());
  EXPECT_THAT(lines_, ElementsAre());
}

TEST_F(BridgeTest, WritesEventsAsLinesAndTroubleAsErrors) {
  bridge_.Take(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  caller_.Answer(200, ":\n\nevent: message\ndata: {\"a\":1}\n\ndata: {\"b\":\ndata: 2}\n\ndata: cut",
                 "text/event-stream");
  EXPECT_THAT(lines_, ElementsAre("{\"a\":1}\n", "{\"b\":2}\n"));
  lines_.clear();
  bridge_.Take(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  caller_.Answer(401, "who are you?", "text/plain");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("--token")));
  lines_.clear();
  bridge_.Take("nonsense");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("-32700")));
  EXPECT_TRUE(caller_.calls.empty());
}

TEST(EncodeHeaderValue, IsWhatTheServerDecodes) {
  for (const char* text : {"act", "", " a", "a ", "é", "=?base64?x?=", "openseat://games/rps/rules", "a\nb"}) {
    EXPECT_EQ(DecodeHeaderValue(EncodeHeaderValue(text)), text);
  }
  EXPECT_EQ(EncodeHeaderValue("act"), "act");
}

}  // namespace
}  // namespace openseat::mcp
