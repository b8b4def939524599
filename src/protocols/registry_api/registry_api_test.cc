#include "protocols/registry_api/registry_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/clock.h"
#include "games/netrunner/deck_lists.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "testing/memory_registry.h"

namespace openseat::registry_api {
namespace {

using ::testing::HasSubstr;

class RegistryApiTest : public ::testing::Test {
 protected:
  net::TestClient::Answer Post(const std::string& path, const std::string& body) {
    net::TestClient client(server_.port());
    return client.Request("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  const SystemClock clock_;
  testing::MemoryRegistry registry_{clock_};
  std::optional<RegistryApi> api_;
  net::TestServer server_{[this](net::Router& router) {
    api_.emplace(registry_, server_.shards.at(0), std::vector<const DeckRules*>{&games::NetrunnerDecks()});
    api_->AddRoutes(router);
  }};
};

TEST_F(RegistryApiTest, ACountOfCardsIsAWholeNumberHoweverItIsWritten) {
  const auto deck = [](const std::string& count) {
    return R"({"name":"d","side":"corp","cards":{"30075":)" + count + "}}";
  };
  const std::string written = Post("/api/v1/decks/validate", deck("3")).body;
  EXPECT_THAT(written, HasSubstr(R"("cards":{"30075":3})"));
  EXPECT_EQ(Post("/api/v1/decks/validate", deck("3.0")).body, written);
  EXPECT_EQ(Post("/api/v1/decks/validate", deck("3e0")).body, written);
  for (const char* count : {"0", "-1", "2.5", "1001", "1e300", "18446744073709551615", "\"3\"", "null", "[3]"}) {
    EXPECT_EQ(Post("/api/v1/decks/validate", deck(count)).status, 400) << count;
  }
}

}  // namespace
}  // namespace openseat::registry_api
