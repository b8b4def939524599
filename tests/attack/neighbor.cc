#include "attack/neighbor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <stop_token>
#include <utility>

namespace openseat::tests {
namespace {

using Steady = std::chrono::steady_clock;

// Each guest takes a breath between trips: a neighbor is no load.
constexpr auto kBreath = std::chrono::milliseconds(2);

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

}  // namespace

std::string Trips::Text() const {
  return fmt::format("{} trips: half within {:.1f} ms, 99 % within {:.1f} ms, the longest {:.1f} ms", count,
                     Milliseconds(p50), Milliseconds(p99), Milliseconds(longest));
}

// One connection's or match's trips, made on a thread of its own once the constructor has connected.
class Neighbor::Guest {
 public:
  enum class Kind { kHealth, kNeuro, kChimera };
  explicit Guest(Kind kind) : kind_(kind) {}
  virtual ~Guest() = default;

  Kind kind() const { return kind_; }
  const std::vector<std::chrono::nanoseconds>& times() const { return times_; }

  void WaitForTrips(std::size_t count) const {
    for (std::size_t made = made_; made < count; made = made_) made_.wait(made);
  }

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!Trip()) {
        ADD_FAILURE() << "a neighbor was answered wrongly, or cut off";
        made_ = kCutOff;
        made_.notify_all();
        return;
      }
      std::this_thread::sleep_for(kBreath);
    }
  }

 protected:
  // False where something is wrong.
  virtual bool Trip() = 0;
  // `wait` returns once the answer is there.
  template <typename Wait>
  auto Timed(Wait wait) {
    const Steady::time_point start = Steady::now();
    auto answer = wait();
    times_.push_back(Steady::now() - start);
    made_ = times_.size();
    made_.notify_all();
    return answer;
  }

 private:
  static constexpr std::size_t kCutOff = std::numeric_limits<std::size_t>::max();

  const Kind kind_;
  std::vector<std::chrono::nanoseconds> times_;
  std::atomic<std::size_t> made_ = 0;
};

class Neighbor::HealthGuest final : public Guest {
 public:
  explicit HealthGuest(const RealServer& server) : Guest(Kind::kHealth), client_(server.port()) {}

 private:
  bool Trip() override {
    return Timed([&] { return client_.Request("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); }).status == 200;
  }

  net::TestClient client_;
};

class Neighbor::NeuroGuest final : public Guest {
 public:
  NeuroGuest(const RealServer& server, const std::string& name) : Guest(Kind::kNeuro), game_(server, name) {
    const json::Object to{{"enum", json::Array{"left", "right"}}};
    game_.Register(
        "go",
        json::Object{{"type", "object"}, {"properties", json::Object{{"to", to}}}, {"required", json::Array{"to"}}});
  }

 private:
  bool Trip() override {
    const json::Value action = Timed([&] {
      game_.Force("go");
      return game_.NextAction();
    });
    if (!action.is_object() || action.at("name") != json::Value("go")) return false;
    game_.Accept(action);
    return true;
  }

  WireGame game_;
};

class Neighbor::ChimeraGuest final : public Guest {
 public:
  explicit ChimeraGuest(const RealServer& server)
      : Guest(Kind::kChimera), players_{WireClient(server), WireClient(server)} {}

 private:
  bool Trip() override {
    if (at_ == kMoves.size()) at_ = 0;
    if (at_ == 0 && !Begin()) return false;
    WireClient& mover = players_[at_ % 2];
    const json::Object data{{"position", json::Array{kMoves[at_].first, kMoves[at_].second}}};
    const json::Object params{{"match-id", match_}, {"action", "move"}, {"data", data}};
    const json::Value answer = Timed([&] { return mover.Ask("game-action", params); });
    ++at_;
    if (!answer.is_object() || answer.as_object().contains("error")) return false;
    return std::ranges::all_of(players_, [](WireClient& player) { return player.Next().is_object(); });
  }

  bool Begin() {
    const json::Value made =
        players_[0].Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Alex"}});
    if (!made.is_object() || made.as_object().contains("error")) return false;
    match_ = made.at("result").at("match-id");
    const json::Value joined = players_[1].Ask(
        "join-match", json::Object{{"game", "tictactoe"}, {"match-id", match_}, {"player-name", "Sam"}});
    if (!joined.is_object() || joined.as_object().contains("error")) return false;
    return std::ranges::all_of(players_, [](WireClient& player) { return player.Next().is_object(); });
  }

  // The first player wins with the fifth.
  static constexpr std::array<std::pair<int, int>, 5> kMoves{{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}}};

  std::array<WireClient, 2> players_;
  json::Value match_;
  std::size_t at_ = 0;
};

Neighbor::Neighbor(const RealServer& server) {
  // The server deals connections out to its shards in turns.
  for (int i = 0; i < 2; ++i) guests_.push_back(std::make_unique<HealthGuest>(server));
  for (int i = 0; i < 2; ++i) {
    guests_.push_back(std::make_unique<NeuroGuest>(server, "Neighbor " + std::to_string(i)));
  }
  guests_.push_back(std::make_unique<ChimeraGuest>(server));
  for (const auto& guest : guests_) {
    threads_.emplace_back([guest = guest.get()](const std::stop_token& stop) { guest->Run(stop); });
  }
}

Neighbor::~Neighbor() = default;

std::chrono::nanoseconds Neighbor::Report::longest() const {
  return std::max(health.longest, neuro.longest);
}
std::chrono::nanoseconds Neighbor::Report::p99() const {
  return std::max(health.p99, neuro.p99);
}
std::string Neighbor::Report::Text() const {
  return "health " + health.Text() + "\nneuro " + neuro.Text() + "\nchimera " + chimera.Text() + "\n";
}

void Neighbor::WaitForTrips(std::size_t count) const {
  for (const auto& guest : guests_) guest->WaitForTrips(count);
}

Neighbor::Report Neighbor::Stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  std::array<std::vector<std::chrono::nanoseconds>, 3> times;
  for (const auto& guest : guests_) {
    std::vector<std::chrono::nanoseconds>& all = times[static_cast<std::size_t>(guest->kind())];
    all.insert(all.end(), guest->times().begin(), guest->times().end());
  }
  const Report report{Summed(std::move(times[0])), Summed(std::move(times[1])), Summed(std::move(times[2]))};
  std::fputs(report.Text().c_str(), stdout);
  return report;
}

}  // namespace openseat::tests
