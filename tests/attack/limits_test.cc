// What one stranger holds and never finishes: bodies, messages, tables, matches, answers that it does not read.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_by_requests.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

// What the program uses without an attack, and what its allocator keeps.
constexpr std::uint64_t kSlack = 64 * kMiB;

// Waits for the end of the connection. Returns the code of the close frame, or 0 if there is none.
int CloseCode(net::TestClient& client, std::string* reason = nullptr) {
  for (;;) {
    const net::TestClient::Frame frame = client.ReadFrame();
    if (frame.opcode == -1) return 0;
    if (frame.opcode != 8) continue;
    if (reason != nullptr) *reason = frame.payload.substr(std::min<std::size_t>(2, frame.payload.size()));
    return frame.code();
  }
}

std::string RefusedBy(std::string_view setting) {
  return "openseat_refused_total{budget=\"" + std::string(setting) + "\"}";
}

TEST_F(Attack, BodiesToAPathThatIsNotThere) {
  Start();
  const std::uint64_t before = server().ResidentBytes();
  std::vector<std::unique_ptr<net::TestClient>> clients;
  const std::string most(3 * kMiB, 'x');
  for (std::size_t i = 0; i < Scaled(120); ++i) {
    net::TestClient& client = *clients.emplace_back(std::make_unique<net::TestClient>(server().port()));
    client.Send(PostHead("/nothing", 8 * kMiB));
    EXPECT_EQ(client.ReadAnswer().status, 404) << "before any of the body is sent";
    client.Send(most);
  }
  ExpectMemoryBelow(before + kSlack);
  ExpectUnnoticed();
}

TEST_F(Attack, BodiesThatDoNotEnd) {
  if (!kMeasured) GTEST_SKIP() << "max_memory is not the program's alone";
  Start("[limits]\nmax_memory = 300000000\nmax_unfinished_bytes = 100000000\n");
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (std::size_t i = 0; i < Scaled(120); ++i) {
    clients.push_back(BeginBody(server(), "/api/v1/matches", 4 * kMiB));
    ASSERT_LT(server().ResidentBytes(), 300'000'000u) << i;
  }
  const net::TestClient::Answer answer = clients.back()->ReadAnswer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.body, HasSubstr("max_unfinished_bytes"));
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_GT(server().Metric(RefusedBy("max_unfinished_bytes")), 50);
  ExpectUnnoticed();
}

// A proxy's connections are those of many: the bytes count for the address that it names.
TEST_F(Attack, BodiesThatComeThroughAProxy) {
  Start(
      "[access]\ngames = \"open\"\n"
      "[limits]\nbytes_per_second_per_address = 1\nbytes_burst_per_address = 20000000\n");
  std::size_t taken = 0;
  for (std::size_t i = 0; i < Scaled(20); ++i) taken += UploadThroughAProxy(server(), kElsewhere) != 429 ? 1 : 0;
  EXPECT_EQ(taken, 4u);
  EXPECT_NE(UploadThroughAProxy(server(), "X-Forwarded-For: 203.0.113.10\r\n"), 429) << "somebody else";
  EXPECT_GT(server().Metric(RefusedBy("bytes_per_second_per_address")), 0);
  ExpectUnnoticed();
}

TEST_F(Attack, MessagesThatDoNotEnd) {
  if (!kMeasured) GTEST_SKIP() << "max_memory is not the program's alone";
  Start("[limits]\nmax_memory = 300000000\nmax_unfinished_bytes = 100000000\n");
  std::vector<std::unique_ptr<WireClient>> clients;
  for (std::size_t i = 0; i < Scaled(120); ++i) {
    clients.push_back(BeginMessage(server(), i % 2 == 0 ? "/" : "/chimera", 3 * kMiB));
    ASSERT_LT(server().ResidentBytes(), 300'000'000u) << i;
  }
  std::string reason;
  EXPECT_EQ(CloseCode(clients.back()->raw(), &reason), 1013);
  EXPECT_THAT(reason, HasSubstr("max_unfinished_bytes"));
  ExpectUnnoticed();
}

