#include "load/chimera_load.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/rng.h"
#include "core/judge.h"

namespace openseat::load {
namespace {

constexpr std::size_t kPlaybooks = 256;
constexpr std::size_t kMaxMoves = 64;
constexpr Duration kTick = std::chrono::microseconds(250);

// One game, drawn in advance: who acts, and the action's members as they appear in a request.
struct PlannedAction {
  SeatIndex seat;
  std::string text;
  std::size_t told;  // how many notices everyone has been sent before it: the start, and each choice that could be seen
};
struct Playbook {
  std::vector<PlannedAction> actions;
  std::size_t told = 1;  // how many there are in all
};

// The rules have no chance, so games can be drawn without the server.
std::vector<Playbook> DrawGames(const Game& game) {
  Rng rng(1);
  std::vector<Playbook> books(kPlaybooks);
  const auto start = game.NewGame(nullptr, 1, {"first", "second"});
  OPENSEAT_CHECK(start.has_value(), "CheckDrawable has seen it");
  std::array<Move, kMaxMoves> moves{};
  for (Playbook& book : books) {
    const std::unique_ptr<GameState> state = (*start)->Clone();
    for (SeatSet awaited = state->Awaited(); !awaited.empty(); awaited = state->Awaited()) {
      const SeatIndex seat = awaited.First();
      const Move move = moves[rng.Below(state->Moves(seat, moves))];
      const PlayedChoice choice = state->ToChoice(seat, move);
      book.actions.push_back(
          {seat, "\"action\":\"" + choice.action + "\",\"data\":" + json::Write(choice.data), book.told});
      const std::unique_ptr<GameState> before = state->Clone();
      state->ApplyMove(seat, move);
      if (state->GetOutcome() || LooksDifferent(*before, *state)) ++book.told;
    }
  }
  return books;
}

class Player;

// All matches of a run.
class Generator {
 public:
  Generator(const ChimeraLoadOptions& options, bool idle)
      : options_(options), idle_(idle), books_(DrawGames(*options.game)), matches_(options.matches) {}

  Result<ChimeraLoadResult> Go(const LoadMarks& marks);

  // --- The players' side ---

  LoadRun& run() { return run_; }
  void Created(std::size_t match, std::string id);
  void Notified(std::size_t match, SeatIndex seat);
  void Joined(std::size_t match);
  void Answered(std::size_t match, std::size_t bytes);

 private:
  struct Match {
    std::array<Player*, 2> players{};
    std::array<std::size_t, 2> notices{};  // start, updates and end that each player has seen
    std::string id;
    const Playbook* book = nullptr;
    std::size_t next = 0;    // action of the book
    bool under_way = false;  // that action was sent, its answer has not arrived
    bool joined = false;     // the second player has its answer
    Instant due;             // of the next action
    Instant since;           // of the pending action
  };

  Instant Now() { return run_.shard().clock().Monotonic(); }
  void AllOpen();
  void Begin(std::size_t index);
  void Consider(std::size_t index);
  void Send(std::size_t index);
  void Tick();

  const ChimeraLoadOptions& options_;
  const bool idle_;
  const std::vector<Playbook> books_;
  std::vector<Match> matches_;
  LoadMarks marks_;
  Rng rng_{2};
  Duration period_{0};  // between two actions of one match
  using Due = std::pair<Instant, std::size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::size_t begun_ = 0;
  ChimeraLoadResult result_;
  std::string out_;
  LoadRun run_;  // destroyed first
};

class Player final : public net::WebSocketSession {
 public:
  Player(Generator& generator, std::size_t match, SeatIndex seat) : generator_(generator), match_(match), seat_(seat) {}

  void Send(std::string_view text) { socket_->SendText(text); }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = std::move(socket);
    generator_.run().Opened();
  }
  void OnText(std::string_view message) override {
    // Messages of our own server have a fixed form; the generator must cost as little as possible.
    constexpr std::string_view kNotification = R"({"type":"notification")";
    if (message.starts_with(kNotification)) return generator_.Notified(match_, seat_);
    const std::size_t result = message.find("\"result\":");
    if (result == std::string_view::npos) {
      return generator_.run().Fail({ErrorCode::kInvalid, "the server refused: " + std::string(message), {}});
    }
    constexpr std::string_view kId = R"("id":")";
    const char what = message[message.find(kId) + kId.size()];
    if (what == 'c') {
      constexpr std::string_view kMatch = R"("match-id":")";
      std::string_view id = message.substr(message.find(kMatch) + kMatch.size());
      generator_.Created(match_, std::string(id.substr(0, id.find('"'))));
    } else if (what == 'j') {
      generator_.Joined(match_);
    } else {
      generator_.Answered(match_, message.size());
    }
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing& closing) override { generator_.run().Closed(closing.code, closing.reason); }

 private:
  Generator& generator_;
  const std::size_t match_;
  const SeatIndex seat_;
  std::shared_ptr<net::WebSocket> socket_;
};

Result<ChimeraLoadResult> Generator::Go(const LoadMarks& marks) {
  marks_ = marks;
  if (options_.rate > 0) {
    period_ = Duration(static_cast<std::int64_t>(1e6 * static_cast<double>(options_.matches) / options_.rate));
  }
  const auto make = [this](std::size_t index) {
    auto player = std::make_unique<Player>(*this, index / 2, static_cast<SeatIndex>(index % 2));
    matches_[index / 2].players[index % 2] = player.get();
    return player;
  };
  run_.Connect(options_.url, 2 * options_.matches, make, [this] { AllOpen(); });
  Result<LoadResult> actions = run_.Go();
  if (!actions) return Fail(std::move(actions).error());
  result_.actions = std::move(*actions);
  return std::move(result_);
}

