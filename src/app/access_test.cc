#include "app/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class AccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-access-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    Result<Access> access = Access::Open(dir_, {"play.example.org"});
    ASSERT_TRUE(access.has_value());
    access_.emplace(std::move(*access));
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

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
  const std::string& token() const { return access_->fresh_token(); }

  std::string dir_;
  std::optional<Access> access_;
};

TEST_F(AccessTest, FromElsewhereTheApiNeedsTheToken) {
  EXPECT_TRUE(Allows(Asks("/chimera")));
  net::HttpRequest request = Asks("/api/v1/tables");
  EXPECT_THAT(access_->Check(request).error().message, HasSubstr("admin token"));
  request.headers.Add("Authorization", "Bearer " + token());
  EXPECT_TRUE(Allows(request));
  request.headers.Set("Authorization", "Bearer wrong");
  EXPECT_FALSE(Allows(request));
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

// A page of a site whose name was made to lead here is of that site, though the request comes from this machine.
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
    EXPECT_TRUE(access_->CheckOrigin(asks(host)).has_value()) << host;
  }
  for (const char* host :
       {"evil.example", "127.evil.example:8000", "127.0.0.1.evil.example:8000", "127.", "127.0.0.1.:8000",
        "localhost.evil.example", "[::1].evil.example", "[::1", "[]", ":8000", "0.0.0.0:8000"}) {
    EXPECT_FALSE(Allows(asks(host))) << host;
    EXPECT_FALSE(access_->CheckOrigin(asks(host)).has_value()) << host;
  }
}

TEST_F(AccessTest, WhatAProxyOnThisMachinePassesOnIsFromElsewhere) {
  net::HttpRequest local = Asks("/api/v1/tables");
  local.loopback = true;
  EXPECT_TRUE(Allows(local));
  for (const char* header : {"X-Forwarded-For", "forwarded", "X-Real-IP", "Via"}) {
    net::HttpRequest passed = local;
    passed.headers.Add(header, "for=203.0.113.9");
    EXPECT_FALSE(Allows(passed)) << header;
    passed.headers.Add("Authorization", "Bearer " + token());
    EXPECT_TRUE(Allows(passed)) << header;
    // Any page can add such a header, which must not open what its name closes.
    passed.headers.Set("Host", "evil.example");
    passed.path = "/chimera";
    EXPECT_FALSE(Allows(passed)) << header;
  }
}

TEST(HostOnly, TakesThePortAndTheBracketsAway) {
  EXPECT_EQ(HostOnly("Play.Example:80"), "play.example");
  EXPECT_EQ(HostOnly("play.example"), "play.example");
  EXPECT_EQ(HostOnly("[FD00::5]:80"), "fd00::5");
  EXPECT_EQ(HostOnly("fd00::5"), "fd00::5");
  EXPECT_EQ(HostOnly("[::1].evil.example"), "");
  EXPECT_EQ(HostOnly(""), "");
}

TEST_F(AccessTest, ARequestThatIsNoUpgradeSaysItsTokenInAuthorization) {
  net::HttpRequest request = Asks("/api/v1/tables");
  request.headers.Add("Sec-WebSocket-Protocol", "openseat.bearer." + token());
  EXPECT_FALSE(Allows(request));
}

}  // namespace
}  // namespace openseat::app