// Buffers that double, all at about the same time: each is copied, and then filled.
TEST_F(Attack, MessagesAndBodiesThatGrowTogether) {
  if (!kMeasured) GTEST_SKIP() << "max_memory is not the program's alone";
  Start("[limits]\nmax_memory = 150000000\nmax_unfinished_bytes = 1000000000\n");
  EXPECT_GT(SendTogether(server(), Scaled(100), 3 * kMiB).refused, 0u);
  EXPECT_GT(server().Metric(RefusedBy("max_memory")) + server().Metric("openseat_memory_cut_total"), 0);
  ExpectMemoryBelow(150'000'000u);
  ExpectUnnoticed();
}

// Large answers are compressed away from the loops, and only so many at once.
TEST_F(Attack, ManyLargeAnswersToBeCompressed) {
  Start();
  const std::string id = MakeRandomMatch(server(), "netrunner");
  WaitUntilDone(id);
  const std::uint64_t before = server().ResidentBytes();
  const LargeAnswers answers = AskForTranscripts(server(), id, 60, Scaled(6));
  EXPECT_EQ(answers.whole, 60 * Scaled(6));
  EXPECT_GT(answers.compressed, 0u);
  ExpectMemoryBelow(before + kSlack);
  ExpectNoStall();
  ExpectUnnoticed();
}

// A replay is folded once, however often its pages are asked for, and away from the loops.
TEST_F(Attack, ReplaysAskedForAgainAndAgain) {
  Start();
  std::string id;
  // A game of more than one page.
  do {
    id = MakeRandomMatch(server(), "netrunner");
    WaitUntilDone(id);
  } while (server().Status("/api/v1/tables/" + id + "/replay?page=2") != 200);
  const std::uint64_t before = server().ResidentBytes();
  const std::vector<int> statuses = AskForReplays(server(), id, Scaled(40));
  const std::vector<int> expected{200, 200, 200, 400, 400, 200};
  ASSERT_EQ(statuses.size(), Scaled(40) * expected.size());
  for (std::size_t i = 0; i < statuses.size(); ++i) EXPECT_EQ(statuses[i], expected[i % expected.size()]) << i;
  ExpectMemoryBelow(before + kSlack);
  ExpectNoStall();
  ExpectUnnoticed();
}

// A client that keeps asking and does not read is cut off by max_outbox_bytes …
TEST_F(Attack, AnswersThatNobodyReads) {
  Start();
  GreedyReaders greedy(server(), 3);
  ASSERT_EQ(greedy.size(), 3u);
  EXPECT_TRUE(greedy.AskUntilCutOff());
  EXPECT_EQ(server().Metric("openseat_websocket_slow_readers_total"), 3);
  EXPECT_EQ(server().Metric("openseat_refused_total{budget=\"max_outbox_bytes\"}"), 3);
  EXPECT_EQ(server().Metric("openseat_memory_cut_total"), 0);
  ExpectUnnoticed();
}

// … and if that allows it, by max_memory: by the guard, or by its next answer.
TEST_F(Attack, AnswersThatNobodyReadsUseTheMemoryUp) {
  if (!kMeasured) GTEST_SKIP() << "max_memory is not the program's alone";
  Start("[limits]\nmax_memory = 150000000\nmax_outbox_bytes = 1000000000\n");
  GreedyReaders greedy(server(), Scaled(150));
  EXPECT_TRUE(greedy.AskUntilCutOff());
  // All are gone, cut for what they did not read.
  EXPECT_EQ(server().Metric("openseat_memory_cut_total") + server().Metric("openseat_websocket_slow_readers_total"),
            greedy.size());
  ExpectMemoryBelow(150'000'000u);
  ExpectUnnoticed();
}

