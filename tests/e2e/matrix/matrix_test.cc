// The matrix: every game with every kind of agent, on the real program. Each possible pair is played to the end, leaves
// events of the same grammar as all others, and is rebuilt from its journal. docs/architecture.md shows the table; with
// --write, this program updates it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/ids.h"
#include "e2e/matrix/cells.h"
#include "e2e/matrix/players.h"
#include "e2e/matrix/record.h"
#include "support/process.h"
#include "support/real_server.h"

namespace openseat::tests {
namespace {

using ::testing::ContainsRegex;
using ::testing::Not;

constexpr const char* kPage = OPENSEAT_SOURCE_DIR "/docs/architecture.md";
constexpr std::string_view kBegin = "<!-- matrix: begin -->\n";
constexpr std::string_view kEnd = "<!-- matrix: end -->\n";
constexpr std::size_t kCellsAtOnce = 6;

bool write_page = false;

// An exception that left its thread would end the program, and the servers that it has started would go on.
void Guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

// Runs all of `works`, several at a time.
void RunAll(const std::vector<std::function<void()>>& works) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kCellsAtOnce; ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < works.size(); at = next++) Guarded(works[at]);
    });
  }
}

// The servers, and what they need.
class Matrix {
 public:
  explicit Matrix(std::vector<Cell>& cells);

  // Plays the cell to its end and checks its record.
  void Play(Cell& cell);
  // Chimera does not offer the tables of games from elsewhere.
  void CheckThatChimeraHasNoGames();
  // Stops the server, and compares what each cell's journal gives with what was seen.
  void EndAndReplay();

 private:
  using Player = std::function<void(Chooser&, const Over&)>;

  std::string Configuration();
  std::string CreditScript() const;  // a file
  // Starts `count` games that speak the Neuro API, and waits until each has a table.
  void ConnectGames(std::size_t count);
  json::Value SpecOf(const Cell& cell, SeatIndex seat, const Receiver::Address& inbox) const;
  // Plays a seat from outside, if the cell's agent needs that; else empty.
  Player PlayerOf(const Cell& cell, const json::Value& seat, const Receiver::Address& inbox);
  std::vector<Player> Seat(Cell& cell);  // at a new match
  std::vector<Player> SeatInBrowser(Cell& cell);
  Player SeatAtGame(Cell& cell, const Receiver::Address& inbox);  // at a game from elsewhere
  void WatchMatch(Cell& cell);
  void ReadEvents(Cell& cell);
  void Check(const Cell& cell) const;
  void Replay(const Cell& cell) const;

  std::vector<Cell>& cells_;
  const TemporaryDirectory data_{TemporaryDirectory::On::kMemory};
  const TemporaryDirectory backend_data_{TemporaryDirectory::On::kMemory};
  Process stand_in_{OPENSEAT_MODEL_STAND_IN, {"sk-matrix"}};
  const TemporaryDirectory credit_data_{TemporaryDirectory::On::kMemory};
  RealServer backend_{backend_data_.path(), {"--agent", "random:seed=3"}};
  RealServer credit_backend_{credit_data_.path(), {"--agent", "script:" + CreditScript()}};
  RealServer server_;
  Receiver receiver_;
  std::vector<std::unique_ptr<Process>> games_;
  std::mutex mutex_;
  std::vector<std::string> waiting_games_;  // tables not yet taken by a cell
};

// The default agent of games from elsewhere never answers, so they wait until a cell takes their seat.
Matrix::Matrix(std::vector<Cell>& cells)
    : cells_(cells),
      server_(data_.path(), {"--config", Configuration(), "--agent", "random:answer=false", "--agent-rate", "0",
                             "--games", std::string(OPENSEAT_SOURCE_DIR) + "/games", "--log-level", "warn"}) {
  ConnectGames(static_cast<std::size_t>(
      std::ranges::count_if(cells, [](const Cell& cell) { return !cell.source.is_hosted() && cell.why_not.empty(); })));
}

