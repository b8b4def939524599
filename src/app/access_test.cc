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

TEST_F(AccessTest, ARequestThatIsNoUpgradeSaysItsTokenInAuthorization) {
  net::HttpRequest request = Asks("/api/v1/tables");
  request.headers.Add("Sec-WebSocket-Protocol", "openseat.bearer." + token());
  EXPECT_FALSE(Allows(request));
}

}  // namespace
}  // namespace openseat::app
