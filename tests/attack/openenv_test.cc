// Trainers that are strangers: more environments than they may have, messages that cost much, and sockets that go away
// in the middle.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_trainers.h"
#include "base/rng.h"

namespace openseat::tests {
namespace {

using ::testing::StartsWith;

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
  std::vector<std::unique_ptr<WireClient>> sockets;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sockets.push_back(SendToAnEnvironment(server(), kEnvironmentPath, ManyEnvironments()));
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
  WireClient again(server(), kEnvironmentPath, kTrainerElsewhere);
  again.Send(EnvironmentMessage("reset", "{}"));
  EXPECT_EQ(again.Next().at("type"), json::Value("observation"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, OptionsForMoreEnvironmentsThanAnAddressMayHave) {
  Start("[access]\ngames = \"open\"\n");
  std::vector<std::unique_ptr<WireClient>> sockets;
  for (std::size_t i = 0; i < 5; ++i) {
    sockets.push_back(SendToAnEnvironment(server(), "/openenv/tictactoe/ws", ManyEnvironmentsWithOptions()));
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
  for (std::size_t round = 0; round < Scaled(2); ++round) ASSERT_EQ(PileUpSteps(server()), 32u);
  ExpectUnnoticed(150);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, SocketsThatGoAwayInTheMiddle) {
  Start();
  for (std::size_t round = 0; round < Scaled(200); ++round) LeaveInTheMiddle(server());
  ExpectAllGone();
  ExpectUnnoticed(20);
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, MessagesThatCostMuch) {
  Start();
  for (const std::string& text : CostlyEnvironmentMessages()) {
    static_cast<void>(SayInAnEnvironment(server(), text));
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

// Each byte of them takes six in a text of JSON, and seven if it is written twice.
TEST_F(OpenEnvAttack, MessagesThatErrorsWouldQuote) {
  Start();
  WireClient client(server(), kEnvironmentPath);
  for (const std::string& text : MessagesThatErrorsWouldQuote()) {
    client.Send(text);
    const json::Value answer = client.Next();
    ASSERT_TRUE(answer.is_object()) << "the connection lives";
    EXPECT_EQ(answer.at("type"), json::Value("error"));
    EXPECT_LT(json::Write(answer).size(), 8 * kKiB);
  }
  client.Send(EnvironmentMessage("reset", "{}"));
  EXPECT_EQ(client.Next().at("type"), json::Value("observation"));
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(200 * kMiB);
}

// As a model's whole answer.
TEST_F(OpenEnvAttack, AnswersThatAreHardToRead) {
  Start();
  const std::vector<std::string> texts = AnswersThatAreHardToRead();
  const std::vector<json::Value> answers = AnswerInAnEnvironment(server(), texts, Scaled(2));
  EXPECT_EQ(answers.size(), texts.size() * Scaled(2));
  for (const json::Value& answer : answers) EXPECT_THAT(json::Write(answer), ::testing::HasSubstr("an answer "));
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, OptionsThatWouldFillTheJournal) {
  Start();
  WireClient client(server(), kStoryEnvironmentPath);
  client.Send(EpisodesWithLongOptions());
  EXPECT_THAT(json::Write(client.Next()), ::testing::HasSubstr("options may have at most 64 KiB"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, EpisodesLeaveTheReserveToMatches) {
  Start("[access]\ngames = \"open\"\n[journal]\nmax_bytes = 6000000\nreserve_bytes = 2000000\n");
  Rng rng(1);
  std::string refused;
  for (std::size_t i = 1; i < 250 && refused.empty(); ++i) {
    WireClient client(server(), kStoryEnvironmentPath, "X-Forwarded-For: 192.0.2." + std::to_string(i) + "\r\n");
    client.Send(EpisodesThatCannotBeCompressed(rng));
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
  const std::string reset = EpisodesThatBeginWithMuch();
  for (int round = 0; round < 20; ++round) {
    WireClient client(server(), kStoryEnvironmentPath, kTrainerElsewhere);
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
  WireClient other(server(), kStoryEnvironmentPath, "X-Forwarded-For: 192.0.2.8\r\n");
  other.Send(EnvironmentMessage("reset", R"({"record":true})"));
  EXPECT_EQ(other.Next().at("type"), json::Value("observation"));
  WireClient unrecorded(server(), kEnvironmentPath, kTrainerElsewhere);
  unrecorded.Send(EnvironmentMessage("reset", "{}"));
  EXPECT_EQ(unrecorded.Next().at("type"), json::Value("observation"));
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(OpenEnvAttack, ChoicesToJudgeOfPlayersWhoLeave) {
  Start("[server]\nsearch_threads = 2\n");
  const std::string reset = EnvironmentMessage("reset", R"({"reward":"judge","wait":0})");
  const std::string step = EnvironmentMessage("step", R"({"choice":0})");
  for (std::size_t round = 0; round < Scaled(200); ++round) HaveChoicesJudgedAndLeave(server());
  WireClient loop(server(), kEnvironmentPath);
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
  loop.Send(EnvironmentMessage("close", "{}"));
  ExpectAllGone();
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(OpenEnvAttack, EmptyFramesWhileAnAnswerIsAwaited) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  const net::TestClient::Frame end = FloodAnEnvironment(server(), 100'000);
  ASSERT_EQ(end.opcode, 8);
  EXPECT_EQ(end.code(), 1008);
  EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  ExpectUnnoticed(20);
}

}  // namespace
}  // namespace openseat::tests
