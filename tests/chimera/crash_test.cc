// Two hundred matches in play on the real server, which is killed at a random moment and restarted on the same
// data, twenty times; some times with its journal on NATS, and as a node of a cluster. Each client knows what was
// acknowledged, and checks it after each restart: no acknowledged action is lost, none is applied twice, and every
// client resumes with its token and plays to the end.
//
// The moments are drawn from a seed, which is printed; OPENSEAT_SEED=N draws the same ones again (what the server is
// doing at those moments varies).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/secure_random.h"
#include "chimera/crash_match.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "net/shard.h"
#include "net/websocket_client.h"
#include "store/nats_test_server.h"
#include "support/real_server.h"

namespace openseat::tests {
namespace {

constexpr std::size_t kMatches = 200;  // in play when the server is killed
constexpr std::size_t kOpen = 340;     // including those that are being created
constexpr int kKills = 20;
constexpr int kKillsOnNats = 5;
constexpr Duration kPatience = std::chrono::seconds(60);  // of one round, so that a hanging server fails the test

struct Totals {
  std::size_t acknowledged = 0;
  std::size_t resumed = 0;    // clients, over all restarts
  std::size_t found = 0;      // actions in flight at a kill that were recorded
  std::size_t forgotten = 0;  // actions in flight at a kill that were not
  std::size_t finished = 0;
  std::size_t given_up = 0;
};

// One life of the server: all clients connect, resume and play, until it is killed or all matches are over.
class Round {
 public:
  // `kill_after`: the number of messages from the server until the kill, counted from the start, or while enough
  // matches are in play. Empty: run to the end, without new matches.
  struct Plan {
    std::optional<std::size_t> kill_after;
    bool count_from_start = false;
  };
  using Matches = std::vector<std::unique_ptr<CrashMatch>>;

  Round(RealServer& server, Matches& matches, const std::vector<const Game*>& games, Rng& rng, Plan plan,
        Totals& totals)
      : server_(server), matches_(matches), games_(games), rng_(rng), plan_(plan), totals_(totals) {}

  // True if everything went as it should.
  bool Run();

  std::size_t in_play() const { return in_play_; }
  // It ended because matches moved to another node, as they may on a busy machine: nobody was killed.
  bool moved() const { return moved_; }

 private:
  class Client;
  struct Live {
    CrashMatch* match;
    std::array<Client*, 2> clients{};
    bool checked = false;  // compared with the record since the restart
    bool over = false;     // and everyone was told
  };

  void Start();
  void Enter(CrashMatch& match);
  void NewMatch();
  void Connect(Live& live, SeatIndex seat);
  void OnOpen(Live& live, SeatIndex seat);
  void OnMessage(Live& live, SeatIndex seat, const json::Value& message);
  void OnResult(Live& live, SeatIndex seat, const json::Value& message);
  void OnError(Live& live, SeatIndex seat, const json::Value& message);
  void OnNotification(Live& live, SeatIndex seat, const json::Value& message);
  void GoOn(Live& live);
  void Check(Live& live);
  void Over(Live& live);
  void GiveUp(Live& live);
  void Request(Live& live, SeatIndex seat, const char* operation, json::Object params);
  void CountMessage();
  std::string Stuck() const;
  void Stop();
  void Move() {
    moved_ = moved_ || !stopped_;
    if (!stopped_) Stop();
  }
  void Fail(const std::string& why, const Live& live);
  json::Value RecordOf(const CrashMatch& match) {
    return server_.Get("/api/v1/tables/" + match.id + "/transcript?viewer=all&limit=10000");
  }

  RealServer& server_;
  Matches& matches_;
  const std::vector<const Game*>& games_;
  Rng& rng_;
  const Plan plan_;
  Totals& totals_;
  std::vector<std::unique_ptr<Live>> live_;
  std::size_t playing_ = 0;  // matches that have begun, are checked and are not over
  std::size_t in_play_ = 0;  // matches in play when the server was killed
  std::size_t open_ = 0;     // not over, not given up
  std::size_t messages_ = 0;
  bool counting_ = false;
  bool stopped_ = false;
  bool moved_ = false;
  bool failed_ = false;
  net::Shards shards_{1};  // destroyed first, and the clients with it
};

class Round::Client final : public net::WebSocketSession {
 public:
  Client(Round& round, Live& live, SeatIndex seat) : round_(round), live_(live), seat_(seat) {}
  ~Client() override { live_.clients[seat_] = nullptr; }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = std::move(socket);
    live_.clients[seat_] = this;
    round_.OnOpen(live_, seat_);
  }
  void OnText(std::string_view text) override {
    if (round_.stopped_) return;
    const Result<json::Value> message = json::Parse(text);
    if (!message) return round_.Fail("the server sent " + std::string(text), live_);
    round_.OnMessage(live_, seat_, *message);
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing& closing) override {
    if (closing.code == net::close_code::kGoingAway) return round_.Move();
    if (!round_.stopped_ && !live_.over) {
      round_.Fail("the connection ended: " + std::to_string(closing.code) + " " + closing.reason, live_);
    }
  }
  void Send(std::string_view text) { socket_->SendText(text); }
  void Close() { socket_->Close(net::close_code::kNormal, ""); }

