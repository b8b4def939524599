#include "agents/search/search_agent.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agents/search/grown.h"
#include "base/json_members.h"
#include "base/secure_random.h"

namespace openseat::search {
namespace {

// What a search without any limit gets.
constexpr int kUsualMs = 500;
// What the iterations of a level take at most.
constexpr Duration kLongestLevel = std::chrono::seconds(20);

SearchAgentOptions ReadSearchOptions(const json::Object& options) {
  SearchAgentOptions read;
  const std::optional<std::uint64_t> seed = json::WholeOf(options, "seed");
  read.search.seed = seed ? *seed : SecureRandom64();
  read.search.exploration = json::NumberOf(options, "exploration", 1);
  read.search.threads = static_cast<unsigned>(json::WholeOf(options, "threads").value_or(1));
  read.slip = json::NumberOf(options, "slip", 0);
  if (const auto level = json::WholeOf(options, "level")) read.level = static_cast<int>(*level);
  const std::optional<std::uint64_t> iterations = json::WholeOf(options, "iterations");
  std::optional<std::uint64_t> ms = json::WholeOf(options, "ms");
  if (!iterations && !ms) ms = kUsualMs;
  read.search.limits.iterations = iterations.value_or(0);
  if (ms) read.search.limits.time = std::chrono::milliseconds(*ms);
  return read;
}

}  // namespace

// Shared with the threads that search. What is not const belongs to them until `left` is 0.
struct SearchAgent::Thinking {
  Thinking(const Decision& of, SeatIndex who, SearchOptions how, Level at, Rng from)
      : decision(of.id),
        sight(of.sight),
        seat(who),
        level(at),
        options(std::move(how)),
        rng(from),
        left(Grown::Parts(options)) {}

  // Draws what the search plays ahead from: a script may take long for each sample.
  void Begin(const Clock& clock) {
    if (options.limits.time) deadline = clock.Monotonic() + *options.limits.time;
    const std::unique_ptr<GameState> state = DrawSample([&](Rng& draws) { return sight->Sample(draws); }, rng);
    options.seed = rng.Next();
    if (state != nullptr) grown.emplace(*sight->game(), *state, seat, options);
  }

  const DecisionId decision;
  const std::shared_ptr<const Sight> sight;
  const SeatIndex seat;
  const Level level;
  SearchOptions options;
  Rng rng;                     // the agent's, which gets it back
  std::optional<Grown> grown;  // nullopt: the game gave no sample
  std::stop_source stop;
  std::once_flag begun;
  std::optional<Instant> deadline;  // of all parts: their time starts when the first of them does
  std::atomic<unsigned> left;
};

AgentKind SearchKind(WorkerPool* pool) {
  return {.kind = "search",
          .title = "Search bot",
          .description = "Plays every hosted game by playing ahead, without a model.",
          .named_by = Namer::kPlayer,
          .options = R"({
            "type": "object",
            "properties": {
              "level": {"type": "integer", "minimum": 1, "maximum": 8, "x-namedBy": "player",
                "description": "How well it plays: 1 for a newcomer to 8 for a master. Replaces iterations, ms and slip."},
              "iterations": {"type": "integer", "minimum": 1, "maximum": 100000000,
                "description": "How many games it plays ahead for each choice; the same seed then chooses the same."},
              "ms": {"type": "integer", "minimum": 1, "maximum": 600000,
                "description": "How long it may think about each choice, in milliseconds; 500 unless iterations or level are given."},
              "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615, "x-namedBy": "player",
                "description": "The same seed plays the same, unless time is limited: a level searches for at most 20 seconds. A fresh one by default."},
              "exploration": {"type": "number", "minimum": 0, "maximum": 100,
                "description": "How much it tries what looks worse; 1 by default."},
              "slip": {"type": "number", "minimum": 0, "maximum": 1,
                "description": "How it errs: a choice that is worth this much less than the best is chosen e times less often; 0, the default: never."},
              "threads": {"type": "integer", "minimum": 1, "maximum": 16,
                "description": "How many trees it grows, at the same time where the server has cores for it; 1 by default."}
            },
            "additionalProperties": false
          })",
          .make = [pool](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            return std::make_unique<SearchAgent>(ReadSearchOptions(options), pool);
          }};
}