// … and so are those over HTTP: of a recording larger than memory, a page at a time, and none while memory is short.
TEST_F(Attack, TranscriptsThatNobodyReads) {
  if (!kMeasured) GTEST_SKIP() << "max_memory is not the program's alone";
  Start("[limits]\nmax_memory = 150000000\n");
  WireGame game(server(), "Talker");
  Talk(game, Scaled(600), 100'000);
  EXPECT_NE(WaitUntilRead(game.client().raw()), -1);
  const json::Value tables = server().Get("/api/v1/tables?limit=1000");
  std::string path;
  for (const json::Value& table : tables.at("tables").as_array()) {
    if (json::TextOf(table, "game") == "Talker") path = std::string(json::TextOf(table, "id"));
  }
  path = "/api/v1/tables/" + path + "/transcript?limit=10000";
  const json::Value page = server().Get(path);
  EXPECT_LT(page.at("events").as_array().size(), Scaled(600));
  EXPECT_EQ(page.at("events").as_array().back().at("seq"), page.at("next"));
  const std::vector<int> statuses = AskAndLeave(server(), path, Scaled(200));
  const auto refused = std::ranges::count_if(statuses, [](int status) { return status == 429 || status == 503; });
  EXPECT_EQ(refused + std::ranges::count(statuses, 200) + std::ranges::count(statuses, 0), Scaled(200));
  EXPECT_GT(refused, 0);
  EXPECT_GT(server().Metric(RefusedBy("max_memory")), 0);
  ExpectMemoryBelow(150'000'000u);
  ExpectUnnoticed();
}

TEST_F(Attack, AMessageByDripsIsClosed) {
  Start("[limits.loopback]\nmessage_timeout = 1\n");
  const net::TestClient::Frame end = SendByDrips(server(), "/");
  ASSERT_EQ(end.opcode, 8);
  EXPECT_EQ(end.code(), 1008);
  EXPECT_THAT(end.payload.substr(2), HasSubstr("message_timeout"));
}

TEST_F(Attack, MoreTablesThanAnAddressMayHave) {
  StartAlone("[limits.loopback]\nmax_tables_per_address = 20\n[neuro]\nkeep = 3600\n");
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t i = 0; i < 20; ++i) {
    games.push_back(std::make_unique<WireGame>(server(), "Game " + std::to_string(i)));
    games.back()->Register("go", nullptr);
    games.back()->Force("go");
    ASSERT_TRUE(games.back()->NextAction().is_object()) << i;
  }
  WireGame more(server(), "One more");
  std::string reason;
  EXPECT_EQ(CloseCode(more.client().raw(), &reason), 1013);
  EXPECT_THAT(reason, HasSubstr("max_tables_per_address"));
  EXPECT_EQ(server().Metric(RefusedBy("max_tables_per_address")), 1);
  EXPECT_EQ(server().Get("/api/v1/tables").at("tables").as_array().size(), 20u);
  // The tables wait for their games, and still count; a game that comes back gets one of them.
  games.clear();
  WireGame back(server(), "Game 3");
  back.Register("go", nullptr);
  back.Force("go");
  EXPECT_TRUE(back.NextAction().is_object());
}

TEST_F(Attack, MoreMatchesThanAnAddressMayHave) {
  StartAlone("[limits.loopback]\nmax_matches_per_address = 10\nmax_watched = 3\n");
  WireClient watcher(server());
  for (std::size_t i = 0; i < 10; ++i) {
    const json::Value made = server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}});
    const json::Value watched =
        watcher.Ask("spectate-match",
                    json::Object{{"game", "tictactoe"}, {"match-id", made.at("match-id")}, {"spectator-name", "Kim"}});
    EXPECT_EQ(watched.as_object().contains("error"), i >= 3) << json::Write(watched);
    if (i >= 3) {
      EXPECT_THAT(json::Write(watched), HasSubstr("max_watched"));
    }
  }
  net::TestClient client(server().port());
  const std::string body = R"({"game":"tictactoe"})";
  const auto answer = client.Request(PostHead("/api/v1/matches", body.size()) + body);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_THAT(answer.body, HasSubstr("max_matches_per_address"));
  WireClient player(server());
  const json::Value refused = player.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Alex"}});
  EXPECT_THAT(json::Write(refused), HasSubstr("max_matches_per_address"));
  EXPECT_EQ(server().Metric(RefusedBy("max_matches_per_address")), 2);
}

