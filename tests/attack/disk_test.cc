// The disk: a stranger who fills it, and a disk that is full.
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "attack/attack.h"
#include "attack/attackers.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

// The maximum size of an event that reports a gap.
constexpr std::size_t kAGap = 300;

// Plays one round, so that all earlier messages have been handled.
void PlayARound(WireGame& game) {
  game.Force("go");
  const json::Value action = game.NextAction();
  ASSERT_TRUE(action.is_object());
  game.Accept(action);
}

// A table's complete recording.
json::Array Recording(RealServer& server, const std::string& table) {
  json::Array all;
  std::int64_t after = 0;
  for (;;) {
    json::Value page = server.Get("/api/v1/tables/" + table + "/transcript?after=" + std::to_string(after));
    json::Array& events = page.at("events").as_array();
    if (events.empty()) return all;
    after = events.back().at("seq").to_number<std::int64_t>();
    for (json::Value& event : events) all.push_back(std::move(event));
  }
}

// The kinds of its events, in order.
std::string Kinds(RealServer& server, const std::string& table) {
  std::string kinds;
  for (const json::Value& event : Recording(server, table)) {
    kinds += std::string(json::View(event.at("kind").as_string())) + " ";
  }
  return kinds;
}

// The bytes of its texts.
std::size_t RecordedBytes(RealServer& server, const std::string& table) {
  std::size_t bytes = 0;
  for (const json::Value& event : Recording(server, table)) bytes += json::Write(event.at("payload")).size();
  return bytes;
}

TEST_F(Attack, AGameThatFloodsItsRecordingPlaysOnUnrecorded) {
  Start("[limits.loopback]\nmax_journal_bytes = 2000000\n");
  WireGame stranger(server(), "Flood");
  stranger.Register("go", nullptr);
  Talk(stranger, Scaled(300), 100 * kKiB);
  PlayARound(stranger);
  // Once for each table; the neighbor's recording gets there, too, if this takes long.
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_journal_bytes"})"), 1);
  const std::string table = TableOf("Flood");
  // Of 30 MB in messages of 100 kB, as many as fit are recorded. Writing them takes a while.
  while (RecordedBytes(server(), table) < 1'800'000) {
  }
  EXPECT_LT(RecordedBytes(server(), table), 2'000'000u + kAGap);
  const std::string diagnostics = json::Write(server().Get("/api/v1/tables/" + table + "/diagnostics"));
  EXPECT_THAT(diagnostics, HasSubstr("server/recording_gap"));
  EXPECT_THAT(diagnostics, HasSubstr("max_journal_bytes is reached"));
  ExpectUnnoticed();
}

TEST_F(Attack, AGameIsRecordedNoFasterThanItsRate) {
  Start("[limits.loopback]\njournal_bytes_per_second = 10000\njournal_bytes_burst = 1000000\n");
  const auto began = std::chrono::steady_clock::now();
  WireGame stranger(server(), "Flood");
  stranger.Register("go", nullptr);
  Talk(stranger, Scaled(300), 100 * kKiB);
  PlayARound(stranger);
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="journal_bytes_per_second"})"), 1);
  const std::string table = TableOf("Flood");
  while (RecordedBytes(server(), table) < 900'000) {
  }
  const std::size_t recorded = RecordedBytes(server(), table);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
  // The burst, one message beyond it, and the rate since then, with at most one gap per second.
  EXPECT_LT(recorded, 1'000'000u + 110'000u + static_cast<std::size_t>(seconds) * (10'000 + kAGap));
  ExpectUnnoticed();
}

TEST_F(Attack, RecordingsStopBeforeHostedMatchesDo) {
  Start("[journal]\nmax_bytes = 16000000\nreserve_bytes = 8000000\n");
  WireGame stranger(server(), "Flood");
  stranger.Register("go", nullptr);
  Talk(stranger, 300, 100 * kKiB);
  PlayARound(stranger);
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="journal.max_bytes"})"), 1);
  EXPECT_EQ(server().Metric("openseat_journal_writable"), 1);
  EXPECT_EQ(server().Status("/readyz"), 200);
  // The neighbor's matches are in the journal before they are answered.
  ExpectUnnoticed(100);
}

// A game is live even if there is no room for its recording.
TEST_F(Attack, ALiveTableWithoutARecordingHasAnEmptyTranscript) {
  StartAlone("[journal]\nmax_bytes = 1000000\nreserve_bytes = 999999\n");
  WireGame game(server(), "Small");
  game.Register("go", nullptr);
  PlayARound(game);
  const std::string table = TableOf("Small");
  const std::string path = "/api/v1/tables/" + table + "/transcript";
  const json::Value empty = json::Object{{"table", table}, {"viewer", "all"}, {"events", json::Array()}};
  EXPECT_EQ(json::Write(server().Get(path)), json::Write(empty));
  EXPECT_EQ(server().Status(path + "?viewer=spectator"), 501);
  EXPECT_EQ(server().Status("/api/v1/tables/unknown/transcript"), 404);
}

