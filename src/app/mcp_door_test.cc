#include "app/mcp_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/budget.h"
#include "base/metrics.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_registry.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// An authorization server that checks tokens, and answers as the test says.
class Introspection final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler& scheduler, net::HttpCall, net::HttpDone done) override {
    scheduler.Post([this, done = std::move(done)] { done(net::HttpResponse::Text(status, body)); });
    return net::HttpCallId(1);
  }
  void Cancel(Scheduler&, net::HttpCallId) override {}

  int status = 200;
  std::string body = R"({"active":true,"sub":"ana","aud":"https://play.example/mcp","scope":"play"})";
};

class McpDoorTest : public ::testing::Test {
 public:
  McpDoorTest() {
    std::filesystem::create_directories(dir_);
    access_ = *Access::Open(dir_, {});
  }
  ~McpDoorTest() override {
    access_.reset();
    std::filesystem::remove_all(dir_);
  }

 protected:
  static oauth::VerifierOptions Authorization() {
    return {{"https://play.example/mcp", {"https://auth.example"}, {"play"}}, "", "https://auth.example/ask", "", ""};
  }
  // The door's answer: "in: PRINCIPAL", or the status and the challenge.
  std::string Knock(bool loopback, const std::string& authorization, bool configured, bool proxy = false) {
    McpDoor door(*access_, registry_, configured ? std::optional(Authorization()) : std::nullopt, RateLimit(), server_,
                 scheduler_);
    return Knock(door, loopback, authorization, proxy);
  }
  std::string Knock(McpDoor& door, bool loopback, const std::string& authorization, bool proxy = false) {
    net::HttpRequest request;
    request.path = "/mcp";
    request.loopback = loopback;
    request.payer = payer_;
    if (proxy) request.forwarded_for = "203.0.113.9";
    if (!authorization.empty()) request.headers.Add("Authorization", authorization);
    std::string said = "nothing";
    door.Admit(request, [&](const tl::expected<std::string, net::HttpResponse>& caller) {
      said = caller ? "in: " + *caller
                    : std::to_string(caller.error().status) + " " +
                          std::string(caller.error().headers.Get("WWW-Authenticate"));
    });
    scheduler_.Run();
    return said;
  }
  std::string Key() {
    std::string secret;
    registry_.CreateKey({.label = "bot"}, scheduler_, [&](const Result<CreatedKey>& made) {
      secret = made->secret;
      id_ = made->key.id;
    });
    scheduler_.Run();
    return secret;
  }

  const std::string dir_ = ::testing::TempDir() + "openseat-mcp-door-" + std::to_string(::getpid());
  std::optional<Access> access_;
  testing::FakeScheduler scheduler_;
  testing::MemoryRegistry registry_{scheduler_.clock()};
  Introspection server_;
  KeyId id_;
  Metrics metrics_;
  Budget budget_{{}, &metrics_};
  std::shared_ptr<Payer> payer_;
};

TEST_F(McpDoorTest, NobodyOnThisMachineIsAsked) {
  EXPECT_EQ(Knock(true, "", false), "in: ");
  EXPECT_EQ(Knock(true, "Bearer whatever", false), "in: ");
  EXPECT_EQ(Knock(true, "", false, true), "401 Bearer") << "somebody else, through a proxy on this machine";
}

TEST_F(McpDoorTest, FromElsewhereATokenIsNeeded) {
  EXPECT_EQ(Knock(false, "", false), "401 Bearer");
  EXPECT_EQ(Knock(false, "Basic YTpi", false), "401 Bearer");
  EXPECT_THAT(Knock(false, "Bearer wrong", false), StartsWith("401 Bearer error=\"invalid_token\""));
  EXPECT_THAT(Knock(false, "Bearer a b", false), StartsWith("400 Bearer error=\"invalid_request\""));
  EXPECT_EQ(Knock(false, "Bearer " + access_->fresh_token(), false), "in: admin");
  const std::string key = Key();
  EXPECT_EQ(Knock(false, "Bearer " + key, false), "in: key " + id_.str());
  EXPECT_THAT(Knock(false, "Bearer " + key + "x", false), StartsWith("401"));
  registry_.RevokeKey(id_, scheduler_, {});
  EXPECT_THAT(Knock(false, "Bearer " + key, false), HasSubstr("revoked"));
}

