#include "app/sign_in_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/budget.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/test_client.h"
#include "testing/memory_registry.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

// A provider that cannot be reached.
class NoProvider final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler& scheduler, net::HttpCall, net::HttpDone done) override {
    scheduler.Post([done = std::move(done)] { done(Fail(ErrorCode::kIo, "nobody answers")); });
    return net::HttpCallId(1);
  }
  void Cancel(Scheduler&, net::HttpCallId) override {}
};

class SignInDoorTest : public ::testing::Test {
 public:
  ~SignInDoorTest() override {
    shards_.Stop();
    server_.reset();
    access_.reset();
    std::filesystem::remove_all(dir_);
  }

 protected:
  SignInDoorTest() {
    std::filesystem::create_directories(dir_);
    access_ = *Access::Open(dir_, {.wrong = {.per_second = 0.01, .burst = 1}}, &metrics_);
    door_.emplace(oauth::SignInOptions{"https://id.example", "openseat", "s3cret", "https://play.example", "Example"},
                  std::string(52, 'k'), "", *access_, registry_, provider_, shards_.at(0));
    door_->AddRoutes(router_);
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {}, &metrics_, &budget_);
    shards_.Start();
  }

  const std::string dir_ = ::testing::TempDir() + "openseat-sign-in-door-" + std::to_string(::getpid());
  Metrics metrics_;
  Budget budget_{{}, &metrics_};
  std::optional<Access> access_;
  const SystemClock clock_;
  testing::MemoryRegistry registry_{clock_};
  NoProvider provider_;
  net::Shards shards_{1};
  net::Router router_;
  std::optional<SignInDoor> door_;
  std::unique_ptr<net::Server> server_;
};

constexpr const char* kLogin = "GET /auth/login HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(SignInDoorTest, AnAddressBeginsOnlySoManyAttempts) {
  net::TestClient client(server_->port());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Request(kLogin).status, 503) << i;
  const net::TestClient::Answer refused = client.Request(kLogin);
  EXPECT_EQ(refused.status, 429);
  const int wait = std::stoi(refused.headers.at("retry-after"));
  EXPECT_GE(wait, 2);
  EXPECT_LE(wait, 6) << "one every 5 s, and what is not a whole second counts as one";
  EXPECT_THAT(refused.body, HasSubstr("the fixed limit sign_in.attempts is reached: 12 attempts to sign in that one "
                                      "address begins a minute; try again in " +
                                      std::to_string(wait) + " s"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="sign_in.attempts"} 1)"));
}

TEST_F(SignInDoorTest, WhoBringsWrongStatesIsToldHowLongToWait) {
  const net::TestClient::Elsewhere elsewhere("203.0.113.9");
  net::TestClient client(server_->port());
  const char* back = "GET /auth/callback?state=guess&code=c HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(client.Request(back).status, 403);
  const net::TestClient::Answer refused = client.Request(back);
  EXPECT_EQ(refused.status, 429);
  const int wait = std::stoi(refused.headers.at("retry-after"));
  EXPECT_GT(wait, 30) << "one every 100 s";
  EXPECT_LE(wait, 101);
  EXPECT_THAT(refused.body, HasSubstr("try again in " + std::to_string(wait) + " s"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="access.wrong_per_minute"} 1)"));
}

}  // namespace
}  // namespace openseat::app