// The server's files may not grow beyond their current size: as on a full disk, writes that would extend them fail.
class FullDisk : public Attack {
 protected:
  void Limit(rlim_t bytes) {
    rlimit limit{};
    ASSERT_EQ(prlimit(server().pid(), RLIMIT_FSIZE, nullptr, &limit), 0) << std::strerror(errno);
    limit.rlim_cur = bytes;
    ASSERT_EQ(prlimit(server().pid(), RLIMIT_FSIZE, &limit, nullptr), 0) << std::strerror(errno);
  }
  void Fill() { Limit(std::filesystem::file_size(data_dir() + "/openseat.db-wal")); }
  void MakeRoom() { Limit(RLIM_INFINITY); }
};

TEST_F(FullDisk, HealsAndEveryTableGoesOn) {
  StartAlone();
  WireClient ann(server());
  WireClient bob(server());
  const std::string match = ann.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Ann"}})
                                .at("result")
                                .at("match-id")
                                .as_string()
                                .c_str();
  bob.Ask("join-match", json::Object{{"game", "tictactoe"}, {"match-id", match}, {"player-name", "Bob"}});
  // Skips what both are told about the match.
  const auto act = [&](WireClient& client, int column, int row) {
    const json::Object data{{"position", json::Array{column, row}}};
    const json::Object params{{"match-id", match}, {"action", "move"}, {"data", data}};
    json::Value message = client.Ask("game-action", params);
    while (message.is_object() && message.as_object().contains("event")) message = client.Next();
    return json::Write(message);
  };
  WireGame game(server(), "Game");
  game.Register("go", nullptr);
  PlayARound(game);
  const std::string table = TableOf("Game");
  Kinds(server(), table);  // all of it is in the journal

  Fill();
  EXPECT_THAT(act(ann, 0, 0), HasSubstr("error"));
  const auto why = net::TestClient(server().port()).Request("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  EXPECT_EQ(why.status, 503);
  // The file's limit is an I/O error to SQLite; tests/e2e/journal.sh has a disk that is really full.
  EXPECT_THAT(why.body, HasSubstr("the journal cannot be written now: "));
  EXPECT_THAT(why.body, ::testing::ContainsRegex(R"(\(SQLite code (778|13)\))"));
  EXPECT_EQ(server().Metric("openseat_journal_writable"), 0);
  // A new match is not made, and the answer says why, and when to ask again.
  const std::string body = R"({"game":"tictactoe"})";
  net::TestClient client(server().port());
  const auto refused = client.Request(PostHead("/api/v1/matches", body.size()) + body);
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr("the journal cannot be written now"));
  for (int i = 0; i < 5; ++i) PlayARound(game);
  EXPECT_THAT(act(ann, 0, 0), HasSubstr("error"));
  EXPECT_EQ(server().Status("/healthz"), 200);

  MakeRoom();
  while (server().Status("/readyz") != 200) {
  }
  EXPECT_THAT(act(ann, 0, 1), ::testing::Not(HasSubstr("error")));
  EXPECT_THAT(act(bob, 0, 0), ::testing::Not(HasSubstr("error")));
  std::string kinds;
  while (kinds.find("gap") == std::string::npos) kinds = Kinds(server(), table);
  PlayARound(game);
  EXPECT_THAT(Kinds(server(), table), HasSubstr("gap "));
  const json::Value before = server().Get("/api/v1/tables/" + match);

  server().Kill();
  StartAlone();
  const json::Value after = server().Get("/api/v1/tables/" + match);
  EXPECT_EQ(json::Write(after.at("state")), json::Write(before.at("state")));
  EXPECT_THAT(Kinds(server(), table), HasSubstr("gap "));
}

TEST_F(FullDisk, ATableThatClosesMeanwhileIsClosedOnceThereIsRoom) {
  StartAlone("[neuro]\nkeep = 1\n");
  std::string table;
  {
    WireGame game(server(), "Game");
    game.Register("go", nullptr);
    PlayARound(game);
    table = TableOf("Game");
    Kinds(server(), table);  // all of it is in the journal
    Fill();
  }
  while (!server().Get("/api/v1/tables").at("tables").as_array().empty()) {
  }
  EXPECT_THAT(Kinds(server(), table), ::testing::Not(HasSubstr("closed")));
  MakeRoom();
  std::string kinds;
  while (kinds.find("closed") == std::string::npos) kinds = Kinds(server(), table);
  EXPECT_THAT(kinds, ::testing::EndsWith("gap closed "));
}

}  // namespace
}  // namespace openseat::tests
