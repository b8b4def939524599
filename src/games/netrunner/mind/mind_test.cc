#include "games/netrunner/mind/mind.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "games/netrunner/mind/rating.h"
#include "games/netrunner/netrunner.h"
#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

using mind::Forecast;
using mind::RunCalculator;

// On the Runner's turn, with the ice rezzed on HQ and these cards installed.
TestGame Against(std::string_view ice, const std::vector<std::string_view>& rig, int credits) {
  TestGame game = Guarded(ice, {.runner_hand = rig});
  game.state.runner().credits = 30;
  for (const std::string_view card : rig) game.Play(card);
  game.state[game.Find(ice, Zone::kInstalled)].faceup = true;
  game.state.runner().credits = static_cast<std::int16_t>(credits);
  return game;
}

Forecast OnHq(const TestGame& game) {
  const RunCalculator calculator(game.state, Side::kRunner);
  return calculator.Run(kHqServer, calculator.UsualTerms());
}

float RatingOf(const State& state, CommandKind kind, Inst card = kNoInst, std::uint8_t arg = 0) {
  CommandList list;
  ListCommands(state, list);
  std::vector<float> ratings(list.all().size());
  mind::Rate(state, list.all(), ratings);
  for (std::size_t i = 0; i < ratings.size(); ++i) {
    if (list.all()[i] == Command{kind, card, arg}) return ratings[i];
  }
  ADD_FAILURE() << "this is not legal now";
  return 0;
}

TEST(RunCalculator, KnowsWhatBreakingCosts) {
  // Strength 3 against 2 on a central server: one credit for its only subroutine.
  EXPECT_FLOAT_EQ(OnHq(Against("Palisade", {"Cleaver"}, 5)).credits, 1);
  EXPECT_FLOAT_EQ(OnHq(Against("Palisade", {"Cleaver"}, 5)).enters, 1);
  // Two strength for four credits, and three subroutines for two.
  EXPECT_FLOAT_EQ(OnHq(Against("Pharos", {"Cleaver"}, 9)).credits, 6);
  EXPECT_LT(OnHq(Against("Pharos", {"Cleaver"}, 4)).enters, 0.1F);
  // The Runner has clicks for both ends of the run.
  EXPECT_FLOAT_EQ(OnHq(Against("Brân 1.0", {}, 0)).enters, 1);
}

TEST(RunCalculator, KnowsThatTheWrongBreakerDoesNotHelp) {
  EXPECT_FLOAT_EQ(OnHq(Against("Palisade", {"Unity"}, 9)).enters, 0);
  EXPECT_FLOAT_EQ(OnHq(Against("Palisade", {"Mayfly"}, 9)).enters, 1);
}

TEST(RunCalculator, SeesThatDamageKills) {
  TestGame game = Against("Karunā", {}, 0);
  EXPECT_FLOAT_EQ(OnHq(game).deadly, 0);
  while (game.state.runner().hand.size() > 3) game.state.runner().hand.pop_back();
  EXPECT_GT(OnHq(game).deadly, 0.9F);
}

TEST(Rating, TheRunnerDoesNotRunIntoWhatStopsOrKills) {
  const TestGame stopped = Against("Palisade", {}, 0);
  EXPECT_LT(RatingOf(stopped.state, CommandKind::kRun, kNoInst, kHqServer),
            RatingOf(stopped.state, CommandKind::kCredit));
  TestGame deadly = Against("Karunā", {}, 9);
  while (deadly.state.runner().hand.size() > 3) deadly.state.runner().hand.pop_back();
  EXPECT_LT(RatingOf(deadly.state, CommandKind::kRun, kNoInst, kHqServer), -10);
}

TEST(Rating, TheCorpScoresAndDoesNotTrashItsIce) {
  TestGame game({.corp_hand = {"Superconducting Hub", "Palisade"}});
  game.Play("Palisade", "New remote");
  game.Play("Superconducting Hub", "Server 1");
  game.EndTurn();
  game.EndTurn();
  game.Advance("Superconducting Hub", 2);
  const Inst agenda = game.Find("Superconducting Hub", Zone::kInstalled);
  EXPECT_GT(RatingOf(game.state, CommandKind::kAdvance, agenda), 4);
  game.Advance("Superconducting Hub");
  EXPECT_GT(RatingOf(game.state, CommandKind::kScore, agenda), 100);
}

std::unique_ptr<Game> GameWithMind() {
  return MakeNetrunner();
}

