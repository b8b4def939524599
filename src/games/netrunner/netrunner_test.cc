#include "games/netrunner/netrunner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "core/sight.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/decks.h"
#include "schema/measure.h"
#include "testing/game_conformance.h"
#include "testing/golden.h"

namespace openseat::games {
namespace {

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeNetrunner();
  return *game;
}

json::Value Format(std::string_view format) {
  return json::Object{{"format", format}};
}

json::Object DeckJson(const netrunner::Deck& deck) {
  json::Array cards;
  for (const netrunner::CardId card : deck.cards) cards.emplace_back(netrunner::CardOf(card).code);
  return {{"identity", netrunner::CardOf(deck.identity).code}, {"cards", std::move(cards)}};
}

TEST(Netrunner, Conforms) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.games = 4, .max_choices = 60, .fuzzed_choices = 4, .moves_tried = 3}),
            testing::Conforms());
}

TEST(Netrunner, ConformsWithTheIntermediateDecks) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = Format("system-gateway-intermediate"),
                                           .games = 2,
                                           .max_choices = 60,
                                           .fuzzed_choices = 4,
                                           .moves_tried = 3}),
            testing::Conforms());
}

// What both sides are shown makes up most of a match.
TEST(Netrunner, AMatchTakesNoMoreMemoryThanItSays) {
  Rng rng(1);
  std::shared_ptr<GameState> state = *TheGame().NewGame(nullptr, 1, {"Ann", "Bo"});
  std::vector<Move> moves(TheGame().info().max_moves);
  for (int choice = 0; choice < 100 && !state->Awaited().empty(); ++choice) {
    std::size_t bytes = 0;
    for (const SeatIndex seat : {SeatIndex{0}, SeatIndex{1}}) {
      const Sight sight(TheGame(), state, Viewer::Seat(seat));
      bytes += schema::MemoryOf(sight.observation()) + sight.observation_text().size() + sight.text().size();
      for (const LegalChoice& each : sight.choices()) {
        bytes += sizeof each + schema::MemoryOf(each.choice.data) + each.label.size();
      }
    }
    ASSERT_LT(bytes, TheGame().info().match_memory) << choice;
    EXPECT_GT(bytes, TheGame().info().match_memory / 8) << choice;
    std::shared_ptr<GameState> next = state->Clone();
    const SeatIndex chooser = next->Awaited().First();
    next->ApplyMove(chooser, moves[rng.Below(next->Moves(chooser, moves))]);
    state = std::move(next);
  }
}

// Games of the teaching decks, and of decks at random, which together have every card.
TEST(Netrunner, KeepsToTheVersionOfItsRules) {
  std::vector<testing::GoldenGame> games{{.max_choices = 300},
                                         {.options = Format("system-gateway-intermediate"), .max_choices = 300}};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Rng rng(seed);
    json::Object corp = DeckJson(netrunner::RandomDeck(netrunner::Side::kCorp, rng));
    json::Object runner = DeckJson(netrunner::RandomDeck(netrunner::Side::kRunner, rng));
    games.push_back(
        {.options = json::Object{{"decks", json::Object{{"corp", std::move(corp)}, {"runner", std::move(runner)}}}},
         .seed = seed,
         .max_choices = 200});
  }
  const testing::GoldenOptions options{
      .games = std::move(games),
      .facts = {"credit", "click", "total", "agenda-point", "hand-count", "deck-count", "used", "available", "virus",
                "advance-counter", "current-strength", "position", "bad-pub-credit", "run-credit", "brain-damage"}};
  EXPECT_EQ(testing::CheckGolden(TheGame(), options, "src/games/netrunner/testdata/golden.txt"), "");
  // Matches that began under version 1 are played on by it.
  ASSERT_NE(TheGame().OfVersion(1), nullptr);
  EXPECT_EQ(testing::CheckGolden(*TheGame().OfVersion(1), options, "src/games/netrunner/testdata/golden_1.txt"), "");
}

TEST(Netrunner, ConformsUnderItsFirstRules) {
  EXPECT_EQ(testing::CheckGame(*TheGame().OfVersion(1),
                               {.games = 1, .max_choices = 40, .fuzzed_choices = 4, .moves_tried = 3}),
            testing::Conforms());
}

TEST(Netrunner, TheLogIsWholeThoughAStateKeepsTheLatestAlone) {
  auto state = *TheGame().NewGame(nullptr, 3, {"Ana", "Bo"});
  std::vector<Move> moves(TheGame().info().max_moves);
  std::vector<std::string> told;
  Rng rng(3);
  while (!state->Awaited().empty()) {
    const SeatIndex seat = *state->Awaited().begin();
    const std::size_t count = state->Moves(seat, moves);
    state->ApplyMove(seat, moves[rng.Below(count)]);
    const std::vector<std::string> log = state->Log(Viewer::Spectator());
    ASSERT_GE(log.size(), told.size());
    ASSERT_TRUE(std::equal(told.begin(), told.end(), log.begin()));
    told = log;
  }
  const json::Value seen = state->Observe(Viewer::Spectator());
  EXPECT_GT(told.size(), seen.at("log").as_array().size());
  EXPECT_EQ(json::Value(told.size()), json::Value(seen.at("log-count").to_number<std::size_t>()));
  EXPECT_EQ(told.front(), "Corp keeps their hand.");
}

// What is installed facedown has a name for the Corp alone.
TEST(Netrunner, TheNewsDoesNotTellWhatIsFacedown) {
  std::size_t installed = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto state = *TheGame().NewGame(nullptr, seed, {"Ana", "Bo"});
    for (Rng rng(seed); !state->Awaited().empty();) {
      const SeatIndex seat = state->Awaited().First();
      const std::vector<LegalChoice> choices = OfferedTo(*state, seat);
      const LegalChoice& choice = choices[rng.Below(choices.size())];
      const std::unique_ptr<GameState> before = state->Clone();
      state->ApplyMove(seat, choice.move);
      if (seat != 0 || !choice.label.starts_with("Install ")) continue;
      const std::string title =
          choice.label.substr(8, std::min(choice.label.find(" on "), choice.label.find(" in ")) - 8);
      if (NewsText(*before, *state, 0).find("to install " + title) == std::string::npos) continue;  // it asks first
      const std::string runner = NewsText(*before, *state, 1);
      EXPECT_TRUE(runner.find("to install a card in ") != std::string::npos ||
                  runner.find("to install ice protecting ") != std::string::npos)
          << runner;
      ++installed;
    }
  }
  EXPECT_GT(installed, 10u);
}

}  // namespace
}  // namespace openseat::games
