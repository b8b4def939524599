// Trainers that are strangers: more environments than they may have, messages that cost much, and sockets that go away
// in the middle.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "base/rng.h"

namespace openseat::tests {
namespace {

using ::testing::StartsWith;

constexpr std::string_view kPath = "/openenv/connectm/ws";

std::string Message(std::string_view type, const std::string& data) {
  return R"({"type":")" + std::string(type) + R"(","data":)" + data + "}";
}

class OpenEnvAttack : public Attack {
 protected:
  // Waits until no environment is open.
  void ExpectAllGone() {
    while (server().Metric("openseat_openenv_environments_open") > 0) {
    }
  }
};

TEST_F(OpenEnvAttack, MoreEnvironmentsThanAnAddressMayHave) {
  Start("[access]\ngames = \"open\"\n[limits]\nmax_matches_per_address = 2000\n");
  // Of another machine, for which a proxy on this one asks: what it holds is not the neighbor's.
  constexpr std::string_view kStranger = "X-Forwarded-For: 192.0.2.7\r\n";
  std::vector<std::unique_ptr<WireClient>> sockets;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sockets.push_back(std::make_unique<WireClient>(server(), kPath, kStranger));
    sockets.back()->Send(Message("reset_many", R"({"count":1024,"fields":["mask"]})"));
    const json::Value answer = sockets.back()->Next();
    ASSERT_TRUE(answer.is_object());
    if (answer.at("type") == json::Value("observations")) continue;
    ++refused;
    EXPECT_EQ(answer.at("data").at("code"), json::Value("CAPACITY_REACHED"));
    EXPECT_TRUE(sockets.back()->Next().is_null()) << "the socket closes";
  }
  EXPECT_EQ(refused, 3) << "the first has 1,024; each of the others wants more than is left";
  sockets.clear();
  ExpectAllGone();
  WireClient again(server(), kPath, kStranger);
  again.Send(Message("reset", "{}"));
  EXPECT_EQ(again.Next().at("type"), json::Value("observation"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, OptionsForMoreEnvironmentsThanAnAddressMayHave) {
  Start("[access]\ngames = \"open\"\n");
  std::string options = R"({"x":[)";
  while (options.size() < 63 * kKiB) options += std::string(50, '[') + std::string(50, ']') + ",";
  options.back() = ']';
  const std::string message = Message("reset_many", R"({"count":1024,"options":)" + options + "}}");
  std::vector<std::unique_ptr<WireClient>> sockets;
  for (std::size_t i = 0; i < 5; ++i) {
    sockets.push_back(
        std::make_unique<WireClient>(server(), "/openenv/tictactoe/ws", "X-Forwarded-For: 192.0.2.7\r\n"));
    sockets.back()->Send(message);
  }
  for (const std::unique_ptr<WireClient>& socket : sockets) {
    EXPECT_THAT(json::Write(socket->Next()), ::testing::HasSubstr("this game has no options"));
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, StepsThatPileUpWhileABotThinks) {
  Start();
  const std::string hard = Message("step", R"({"choice":"{\"choice\":)" + std::string(255 * kKiB, '9') + R"(}"})");
  for (std::size_t round = 0; round < Scaled(2); ++round) {
    WireClient client(server(), kPath);
    client.Send(Message("reset", R"({"opponents":"search:level=7","seat":0,"wait":50})"));
    EXPECT_EQ(client.Next().at("type"), json::Value("observation"));
    client.Send(Message("step", R"({"choice":3})"));
    constexpr std::size_t kPiled = 31;
    for (std::size_t i = 0; i < kPiled; ++i) client.Send(hard);
    for (std::size_t i = 0; i <= kPiled; ++i) ASSERT_TRUE(client.Next().is_object()) << i;
  }
  ExpectUnnoticed(150);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, SocketsThatGoAwayInTheMiddle) {
  Start();
  for (std::size_t round = 0; round < Scaled(200); ++round) {
    WireClient client(server(), kPath);
    client.Send(Message("reset_many", R"({"count":20})"));
    client.Send(Message("reset", R"({"episode_id":"E","opponents":"open"})"));
    client.Send(Message("step", R"({"choice":0})"));
  }
  ExpectAllGone();
  ExpectUnnoticed(20);
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, MessagesThatCostMuch) {
  Start();
  std::string many = R"({"actions":[)";
  while (many.size() < 3 * kMiB) many += "null,";
  const std::vector<std::string> texts{
      Message("step_many", many + "null]}"),
      Message("step", R"({"choice":")" + std::string(3 * kMiB, '{') + "\"}"),
      Message("step", R"({"choice":)" + std::string(1000, '[') + std::string(1000, ']') + "}"),
      Message("reset", R"({"options":{"a":)" + std::string(100, '[') + std::string(100, ']') + "}}"),
  };
  for (const std::string& text : texts) {
    WireClient client(server(), kPath);
    client.Send(Message("reset", "{}"));
    EXPECT_EQ(client.Next().at("type"), json::Value("observation"));
    client.Send(text);
    static_cast<void>(client.Next());
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

// As a model's whole answer: broken JSON of the kinds that made repair or the search for the last object read the same
// text again and again.
TEST_F(OpenEnvAttack, AnswersThatAreHardToRead) {
  Start();
  const auto times = [](std::size_t count, std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  const std::string quotes = times(15, R"({"a":)") + times(111, "[") + '"' + times(60'000, R"(" q)") + R"(":))";
  const std::vector<std::string> texts{
      quotes,
      times(15, R"({"a":)") + times(110, "[") + "}" + std::string(200 * kKiB, ' ') + ")",
      times(15, R"({\"a\":)") + times(50, "[") + R"(\")" + times(40'000, R"(\" q)") + R"(\":))",
      std::string(200 * kKiB, '{'),
      times(100'000, "{x"),
      times(30'000, R"({"a":)") + times(30'000, "}"),
      quotes + times(300'000, R"(" q)"),  // too long
  };
  WireClient client(server(), kPath);
  client.Send(Message("reset", R"({"opponents":"random"})"));
  EXPECT_EQ(client.Next().at("type"), json::Value("observation"));
  for (const std::string& text : texts) {
    for (std::size_t round = 0; round < Scaled(2); ++round) {
      client.Send(Message("step", json::Write(json::Object{{"choice", text}})));
      const json::Value answer = client.Next();
      ASSERT_TRUE(answer.is_object()) << text.substr(0, 40);
      EXPECT_THAT(json::Write(answer), ::testing::HasSubstr("an answer "));
    }
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, OptionsThatWouldFillTheJournal) {
  Start();
  WireClient client(server(), "/openenv/narrative/ws");
  std::string begun = "[";
  while (begun.size() < kMiB) begun += "\"" + std::string(9000, 'x') + "\",";
  begun.back() = ']';
  client.Send(Message("reset_many", R"({"count":64,"record":true,"options":{"begun":)" + begun + "}}"));
  EXPECT_THAT(json::Write(client.Next()), ::testing::HasSubstr("options may have at most 64 KiB"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, EpisodesLeaveTheReserveToMatches) {
  Start("[access]\ngames = \"open\"\n[journal]\nmax_bytes = 6000000\nreserve_bytes = 2000000\n");
  Rng rng(1);
  std::string refused;
  for (std::size_t i = 1; i < 250 && refused.empty(); ++i) {
    WireClient client(server(), "/openenv/narrative/ws", "X-Forwarded-For: 192.0.2." + std::to_string(i) + "\r\n");
    // What cannot be compressed.
    std::string text;
    while (text.size() < 9000) text += static_cast<char>('!' + rng.Below('~' - '!'));
    json::Object narration = LongNarration();
    narration["narrative"] = text;
    const json::Array begun{json::Object{{"narration", std::move(narration)}}};
    client.Send(Message(
        "reset_many", json::Write(json::Object{
                          {"count", 32}, {"record", true}, {"wait", 0}, {"options", json::Object{{"begun", begun}}}})));
    const json::Value answer = client.Next();
    if (answer.at("type") != json::Value("observations")) refused = json::Write(answer);
  }
  EXPECT_THAT(refused, ::testing::HasSubstr("the rest is reserved for hosted matches"));
  ExpectUnnoticed(20);
}

TEST_F(OpenEnvAttack, EpisodesThatWouldFillTheJournal) {
  Start(R"([access]
games = "open"
[limits]
match_bytes_per_second_per_address = 10000
match_bytes_burst_per_address = 1000000
)");
  const json::Array begun{json::Object{{"narration", LongNarration()}}};
  const std::string reset =
      Message("reset_many",
              json::Write(json::Object{{"count", 64}, {"record", true}, {"options", json::Object{{"begun", begun}}}}));
  for (int round = 0; round < 20; ++round) {
    WireClient client(server(), "/openenv/narrative/ws", "X-Forwarded-For: 192.0.2.7\r\n");
    client.Send(reset);
    EXPECT_THAT(json::Write(client.Next()), ::testing::HasSubstr("match_bytes_per_second_per_address is reached"));
  }
  ExpectAllGone();
  // 1,280 episodes were wanted. Beyond the burst, one begins for each wait of 6 seconds.
  const json::Value recorded = server().Get("/api/v1/tables?recorded=true&limit=1000");
  std::size_t bytes = 0;
  for (const json::Value& table : recorded.at("tables").as_array()) {
    bytes +=
        json::Write(server().Get("/api/v1/tables/" + std::string(json::TextOf(table, "id")) + "/transcript")).size();
  }
  EXPECT_GT(bytes, 1'000'000);
  EXPECT_LT(bytes, 2'500'000);
  // Others, and episodes that are not recorded, are not affected.
  WireClient other(server(), "/openenv/narrative/ws", "X-Forwarded-For: 192.0.2.8\r\n");
  other.Send(Message("reset", R"({"record":true})"));
  EXPECT_EQ(other.Next().at("type"), json::Value("observation"));
  WireClient unrecorded(server(), kPath, "X-Forwarded-For: 192.0.2.7\r\n");
  unrecorded.Send(Message("reset", "{}"));
  EXPECT_EQ(unrecorded.Next().at("type"), json::Value("observation"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, ChoicesToJudgeOfPlayersWhoLeave) {
  Start("[server]\nsearch_threads = 2\n");
  const std::string reset = Message("reset", R"({"reward":"judge","wait":0})");
  const std::string step = Message("step", R"({"choice":0})");
  for (std::size_t round = 0; round < Scaled(200); ++round) {
    WireClient client(server(), kPath);
    client.Send(Message("reset_many", R"({"count":20,"reward":"judge","wait":0})"));
    std::string actions;
    for (int i = 0; i < 20; ++i) actions += R"({"choice":0},)";
    actions.back() = ']';
    client.Send(Message("step_many", R"({"actions":[)" + actions + "}"));
    // Waits for the step: only one choice of a player is judged at a time.
    client.Send(reset);
    client.Send(step);
  }
  WireClient loop(server(), kPath);
  for (std::size_t round = 0; round < Scaled(20); ++round) {
    loop.Send(reset);
    loop.Send(step);
    EXPECT_EQ(loop.Next().at("type"), json::Value("observation"));
    const json::Value answer = loop.Next();
    EXPECT_TRUE(answer.at("data").as_object().contains("reward")) << json::Write(answer);
  }
  const json::Object quick{{"agent", json::Object{{"kind", "search"}, {"iterations", 20}}}};
  const json::Value match =
      server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"seats", json::Array{quick, quick}}});
  WaitUntilDone(std::string(match.at("match-id").as_string()));
  loop.Send(Message("close", "{}"));
  ExpectAllGone();
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, EmptyFramesWhileAnAnswerIsAwaited) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  WireClient client(server(), kPath);
  const std::string open = Message("reset", R"({"episode_id":"E","opponents":"open"})");
  const net::TestClient::Frame end = FloodWithEmptyFrames(server(), kPath, net::ClientFrame(0x81, open), 100'000);
  ASSERT_EQ(end.opcode, 8);
  EXPECT_EQ(end.code(), 1008);
  EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  ExpectUnnoticed(20);
}

}  // namespace
}  // namespace openseat::tests
