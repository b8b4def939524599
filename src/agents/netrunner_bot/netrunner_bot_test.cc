#include "agents/netrunner_bot/netrunner_bot.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "agents/netrunner_bot/netrunner_view.h"
#include "games/netrunner/netrunner.h"

namespace openseat {
namespace {

Decision Asked(const GameState& state, SeatIndex seat) {
  Decision decision;
  decision.sight = std::make_shared<Sight>(state.Describe(seat));
  for (ActionSpec& spec : state.Actions(seat)) {
    auto action = std::make_shared<Action>();
    action->name = spec.name;
    action->description = spec.description;
    if (!spec.schema.is_null()) action->schema = std::move(spec.schema);
    decision.actions.Put(std::move(action));
  }
  return decision;
}

std::unique_ptr<GameState> NewGame(std::uint64_t seed) {
  static const std::unique_ptr<Game> game = games::MakeNetrunner();
  return *game->NewGame(nullptr, seed, {"Alex", "Sam"});
}

// Plays a game against random moves; whether the bot won.
bool WinsAgainstRandom(SeatIndex seat, std::uint64_t seed) {
  NetrunnerBot bot(seed);
  Rng rng(seed);
  const std::unique_ptr<GameState> state = NewGame(seed);
  std::vector<Move> moves(4096);
  while (!state->Awaited().empty()) {
    const SeatIndex turn = state->Awaited().First();
    if (turn != seat) {
      state->ApplyMove(turn, moves[rng.Below(state->Moves(turn, moves))]);
      continue;
    }
    const std::optional<Choice> choice = bot.Pick(Asked(*state, turn));
    if (!choice || !state->Validate(turn, choice->action, choice->data)) {
      ADD_FAILURE() << "the bot's choice is not legal";
      return false;
    }
    state->Apply(turn, choice->action, choice->data);
  }
  return state->GetOutcome()->winners.Contains(seat);
}

TEST(NetrunnerBot, BeatsRandomOnBothSides) {
  for (const SeatIndex seat : {0u, 1u}) {
    int wins = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) wins += WinsAgainstRandom(seat, seed) ? 1 : 0;
    EXPECT_GE(wins, 48) << "seat " << seat;
  }
}

// All that it takes for legal is legal, over a whole random game.
TEST(NetrunnerBot, ReadsLegalChoices) {
  Rng rng(1);
  const std::unique_ptr<GameState> state = NewGame(1);
  std::vector<Move> moves(4096);
  while (!state->Awaited().empty()) {
    const SeatIndex turn = state->Awaited().First();
    const auto view = netrunner_bot::ReadView(Asked(*state, turn));
    ASSERT_TRUE(view.has_value());
    EXPECT_EQ(view->corp, turn == 0);
    for (const netrunner_bot::LegalChoice& choice : view->choices) {
      EXPECT_TRUE(state->Validate(turn, choice.action, choice.data).has_value())
          << choice.action << " " << json::Write(choice.data);
    }
    state->ApplyMove(turn, moves[rng.Below(state->Moves(turn, moves))]);
  }
}

TEST(NetrunnerBot, ReadsTheBoard) {
  Decision decision;
  decision.sight = std::make_shared<Sight>(
      "You are the **Corp** (Alex); Sam is the Runner.\n\n"
      "**Corp** The Syndicate: 12 credits, 2 clicks, 0 points, 4 cards in hand, 20 in the deck, 0 discarded.\n"
      "- HQ, ice from the innermost outwards:\n  - Palisade `c3`, rezzed\n  - Tithe `c4`, unrezzed\n"
      "- Server 1:\n  - in it:\n  - Nico Campaign `c5`, unrezzed\n"
      "**Runner** The Catalyst: 5 credits, 0 clicks, 0 points, 5 cards in hand, 20 in the deck, 0 discarded, 1 tags, "
      "0 of 4 memory.\n");
  const auto view = netrunner_bot::ReadView(decision);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->credits, 12);
  EXPECT_EQ(view->clicks, 2);
  EXPECT_EQ(view->hand, 4);
  EXPECT_EQ(view->tags, 1);
  EXPECT_EQ(view->servers.at("HQ").ice, 2);
  EXPECT_EQ(view->servers.at("HQ").root, 0);
  EXPECT_EQ(view->servers.at("Server 1").ice, 0);
  EXPECT_EQ(view->servers.at("Server 1").root, 1);
}

TEST(NetrunnerBot, LeavesOtherGamesAlone) {
  Decision decision;
  decision.sight = std::make_shared<Sight>("Tic-tac-toe");
  EXPECT_FALSE(NetrunnerBot(1).Pick(decision).has_value());
}

}  // namespace
}  // namespace openseat