 private:
  Round& round_;
  Live& live_;
  const SeatIndex seat_;
  std::shared_ptr<net::WebSocket> socket_;
};

bool Round::Run() {
  shards_.at(0).Post([this] { Start(); });
  shards_.at(0).After(kPatience, [this] {
    if (stopped_) return;
    ADD_FAILURE() << open_ << " matches did not end, " << playing_ << " of them are in play\n" << Stuck();
    failed_ = true;
    Stop();
  });
  shards_.RunFirstHere();
  for (const std::unique_ptr<Live>& live : live_) {
    for (CrashSeat& seat : live->match->seats) {
      seat.seated = false;
      seat.told.reset();
    }
  }
  return !failed_;
}

void Round::Start() {
  counting_ = plan_.count_from_start;
  // A match that ended before the server died still exists, and its record matches what the clients were told.
  for (const auto& match : matches_) {
    if (!match->finished) continue;
    const std::string wrong = match->CheckRecord(RecordOf(*match));
    if (wrong.empty()) continue;
    ADD_FAILURE() << match->id << ", which had ended: " << wrong;
    failed_ = true;
    return Stop();
  }
  std::erase_if(matches_, [](const auto& match) { return match->given_up || match->finished; });
  // A match whose creation was not acknowledged belongs to nobody.
  std::erase_if(matches_, [](const auto& match) { return match->id.empty(); });
  for (const auto& match : matches_) Enter(*match);
  while (plan_.kill_after && open_ < kOpen) NewMatch();
  if (open_ == 0) Stop();
}

void Round::Enter(CrashMatch& match) {
  Live& live = *live_.emplace_back(std::make_unique<Live>());
  live.match = &match;
  ++open_;
  // The second player joins once the first is seated.
  bool anyone = false;
  for (SeatIndex seat = 0; seat < 2; ++seat) {
    if (match.seats[seat].hosted || match.seats[seat].token.empty()) continue;
    Connect(live, seat);
    anyone = true;
  }
  if (!anyone) Connect(live, match.seats[0].hosted ? 1 : 0);
}

void Round::NewMatch() {
  // More of the games that last.
  const std::size_t first = rng_.Below(games_.size());
  const std::size_t second = rng_.Below(games_.size());
  const Game& game = *games_[std::min(first, second)];
  // The clients must see the agents' moves to follow them, so no agents in games with secret choices.
  const bool turns = game.info().id == "tictactoe" || game.info().id == "connectm";
  std::optional<SeatIndex> hosted;
  if (turns && rng_.Chance(0.4)) hosted = static_cast<SeatIndex>(rng_.Below(2));
  CrashMatch& match =
      *matches_.emplace_back(std::make_unique<CrashMatch>(game, "P" + std::to_string(rng_.Below(1'000'000)), hosted));
  Live& live = *live_.emplace_back(std::make_unique<Live>());
  live.match = &match;
  live.checked = true;
  ++open_;
  if (hosted) {
    json::Array seats{json::Object(), json::Object()};
    seats[*hosted] = json::Object{
        {"name", match.seats[*hosted].name},
        {"agent", json::Object{{"kind", "random"}, {"seed", static_cast<std::int64_t>(rng_.Below(1'000'000))}}}};
    const json::Value made =
        server_.Post("/api/v1/matches", json::Object{{"game", game.info().id}, {"seats", std::move(seats)}});
    if (!made.is_object()) return Fail("no match was made", live);
    match.id = made.at("match-id").as_string().c_str();
    return Connect(live, 1 - *hosted);
  }
  Connect(live, 0);
}

void Round::Connect(Live& live, SeatIndex seat) {
  net::ConnectWebSocket(shards_.at(0), server_.chimera_url(), {}, std::make_unique<Client>(*this, live, seat),
                        [this, &live](const Error& error) { Fail(error.message, live); });
}

void Round::OnOpen(Live& live, SeatIndex seat) {
  const CrashMatch& match = *live.match;
  const CrashSeat& own = match.seats[seat];
  json::Object params{{"game", match.game().info().id}, {"player-name", own.name}};
  if (match.id.empty()) return Request(live, seat, "create-match", std::move(params));
  params["match-id"] = match.id;
  if (!own.token.empty()) params["token"] = own.token;
  Request(live, seat, "join-match", std::move(params));
}

void Round::Request(Live& live, SeatIndex seat, const char* operation, json::Object params) {
  live.clients[seat]->Send(json::Write(
      json::Object{{"type", "request"}, {"id", operation}, {"operation", operation}, {"params", std::move(params)}}));
}

void Round::OnMessage(Live& live, SeatIndex seat, const json::Value& message) {
  const json::Object& object = message.get_object();
  if (object.at("type") == json::Value("notification")) {
    OnNotification(live, seat, message);
  } else if (object.contains("result")) {
    OnResult(live, seat, message);
  } else {
    OnError(live, seat, message);
  }
  if (!stopped_) CountMessage();
}

void Round::OnResult(Live& live, SeatIndex seat, const json::Value& message) {
  CrashMatch& match = *live.match;
  CrashSeat& own = match.seats[seat];
  if (message.at("id") == json::Value("game-action")) {
    match.Acknowledge(seat);
    ++totals_.acknowledged;
    return GoOn(live);
  }
  const bool resumed = !own.token.empty();
  own.seated = true;
  if (resumed) {
    ++totals_.resumed;
    // Not begun yet: the second player's join was never sent, or not acknowledged.
    if (!match.begun()) Connect(live, 1);
    return;
  }
  own.token = message.at("token").as_string().c_str();
  if (match.id.empty()) match.id = message.at("result").at("match-id").as_string().c_str();
  if (!match.seats[1 - seat].hosted && match.seats[1 - seat].token.empty()) return Connect(live, 1 - seat);
  match.Begin();
  live.checked = true;
  ++playing_;
  GoOn(live);
}

void Round::OnError(Live& live, SeatIndex seat, const json::Value& message) {
  // A join that was sent, recorded, but not acknowledged when the server died: its token is lost.
  const json::Value& code = message.at("error").at("code");
  const bool lost_join = live.match->seats[seat].token.empty() && message.at("id") == json::Value("join-match") &&
                         (code == json::Value(-40102) || code == json::Value(-40103));
  if (lost_join) return GiveUp(live);
  Fail("the server refused: " + json::Write(message), live);
}

void Round::OnNotification(Live& live, SeatIndex seat, const json::Value& message) {
  CrashMatch& match = *live.match;
  match.seats[seat].told = message;
  if (!match.begun()) return;  // of a lost join, or it arrives before the other player's answer
  if (!live.checked) return Check(live);
  const std::string wrong = match.Follow(seat);
  if (!wrong.empty()) return Fail(wrong, live);
  GoOn(live);
}

// Everyone is back and was told the state of the game: checks it.
void Round::Check(Live& live) {
  CrashMatch& match = *live.match;
  if (!match.clients_seated()) return;
  for (const CrashSeat& seat : match.seats) {
    if (!seat.hosted && !seat.told) return;
  }
  const std::string wrong = match.CheckAgainst(RecordOf(match));
  if (!wrong.empty()) return Fail(wrong, live);
  totals_.found += match.found;
  totals_.forgotten += match.forgotten;
  live.checked = true;
  ++playing_;
  GoOn(live);
}

// Every seat that owes a choice makes one.
void Round::GoOn(Live& live) {
  CrashMatch& match = *live.match;
  if (stopped_ || live.over || !live.checked || !match.begun()) return;
  if (match.over()) return Over(live);
  for (const SeatIndex seat : match.model().Awaited()) {
    CrashSeat& own = match.seats[seat];
    if (own.hosted || own.in_flight || live.clients[seat] == nullptr) continue;
    own.in_flight = match.Draw(seat, rng_);
    Request(live, seat, "game-action",
            {{"match-id", match.id}, {"action", own.in_flight->action}, {"data", own.in_flight->data}});
  }
}

void Round::Over(Live& live) {
  CrashMatch& match = *live.match;
  for (const CrashSeat& seat : match.seats) {
    if (!seat.hosted && (!seat.told || seat.told->at("event") != json::Value("end"))) return;
  }
  const std::string wrong = match.CheckEnd();
  if (!wrong.empty()) return Fail(wrong, live);
  match.finished = true;
  live.over = true;
  --playing_;
  --open_;
  ++totals_.finished;
  for (Client* client : live.clients) {
    if (client != nullptr) client->Close();
  }
  if (plan_.kill_after) {
    NewMatch();
  } else if (open_ == 0) {
    Stop();
  }
}

void Round::GiveUp(Live& live) {
  live.match->given_up = true;
  live.over = true;
  --open_;
  ++totals_.given_up;
  for (Client* client : live.clients) {
    if (client != nullptr) client->Close();
  }
  if (plan_.kill_after) {
    NewMatch();
  } else if (open_ == 0) {
    Stop();
  }
}

void Round::CountMessage() {
  if (!plan_.kill_after) return;
  counting_ = counting_ || playing_ >= kMatches;
  if (!counting_ || ++messages_ < *plan_.kill_after) return;
  if (!plan_.count_from_start && playing_ < kMatches) return;
  server_.Kill();
  in_play_ = playing_;
  Stop();
}

// The first matches that did not end, as text for people.
std::string Round::Stuck() const {
  std::string out;
  int shown = 0;
  for (const auto& live : live_) {
    const CrashMatch& match = *live->match;
    if (live->over || ++shown > 10) continue;
    out += match.id + " (" + match.game().info().id + ")" + (live->checked ? ", checked" : "") +
           (match.over() ? ", over" : "") + ":";
    for (const CrashSeat& seat : match.seats) {
      out += " " + seat.name + (seat.hosted ? " hosted" : "") + (seat.seated ? " seated" : "") + " " +
             std::to_string(seat.known.size()) + " known" + (seat.in_flight ? ", one in flight;" : ";") +
             (seat.told ? " told " + json::Write(*seat.told) : "");
    }
    out += '\n';
  }
  return out;
}

void Round::Stop() {
  stopped_ = true;
  shards_.Stop();
}

void Round::Fail(const std::string& why, const Live& live) {
  if (stopped_) return;
  ADD_FAILURE() << live.match->id << " (" << live.match->game().info().id << "): " << why;
  failed_ = true;
  Stop();
}

// The server of a life, from 1 on: the clients of all matches come to it, and it is killed. Asked again for the same
// life if matches moved.
using ServerOfLife = std::function<RealServer&(int life)>;

// Kills servers so often, and then plays all matches to their ends.
void KillAndCheck(const ServerOfLife& server_of, int kills, Totals& totals) {
  const char* given = std::getenv("OPENSEAT_SEED");  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : SecureRandom64() >> 32;
  std::printf("OPENSEAT_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Rng rng(seed);
  std::vector<std::unique_ptr<Game>> owned;
  owned.push_back(games::MakeConnectM());
  owned.push_back(games::MakeTicTacToe());
  owned.push_back(games::MakeRockPaperScissors());
  owned.push_back(games::MakeChicken());
  owned.push_back(games::MakePlayerOneWins());
  std::vector<const Game*> games;
  for (const auto& game : owned) games.push_back(game.get());

  Round::Matches matches;
  for (int kill = 1; kill <= kills + 1; ++kill) {
    Round::Plan plan;
    if (kill <= kills) {
      // Mostly in the middle of play, sometimes while it recovers and everyone resumes.
      plan.count_from_start = kill % 5 == 0;
      plan.kill_after = static_cast<std::size_t>(rng.Between(1, plan.count_from_start ? 600 : 4000));
    }
    RealServer* server = &server_of(kill);
    auto round = std::make_unique<Round>(*server, matches, games, rng, plan, totals);
    ASSERT_TRUE(round->Run()) << "in round " << kill;
    while (round->moved()) {
      round.reset();
      server = &server_of(kill);
      round = std::make_unique<Round>(*server, matches, games, rng, plan, totals);
      ASSERT_TRUE(round->Run()) << "in round " << kill;
    }
    if (plan.kill_after) {
      std::printf(
          "killed %2d: after %4zu messages%s, %3zu matches in play; so far %zu actions acknowledged, %zu matches "
          "finished, %zu clients resumed; of the actions in flight %zu were recorded, %zu were not\n",
          kill, *plan.kill_after, plan.count_from_start ? " from its start" : "", round->in_play(), totals.acknowledged,
          totals.finished, totals.resumed, totals.found, totals.forgotten);
      std::fflush(stdout);
    }
  }
  std::printf(
      "at the end: %zu actions acknowledged, %zu matches finished, %zu clients resumed; %zu joins were recorded "
      "but never acknowledged\n",
      totals.acknowledged, totals.finished, totals.resumed, totals.given_up);
  // Every match is over by its rules, and its record matches what its clients know.
  RealServer& server = server_of(kills + 2);
  for (const auto& match : matches) {
    if (match->given_up) continue;
    ASSERT_TRUE(match->finished) << match->id;
    EXPECT_EQ(match->CheckRecord(server.Get("/api/v1/tables/" + match->id + "/transcript?viewer=all&limit=10000")), "")
        << match->id;
  }
}

// Each life is one process, with the same data and these arguments.
class OneAfterTheOther {
 public:
  explicit OneAfterTheOther(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    arguments_.insert(arguments_.end(), {"--shards", "2"});
  }
  RealServer& Next() {
    server_.reset();
    server_ = std::make_unique<RealServer>(data_.path(), arguments_);
    return *server_;
  }

 private:
  std::vector<std::string> arguments_;
  const TemporaryDirectory data_;
  std::unique_ptr<RealServer> server_;
};

TEST(ChimeraCrash, NoAcknowledgedActionIsLostAndNoneIsAppliedTwice) {
  Totals totals;
  OneAfterTheOther servers({});
  ASSERT_NO_FATAL_FAILURE(KillAndCheck([&](int) -> RealServer& { return servers.Next(); }, kKills, totals));
  // The test has covered what it is meant to cover.
  EXPECT_GT(totals.acknowledged, 5'000u);
  EXPECT_GT(totals.resumed, 3'000u);
  EXPECT_GT(totals.found + totals.forgotten, 50u) << "actions were in flight at the kills";
}

TEST(ChimeraCrash, NeitherOnNats) {
  if (!store::NatsTestServer::installed()) GTEST_SKIP() << store::NatsTestServer::kMissing;
  const store::NatsTestServer nats;
  Totals totals;
  OneAfterTheOther servers({"--cluster", nats.url()});
  ASSERT_NO_FATAL_FAILURE(KillAndCheck([&](int) -> RealServer& { return servers.Next(); }, kKillsOnNats, totals));
  EXPECT_GT(totals.acknowledged, 1'000u);
  EXPECT_GT(totals.resumed, 500u);
}

// Two nodes of a cluster live, and have half of the matches each. Clients come to the older one, which is killed; then
// the other one has all of them, until the next node joins.
TEST(ChimeraCrash, NorInAClusterWhoseNodesDie) {
  if (!store::NatsTestServer::installed()) GTEST_SKIP() << store::NatsTestServer::kMissing;
  const store::NatsTestServer nats;
  const TemporaryDirectory data;
  std::vector<std::unique_ptr<RealServer>> nodes;
  const auto start = [&] {
    const std::string name = "node-" + std::to_string(nodes.size());
    nodes.push_back(std::make_unique<RealServer>(
        data.path() + "/" + name, std::vector<std::string>{"--cluster", nats.url(), "--node", name, "--shards", "2"}));
  };
  const auto await_shards = [](RealServer& node, double count) {
    while (node.Metric("openseat_cluster_shards") != count || node.Metric("openseat_cluster_shards_found") != 64) {
    }
  };
  start();
  const auto server_of = [&](int life) -> RealServer& {
    RealServer& oldest = *nodes[static_cast<std::size_t>(life) - 1];
    if (nodes.size() == static_cast<std::size_t>(life)) {
      await_shards(oldest, 64);
      start();
    }
    await_shards(*nodes.back(), 32);
    await_shards(oldest, 32);
    return oldest;
  };
  Totals totals;
  // The last life is not ended: its successor is only asked for records.
  ASSERT_NO_FATAL_FAILURE(
      KillAndCheck([&](int life) -> RealServer& { return life > kKillsOnNats + 1 ? *nodes.back() : server_of(life); },
                   kKillsOnNats, totals));
  EXPECT_GT(totals.acknowledged, 1'000u);
  EXPECT_GT(totals.resumed, 500u);
}

}  // namespace
}  // namespace openseat::tests