TEST_F(McpDoorTest, WithAnAuthorizationServerEverybodyIsAsked) {
  const std::string challenge =
      "401 Bearer resource_metadata=\"https://play.example/.well-known/oauth-protected-resource/mcp\", scope=\"play\"";
  EXPECT_EQ(Knock(true, "", true), challenge);
  EXPECT_EQ(Knock(false, "", true), challenge);
  EXPECT_EQ(Knock(true, "Bearer " + access_->fresh_token(), true), "in: admin");
  const std::string key = Key();
  EXPECT_EQ(Knock(false, "Bearer " + key, true), "in: key " + id_.str());
  EXPECT_EQ(Knock(false, "Bearer opaque", true), "in: oauth  ana");
  server_.body = R"({"active":false})";
  EXPECT_THAT(Knock(false, "Bearer opaque", true), StartsWith(challenge + ", error=\"invalid_token\""));
  server_.body = R"({"active":true,"aud":"https://play.example/mcp","scope":"watch"})";
  EXPECT_THAT(Knock(false, "Bearer opaque", true), HasSubstr("error=\"insufficient_scope\""));
  EXPECT_THAT(Knock(false, "Bearer opaque", true), StartsWith("403"));
  server_.status = 500;
  EXPECT_EQ(Knock(false, "Bearer opaque", true), "503 ");
}

TEST_F(McpDoorTest, OneKeyAndOneBearerComeOnlySoOften) {
  McpDoor door(*access_, registry_, Authorization(), {.per_second = 0.5, .burst = 2}, server_, scheduler_);
  const std::string key = "Bearer " + Key();
  const std::string in = "in: key " + id_.str();
  payer_ = budget_.PayerOf("203.0.113.9", Instant());
  EXPECT_EQ(Knock(door, false, key), in);
  EXPECT_EQ(Knock(door, false, key), in);
  EXPECT_THAT(Knock(door, false, key), StartsWith("429"));
  // Whatever the token is, the bearer is counted.
  EXPECT_EQ(Knock(door, false, "Bearer opaque"), "in: oauth  ana");
  EXPECT_EQ(Knock(door, false, "Bearer another"), "in: oauth  ana");
  EXPECT_THAT(Knock(door, false, "Bearer third"), StartsWith("429"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="agent_api.rate"} 2)"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Knock(door, false, "Bearer " + access_->fresh_token()), "in: admin");
  scheduler_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(Knock(door, false, key), in);
}

TEST_F(McpDoorTest, AKeyOnThisMachineComesAsOftenAsItLikes) {
  McpDoor door(*access_, registry_, Authorization(), {.per_second = 0.5, .burst = 2}, server_, scheduler_);
  const std::string key = "Bearer " + Key();
  payer_ = budget_.PayerOf("127.0.0.1", Instant());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Knock(door, true, key), "in: key " + id_.str());
  payer_ = budget_.PayerOf("203.0.113.9", Instant());
  EXPECT_EQ(Knock(door, true, key, true), "in: key " + id_.str());
  EXPECT_EQ(Knock(door, true, key, true), "in: key " + id_.str());
  EXPECT_THAT(Knock(door, true, key, true), StartsWith("429")) << "somebody else, through a proxy on this machine";
}

TEST_F(McpDoorTest, WrongTokensAreCountedByAddressAndRecorded) {
  const std::string revoked = Key();
  registry_.RevokeKey(id_, scheduler_, {});
  const std::string token = access_->fresh_token();
  access_.reset();
  access_.emplace(std::move(*Access::Open(dir_, {.wrong = {.per_second = 0.001, .burst = 4}})));
  EXPECT_THAT(Knock(false, "Bearer wrong", false), StartsWith("401"));
  EXPECT_THAT(Knock(false, "bearer osk_wrong", false), StartsWith("401"));
  EXPECT_THAT(Knock(false, "Bearer " + revoked, false), StartsWith("401"));
  server_.body = R"({"active":false})";
  EXPECT_THAT(Knock(false, "Bearer opaque", true), StartsWith("401"));
  for (const std::string& any : {std::string("wrong"), std::string("osk_wrong"), revoked, token}) {
    EXPECT_THAT(Knock(false, "Bearer " + any, false), StartsWith("429")) << any;
  }
  access_.reset();  // by now the record is on the disk
  std::ifstream file(dir_ + "/audit.log");
  const std::string audit(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(std::count(audit.begin(), audit.end(), '\n'), 4);
  EXPECT_THAT(audit, HasSubstr(R"("event":"wrong-secret","what":"token of /mcp")"));
  EXPECT_THAT(audit, Not(HasSubstr(revoked)));
}

TEST(ResourceMetadataUrl, StandsBeforeThePath) {
  EXPECT_EQ(ResourceMetadataUrl("https://play.example/mcp"),
            "https://play.example/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(ResourceMetadataUrl("https://play.example"), "https://play.example/.well-known/oauth-protected-resource");
  EXPECT_EQ(ResourceMetadataUrl("https://play.example/"), "https://play.example/.well-known/oauth-protected-resource");
}

}  // namespace
}  // namespace openseat::app
