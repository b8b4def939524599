#include "attack/neighbor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "load/agents_load.h"

namespace openseat::tests {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kKinds = static_cast<std::size_t>(Trip::kCount);
constexpr std::array<const char*, kKinds> kNames{"health", "neuro", "chimera", "story", "netrunner", "webhook"};

// A trip begins this long after the previous one began, or when that is over: a neighbor causes no load.
constexpr auto kEvery = std::chrono::milliseconds(5);

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

Trips Summed(std::vector<std::chrono::nanoseconds> times) {
  Trips out;
  out.count = times.size();
  if (times.empty()) return out;
  std::ranges::sort(times);
  out.p50 = times[times.size() / 2];
  out.p99 = times[std::min(times.size() - 1, times.size() * 99 / 100)];
  out.longest = times.back();
  return out;
}

bool IsError(const json::Value& answer) {
  return !answer.is_object() || answer.as_object().contains("error");
}

}  // namespace

std::string Trips::Text() const {
  return fmt::format("{} trips: half within {:.1f} ms, 99 % within {:.1f} ms, the longest {:.1f} ms", count,
                     Milliseconds(p50), Milliseconds(p99), Milliseconds(longest));
}

// The trips of one connection, match or story, made on a separate thread once the constructor has connected.
class Neighbor::Guest {
 public:
  using Times = std::vector<std::chrono::nanoseconds>;

  virtual ~Guest() = default;

  const Times& times(std::size_t kind) const { return times_[kind]; }
  const Times& late() const { return late_; }

  void WaitForTrips(std::size_t count) const {
    for (std::size_t made = made_; made < count; made = made_) made_.wait(made);
  }

  void Run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any pause;
    Steady::time_point due = Steady::now();
    while (!stop.stop_requested()) {
      if (!Go()) {
        ADD_FAILURE() << "a neighbor got a wrong answer, or was cut off: " << wrong_;
        made_ = kCutOff;
        made_.notify_all();
        return;
      }
      due = std::max(due + kEvery, Steady::now());
      std::unique_lock lock(mutex);
      pause.wait_until(lock, stop, due, [] { return false; });
      if (!stop.stop_requested()) late_.push_back(Steady::now() - due);
    }
  }

 protected:
  // Makes one or more trips; false if something is wrong.
  virtual bool Go() = 0;
  // Reports what is wrong, and returns false.
  bool Wrong(std::string what) {
    wrong_ = std::move(what);
    return false;
  }
  void Add(Trip trip, std::chrono::nanoseconds time) {
    times_[static_cast<std::size_t>(trip)].push_back(time);
    ++made_;
    made_.notify_all();
  }
  // `wait` returns once the answer has arrived.
  template <typename Wait>
  auto Timed(Trip trip, Wait wait) {
    const Steady::time_point start = Steady::now();
    auto answer = wait();
    Add(trip, Steady::now() - start);
    return answer;
  }

 private:
  static constexpr std::size_t kCutOff = std::numeric_limits<std::size_t>::max();

  std::array<Times, kKinds> times_;
  Times late_;
  std::string wrong_;
  std::atomic<std::size_t> made_ = 0;
};

class Neighbor::HealthGuest final : public Guest {
 public:
  explicit HealthGuest(const RealServer& server) : client_(server.port()) {}

 private:
  bool Go() override {
    const int status = Timed(Trip::kHealth, [&] {
                         return client_.Request("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
                       }).status;
    return status == 200 || Wrong("/healthz said " + std::to_string(status));
  }

  net::TestClient client_;
};

class Neighbor::NeuroGuest final : public Guest {
 public:
  NeuroGuest(const RealServer& server, const std::string& name) : game_(server, name) {
    const json::Object to{{"enum", json::Array{"left", "right"}}};
    game_.Register(
        "go",
        json::Object{{"type", "object"}, {"properties", json::Object{{"to", to}}}, {"required", json::Array{"to"}}});
  }

 private:
  bool Go() override {
    const json::Value action = Timed(Trip::kNeuro, [&] {
      game_.Force("go");
      return game_.NextAction();
    });
    if (!action.is_object() || action.at("name") != json::Value("go"))
      return Wrong("no action: " + json::Write(action));
    game_.Accept(action);
    return true;
  }

  WireGame game_;
};

class Neighbor::ChimeraGuest final : public Guest {
 public:
  explicit ChimeraGuest(const RealServer& server) : players_{WireClient(server), WireClient(server)} {}

 private:
  bool Go() override {
    if (at_ == kMoves.size()) at_ = 0;
    if (at_ == 0 && !Begin()) return false;
    WireClient& mover = players_[at_ % 2];
    const json::Object data{{"position", json::Array{kMoves[at_].first, kMoves[at_].second}}};
    const json::Object params{{"match-id", match_}, {"action", "move"}, {"data", data}};
    const json::Value answer = Timed(Trip::kChimera, [&] { return mover.Ask("game-action", params); });
    ++at_;
    if (IsError(answer)) return Wrong("no action: " + json::Write(answer));
    return BothAreTold();
  }

  bool Begin() {
    const json::Value made = AskWhileMemoryIsShort(players_[0], "create-match",
                                                   json::Object{{"game", "tictactoe"}, {"player-name", "Alex"}});
    if (IsError(made)) return Wrong("no match: " + json::Write(made));
    match_ = made.at("result").at("match-id");
    const json::Value joined = players_[1].Ask(
        "join-match", json::Object{{"game", "tictactoe"}, {"match-id", match_}, {"player-name", "Sam"}});
    if (IsError(joined)) return Wrong("no seat: " + json::Write(joined));
    return BothAreTold();
  }