std::string Matrix::Configuration() {
  std::string port;
  EXPECT_TRUE(stand_in_.ReadLine(port));
  const std::string file = data_.path() + "/openseat.toml";
  WriteTextFile(file,
                "[models.it]\nprovider = \"openai\"\nmodel = \"some-model\"\napi_key = \"sk-matrix\"\n"
                "base_url = \"http://127.0.0.1:" +
                    port + "/openai\"\n");
  return file;
}

std::string Matrix::CreditScript() const {
  const std::string file = credit_data_.path() + "/script.json";
  WriteTextFile(file, R"({"steps": [{"action": "credit"}], "loop": true, "otherwise": "random"})");
  return file;
}

void Matrix::ConnectGames(std::size_t count) {
  const std::string url = "ws://127.0.0.1:" + std::to_string(server_.port());
  for (std::size_t i = 0; i < count; ++i) {
    games_.push_back(std::make_unique<Process>(
        OPENSEAT_BINARY, std::vector<std::string>{"demo", "tictactoe", "--url", url, "--games", "1", "--pace", "0",
                                                  "--seed", std::to_string(i), "--quiet"}));
  }
  WireClient live(server_, "/api/v1/live");
  live.Send(R"({"op": "tables"})");
  std::set<std::string> tables;
  while (tables.size() < count) {
    const json::Value message = live.Next();
    if (message.is_null()) break;
    const auto add = [&](const json::Value& table) {
      if (TextOf(table, "kind") == "remote") tables.insert(TextOf(table, "id"));
    };
    if (const json::Value* table = json::Find(message, "table")) add(*table);
    if (const json::Value* list = json::Find(message, "tables")) std::ranges::for_each(list->as_array(), add);
  }
  waiting_games_.assign(tables.begin(), tables.end());
}

void Matrix::CheckThatChimeraHasNoGames() {
  WireClient client(server_);
  for (const std::string& table : waiting_games_) {
    const json::Value answer =
        client.Ask("join-match", json::Object{{"game", "tictactoe"}, {"match-id", table}, {"player-name", "Ana"}});
    EXPECT_EQ(answer.at("error").at("code"), json::Value(-40102));
  }
}

json::Value Matrix::SpecOf(const Cell& cell, SeatIndex seat, const Receiver::Address& inbox) const {
  json::Object spec{{"kind", cell.row.kind}};
  if (cell.row.kind == "random") {
    spec["invalid"] = 0.1;
  } else if (cell.row.kind == "search") {
    spec["iterations"] = 10;
  } else if (cell.row.kind == "script") {
    spec["script"] = cell.source.scripts[seat];
  } else if (cell.row.kind == "llm") {
    spec["model"] = "it";
  } else if (cell.row.kind == "neuro") {
    const RealServer& backend = IsNetrunnerByBackend(cell) ? credit_backend_ : backend_;
    spec["url"] = "ws://127.0.0.1:" + std::to_string(backend.port());
  } else if (cell.row.kind == "webhook") {
    spec["url"] = inbox.url;
  } else if (cell.row.kind == "storyteller" && seat > 0) {
    spec["kind"] = "random";  // it only narrates
  }
  return spec;
}

Matrix::Player Matrix::PlayerOf(const Cell& cell, const json::Value& seat, const Receiver::Address& inbox) {
  const std::string key = TextOf(seat, "api-key");
  switch (cell.row.way) {
    case Way::kWebhook:
      return [this, key, inbox](Chooser& chooser, const Over&) { PlayByWebhooks(server_, key, *inbox.inbox, chooser); };
    case Way::kRest:
      return [this, key](Chooser& chooser, const Over& over) { PlayOverRest(server_, key, chooser, over); };
    default:
      return {};
  }
}

