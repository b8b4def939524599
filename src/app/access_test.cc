#include "app/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "net/client_address.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_registry.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class AccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-access-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    Result<Access> access = Access::Open(dir_, {.hosts = {"play.example.org"}, .origins = {"http://localhost:5173"}});
    ASSERT_TRUE(access.has_value());
    access_.emplace(std::move(*access));
    token_ = access_->fresh_token();
  }
  void TearDown() override {
    access_.reset();
    std::filesystem::remove_all(dir_);
  }

  // From another machine.
  static net::HttpRequest Asks(std::string path) {
    net::HttpRequest request;
    request.path = std::move(path);
    request.headers.Add("Host", "play.example.org:8000");
    return request;
  }
  net::HttpRequest Upgrades(const std::string& protocols) {
    net::HttpRequest request = Asks("/api/v1/live");
    request.headers.Add("Upgrade", "websocket");
    request.headers.Add("Sec-WebSocket-Protocol", protocols);
    return request;
  }
  bool Allows(const net::HttpRequest& request) const { return access_->Check(request).has_value(); }
  const std::string& token() const { return token_; }
  std::string Audit() const {
    std::ifstream file(dir_ + "/audit.log");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::string dir_;
  std::string token_;
  std::optional<Access> access_;
};

TEST_F(AccessTest, ATokenIsKeptOnceItWasShown) {
  const Result<Access> another = Access::Open(dir_, {});
  ASSERT_TRUE(another);
  EXPECT_NE(another->fresh_token(), token_) << "a start that failed does not use up the token";
  ASSERT_TRUE(access_->KeepFreshToken());
  const Result<Access> next = Access::Open(dir_, {});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->fresh_token(), "");
  EXPECT_TRUE(next->IsAdminToken(token_));
  EXPECT_FALSE(another->KeepFreshToken()) << "another program was faster";
}

TEST_F(AccessTest, ANewTokenReplacesTheOldOne) {
  ASSERT_TRUE(access_->KeepFreshToken());
  const Result<Access> renewed = Access::Open(dir_, {.new_token = true});
  ASSERT_TRUE(renewed);
  EXPECT_FALSE(renewed->IsAdminToken(token_));
  EXPECT_TRUE(Access::Open(dir_, {})->IsAdminToken(token_)) << "until it was shown";
  ASSERT_TRUE(renewed->KeepFreshToken());
  EXPECT_TRUE(Access::Open(dir_, {})->IsAdminToken(renewed->fresh_token()));
}

