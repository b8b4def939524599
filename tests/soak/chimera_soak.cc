// chimera_soak URL SECONDS [SEED]: clients that play hosted matches over Chimera for this long, leave and come back at
// random, watch, and send nonsense, and check every answer and notification against the protocol. The server may die
// and come back meanwhile. Prints one line every ten seconds and a summary; exit code 1 if anything was wrong.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "base/secure_random.h"
#include "net/shard.h"
#include "net/websocket_client.h"

namespace openseat::tests {
namespace {

constexpr std::size_t kSlots = 60;  // matches at once
constexpr Duration kPace = std::chrono::milliseconds(20);
constexpr Duration kMatchLimit = std::chrono::seconds(90);  // a longer match means that something hangs

constexpr double kLeave = 0.01;     // after a notification: leaves and comes back
constexpr double kAbandon = 0.002;  // leaves for good
constexpr double kNonsense = 0.05;  // before an action: sends a request that must be refused
constexpr double kWatched = 0.3;    // of the matches

struct Totals {
  std::size_t created = 0;
  std::size_t finished = 0;
  std::size_t forfeited = 0;
  std::size_t actions = 0;
  std::size_t refusals = 0;  // that were expected
  std::size_t left = 0;
  std::size_t resumed = 0;
  std::size_t abandoned = 0;
  std::size_t lost = 0;        // connections that we did not close
  std::size_t unfinished = 0;  // matches that not both players had joined before the server died
};

std::string Text(const json::Value* value) {
  return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
}

class Soak;
class Client;

enum class Role { kCreator, kJoiner, kSpectator };

// A player or spectator of one match, over all its connections.
struct Person {
  Role role = Role::kCreator;
  std::string name;
  std::string token;  // "" before it is seated
  Client* client = nullptr;
  bool gone = false;   // for good
  bool ended = false;  // was told the end
  bool steady = true;  // on one connection since before the start
  bool wanted_leave = false;
  int asked = 0;                  // requests in progress
  bool acting = false;            // one of them is an action
  std::vector<std::string> seen;  // game states, in order
  ScopedTimer timer;
};

class Slot {
 public:
  Slot(Soak& soak, std::size_t number) : soak_(soak), number_(number) {}
  void Begin();
  void OnOpen(Person& person);
  void OnMessage(Person& person, std::string_view text);
  void OnLost(Person& person);  // its connection ended, or could not be opened
  std::size_t round() const { return round_; }

 private:
  void Connect(Person& person);
  void Leave(Person& person, bool for_good);
  void Request(Person& person, const char* id, const char* operation, json::Object params);
  void OnAnswer(Person& person, const json::Value& message);
  void OnNotification(Person& person, const json::Value& message);
  void Consider(Person& person, const json::Value& state);
  void Act(Person& person, const json::Value& state);
  void TalkNonsense(Person& person);
  void CheckOver();
  void Over(bool finished);
  void Fail(const std::string& what);

  Soak& soak_;
  const std::size_t number_;
  std::size_t round_ = 0;
  std::string game_;
  std::string id_;
  std::array<Person, 3> people_;  // by Role
  bool watched_ = false;
  bool begun_ = false;
  bool interrupted_ = false;  // somebody left, or the server died: some players may not be seated
  std::string end_;           // the data of the end as the first person got it, without the state
  ScopedTimer limit_;
};

class Soak {
 public:
  Soak(std::string url, Duration length, std::uint64_t seed)
      : url_(std::move(url)), length_(length), seed_(seed), rng_(seed) {}

  int Run() {
    std::printf("chimera_soak: seed %llu\n", static_cast<unsigned long long>(seed_));
    for (std::size_t i = 0; i < kSlots; ++i) slots_.push_back(std::make_unique<Slot>(*this, i));
    shards_.at(0).Post([this] {
      for (const auto& slot : slots_) slot->Begin();
      Report();
    });
    shards_.at(0).After(length_, [this] {
      stopping_ = true;
      shards_.CloseClients(std::chrono::seconds(2), [this] { shards_.Stop(); });
    });
    shards_.RunFirstHere();
    report_.Cancel();
    slots_.clear();  // the connections are gone, but the timers' shard still exists
    Print("in all");
    for (const std::string& failure : failures_) std::printf("FAILED: %s\n", failure.c_str());
    return failures_.empty() && totals.finished > 0 ? 0 : 1;
  }

  void Fail(std::string what) {
    if (failures_.size() < 20) failures_.push_back(std::move(what));
  }
  Rng& rng() { return rng_; }
  net::Shard& shard() { return shards_.at(0); }
  const std::string& url() const { return url_; }
  bool stopping() const { return stopping_; }

