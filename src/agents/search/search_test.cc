#include "agents/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/search/grown.h"
#include "agents/search/script_test_support.h"
#include "agents/search/solver_test_support.h"
#include "agents/search/tree.h"
#include "base/json.h"
#include "core/game_base.h"
#include "core/heuristics.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/netrunner/netrunner.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "testing/fake_scheduler.h"

namespace openseat::search {
namespace {

using games::MakeChicken;
using games::MakeConnectM;
using games::MakeNetrunner;
using games::MakeRockPaperScissors;
using games::MakeTicTacToe;

std::unique_ptr<GameState> NewState(const Game& game, const json::Value& options = nullptr, std::uint64_t seed = 1) {
  return game.NewGame(options, seed, {"ann", "ben"}).value();
}

SearchResult Searched(const Game& game, const GameState& state, SeatIndex seat, std::uint64_t iterations,
                      std::uint64_t seed = 1) {
  const SystemClock clock;
  return Search(game, state, seat, {.limits = {.iterations = iterations}, .seed = seed}, clock);
}

void Play(GameState& state, std::initializer_list<Move> moves) {
  for (const Move move : moves) state.ApplyMove(state.Awaited().First(), move);
}

TEST(Search, ProvesThatTicTacToeIsADraw) {
  const auto game = MakeTicTacToe();
  const SearchResult result = Searched(*game, *NewState(*game), 0, 200'000);
  EXPECT_EQ(result.value, 0.5);
  ASSERT_NE(result.Find(result.chosen), nullptr);
  EXPECT_TRUE(result.Find(result.chosen)->proven);
  EXPECT_LT(result.iterations, 200'000U);
}

TEST(Search, WinsAndPreventsWins) {
  const auto game = MakeConnectM();
  const auto state = NewState(*game);
  Play(*state, {3, 0, 3, 0, 3});
  const SearchResult blocks = Searched(*game, *state, 1, 2'000);
  EXPECT_EQ(blocks.chosen, 3U);
  Play(*state, {1});
  const SearchResult wins = Searched(*game, *state, 0, 2'000);
  EXPECT_EQ(wins.chosen, 3U);
  EXPECT_EQ(wins.value, 1);
  EXPECT_TRUE(wins.Find(3)->proven);
  ASSERT_FALSE(wins.line.empty());
  EXPECT_EQ(wins.line.front().move, 3U);
}

TEST(Search, MixesRockPaperScissors) {
  const auto game = MakeRockPaperScissors();
  const auto state = NewState(*game, json::Object{{"rounds", 1}});
  const SearchResult result = Searched(*game, *state, 0, 20'000);
  ASSERT_EQ(result.moves.size(), 3U);
  for (const SearchedMove& move : result.moves) {
    EXPECT_NEAR(move.share, 1.0 / 3, 0.05) << move.move;
    EXPECT_NEAR(move.value, 0.5, 0.05);
  }
}

// The driver who is not behind goes straight: who leads wins by a crash, and who does not lead draws by it.
TEST(Search, GoesStraightInChicken) {
  const auto game = MakeChicken();
  const SearchResult result = Searched(*game, *NewState(*game), 0, 20'000);
  ASSERT_NE(result.Find(0), nullptr);
  EXPECT_GE(result.Find(0)->share, 0.95);
}

TEST(Search, IsTheSameForTheSameSeed) {
  const auto game = MakeConnectM();
  const auto state = NewState(*game);
  const SystemClock clock;
  const auto text = [&](std::uint64_t seed) {
    const SearchResult found =
        Search(*game, *state, 0, {.limits = {.iterations = 3'000}, .seed = seed, .threads = 3}, clock);
    std::string all;
    for (const SearchedMove& move : found.moves)
      all += std::to_string(move.visits) + " " + std::to_string(move.value) + "; ";
    return all;
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

// GCC would multiply and add in one step here, as it does everywhere on arm64.
#if defined(__x86_64__) && !defined(__clang__)
[[gnu::target("fma"), gnu::optimize("O2"), gnu::noinline]] double ProductAndSum(double x, double y, double z);
#endif
double ProductAndSum(double x, double y, double z) {
  return x * y + z;
}

// One rounding instead of two would leave -2^-60 (cmake/OpenseatModule.cmake).
TEST(Search, RoundsAsEveryMachineDoes) {
#if defined(__x86_64__) && !defined(__clang__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor cannot";
#endif
  const volatile double little = 1.0 / (1 << 30);
  EXPECT_EQ(ProductAndSum(1 + little, 1 - little, -1), 0);
}

TEST(Search, TriesEveryMoveIfAsked) {
  const auto game = MakeConnectM();
  const SystemClock clock;
  const SearchResult result =
      Search(*game, *NewState(*game), 0, {.limits = {.iterations = 2'000}, .least_visits = 250}, clock);
  ASSERT_EQ(result.moves.size(), 7U);
  for (const SearchedMove& move : result.moves) {
    EXPECT_GE(move.visits, 250U);
    EXPECT_LT(move.error, 0.05);
  }
}

TEST(Search, StopsAtItsTimeAndWhenTold) {
  const auto game = MakeConnectM();
  const auto state = NewState(*game);
  testing::FakeScheduler time;  // which stands still
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Search(*game, *state, 0, {.limits = {.iterations = 1'000}}, time.clock(), stop.get_token()).iterations, 1U);
  const SearchOptions at_once{.limits = {.iterations = 0, .time = Duration(0)}};
  EXPECT_LE(Search(*game, *state, 0, at_once, time.clock()).iterations, 8U);
}

// Moves with what is known of them: so often tried with that mean, or proven to be worth it.
RootMove Tried(Move move, std::uint64_t visits, double mean) {
  return {.move = move, .visits = visits, .sum = mean * static_cast<double>(visits)};
}
RootMove Proven(Move move, std::uint64_t visits, double value) {
  return {.move = move, .visits = visits, .sum = 0, .low = value, .high = value};
}

TEST(Search, ChoosesTheMostTriedUnlessMoreIsProven) {
  EXPECT_EQ(BestOf({Tried(0, 10, 0.9), Tried(1, 90, 0.4)}), 1U);
  EXPECT_EQ(BestOf({Tried(0, 10, 0.4), Proven(1, 90, 0)}), 0U);
  EXPECT_EQ(BestOf({Proven(0, 90, 0), Tried(1, 10, 0)}), 1U);
  EXPECT_EQ(BestOf({Tried(0, 90, 0.4), Proven(1, 10, 0.5), Proven(2, 50, 0)}), 1U);
  EXPECT_EQ(BestOf({Tried(0, 20, 0.5), Proven(1, 10, 0.5)}), 1U);
  EXPECT_EQ(BestOf({Tried(0, 20, 0.6), Proven(1, 90, 0.5)}), 0U);
  EXPECT_EQ(BestOf({Proven(0, 90, 0), Proven(1, 10, 0.5), Proven(2, 50, 0)}), 1U);
}

TEST(Search, EndsWhenNothingCanChangeItsChoice) {
  const auto game = MakeNetrunner();
  const SystemClock clock;
  const auto state = NewState(*game, json::Object{{"format", "system-gateway-beginner"}}, 4);
  std::uint64_t iterations = 0;
  std::uint64_t all = 0;
  for (std::uint64_t choice = 0; choice < 60 && !state->Awaited().empty(); ++choice) {
    const SeatIndex seat = state->Awaited().First();
    SearchOptions options{.limits = {.iterations = 40}, .seed = choice};
    const SearchResult whole = Search(*game, *state, seat, options, clock);
    options.only_choice = true;
    const SearchResult ended = Search(*game, *state, seat, options, clock);
    ASSERT_EQ(ended.chosen, whole.chosen) << choice;
    iterations += ended.iterations;
    all += whole.iterations;
    state->ApplyMove(seat, whole.chosen);
  }
  EXPECT_LT(iterations, all);
}

TEST(Search, CountsMatricesAgainstItsLimit) {
  const auto game = MakeRockPaperScissors();
  const SearchOptions options{.limits = {.iterations = 2'000}, .max_branches = 160};
  const SystemClock clock;
  Tree tree(*game, *NewState(*game), 0, options, 1);
  tree.Run(2'000, clock, std::nullopt, {});
  EXPECT_EQ(tree.size(), 160U);
}

TEST(Search, ItsTreesShareTheLimit) {
  const auto game = MakeConnectM();
  const auto state = NewState(*game);
  const auto size_with = [&](unsigned threads) {
    const SystemClock clock;
    Grown grown(*game, *state, 0, {.limits = {.iterations = 8'000}, .threads = threads, .max_branches = 700});
    for (unsigned part = 0; part < grown.parts(); ++part) grown.Grow(part, clock, std::nullopt, {});
    return grown.size();
  };
  constexpr std::size_t kMoves = 7;  // of the node that fills a tree
  EXPECT_GE(size_with(1), 700U);
  EXPECT_GE(size_with(4), 700U);
  EXPECT_LE(size_with(4), 700U + 4 * kMoves);
}

// How many of the solver's positions are played wrong.
int WrongOf(const BoardSolver& solver, const json::Value& options, std::uint64_t iterations) {
  const auto game = MakeConnectM();
  int wrong = 0;
  for (const BoardSolver::Path& path : solver.some()) {
    const auto state = NewState(*game, options);
    for (const Move column : path) state->ApplyMove(state->Awaited().First(), column);
    const SearchResult found = Searched(*game, *state, state->Awaited().First(), iterations);
    wrong += solver.IsBest(path, found.chosen) ? 0 : 1;
  }
  return wrong;
}

TEST(Search, PlaysSmallConnectMPerfectly) {
  const BoardSolver three({.rows = 4, .columns = 4, .m = 3}, 300, 1);
  EXPECT_EQ(WrongOf(three, json::Object{{"rows", 4}, {"columns", 4}, {"m", 3}}, 1'000), 0);
}

// Search proves with the moves that have a weight: one of them must be best.
TEST(Search, ConnectMWeighsWithZeroOnlyWhatIsNoBetter) {
  const BoardSolver solver({.rows = 4, .columns = 4, .m = 3}, 300, 2);
  const auto game = MakeConnectM();
  for (const BoardSolver::Path& path : solver.some()) {
    const auto state = NewState(*game, json::Object{{"rows", 4}, {"columns", 4}, {"m", 3}});
    for (const Move column : path) state->ApplyMove(state->Awaited().First(), column);
    const SeatIndex seat = state->Awaited().First();
    std::vector<Move> moves(4);
    moves.resize(state->Moves(seat, moves));
    std::vector<float> weights(moves.size(), 1);
    game->heuristics()->Weigh(*state, seat, moves, weights);
    bool any = false;
    bool best = false;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      any = any || weights[i] > 0;
      best = best || (weights[i] > 0 && solver.IsBest(path, moves[i]));
    }
    EXPECT_TRUE(best || !any);
  }
}

// What is hidden is exchanged for something else that the seat cannot tell from it: it must choose the same for the
// same seed, with the same values.
TEST(Search, CannotSeeWhatIsHidden) {
  const auto game = MakeNetrunner();
  const auto state = NewState(*game, nullptr, 5);
  Rng rng(11);
  std::vector<Move> moves(game->info().max_moves);
  int compared = 0;
  for (int turn = 0; turn < 60 && !state->Awaited().empty(); ++turn) {
    const SeatIndex seat = state->Awaited().First();
    if (turn % 6 == 0) {
      const std::unique_ptr<GameState> other = state->Sample(seat, rng);
      EXPECT_FALSE(other->Equals(*state));
      const SearchResult real = Searched(*game, *state, seat, 20, 3);
      const SearchResult exchanged = Searched(*game, *other, seat, 20, 3);
      EXPECT_EQ(real.chosen, exchanged.chosen);
      ASSERT_EQ(real.moves.size(), exchanged.moves.size());
      for (std::size_t i = 0; i < real.moves.size(); ++i) {
        EXPECT_EQ(real.moves[i].visits, exchanged.moves[i].visits);
        EXPECT_EQ(real.moves[i].value, exchanged.moves[i].value);
      }
      ++compared;
    }
    state->ApplyMove(seat, moves[rng.Below(state->Moves(seat, moves))]);
  }
  EXPECT_GE(compared, 8);
}

// Of the two seats that choose at once, the second one's choice must not depend on the first one's.
TEST(Search, DoesNotKnowWhatWasThrown) {
  const auto game = MakeRockPaperScissors();
  std::optional<std::vector<double>> first;
  for (const Move thrown : {0U, 1U, 2U}) {
    const auto state = NewState(*game);
    state->ApplyMove(0, thrown);
    const SearchResult result = Searched(*game, *state, 1, 500);
    std::vector<double> shares;
    for (const SearchedMove& move : result.moves) shares.push_back(move.share);
    if (!first) first = shares;
    EXPECT_EQ(shares, *first);
  }
}

// A game that hides nothing, in which one seat chooses before or after both choose at once.
struct Turns {
  std::vector<SeatSet> awaited;  // by how many choices were made
  std::size_t made = 0;
  Move last = 0;  // of the first seat, which wins if this is 1
  std::size_t moves = 2;

  bool operator==(const Turns&) const = default;
};

class TurnsState final : public PositionState<TurnsState, Turns> {
 public:
  using PositionState::PositionState;

  SeatSet Awaited() const override {
    return position().made < position().awaited.size() ? position().awaited[position().made] : SeatSet();
  }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < position().moves && move < out.size(); ++move) out[move] = move;
    return position().moves;
  }
  void ApplyMove(SeatIndex seat, Move move) override {
    ++position().made;
    if (seat == 0) position().last = move;
  }
  std::optional<Outcome> GetOutcome() const override {
    if (!Awaited().empty()) return std::nullopt;
    return Outcome{.winners = {position().last == 1 ? 0U : 1U}, .scores = {0, 0}, .reason = ""};
  }
  json::Value Serialize() const override { return nullptr; }
  std::vector<ActionSpec> Actions(SeatIndex) const override { return {}; }
  Result<void> Validate(SeatIndex, std::string_view, const json::Value&) const override { return {}; }
  json::Value Apply(SeatIndex, std::string_view, const json::Value&) override { return nullptr; }
  json::Value Observe(Viewer) const override { return nullptr; }
  std::string Describe(SeatIndex) const override { return ""; }
  PlayedChoice ToChoice(SeatIndex, Move) const override { return {}; }
};

class TurnsGame final : public Game {
 public:
  explicit TurnsGame(std::vector<SeatSet> awaited, std::size_t moves = 2) : awaited_(std::move(awaited)) {
    info_.id = "turns";
    info_.max_moves = moves;
  }

  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string> names) const override {
    return std::make_unique<TurnsState>(PlayerNames(std::move(names)),
                                        Turns{.awaited = awaited_, .moves = info_.max_moves});
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override {
    return Fail(ErrorCode::kInvalid, "it is not kept");
  }

 private:
  const std::vector<SeatSet> awaited_;
  GameInfo info_;
};

TEST(Search, ProvesOnlyWhatIsBelowASimultaneousChoice) {
  const TurnsGame together_first({{0, 1}, {1}, {0}});
  EXPECT_GT(Searched(together_first, *NewState(together_first), 0, 2'000).value, 0.95);
  const TurnsGame together_last({{0}, {0, 1}, {1}});
  EXPECT_GT(Searched(together_last, *NewState(together_last), 0, 2'000).value, 0.8);
}

// Of so many choices, none has a large share of the mix.
TEST(Search, MixesManyChoices) {
  const TurnsGame many({{0, 1}, {1}}, 400);
  const SearchResult found = Searched(many, *NewState(many), 0, 3);
  ASSERT_EQ(found.moves.size(), 400U);
  double shares = 0;
  for (const SearchedMove& move : found.moves) shares += move.share;
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_GE(found.value, 0);
  EXPECT_LE(found.value, 1);
}

// A stranger's script is no reason to end: what the seat could tell from the real state is left out.
TEST(Search, GoesOnWithTheSamplesThatAreGood) {
  for (const std::string& redeal : LaterWrong(1)) {
    const auto game = GameWithRedeal(redeal);
    const auto state = NewState(*game);
    const SystemClock clock;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const SearchResult found =
          Search(*game, *state, 0, {.limits = {.iterations = 12}, .seed = seed, .threads = 2}, clock);
      ASSERT_EQ(found.moves.size(), 3U) << redeal;
      EXPECT_EQ(found.iterations, 12U);
      for (const SearchedMove& move : found.moves) EXPECT_EQ(state->ToChoice(0, move.move).action, "drop");
      EXPECT_NE(found.Find(found.chosen), nullptr);
    }
  }
}

TEST(Search, FindsNothingWithoutASample) {
  for (const char* redeal : kAlwaysWrong) {
    const auto game = GameWithRedeal(redeal);
    const SearchResult found = Searched(*game, *NewState(*game), 0, 100);
    EXPECT_TRUE(found.moves.empty()) << redeal;
    EXPECT_EQ(found.iterations, 0U);
  }
}

}  // namespace
}  // namespace openseat::search