TEST_F(AccessTest, ANewTokenIsInTheAuditLog) {
  ASSERT_TRUE(access_->KeepFreshToken());
  ASSERT_TRUE(Access::Open(dir_, {})->KeepFreshToken()) << "the first one";
  std::string token;
  {
    const Result<Access> renewed = Access::Open(dir_, {.new_token = true});
    ASSERT_TRUE(renewed->KeepFreshToken());
    token = renewed->fresh_token();
  }
  access_.reset();  // everything is written
  const std::string log = Audit();
  const std::string here = R"(","from":"command line","who":"user )" + std::to_string(getuid()) + "\"}";
  EXPECT_THAT(log, HasSubstr(R"("event":"admin","what":"new admin token: there was none)" + here));
  EXPECT_THAT(log, HasSubstr(R"("event":"admin","what":"new admin token: --new-token)" + here));
  EXPECT_EQ(std::ranges::count(log, '\n'), 2);
  for (const std::string& secret : {token, token_}) EXPECT_THAT(log, ::testing::Not(HasSubstr(secret)));
}

TEST_F(AccessTest, AClusterHasOneToken) {
  const testing::FakeClock clock;
  testing::MemoryRegistry registry(clock);
  const auto node = [this](const char* name, bool new_token = false) {
    const std::string dir = dir_ + "/" + name;
    std::filesystem::create_directories(dir);
    return *Access::Open(dir, {.new_token = new_token});
  };
  Access one = node("one");
  const std::string token = one.fresh_token();
  ASSERT_TRUE(one.ShareToken(registry));
  EXPECT_EQ(one.fresh_token(), token) << "to be shown";
  // The first node's token is that of all, also if another one had a token of its own.
  Access alone = node("two");
  ASSERT_TRUE(alone.KeepFreshToken());
  for (const char* name : {"two", "three", "one"}) {
    Access next = node(name);
    ASSERT_TRUE(next.ShareToken(registry));
    EXPECT_EQ(next.fresh_token(), "");
    EXPECT_TRUE(next.IsAdminToken(token));
    EXPECT_FALSE(next.IsAdminToken(alone.fresh_token()));
  }
  Access renewed = node("two", true);
  ASSERT_TRUE(renewed.ShareToken(registry));
  EXPECT_NE(renewed.fresh_token(), "");
  EXPECT_FALSE(renewed.IsAdminToken(token));
  Access later = node("three");
  ASSERT_TRUE(later.ShareToken(registry));
  EXPECT_TRUE(later.IsAdminToken(renewed.fresh_token()));
}

// A cluster begins with the token of a server that had one before.
TEST_F(AccessTest, AClusterKeepsTheTokenOfItsFirstNode) {
  const testing::FakeClock clock;
  testing::MemoryRegistry registry(clock);
  ASSERT_TRUE(access_->KeepFreshToken());
  Access first = *Access::Open(dir_, {});
  ASSERT_TRUE(first.ShareToken(registry));
  Access second = *Access::Open(dir_ + "/other", {});
  ASSERT_TRUE(second.ShareToken(registry));
  EXPECT_TRUE(second.IsAdminToken(token_));
}

TEST_F(AccessTest, FromElsewhereTheApiNeedsTheToken) {
  EXPECT_TRUE(Allows(Asks("/chimera")));
  net::HttpRequest request = Asks("/api/v1/tables");
  EXPECT_THAT(access_->Check(request).error().message, HasSubstr("admin token"));
  EXPECT_EQ(access_->Check(request).error().code, ErrorCode::kUnauthorized);
  request.headers.Add("Authorization", "Bearer " + token());
  EXPECT_TRUE(Allows(request));
  request.headers.Set("Authorization", "Bearer wrong");
  EXPECT_EQ(access_->Check(request).error().code, ErrorCode::kUnauthorized);
  request.headers.Set("Authorization", "Bearer osk_k3fqabcd");
  EXPECT_EQ(access_->Check(request).error().code, ErrorCode::kDenied) << "an API key, which is for other things";
}

// No key opens the console, and the answer does not tell whether there is such a key.
TEST_F(AccessTest, AKeyThatThereIsNotIsAWrongGuess) {
  testing::FakeScheduler scheduler;
  testing::MemoryRegistry registry(scheduler.clock());
  std::string key;
  registry.CreateKey({.label = "bot"}, scheduler, [&](const Result<CreatedKey>& made) { key = made->secret; });
  scheduler.Run();
  access_->LookUpKeys(registry, scheduler);
  net::HttpRequest request = Asks("/api/v1/tables");
  const auto ask = [&](const std::string& token) {
    request.headers.Set("Authorization", "Bearer " + token);
    const Result<void> allowed = access_->Check(request);
    scheduler.Run();
    return allowed.error();
  };
  for (int i = 0; i < 200; ++i) ASSERT_EQ(ask(key).code, ErrorCode::kDenied) << "a valid one is good for other things";
  EXPECT_EQ(ask("osk_k3fqabcd"), ask(key));
  Error last{};
  for (int i = 0; i < 200; ++i) last = ask("osk_k3fqabcd");
  EXPECT_EQ(last.code, ErrorCode::kBusy);
  EXPECT_GT(last.wait, Duration(0));
  EXPECT_EQ(ask(key).code, ErrorCode::kBusy) << "right or wrong";
  access_.reset();  // everything is written
  EXPECT_THAT(Audit(), HasSubstr(R"("event":"wrong-secret","what":"API key")"));
  EXPECT_THAT(Audit(), ::testing::Not(HasSubstr("osk_")));
}

TEST_F(AccessTest, WhoClaimsToBeTheAdminIsCounted) {
  const net::HttpRequest request = Asks("/api/v1/decks");
  EXPECT_TRUE(access_->BearsAdminToken(request, token()));
  EXPECT_FALSE(access_->BearsAdminToken(request, ""));
  EXPECT_FALSE(access_->BearsAdminToken(request, "osk_k3fqabcd"));
  EXPECT_TRUE(access_->BearsAdminToken(request, token()));
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(access_->BearsAdminToken(request, "guess" + std::to_string(i)));
  EXPECT_FALSE(access_->BearsAdminToken(request, token())) << "who guesses is not heard for a while";
  access_.reset();  // everything is written
  EXPECT_THAT(Audit(), HasSubstr(R"("what":"admin token")"));
  EXPECT_THAT(Audit(), ::testing::Not(HasSubstr("guess")));
}

// The same for every protocol: the guard knows none of them.
TEST_F(AccessTest, PagesOfOtherOriginsMayUseNothing) {
  for (const char* path : {"/", "/game", "/game/x", "/neuro", "/chimera", "/mcp", "/api/v1/live", "/api/v1/tables"}) {
    net::HttpRequest request = Asks(path);
    request.loopback = true;
    request.headers.Set("Host", "127.0.0.1:8000");
    EXPECT_TRUE(Allows(request)) << path << ", no browser";
    request.headers.Add("Origin", "http://127.0.0.1:8000");
    EXPECT_TRUE(Allows(request)) << path << ", its own page";
    request.headers.Set("Origin", "http://localhost:5173");
    EXPECT_TRUE(Allows(request)) << path << ", an allowed page";
    for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8001"}) {
      request.headers.Set("Origin", origin);
      EXPECT_EQ(access_->Check(request).error().code, ErrorCode::kDenied) << path << " " << origin;
    }
  }
}

TEST_F(AccessTest, AWebSocketMayBearTheTokenAsASubprotocol) {
  EXPECT_TRUE(Allows(Upgrades("openseat.live, openseat.bearer." + token())));
  EXPECT_TRUE(Allows(Upgrades("openseat.bearer." + token())));
  EXPECT_FALSE(Allows(Upgrades("openseat.live")));
  EXPECT_FALSE(Allows(Upgrades("openseat.live, openseat.bearer.wrong")));
  EXPECT_FALSE(Allows(Upgrades("openseat.live, openseat.bearer.")));
  EXPECT_FALSE(Allows(Upgrades(token())));
  net::HttpRequest foreign = Upgrades("openseat.bearer." + token());
  foreign.headers.Add("Origin", "http://elsewhere.example");
  EXPECT_FALSE(Allows(foreign)) << "a page of another site, though it knows the token";
}

// A page of a site whose name was made to resolve here belongs to that site, although the request comes from this
// machine.
TEST_F(AccessTest, OnThisMachineTheServerIsReachedByItsOwnNamesOnly) {
  const auto asks = [](std::string_view host) {
    net::HttpRequest request = Asks("/api/v1/tables");
    request.loopback = true;
    request.headers.Set("Host", std::string(host));
    if (!host.empty()) request.headers.Add("Origin", "http://" + std::string(host));
    return request;
  };
  for (const char* host : {"localhost:8000", "LOCALHOST", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000", "[::1]",
                           "play.example.org", "Play.Example.org:8000", ""}) {
    EXPECT_TRUE(Allows(asks(host))) << host;
  }
  for (const char* host :
       {"evil.example", "127.evil.example:8000", "127.0.0.1.evil.example:8000", "127.", "127.0.0.1.:8000",
        "localhost.evil.example", "[::1].evil.example", "[::1", "[]", ":8000", "0.0.0.0:8000"}) {
    EXPECT_FALSE(Allows(asks(host))) << host;
  }
}

TEST_F(AccessTest, WhatAProxyOnThisMachinePassesOnIsFromElsewhere) {
  net::HttpRequest local = Asks("/api/v1/tables");
  local.loopback = true;
  EXPECT_TRUE(Allows(local));
  for (const char* header : {"X-Forwarded-For", "forwarded", "X-Real-IP", "Via"}) {
    net::HttpRequest passed = local;
    passed.headers.Add(header, "for=203.0.113.9");
    passed.forwarded_for = net::ForwardedFor(passed);
    EXPECT_FALSE(Allows(passed)) << header;
    passed.headers.Add("Authorization", "Bearer " + token());
    EXPECT_TRUE(Allows(passed)) << header;
    // Any page can add such a header, so it must not allow what the page's name forbids.
    passed.headers.Set("Host", "evil.example");
    passed.path = "/chimera";
    EXPECT_FALSE(Allows(passed)) << header;
  }
}

TEST_F(AccessTest, WhatPlayersChangeDoesNotPushOutTheAdministratorsLines) {
  net::HttpRequest request = Asks("/api/v1/decks");
  request.method = net::Method::kPost;
  request.peer = "203.0.113.9";
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(access_->Check(request, true));
  access_.reset();  // everything is written
  const std::string log = Audit();
  EXPECT_THAT(log,
              HasSubstr(R"("event":"player","what":"POST /api/v1/decks","from":"203.0.113.9","who":"signed in"})"));
  EXPECT_LT(std::ranges::count(log, '\n'), 200);
}

TEST_F(AccessTest, WrongTokensAreLimitedByAddressAndRecorded) {
  net::HttpRequest request = Asks("/api/v1/tables");
  request.peer = "203.0.113.9";
  request.headers.Add("Authorization", "Bearer guess");
  int unauthorized = 0;
  Result<void> last = access_->Check(request);
  while (!last && last.error().code == ErrorCode::kUnauthorized && ++unauthorized < 1000)
    last = access_->Check(request);
  EXPECT_EQ(last.error().code, ErrorCode::kBusy);
  EXPECT_GE(unauthorized, 100);
  request.headers.Set("Authorization", "Bearer " + token());
  EXPECT_EQ(access_->Check(request).error().code, ErrorCode::kBusy) << "whatever it says now";
  request.peer = "203.0.113.10";
  EXPECT_TRUE(Allows(request));
  request.method = net::Method::kPost;
  request.path = "/api/v1/tables/a-b.secret/control";
  EXPECT_TRUE(Allows(request));
  access_.reset();  // everything is written
  const std::string log = Audit();
  EXPECT_THAT(log, HasSubstr(R"("event":"wrong-secret","what":"admin token","from":"203.0.113.9"})"));
  EXPECT_THAT(
      log,
      HasSubstr(
          R"("event":"admin","what":"POST /api/v1/tables/a-b./control","from":"203.0.113.10","who":"admin token"})"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("guess")));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("secret/")));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), unauthorized + 1) << "what was too much is not recorded";
}

TEST_F(AccessTest, GamesAreOpenToThisMachineUnlessSaidOtherwise) {
  net::HttpRequest local = Asks("/");
  local.loopback = true;
  net::HttpRequest passed = local;
  passed.forwarded_for = "203.0.113.9";
  const auto open = [&](Games games, const net::HttpRequest& request) {
    return Access::Open(dir_, {.games = games})->GamesOpenTo(request);
  };
  EXPECT_TRUE(open(Games::kLocal, local));
  EXPECT_FALSE(open(Games::kLocal, passed));
  EXPECT_FALSE(open(Games::kLocal, Asks("/")));
  EXPECT_TRUE(open(Games::kOpen, Asks("/")));
  EXPECT_FALSE(open(Games::kToken, local));
}

TEST_F(AccessTest, ARequestThatIsNoUpgradeSaysItsTokenInAuthorization) {
  net::HttpRequest request = Asks("/api/v1/tables");
  request.headers.Add("Sec-WebSocket-Protocol", "openseat.bearer." + token());
  EXPECT_FALSE(Allows(request));
}

}  // namespace
}  // namespace openseat::app