void Generator::AllOpen() {
  const auto begin = [this] {
    for (std::size_t index = 0; index < matches_.size(); ++index) {
      matches_[index].due = Now() + Duration(static_cast<std::int64_t>(rng_.Below(
                                        static_cast<std::uint64_t>(std::max<std::int64_t>(1, period_.count())))));
      Begin(index);
    }
  };
  if (!idle_) {
    begin();
    run_.Measure(options_.warmup, options_.measure, marks_);
    if (options_.rate > 0) Tick();
    return;
  }
  run_.shard().After(kSettle, [this, begin] {
    marks_.begin();
    begin();
  });
}

void Generator::Begin(std::size_t index) {
  Match& match = matches_[index];
  match.book = &books_[rng_.Below(books_.size())];
  match.next = 0;
  match.notices = {};
  match.under_way = false;
  match.joined = false;
  out_ = R"({"type":"request","operation":"create-match","id":"c","params":{"game":")" + options_.game->info().id +
         R"(","player-name":"first"}})";
  match.players[0]->Send(out_);
}

void Generator::Created(std::size_t index, std::string id) {
  Match& match = matches_[index];
  match.id = std::move(id);
  out_ = R"({"type":"request","operation":"join-match","id":"j","params":{"game":")" + options_.game->info().id +
         R"(","match-id":")" + match.id + R"(","player-name":"second"}})";
  match.players[1]->Send(out_);
}

void Generator::Joined(std::size_t index) {
  matches_[index].joined = true;
  ++begun_;
  if (!idle_) return Consider(index);
  if (begun_ < matches_.size()) return;
  run_.shard().After(kSettle, [this] {
    marks_.end();
    run_.Stop();
  });
}

void Generator::Notified(std::size_t index, SeatIndex seat) {
  if (run_.measuring()) ++result_.notifications;
  ++matches_[index].notices[seat];
  if (!idle_) Consider(index);
}

void Generator::Answered(std::size_t index, std::size_t bytes) {
  Match& match = matches_[index];
  run_.Count(match.since);
  if (run_.result().bytes_in == 0) run_.result().bytes_in = bytes;
  match.under_way = false;
  ++match.next;
  Consider(index);
}

// Continues if the match has come far enough: the next player has seen everything before.
void Generator::Consider(std::size_t index) {
  Match& match = matches_[index];
  if (!match.joined || match.under_way) return;
  if (match.next == match.book->actions.size()) {
    // After the end, both are free to play the next one.
    if (match.notices[0] < match.book->told || match.notices[1] < match.book->told) return;
    if (run_.measuring()) ++result_.matches;
    return Begin(index);
  }
  const PlannedAction& action = match.book->actions[match.next];
  if (match.notices[action.seat] < action.told) return;
  match.under_way = true;
  const Instant now = Now();
  if (options_.rate <= 0) {
    match.since = now;
    return Send(index);
  }
  match.since = match.due;
  match.due += period_;
  if (match.since <= now) return Send(index);
  due_.emplace(match.since, index);
}

void Generator::Send(std::size_t index) {
  const Match& match = matches_[index];
  const PlannedAction& action = match.book->actions[match.next];
  out_ = R"({"type":"request","operation":"game-action","id":"a","params":{"match-id":")";
  out_ += match.id;
  out_ += "\",";
  out_ += action.text;
  out_ += "}}";
  if (run_.result().bytes_out == 0) run_.result().bytes_out = out_.size();
  match.players[action.seat]->Send(out_);
}

void Generator::Tick() {
  const Instant now = Now();
  while (!due_.empty() && due_.top().first <= now) {
    const std::size_t index = due_.top().second;
    due_.pop();
    Send(index);
  }
  run_.shard().After(kTick, [this] { Tick(); });
}

// Whether its games can be drawn in advance, without the server.
Result<void> CheckDrawable(const Game& game) {
  const auto refuse = [&](const char* why) {
    return Fail(ErrorCode::kInvalid, game.info().title + " cannot be used here: " + why);
  };
  if (game.info().max_moves > kMaxMoves) return refuse("a player may have too many possible moves");
  const auto one = game.NewGame(nullptr, 1, {"first", "second"});
  const auto other = game.NewGame(nullptr, 2, {"first", "second"});
  if (game.info().min_seats != 2 || !one || !other) return refuse("it is not for two players");
  if (!(*one)->Equals(**other)) return refuse("its rules involve chance");
  return {};
}

}  // namespace

Result<ChimeraLoadResult> RunChimeraLoad(const ChimeraLoadOptions& options, const LoadMarks& marks) {
  if (Result<void> drawable = CheckDrawable(*options.game); !drawable) return Fail(std::move(drawable).error());
  return Generator(options, false).Go(marks);
}

Result<void> RunChimeraIdle(const ChimeraLoadOptions& options, const LoadMarks& marks) {
  if (Result<void> drawable = CheckDrawable(*options.game); !drawable) return drawable;
  const Result<ChimeraLoadResult> done = Generator(options, true).Go(marks);
  if (!done) return Fail(done.error());
  return {};
}

}  // namespace openseat::load