std::vector<Matrix::Player> Matrix::Seat(Cell& cell) {
  const std::string& game = cell.source.id;
  if (cell.row.way == Way::kBrowser) return SeatInBrowser(cell);
  if (cell.row.way == Way::kMcp) {
    std::vector<Player> players;
    for (const char* name : {"Ana", "Bo"}) {
      const auto host = std::make_shared<McpHost>(server_);
      json::Value result = players.empty() ? host->Call("create_match", {{"game", game},
                                                                         {"name", name},
                                                                         {"options", cell.source.options},
                                                                         {"opponents", json::Array{"open"}}})
                                           : host->Call("join_table", {{"table", cell.table}, {"name", name}});
      const json::Value& view = result.at("structuredContent");
      cell.table = TextOf(view, "table");
      players.emplace_back([host, view](Chooser& chooser, const Over& over) { host->Play(view, chooser, over); });
    }
    return players;
  }
  if (cell.row.way == Way::kChimera) {
    std::vector<Player> players;
    for (const char* name : {"Ana", "Bo"}) {
      const auto client = std::make_shared<WireClient>(server_);
      json::Object params{{"game", game}, {"player-name", name}, {"actions", true}};
      params[players.empty() ? "options" : "match-id"] =
          players.empty() ? json::Value(cell.source.options) : json::Value(cell.table);
      const json::Value answer = client->Ask(players.empty() ? "create-match" : "join-match", params);
      if (players.empty()) cell.table = TextOf(answer.at("result"), "match-id");
      players.emplace_back(
          [client, match = cell.table](Chooser& chooser, const Over&) { PlayOverChimera(*client, match, chooser); });
    }
    return players;
  }
  const std::array<Receiver::Address, 2> inboxes{receiver_.Open(), receiver_.Open()};
  json::Array seats;
  for (const SeatIndex seat : {0u, 1u}) {
    seats.push_back(json::Object{{"name", seat == 0 ? "Ana" : "Bo"}, {"agent", SpecOf(cell, seat, inboxes[seat])}});
  }
  const json::Value made = server_.Post(
      "/api/v1/matches", json::Object{{"game", game}, {"options", cell.source.options}, {"seats", std::move(seats)}});
  cell.table = TextOf(made, "match-id");
  std::vector<Player> players;
  for (const SeatIndex seat : {0u, 1u}) {
    if (Player player = PlayerOf(cell, made.at("seats").at(seat), inboxes[seat])) players.push_back(std::move(player));
  }
  return players;
}

std::vector<Matrix::Player> Matrix::SeatInBrowser(Cell& cell) {
  if (cell.source.is_story()) {
    const json::Value made =
        server_.Post("/api/games", json::Object{{"scenario", "last-tram"},
                                                {"player", "Bo"},
                                                {"turns", 3},
                                                {"narrator", json::Object{{"kind", "storyteller"}}}});
    cell.table = TextOf(made.at("data"), "id");
    return {[this, story = cell.table](Chooser& chooser, const Over&) { PlayStory(server_, story, chooser); }};
  }
  // As web/src/lib/start_match.ts and lib/chimera/client.ts do.
  const json::Value made =
      server_.Post("/api/v1/matches", json::Object{{"game", cell.source.id},
                                                   {"options", cell.source.options},
                                                   {"seats", json::Array{json::Object(), json::Object()}}});
  cell.table = TextOf(made, "match-id");
  std::vector<Player> players;
  for (const char* name : {"Ana", "Bo"}) {
    const auto page = std::make_shared<WireClient>(
        server_, "/chimera", "Origin: http://127.0.0.1\r\nSec-WebSocket-Protocol: openseat.chimera\r\n");
    page->Ask("join-match", json::Object{{"game", cell.source.id},
                                         {"match-id", cell.table},
                                         {"player-name", name},
                                         {"actions", true},
                                         {"names", true}});
    players.emplace_back(
        [page, match = cell.table](Chooser& chooser, const Over&) { PlayOverChimera(*page, match, chooser); });
  }
  return players;
}

