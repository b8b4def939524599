#include "protocols/console/models_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::console {
namespace {

constexpr std::string_view kGet = "GET /api/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(ModelsApi, NamesWhatCanBeSeatedAndNothingElse) {
  net::TestServer server([](net::Router& router) {
    AddModelsRoute(router, {{"big", "anthropic", "large-4"}, {"local", "openai", "llama3:8b"}});
  });
  net::TestClient client(server.port());
  const net::TestClient::Answer response = client.Request(kGet);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"models":[{"name":"big","provider":"anthropic","model":"large-4"},)"
                           R"({"name":"local","provider":"openai","model":"llama3:8b"}]})");
}

TEST(ModelsApi, SaysSoWhereNoneIsConfigured) {
  net::TestServer server([](net::Router& router) { AddModelsRoute(router, {}); });
  net::TestClient client(server.port());
  EXPECT_EQ(client.Request(kGet).body, R"({"models":[]})");
}

}  // namespace
}  // namespace openseat::console