  // A new match is refused then; an existing one continues.
  static json::Value AskWhileMemoryIsShort(WireClient& player, const char* operation, const json::Object& params) {
    json::Value answer = player.Ask(operation, params);
    while (IsError(answer) && json::Write(answer).find("max_memory") != std::string::npos) {
      answer = player.Ask(operation, params);
    }
    return answer;
  }

  bool BothAreTold() {
    return std::ranges::all_of(players_, [](WireClient& player) { return player.Next().is_object(); }) ||
           Wrong("a player was told nothing");
  }

  // The first player wins with the fifth action.
  static constexpr std::array<std::pair<int, int>, 5> kMoves{{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}}};

  std::array<WireClient, 2> players_;
  json::Value match_;
  std::size_t at_ = 0;
};

// One story after another, told by the storyteller.
class Neighbor::StoryGuest final : public Guest {
 public:
  explicit StoryGuest(const RealServer& server) : port_(server.port()) {}

 private:
  bool Go() override {
    if (story_.empty()) {
      const net::TestClient::Answer made = Post("/api/games", R"({"scenario":"last-tram","player":"Ana"})");
      if (made.status != 201) return Wrong("no story: " + made.head + made.body);
      story_ = std::string(json::TextOf(json::Parse(made.body)->at("data"), "id"));
    }
    const net::TestClient::Answer told = Timed(Trip::kStory, [&] {
      return Post("/api/games/" + story_ + "/turns", R"({"text":"I look out of the window."})");
    });
    if (told.status != 200) return Wrong("no turn: " + told.head + told.body);
    if (told.body.find(R"("over":true)") != std::string::npos) story_.clear();
    return true;
  }

  net::TestClient::Answer Post(const std::string& path, const std::string& body) {
    for (;;) {
      if (!client_) client_.emplace(port_);
      net::TestClient::Answer answer =
          client_->Request("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
                           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
      if (answer.status != 503) return answer;
      client_.reset();
    }
  }

  const std::uint16_t port_;
  std::optional<net::TestClient> client_;
  std::string story_;  // "" if the next one must be started
};

// One game of Netrunner after another: both seats receive webhooks, and act over the Agent API.
class Neighbor::NetrunnerGuest final : public Guest {
 public:
  explicit NetrunnerGuest(const RealServer& server) {
    options_.url = "http://127.0.0.1:" + std::to_string(server.port());
    options_.games = 1;
  }

 private:
  bool Go() override {
    const Result<load::AgentsLoadResult> game = load::RunAgentsLoad(options_);
    ++options_.seed;
    if (!game) return Wrong("no game of Netrunner: " + game.error().message);
    if (game->out_of_order > 0 || game->refused > 0) return Wrong("a webhook is missing, or: " + game->first_refusal);
    for (const std::uint32_t us : game->actions.latencies_us) Add(Trip::kNetrunner, std::chrono::microseconds(us));
    for (const std::uint32_t ms : game->webhook_ms) Add(Trip::kWebhook, std::chrono::milliseconds(ms));
    return true;
  }

  load::AgentsLoadOptions options_;
};

Neighbor::Neighbor(const RealServer& server, Who who) {
  // The server deals connections to its shards in turn.
  for (int i = 0; i < 2; ++i) guests_.push_back(std::make_unique<HealthGuest>(server));
  for (int i = 0; i < 2; ++i) {
    guests_.push_back(std::make_unique<NeuroGuest>(server, "Neighbor " + std::to_string(i)));
  }
  guests_.push_back(std::make_unique<ChimeraGuest>(server));
  if (who == Who::kAll) {
    guests_.push_back(std::make_unique<StoryGuest>(server));
    guests_.push_back(std::make_unique<NetrunnerGuest>(server));
  }
  for (const auto& guest : guests_) {
    threads_.emplace_back([guest = guest.get()](const std::stop_token& stop) { guest->Run(stop); });
  }
}

Neighbor::~Neighbor() = default;

std::chrono::nanoseconds Neighbor::Report::longest() const {
  return std::ranges::max(trips, {}, &Trips::longest).longest;
}
std::chrono::nanoseconds Neighbor::Report::p99() const {
  return std::ranges::max(trips, {}, &Trips::p99).p99;
}
std::string Neighbor::Report::Text() const {
  std::string text;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (trips[kind].count > 0) text += fmt::format("{:<10} {}\n", kNames[kind], trips[kind].Text());
  }
  return text + "the machine was late: " + late.Text() + "\n";
}

void Neighbor::WaitForTrips(std::size_t count) const {
  for (const auto& guest : guests_) guest->WaitForTrips(count);
}

Neighbor::Report Neighbor::Stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  Report report;
  const auto all_of = [this](auto times_of) {
    Guest::Times all;
    for (const auto& guest : guests_) all.insert(all.end(), times_of(*guest).begin(), times_of(*guest).end());
    return all;
  };
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    report.trips[kind] =
        Summed(all_of([kind](const Guest& guest) -> const Guest::Times& { return guest.times(kind); }));
  }
  report.late = Summed(all_of([](const Guest& guest) -> const Guest::Times& { return guest.late(); }));
  std::fputs(report.Text().c_str(), stdout);
  return report;
}

}  // namespace openseat::tests