// A list of 20,000 tables used to take 7 MB for each request.
TEST_F(Attack, ListsComeInPages) {
  StartAlone();
  const std::size_t matches = Scaled(230);
  for (std::size_t i = 0; i < matches; ++i) server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}});
  for (const char* recorded : {"false", "true"}) {
    std::set<std::string> seen;
    std::size_t pages = 0;
    std::string cursor;
    do {
      const json::Value page = server().Get("/api/v1/tables?recorded=" + std::string(recorded) + cursor);
      EXPECT_LE(page.at("tables").as_array().size(), 100u);
      for (const json::Value& table : page.at("tables").as_array()) {
        EXPECT_TRUE(seen.insert(json::Write(table.at("id"))).second) << "twice";
      }
      const json::Value* next = json::Find(page, "next");
      cursor = next == nullptr ? "" : "&cursor=" + std::string(json::View(next->as_string()));
      ++pages;
    } while (!cursor.empty());
    EXPECT_EQ(seen.size(), matches);
    EXPECT_GE(pages, matches / 100);
  }
  net::TestClient client(server().port());
  EXPECT_EQ(client.Request("GET /api/v1/tables?cursor=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status, 400);
  EXPECT_EQ(client.Request("GET /api/v1/tables?limit=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status, 400);
}

TEST_F(Attack, MatchesThatAreOverDoNotCount) {
  StartAlone("[limits.loopback]\nmax_matches_per_address = 1\n");
  for (std::size_t i = 0; i < 5; ++i) {
    WireClient player(server());
    const json::Value made = player.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Alex"}});
    ASSERT_TRUE(made.as_object().contains("result")) << json::Write(made);
    WireClient other(server());
    other.Ask(
        "join-match",
        json::Object{{"game", "tictactoe"}, {"match-id", made.at("result").at("match-id")}, {"player-name", "Sam"}});
    other.Ask("forfeit-match", json::Object{{"match-id", made.at("result").at("match-id")}});
    // The end is announced before the next match is requested.
    for (json::Value next = player.Next(); next.at("event") != json::Value("end");) next = player.Next();
  }
}

// They can still be viewed for a while, with all that their options say.
TEST_F(Attack, LargeMatchesThatAreOver) {
  // A fast machine sends these 800 messages before the default rate lets it.
  Start("[access]\ngames = \"open\"\n[limits]\nmessages_burst = 1000\n");
  WireClient eve(server(), "/chimera", kElsewhere);
  for (std::size_t i = 0; i < Scaled(400); ++i) ASSERT_TRUE(GiveUpALargeMatch(eve)) << i;
  ExpectUnnoticed();
  ExpectMemoryBelow(200u << 20);
}

// More than the burst and what comes back to it meanwhile, however slow this machine is.
TEST_F(Attack, AFloodOfMessagesIsClosed) {
  Start("[limits.loopback]\nmessages_per_second = 100\nmessages_burst = 20000\n");
  WireClient client(server(), "/");
  std::string flood;
  for (int i = 0; i < 30'000; ++i) flood += net::ClientFrame(0x81, "{}");
  client.raw().Send(flood);
  std::string reason;
  EXPECT_EQ(CloseCode(client.raw(), &reason), 1008);
  EXPECT_THAT(reason, HasSubstr("messages_per_second"));
  ExpectUnnoticed();
}

}  // namespace
}  // namespace openseat::tests
