#include "protocols/mcp/http_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/metrics.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/test_client.h"
#include "protocols/mcp/test_exchange.h"

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMostOfOne = 256;  // docs/metrics.md has the number

// Everybody has the same key.
class OpenDoor final : public Doorkeeper {
 public:
  void Admit(const net::HttpRequest&, Admitted done) override { done(std::string("key k-1")); }
};

class HttpEndpointTest : public ::testing::Test {
 protected:
  HttpEndpointTest() {
    Tool tool;
    tool.name = "wait";
    tool.description = "Waits until the test answers.";
    tool.input_schema = {{"type", "object"}};
    tool.run = [this](CallPtr call, const json::Object&) {
      waiting_.push_back(std::move(call));
      if (waiting_.size() == kMostOfOne) all_wait_.set_value();
    };
    mcp_.AddTool(std::move(tool));
    endpoint_.AddRoutes(router_);
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {}, &metrics_, &budget_);
    shards_.Start();
  }
  // What lives on the shard is destroyed when it has stopped.
  void TearDown() override {
    shards_.Stop();
    server_.reset();
  }

  static std::string Post(const std::string& method, const std::string& params) {
    const std::string body =
        R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + std::string(kMeta) + "}}";
    const std::string name = method == "tools/call" ? "Mcp-Name: wait\r\n" : "";
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
           "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
           method + "\r\n" + name + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  Metrics metrics_;
  Budget budget_{{}, &metrics_};
  net::Shards shards_{1};
  net::Router router_;
  Server mcp_{{"openseat", "Openseat", "1", "Play."}};
  OpenDoor door_;
  HttpEndpoint endpoint_{mcp_, door_, shards_.at(0)};
  std::unique_ptr<net::Server> server_;
  std::promise<void> all_wait_;
  std::vector<CallPtr> waiting_;  // on the shard
};

TEST_F(HttpEndpointTest, OneKeyHasSoManyCallsAtOnceAndIsToldWhenToRetry) {
  const std::string wait = Post("tools/call", R"("name":"wait","arguments":{},)");
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (std::size_t i = 0; i < kMostOfOne; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server_->port()));
    clients.back()->Send(wait);
  }
  all_wait_.get_future().wait();
  net::TestClient one_more(server_->port());
  const net::TestClient::Answer refused = one_more.Request(wait);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr("the fixed limit mcp.calls is reached: 256 calls"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="mcp.calls"} 1)"));

  shards_.at(0).Post([this] {
    for (const CallPtr& call : std::exchange(waiting_, {})) call->Answer(ToolResult("done"));
  });
  for (const auto& client : clients) EXPECT_EQ(client->ReadAnswer().status, 200);
  EXPECT_EQ(one_more.Request(Post("tools/list", "")).status, 200);
}

}  // namespace
}  // namespace openseat::mcp