std::unique_ptr<GameState> BeginGame(const Game& game, std::uint64_t seed) {
  return *game.NewGame(nullptr, seed, {"Alex", "Sam"});
}

Move PolicyMove(const Game& game, const GameState& state, SeatIndex seat, Rng& rng) {
  std::vector<Move> moves(state.Moves(seat, {}));
  state.Moves(seat, moves);
  return game.heuristics()->Rollout(state, seat, moves, rng);
}

// Search does not see what a secret is worth: what reveals one for nothing gets no branch.
TEST(Weigh, LeavesOutWhatOnlyTellsTheRunner) {
  const std::unique_ptr<Game> game = GameWithMind();
  int unrezzed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const std::unique_ptr<GameState> state = BeginGame(*game, seed);
    while (!state->Awaited().empty()) {
      const SeatIndex seat = state->Awaited().First();
      std::vector<Move> moves(state->Moves(seat, {}));
      state->Moves(seat, moves);
      std::vector<float> weights(moves.size());
      game->heuristics()->Weigh(*state, seat, moves, weights);
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const Command command = FromMove(StateOf(*state), moves[i]);
        if (command.kind != CommandKind::kRez || StateOf(*state).Def(command.card).title != "Urtica Cipher") continue;
        EXPECT_EQ(weights[i], 0);
        ++unrezzed;
      }
      state->ApplyMove(seat, PolicyMove(*game, *state, seat, rng));
    }
  }
  EXPECT_GT(unrezzed, 20);
}

struct RatedMoves {
  std::vector<Move> moves;
  std::vector<float> ratings;
};
RatedMoves RatedBy(const GameState& game) {
  const State& state = StateOf(game);
  CommandList list;
  ListCommands(state, list);
  RatedMoves seen{{}, std::vector<float>(list.all().size())};
  mind::Rate(state, list.all(), seen.ratings);
  for (const Command& command : list.all()) seen.moves.push_back(ToMove(state, command));
  return seen;
}

// The cards that a side does not see are other ones in each sample: its ratings are the same.
TEST(Rating, DependsOnNothingThatTheSideDoesNotSee) {
  const std::unique_ptr<Game> game = GameWithMind();
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Rng rng(seed);
    const std::unique_ptr<GameState> state = BeginGame(*game, seed);
    while (!state->Awaited().empty()) {
      const SeatIndex seat = state->Awaited().First();
      const RatedMoves real = RatedBy(*state);
      if (real.moves.size() > 1) {
        const RatedMoves sampled = RatedBy(*state->Sample(seat, rng));
        ASSERT_EQ(real.moves, sampled.moves);
        for (std::size_t i = 0; i < real.moves.size(); ++i) {
          ASSERT_NEAR(real.ratings[i], sampled.ratings[i], 1e-3) << state->MoveLabel(seat, real.moves[i]) << "\n"
                                                                 << state->Describe(seat);
        }
        ++compared;
      }
      state->ApplyMove(seat, PolicyMove(*game, *state, seat, rng));
    }
  }
  EXPECT_GT(compared, 500);
}

int WinsAgainstRandom(SeatIndex side, int games) {
  const std::unique_ptr<Game> game = GameWithMind();
  int wins = 0;
  for (int i = 1; i <= games; ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    const std::unique_ptr<GameState> state = BeginGame(*game, static_cast<std::uint64_t>(i));
    while (!state->Awaited().empty()) {
      const SeatIndex seat = state->Awaited().First();
      std::vector<Move> moves(state->Moves(seat, {}));
      state->Moves(seat, moves);
      state->ApplyMove(seat, seat == side ? PolicyMove(*game, *state, seat, rng) : moves[rng.Below(moves.size())]);
    }
    wins += state->GetOutcome()->winners.Contains(side) ? 1 : 0;
  }
  return wins;
}

TEST(Rollout, BeatsRandomPlayOnBothSides) {
  EXPECT_GE(WinsAgainstRandom(0, 100), 98);
  EXPECT_GE(WinsAgainstRandom(1, 100), 94);
}

TEST(Worth, IsHigherForTheSideThatIsAhead) {
  TestGame game({.corp_hand = {"Superconducting Hub"}});
  const double before = mind::Worth(game.state, Side::kCorp);
  EXPECT_NEAR(before + mind::Worth(game.state, Side::kRunner), 1, 1e-9);
  game.InstallAndScore("Superconducting Hub");
  EXPECT_GT(mind::Worth(game.state, Side::kCorp), before);
}

}  // namespace
}  // namespace openseat::games::netrunner