Matrix::Player Matrix::SeatAtGame(Cell& cell, const Receiver::Address& inbox) {
  {
    const std::lock_guard lock(mutex_);
    cell.table = waiting_games_.back();
    waiting_games_.pop_back();
  }
  if (cell.row.way == Way::kMcp) {
    const auto host = std::make_shared<McpHost>(server_);
    const json::Value view = host->Call("join_table", {{"table", cell.table}}).at("structuredContent");
    return [host, view](Chooser& chooser, const Over& over) { host->Play(view, chooser, over); };
  }
  if (cell.row.way == Way::kBrowser) {
    return [this, table = cell.table](Chooser& chooser, const Over&) { PlayAtConsole(server_, table, chooser); };
  }
  const json::Value seated = server_.Post("/api/v1/tables/" + cell.table + "/seats/0/agent", SpecOf(cell, 0, inbox));
  return PlayerOf(cell, seated, inbox);
}

// As a spectator.
void Matrix::WatchMatch(Cell& cell) {
  WireClient spectator(server_);
  const json::Value answer = spectator.Ask(
      "spectate-match", json::Object{{"game", cell.source.id}, {"match-id", cell.table}, {"spectator-name", nullptr}});
  EXPECT_NE(json::Find(answer, "result"), nullptr) << json::Write(answer);
  json::Value notice = spectator.Next();
  while (notice.is_object() && TextOf(notice, "event") != "end") notice = spectator.Next();
  ASSERT_TRUE(notice.is_object()) << "the match did not end";
  cell.end = notice.at("data");
  EXPECT_THAT(TextOf(cell.end, "match-reason"), Not(ContainsRegex("answer|left|nothing happened")));
}

void Matrix::Play(Cell& cell) {
  const std::string name = NameOf(cell);
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
  const Receiver::Address inbox = receiver_.Open();
  std::vector<Player> players;
  if (cell.source.is_hosted()) {
    players = Seat(cell);
  } else if (Player player = SeatAtGame(cell, inbox)) {
    players.push_back(std::move(player));
  }
  Over over{false};
  {
    std::vector<std::jthread> threads;
    for (Player& player : players) {
      threads.emplace_back([&name, &over, &player, seed = threads.size() + 1] {
        const ::testing::ScopedTrace own_trace(__FILE__, __LINE__, name);
        Chooser chooser(seed);
        Guarded([&] { player(chooser, over); });
      });
    }
    if (cell.source.is_hosted()) {
      WatchMatch(cell);
    } else {
      WaitUntilGone(server_, cell.table);
      over = true;
      // A player that waits for the next turn is told that another one has the seat.
      server_.Post("/api/v1/tables/" + cell.table + "/seats/0/agent",
                   json::Object{{"kind", "random"}, {"answer", false}});
      inbox.inbox->Put(json::Object{{"event", "game-ended"}});
    }
  }
  ReadEvents(cell);
  Check(cell);
}

void Matrix::ReadEvents(Cell& cell) {
  Http http(server_.port());
  for (;;) {
    const std::string after = cell.events.empty() ? "0" : json::Write(cell.events.back().at("seq"));
    const Http::Answer page =
        http.Get("/api/v1/tables/" + cell.table + "/transcript?viewer=all&limit=10000&after=" + after);
    ASSERT_EQ(page.status, 200) << json::Write(page.body);
    const json::Array& events = page.body.at("events").as_array();
    if (events.empty()) return;
    cell.events.insert(cell.events.end(), events.begin(), events.end());
  }
}

void Matrix::Check(const Cell& cell) const {
  const std::vector<SeatRecord> seats =
      ReadRecord(cell.events, cell.source.is_hosted() ? Rules::kHere : Rules::kElsewhere);
  ASSERT_EQ(seats.size(), cell.source.is_hosted() ? 2u : 1u);
  for (SeatIndex seat = 0; seat < seats.size(); ++seat) {
    EXPECT_GT(seats[seat].choices, 0u) << "seat " << seat;
    EXPECT_EQ(seats[seat].agents, std::set<std::string>{AgentAt(cell, seat)}) << "seat " << seat;
    if (TriesWhatIsWrong(cell)) {
      EXPECT_GT(seats[seat].refusals, 0u) << "seat " << seat;
    }
  }
}