  Totals totals;

 private:
  void Report() {
    report_.Set(shard(), std::chrono::seconds(10), [this] {
      Print("so far");
      Report();
    });
  }
  void Print(const char* when) const {
    std::printf(
        "%s: %zu matches made, %zu finished (%zu of them left), %zu given up; %zu actions, %zu refusals; %zu left, %zu "
        "resumed, %zu abandoned, %zu connections lost; %zu failures\n",
        when, totals.created, totals.finished, totals.forfeited, totals.unfinished, totals.actions, totals.refusals,
        totals.left, totals.resumed, totals.abandoned, totals.lost, failures_.size());
    std::fflush(stdout);
  }

  const std::string url_;
  const Duration length_;
  const std::uint64_t seed_;
  Rng rng_;
  bool stopping_ = false;
  std::vector<std::string> failures_;
  ScopedTimer report_;
  std::vector<std::unique_ptr<Slot>> slots_;
  net::Shards shards_{1};
};

// One connection of a person. The connection owns it; the person drops it when the connection ends.
class Client final : public net::WebSocketSession {
 public:
  Client(Slot& slot, Person& person) : slot_(slot), person_(&person), round_(slot.round()) {}
  ~Client() override { Forget(); }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = std::move(socket);
    // The match may have ended while this was in progress, and the person may belong to the next match.
    if (round_ != slot_.round() || person_->gone) {
      person_ = nullptr;
      return Close();
    }
    person_->client = this;
    slot_.OnOpen(*person_);
  }
  void OnText(std::string_view text) override {
    if (person_ != nullptr) slot_.OnMessage(*person_, text);
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing&) override {
    if (Person* person = Forget()) slot_.OnLost(*person);
  }
  void Send(std::string_view text) { socket_->SendText(text); }
  void Close() { socket_->Close(net::close_code::kNormal, ""); }
  // Messages from now on belong to nobody.
  Person* Forget() {
    if (person_ != nullptr && person_->client == this) person_->client = nullptr;
    return std::exchange(person_, nullptr);
  }

