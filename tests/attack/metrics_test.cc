// Not an attack: what operators see of one.
#include <set>
#include <string>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

// docs/metrics.md lists exactly the metrics of a server with a model.
TEST_F(Attack, EveryMetricIsDocumented) {
  StartAlone({}, {"--model", "m=openai:none@http://127.0.0.1:9/v1"});
  net::TestClient client(server().port());
  const std::string text = client.Request("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").body;
  std::set<std::string> said;
  for (std::size_t at = text.find("# HELP "); at != std::string::npos; at = text.find("# HELP ", at + 1)) {
    said.insert(text.substr(at + 7, text.find(' ', at + 7) - at - 7));
  }
  const std::string page = ReadTextFile(OPENSEAT_SOURCE_DIR "/docs/metrics.md");
  std::set<std::string> documented;
  for (std::size_t at = page.find("\n| `openseat_"); at != std::string::npos;
       at = page.find("\n| `openseat_", at + 1)) {
    std::string name = page.substr(at + 4, page.find_first_of("`{", at + 4) - at - 4);
    // Only the nodes of a cluster have those (ClusterNodes reads them).
    const bool of_clusters = name.starts_with("openseat_cluster_") || name.starts_with("openseat_registry_");
    if (!of_clusters) documented.insert(std::move(name));
  }
  EXPECT_EQ(said, documented);
}

// The label of a refusal is a setting of [limits], which its table has, or is listed in docs/metrics.md.
TEST_F(Attack, EveryLabelOfARefusalIsDocumented) {
  StartAlone();
  net::TestClient client(server().port());
  const std::string text = client.Request("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").body;
  const std::string settings = ReadTextFile(OPENSEAT_SOURCE_DIR "/docs/configuration.md");
  const std::string page = ReadTextFile(OPENSEAT_SOURCE_DIR "/docs/metrics.md");
  const std::string mark = "\nopenseat_refused_total{budget=\"";
  std::size_t labels = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string label = text.substr(begin, text.find('"', begin) - begin);
    const bool of_limits = label.find('.') == std::string::npos;
    EXPECT_THAT(of_limits ? settings : page, HasSubstr(of_limits ? "\n| `" + label + "` | " : "`" + label + "`"));
    ++labels;
  }
  EXPECT_GT(labels, 40u);
}

TEST_F(Attack, MetricsKnowTheDomain) {
  StartAlone();
  WireGame game(server(), "Solitaire");
  game.Register("go", nullptr);
  game.Force("go");
  const json::Value action = game.NextAction();
  ASSERT_TRUE(action.is_object());
  game.Accept(action);
  server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}});
  EXPECT_EQ(server().Metric("openseat_tables_open"), 1);
  EXPECT_EQ(server().Metric("openseat_matches_open"), 1);
  EXPECT_EQ(server().Metric(R"(openseat_events_total{kind="choice"})"), 1);
  // Once the next message is answered, the verdict has arrived.
  game.Force("go");
  ASSERT_TRUE(game.NextAction().is_object());
  EXPECT_EQ(server().Metric(R"(openseat_events_total{kind="verdict"})"), 1);
  EXPECT_EQ(server().Metric(R"(openseat_events_total{kind="choice"})"), 2);
  EXPECT_GT(server().Metric("openseat_memory_resident_bytes"), 1e6);
  EXPECT_GT(server().Metric("openseat_memory_max_bytes"), 1e6);
}

}  // namespace
}  // namespace openseat::tests