void Matrix::Replay(const Cell& cell) const {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, NameOf(cell));
  std::vector<std::string> arguments{"replay", cell.table, "--data-dir", data_.path(), "--json"};
  if (cell.source.is_hosted()) {
    // The last choice ended the match.
    const auto last = std::ranges::find(cell.events.rbegin(), cell.events.rend(), std::string("played"),
                                        [](const json::Value& event) { return TextOf(event, "kind"); });
    ASSERT_TRUE(cell.end.is_object() && last != cell.events.rend());
    arguments.insert(arguments.end(),
                     {"--as", "spectator", "--after", std::to_string(last->at("seq").to_number<std::uint64_t>() - 1)});
  }
  Process replay(OPENSEAT_BINARY, arguments);
  std::vector<json::Value> steps;
  for (std::string line; replay.ReadLine(line);) steps.push_back(*json::Parse(line));
  EXPECT_EQ(replay.Wait(), 0);
  if (!cell.source.is_hosted()) {
    // The server closed the table when it stopped.
    ASSERT_GE(steps.size(), cell.events.size());
    for (std::size_t i = 0; i < cell.events.size(); ++i) EXPECT_EQ(steps[i], cell.events[i]);
    return;
  }
  ASSERT_FALSE(steps.empty());
  const json::Value& end = steps[0].at("payload");
  EXPECT_EQ(TextOf(end, "event"), "end");
  EXPECT_EQ(end.at("state"), cell.end.at("game-state"));
  EXPECT_EQ(end.at("winner"), cell.end.at("match-winner"));
  EXPECT_EQ(end.at("reason"), cell.end.at("match-reason"));
}

void Matrix::EndAndReplay() {
  for (const std::unique_ptr<Process>& game : games_) {
    // `random` is sometimes wrong, also there.
    EXPECT_THAT(game->ReadAll(), ContainsRegex("^1 game: "));
    EXPECT_EQ(game->Wait(), 0);
  }
  server_.Stop();
  std::vector<std::function<void()>> works;
  for (const Cell& cell : cells_) {
    if (!cell.table.empty()) works.emplace_back([this, &cell] { Replay(cell); });
  }
  RunAll(works);
}

TEST(EveryGameWithEveryAgent, IsPlayedToTheEndAndRebuiltFromItsJournal) {
  std::vector<Cell> cells = AllCells();
  Matrix matrix(cells);
  matrix.CheckThatChimeraHasNoGames();
  std::vector<std::function<void()>> works;
  // The longest games start first.
  for (const bool is_long : {true, false}) {
    for (Cell& cell : cells) {
      if (!cell.why_not.empty() || (cell.source.id == "netrunner") != is_long) continue;
      works.emplace_back([&] { matrix.Play(cell); });
    }
  }
  RunAll(works);
  matrix.EndAndReplay();
}

TEST(EveryGameWithEveryAgent, HasEveryKindOfAgent) {
  std::set<std::string> rows;
  for (const Row& row : Rows()) {
    if (!row.kind.empty()) rows.insert(row.kind);
  }
  std::set<std::string> kinds;
  for (const json::Value& kind : Listed("agents")) kinds.insert(TextOf(kind, "kind"));
  EXPECT_EQ(rows, kinds);
}

TEST(EveryGameWithEveryAgent, IsOnThePage) {
  std::string page = ReadTextFile(kPage);
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_TRUE(begin < end && end != std::string::npos) << kPage << " has no place for the table";
  const std::size_t from = begin + kBegin.size();
  const std::string printed = Printed();
  if (write_page) WriteTextFile(kPage, page.replace(from, end - from, printed));
  EXPECT_EQ(ReadTextFile(kPage).substr(from, printed.size() + kEnd.size()), printed + std::string(kEnd))
      << "openseat_matrix --write writes it";
}

}  // namespace
}  // namespace openseat::tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  openseat::tests::write_page = argc > 1 && std::string_view(argv[1]) == "--write";
  // All that is spoken to is on this machine.
  for (const char* proxy : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    unsetenv(proxy);
  }
  return RUN_ALL_TESTS();
}