 private:
  Slot& slot_;
  Person* person_;
  const std::size_t round_;
  std::shared_ptr<net::WebSocket> socket_;
};

void Slot::Begin() {
  if (soak_.stopping()) return;
  ++round_;
  constexpr std::array<const char*, 4> kGames = {"tictactoe", "connectm", "rps", "chicken"};
  game_ = kGames[soak_.rng().Below(kGames.size())];
  id_.clear();
  end_.clear();
  begun_ = false;
  interrupted_ = false;
  watched_ = soak_.rng().Chance(kWatched);
  const std::string tag = " " + std::to_string(number_) + "." + std::to_string(round_);
  people_ = {};
  people_[0].name = "Ann" + tag;
  people_[1].role = Role::kJoiner;
  people_[1].name = "Bob" + tag;
  people_[2].role = Role::kSpectator;
  people_[2].gone = !watched_;
  limit_.Set(soak_.shard(), kMatchLimit, [this] {
    Fail("the match did not end in time");
    Over(false);
  });
  Connect(people_[0]);
}

void Slot::Connect(Person& person) {
  if (soak_.stopping()) return;
  net::ConnectWebSocket(soak_.shard(), soak_.url(), {}, std::make_unique<Client>(*this, person),
                        [this, &person, round = round_](const Error&) {
                          if (round == round_) OnLost(person);
                        });
}

void Slot::OnOpen(Person& person) {
  if (person.role == Role::kSpectator) {
    Request(person, "watch", "spectate-match", {{"game", game_}, {"match-id", id_}, {"spectator-name", nullptr}});
  } else if (!person.token.empty()) {
    Request(person, "resume", "join-match",
            {{"game", game_}, {"match-id", id_}, {"player-name", person.name}, {"token", person.token}});
  } else if (person.role == Role::kCreator) {
    Request(person, "create", "create-match", {{"game", game_}, {"player-name", person.name}});
  } else {
    Request(person, "join", "join-match", {{"game", game_}, {"match-id", id_}, {"player-name", person.name}});
  }
}

void Slot::OnLost(Person& person) {
  if (soak_.stopping() || person.gone || person.ended) return;
  person.asked = 0;
  person.acting = false;
  person.steady = false;
  interrupted_ = true;
  if (!std::exchange(person.wanted_leave, false)) ++soak_.totals.lost;
  // It is unknown whether the match was created, or the seat taken, so there is no token to come back with.
  if (person.token.empty() && person.role != Role::kSpectator) {
    ++soak_.totals.unfinished;
    return Over(false);
  }
  const Duration pause(soak_.rng().Between(50'000, 400'000));
  person.timer.Set(soak_.shard(), pause, [this, &person] { Connect(person); });
}

void Slot::Leave(Person& person, bool for_good) {
  interrupted_ = true;
  person.steady = false;
  Client* client = person.client;
  if (for_good) {
    ++soak_.totals.abandoned;
    person.gone = true;
    client->Forget();
    client->Close();
    CheckOver();  // maybe nobody is left who could be told the end
    return;
  }
  ++soak_.totals.left;
  person.wanted_leave = true;
  client->Close();
}

void Slot::Request(Person& person, const char* id, const char* operation, json::Object params) {
  ++person.asked;
  person.client->Send(json::Write(
      json::Object{{"type", "request"}, {"id", id}, {"operation", operation}, {"params", std::move(params)}}));
}

void Slot::OnMessage(Person& person, std::string_view text) {
  const Result<json::Value> message = json::Parse(text);
  const std::string type = message ? Text(json::Find(*message, "type")) : "";
  if (type == "response") {
    --person.asked;
    OnAnswer(person, *message);
  } else if (type == "notification") {
    OnNotification(person, *message);
  } else {
    Fail("neither response nor notification: " + std::string(text));
  }
}

void Slot::OnAnswer(Person& person, const json::Value& message) {
  const std::string id = Text(json::Find(message, "id"));
  const json::Value* error = json::Find(message, "error");
  const json::Value* code = error == nullptr ? nullptr : json::Find(*error, "code");
  const std::int64_t number = code == nullptr || !code->is_int64() ? 0 : code->get_int64();
  if (id.starts_with("refuse ")) {
    if (person.ended) return;  // the match ended in between, and then other rules apply
    if (std::to_string(number) != id.substr(7)) Fail("expected the code " + id.substr(7) + ": " + json::Write(message));
    ++soak_.totals.refusals;
    return;
  }
  if (id == "act") {
    person.acting = false;
    if (number == 0) ++soak_.totals.actions;
    // The other player's move, or the match's end, may have come in between; and after a lost answer the state is
    // unknown.
    const bool late = number == -50100 || number == -50103 || number == -40105;
    if (number != 0 && !(late && (person.ended || interrupted_ || game_ == "rps" || game_ == "chicken"))) {
      Fail("an action was refused: " + json::Write(message));
    }
    return;
  }
  if (number != 0) {
    // The match ended long ago, or had not begun when the server died.
    if (number == -40102 && interrupted_) {
      person.gone = true;
      if (begun_) {
        CheckOver();
      } else {
        ++soak_.totals.unfinished;
        Over(false);
      }
      return;
    }
    Fail("refused " + id + ": " + json::Write(message));
    return Over(false);
  }
  if (id == "create" || id == "join") person.token = Text(json::Find(message, "token"));
  if (id == "resume") ++soak_.totals.resumed;
  if (id == "create") {
    ++soak_.totals.created;
    id_ = Text(json::Find(message.at("result"), "match-id"));
    if (id_.empty() || person.token.empty()) return Fail("no match or token: " + json::Write(message));
    Connect(watched_ ? people_[2] : people_[1]);
  } else if (id == "watch" && people_[1].token.empty() && people_[1].client == nullptr) {
    Connect(people_[1]);
  }
}

void Slot::OnNotification(Person& person, const json::Value& message) {
  const json::Value& data = message.at("data");
  const std::string event = Text(json::Find(message, "event"));
  const std::string status = Text(json::Find(data, "match-status"));
  if (Text(json::Find(data, "match-id")) != id_) return Fail("a message about another match: " + json::Write(message));
  if (person.ended) return Fail("a message after the end: " + json::Write(message));
  if (status != (event == "end" ? "done" : "in-progress")) return Fail("a wrong status: " + json::Write(message));
  const json::Value* state = json::Find(data, "game-state");
  if (state == nullptr && !(event == "end" && !begun_)) return Fail("no state: " + json::Write(message));
  if (event == "start" && !person.seen.empty()) return Fail("a second start: " + json::Write(message));
  if (event == "update" && person.seen.empty() && person.steady) return Fail("no start: " + json::Write(message));
  if (state != nullptr) {
    begun_ = true;
    person.seen.push_back(json::Write(*state));
  }
  if (event != "end") return Consider(person, *state);
  person.ended = true;
  const json::Value* winner = json::Find(data, "match-winner");
  if (winner == nullptr) return Fail("an end without a winner: " + json::Write(message));
  const std::string end = json::Write(*winner);
  if (end_.empty()) end_ = end;
  if (end != end_) Fail("two ends: " + end + " and " + end_);
  CheckOver();
}

void Slot::Consider(Person& person, const json::Value& state) {
  if (soak_.rng().Chance(kLeave)) return Leave(person, false);
  if (person.role == Role::kSpectator) return;
  if (soak_.rng().Chance(kAbandon)) return Leave(person, true);
  const std::string turn = Text(json::Find(state, "turn"));
  const std::string mine =
      game_ == "tictactoe" ? (Text(json::Find(state, "X")) == person.name ? "X" : "O") : person.name;
  if (!turn.empty() && turn != mine) return;
  if (person.acting) return;
  person.timer.Set(soak_.shard(), Duration(soak_.rng().Between(0, 2 * kPace.count())), [this, &person, state] {
    if (person.client == nullptr || person.ended || person.acting) return;
    if (soak_.rng().Chance(kNonsense)) TalkNonsense(person);
    Act(person, state);
  });
}

void Slot::Act(Person& person, const json::Value& state) {
  Rng& rng = soak_.rng();
  json::Object data;
  const char* action = "move";
  if (game_ == "rps") {
    constexpr std::array<const char*, 3> kHands = {"rock", "paper", "scissors"};
    action = "throw";
    data["hand"] = kHands[rng.Below(3)];
  } else if (game_ == "chicken") {
    data["swerve"] = rng.Chance(0.8);
  } else {
    std::vector<json::Value> free;
    const json::Array& board = state.at("board").as_array();
    for (std::size_t row = 0; row < board.size(); ++row) {
      const json::Array& cells = board[row].as_array();
      for (std::size_t column = 0; column < cells.size(); ++column) {
        if (cells[column] != " ") continue;
        if (game_ == "tictactoe") free.push_back(json::Array{row, column});
        if (game_ == "connectm" && row == 0) free.emplace_back(column);
      }
    }
    if (free.empty()) return Fail("no cell is free, and the match is not over: " + json::Write(state));
    if (game_ == "connectm") action = "drop";
    data[game_ == "connectm" ? "column" : "position"] = free[rng.Below(free.size())];
  }
  person.acting = true;
  Request(person, "act", "game-action", {{"match-id", id_}, {"action", action}, {"data", std::move(data)}});
}

void Slot::TalkNonsense(Person& person) {
  switch (soak_.rng().Below(5)) {
    case 0:
      return Request(person, "refuse -50101", "game-action",
                     {{"match-id", id_}, {"action", "fly"}, {"data", json::Object()}});
    case 1:
      return Request(person, "refuse -40105", "game-action",
                     {{"match-id", "no-match"}, {"action", "move"}, {"data", json::Object()}});
    case 2:
      return Request(person, "refuse -40101", "create-match", {{"game", game_}, {"player-name", "Someone"}});
    case 3:
      return Request(person, "refuse -32601", "dance", {});
    default:
      return Request(person, "refuse -32602", "game-action", {{"match-id", id_}, {"action", 7}});
  }
}

void Slot::CheckOver() {
  for (const Person& person : people_) {
    if (!person.gone && !person.ended) return;
  }
  if (end_.empty()) {
    ++soak_.totals.unfinished;
    return Over(false);
  }
  // Everyone who was there all the time has seen the same.
  const Person* first = nullptr;
  for (const Person& person : people_) {
    if (person.gone || !person.steady || person.seen.empty()) continue;
    if (first == nullptr) first = &person;
    if (person.seen != first->seen) Fail(person.name + " has seen a different match from " + first->name);
  }
  Over(true);
}

void Slot::Over(bool finished) {
  if (finished) {
    ++soak_.totals.finished;
    if (people_[0].gone || people_[1].gone) ++soak_.totals.forfeited;
  }
  for (Person& person : people_) {
    person.timer.Cancel();
    person.gone = true;
    if (Client* client = person.client) {
      client->Forget();
      client->Close();
    }
  }
  // Connections that are still being opened find their person gone; it must not belong to the next match yet.
  limit_.Set(soak_.shard(), std::chrono::milliseconds(200), [this] { Begin(); });
}

void Slot::Fail(const std::string& what) {
  soak_.Fail(game_ + " " + id_ + ": " + what);
}

}  // namespace
}  // namespace openseat::tests

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: chimera_soak URL SECONDS [SEED]\n", stderr);
    return 2;
  }
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : openseat::SecureRandom64();
  openseat::tests::Soak soak(argv[1], std::chrono::seconds(std::strtol(argv[2], nullptr, 10)), seed);
  return soak.Run();
}
