#include "protocols/console/agents_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::console {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AgentsApi, TellsEveryKindWithTheOptionsThatTheApiTakes) {
  const AgentKinds kinds({RandomKind(),
                          ScriptKind(),
                          {.kind = "secret",
                           .title = "Secret",
                           .description = "Of the owner.",
                           .named_by = Namer::kOwner,
                           .options = R"({"type":"object"})",
                           .make = {}}});
  net::TestServer server([&kinds](net::Router& router) { AddAgentsRoute(router, kinds); });
  net::TestClient client(server.port());
  const net::TestClient::Answer response = client.Request("GET /api/v1/agents HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  EXPECT_THAT(response.body, Not(HasSubstr("x-namedBy")));
  const Result<json::Value> body = json::Parse(response.body);
  ASSERT_TRUE(body.has_value());
  const json::Array& agents = body->at("agents").as_array();
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(json::TextOf(agents[0], "kind"), "random");
  EXPECT_EQ(agents[0].at("takes_seed"), json::Value(true));
  EXPECT_TRUE(agents[0].at("options_schema").at("properties").as_object().contains("delay_ms"));
  const json::Object& script = agents[1].at("options_schema").at("properties").as_object();
  EXPECT_TRUE(script.contains("script"));
  EXPECT_FALSE(script.contains("file")) << "files are the owner's to name";
  EXPECT_FALSE(agents[1].as_object().contains("bare"));
}

}  // namespace
}  // namespace openseat::console