SearchAgent::SearchAgent(SearchAgentOptions options, WorkerPool* pool)
    : options_(std::move(options)), pool_(pool), rng_(options_.search.seed) {}

SearchAgent::~SearchAgent() {
  Stop();
}

void SearchAgent::Stop() {
  if (thinking_) thinking_->stop.request_stop();
  thinking_.reset();
}

void SearchAgent::OnDecision(const Decision& decision) {
  Stop();
  const std::vector<Move> moves = decision.sight ? decision.sight->Moves() : std::vector<Move>();
  if (moves.empty()) {
    GiveUp(decision.id, "search plays games whose rules run here");
  } else if (moves.size() == 1) {
    Choose(decision.id, *decision.sight, moves.front());
  } else {
    Think(decision, *decision.sight->game());
  }
}

void SearchAgent::GiveUp(DecisionId decision, const std::string& why) {
  static_cast<void>(seat_->GiveUp(decision, why, json::Object{{"code", "unable"}}));
}

void SearchAgent::Think(const Decision& decision, const Game& game) {
  SearchOptions options = options_.search;
  Level level{.slip = options_.slip};
  if (options_.level) {
    level = LevelAt(game.info().id, *options_.level);
    options.limits = {.iterations = level.iterations, .time = kLongestLevel};
    options.heuristics = level.heuristics;
    options.least_visits = level.least_visits;
  }
  options.only_choice = level.slip == 0;
  thinking_ = std::make_shared<Thinking>(decision, seat_->index(), options, level, rng_);
  const std::string payer = seat_->payer_address();
  for (unsigned part = 0; part < Grown::Parts(options); ++part) {
    Task work = [this, part, thinking = thinking_, &scheduler = seat_->scheduler()]() mutable {
      const std::stop_token stop = thinking->stop.get_token();
      if (!stop.stop_requested()) {
        const Clock& clock = scheduler.clock();
        std::call_once(thinking->begun, [&] { thinking->Begin(clock); });
        if (thinking->grown) thinking->grown->Grow(part, clock, thinking->deadline, stop);
      }
      if (thinking->left.fetch_sub(1) != 1 || stop.stop_requested()) return;
      // A stop comes from the scheduler's own thread, so what is not stopped when this runs has its agent.
      scheduler.Post([this, thinking = std::move(thinking)] {
        if (!thinking->stop.stop_requested()) Finish(*thinking);
      });
    };
    if (pool_ != nullptr) {
      pool_->Post(std::move(work), payer);
    } else {
      seat_->scheduler().OffloadFor(payer, std::move(work));
    }
  }
}

void SearchAgent::Finish(const Thinking& thinking) {
  const std::shared_ptr<Thinking> done = std::move(thinking_);
  rng_ = thinking.rng;
  const SearchResult found = thinking.grown ? thinking.grown->Result() : SearchResult();
  if (found.moves.empty()) return GiveUp(thinking.decision, NoSample(thinking.sight->game()->info()).message);
  const Move move = ChooseAt(thinking.level, found, rng_);
  if (!std::ranges::binary_search(thinking.sight->Moves(), move)) {
    return GiveUp(thinking.decision, "search found a choice that is not possible");
  }
  Choose(thinking.decision, *thinking.sight, move);
}

void SearchAgent::Choose(DecisionId decision, const Sight& sight, Move move) {
  PlayedChoice choice = sight.ChoiceOf(move);
  // It is legal. If the decision has just ended, there is nothing left to do.
  static_cast<void>(
      seat_->Choose({.action = std::move(choice.action), .data = std::move(choice.data), .decision = decision}));
}

}  // namespace openseat::search
