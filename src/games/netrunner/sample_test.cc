// What each side plays ahead from: nothing that it does not know, and everything that it does.
#include "games/netrunner/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/decks.h"
#include "games/netrunner/netrunner.h"
#include "testing/game_conformance.h"

namespace openseat::games::netrunner {
namespace {

constexpr SeatIndex kCorp = 0;
constexpr SeatIndex kRunner = 1;

const Game& TheGame() {
  static const std::unique_ptr<Game> game = MakeNetrunner();
  return *game;
}

json::Object DeckJson(const Deck& deck) {
  json::Array cards;
  for (const CardId card : deck.cards) cards.emplace_back(CardOf(card).code);
  return {{"identity", CardOf(deck.identity).code}, {"cards", std::move(cards)}};
}

json::Value RandomDecks(std::uint64_t seed) {
  Rng rng(seed);
  json::Object corp = DeckJson(RandomDeck(Side::kCorp, rng));
  return json::Object{
      {"decks", json::Object{{"corp", std::move(corp)}, {"runner", DeckJson(RandomDeck(Side::kRunner, rng))}}}};
}

// Decks in this order, the opening hands first; filled up with Hedge Fund and Sure Gamble.
json::Value Fixture(const std::vector<std::string>& corp, const std::vector<std::string>& runner) {
  const auto deck = [](std::string_view identity, const std::vector<std::string>& first, std::string_view filler) {
    json::Array cards(first.begin(), first.end());
    while (cards.size() < 30) cards.emplace_back(filler);
    return json::Object{{"identity", identity}, {"cards", std::move(cards)}};
  };
  return json::Object{
      {"decks", json::Object{{"corp", deck("The Syndicate: Profit over Principle", corp, "Hedge Fund")},
                             {"runner", deck("The Catalyst: Convention Breaker", runner, "Sure Gamble")}}},
      {"shuffle", false},
      {"validate", false}};
}

std::unique_ptr<GameState> NewGame(const json::Value& options, std::uint64_t seed = 1) {
  return *TheGame().NewGame(options, seed, {"Ana", "Bo"});
}

void Do(GameState& state, std::string_view action, const json::Value& data = nullptr) {
  const SeatIndex seat = state.Awaited().First();
  const Result<void> valid = state.Validate(seat, action, data);
  ASSERT_TRUE(valid.has_value()) << action << ": " << (valid ? "" : valid.error().message);
  state.Apply(seat, action, data);
}

void KeepBoth(GameState& state) {
  Do(state, "keep");
  Do(state, "keep");
  Do(state, "start-turn");
}

json::Object Seen(const GameState& state, SeatIndex seat, std::string_view side) {
  return state.Observe(Viewer::Seat(seat)).at(side).get_object();
}
std::multiset<std::string> Titles(const json::Value& cards) {
  std::multiset<std::string> titles;
  for (const json::Value& card : cards.get_array()) titles.insert(std::string(json::TextOf(card, "title")));
  return titles;
}
std::multiset<std::string> CorpHand(const GameState& state) {
  return Titles(Seen(state, kCorp, "corp").at("hand"));
}
json::Object CardInHand(const GameState& state, SeatIndex seat, std::string_view side, std::string_view title) {
  const json::Object player = Seen(state, seat, side);
  for (const json::Value& card : player.at("hand").get_array()) {
    if (json::TextOf(card, "title") == title) return card.get_object();
  }
  ADD_FAILURE() << "there is no " << title << " in the hand";
  return {};
}
// What the sole card in the root of the server is to the Corp.
std::string InRoot(const GameState& state, std::string_view server) {
  const json::Value content = Seen(state, kCorp, "corp").at("servers").at(server).at("content");
  return std::string(json::TextOf(content.get_array()[0], "title"));
}

std::unique_ptr<GameState> Sampled(const GameState& state, SeatIndex seat, std::uint64_t seed) {
  Rng rng(seed);
  return state.Sample(seat, rng);
}

// Continues until `seat` is asked for an action or a choice.
void ContinueTo(GameState& state, SeatIndex seat, std::string_view action) {
  for (int left = 20; left > 0; --left) {
    const SeatIndex turn = state.Awaited().First();
    if (turn == seat && state.Validate(seat, action, nullptr).has_value()) return;
    if (!state.Validate(turn, "continue", json::Object())) return;
    state.Apply(turn, "continue", json::Object());
  }
}

void BeRunnersTurn(GameState& state) {
  while (state.Validate(kCorp, "credit", nullptr)) Do(state, "credit");
  ContinueTo(state, kCorp, "end-turn");
  Do(state, "end-turn");
  Do(state, "start-turn");
}

TEST(NetrunnerSample, ConformsWithDecksOfOnesOwn) {
  for (const std::uint64_t seed : {1u, 2u}) {
    EXPECT_EQ(testing::CheckGame(
                  TheGame(),
                  {.options = RandomDecks(seed), .games = 1, .max_choices = 60, .fuzzed_choices = 1, .moves_tried = 1}),
              testing::Conforms());
  }
}

TEST(NetrunnerSample, ConformsWithAllWindows) {
  EXPECT_EQ(testing::CheckGame(TheGame(), {.options = json::Object{{"all-windows", true}},
                                           .games = 1,
                                           .max_choices = 80,
                                           .fuzzed_choices = 1,
                                           .moves_tried = 1}),
            testing::Conforms());
}

// Over the opponent's hand, cards come as often as they are left in the deck.
TEST(NetrunnerSample, DrawsHandsFromWhatIsLeftOfTheDeck) {
  const auto state = NewGame(nullptr);
  std::map<std::string, int> left;
  const json::Object corp = Seen(*state, kCorp, "corp");
  for (const json::Value& card : corp.at("decklist").get_array()) {
    left[std::string(json::TextOf(card, "title"))] = static_cast<int>(card.at("qty").to_number<int>());
  }
  std::map<std::string, int> drawn;
  std::set<std::multiset<std::string>> hands;
  constexpr int kSamples = 2000;
  for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
    const std::multiset<std::string> hand = CorpHand(*Sampled(*state, kRunner, seed));
    EXPECT_EQ(hand.size(), 5u);
    for (const std::string& title : hand) ++drawn[title];
    hands.insert(hand);
  }
  EXPECT_GT(hands.size(), 1000u);
  for (const auto& [title, count] : left) {
    const double expected = kSamples * 5.0 * count / 34;
    EXPECT_NEAR(drawn[title], expected, 0.2 * expected) << title;
  }
}

TEST(NetrunnerSample, DoesNotKnowTheOrderOfItsOwnDeck) {
  const auto state = NewGame(nullptr);
  KeepBoth(*state);
  std::set<std::multiset<std::string>> hands;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto sample = Sampled(*state, kCorp, seed);
    EXPECT_EQ(CorpHand(*sample), CorpHand(*state));
    Do(*sample, "draw");
    hands.insert(CorpHand(*sample));
  }
  EXPECT_GT(hands.size(), 4u);
}

TEST(NetrunnerSample, TheChanceToComeIsAnother) {
  const auto state = NewGame(nullptr);
  std::set<std::multiset<std::string>> hands;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto sample = Sampled(*state, kCorp, seed);
    Do(*sample, "mulligan");
    hands.insert(CorpHand(*sample));
  }
  EXPECT_GT(hands.size(), 10u);
}

TEST(NetrunnerSample, AnIceIsAnIceAndARemoteHasOneCardOfItsKind) {
  const auto state = NewGame(Fixture({"Palisade", "Nico Campaign", "Manegarm Skunkworks"}, {}));
  KeepBoth(*state);
  const auto play = [&](std::string_view title, std::string_view server) {
    const json::Object card = CardInHand(*state, kCorp, "corp", title);
    Do(*state, "play", json::Object{{"card", card.at("cid")}, {"server", server}});
    ContinueTo(*state, kCorp, "credit");
  };
  play("Palisade", "New remote");
  play("Nico Campaign", "Server 1");
  play("Manegarm Skunkworks", "Server 1");
  std::set<std::string> ices;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto sample = Sampled(*state, kRunner, seed);
    const json::Value server = Seen(*sample, kCorp, "corp").at("servers").at("remote1");
    const json::Value& ice = server.at("ices").get_array()[0];
    EXPECT_EQ(json::TextOf(ice, "type"), "ICE");
    ices.insert(std::string(json::TextOf(ice, "title")));
    int upgrades = 0;
    for (const json::Value& card : server.at("content").get_array()) {
      const std::string_view type = json::TextOf(card, "type");
      EXPECT_TRUE(type == "Agenda" || type == "Asset" || type == "Upgrade") << type;
      upgrades += type == "Upgrade" ? 1 : 0;
    }
    EXPECT_GE(upgrades, 1);
  }
  EXPECT_GT(ices.size(), 3u);
}

// The Runner does not know the deck, so that cards come that are not in it; but those that were named are.
TEST(NetrunnerSample, KnowsOfAStrangersDeckWhatTheLogHasNamed) {
  const auto state = NewGame(Fixture({"Hedge Fund"}, {}));
  KeepBoth(*state);
  Do(*state, "play", json::Object{{"card", CardInHand(*state, kCorp, "corp", "Hedge Fund").at("cid")}});
  ContinueTo(*state, kCorp, "credit");
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto sample = Sampled(*state, kRunner, seed);
    const json::Object corp = Seen(*sample, kCorp, "corp");
    int hedge_funds = 0;
    int points = 0;
    for (const json::Value& card : corp.at("decklist").get_array()) {
      const std::string title(json::TextOf(card, "title"));
      const int count = card.at("qty").to_number<int>();
      const CardDef& def = CardOf(*FindCard(title));
      seen.insert(title);
      points += count * def.points;
      EXPECT_LE(count, def.limit) << title;
      if (title == "Hedge Fund") hedge_funds += count;
    }
    EXPECT_GE(hedge_funds, 1);
    EXPECT_GE(points, AgendaPointsFor(30).least);
  }
  EXPECT_GT(seen.size(), 20u);
  const json::Value saved = Sampled(*state, kRunner, 1)->Serialize();
  EXPECT_EQ(json::Find(saved.at("options").at("decks").at("corp"), "cards"), nullptr);
  EXPECT_NE(json::Find(saved.at("options").at("decks").at("runner"), "cards"), nullptr);
}

TEST(NetrunnerSample, RemembersACardThatWasAccessedWhereItLay) {
  const auto state = NewGame(Fixture({"Nico Campaign"}, {}));
  KeepBoth(*state);
  Do(*state, "play",
     json::Object{{"card", CardInHand(*state, kCorp, "corp", "Nico Campaign").at("cid")}, {"server", "New remote"}});
  ContinueTo(*state, kCorp, "credit");
  std::set<std::string> before;
  for (std::uint64_t seed = 0; seed < 40; ++seed) before.insert(InRoot(*Sampled(*state, kRunner, seed), "remote1"));
  EXPECT_GT(before.size(), 1u);

  BeRunnersTurn(*state);
  ContinueTo(*state, kRunner, "credit");
  Do(*state, "run", json::Object{{"server", "Server 1"}});
  for (int left = 10; left > 0 && !state->Validate(kRunner, "choice", json::Object{{"choice", "No action"}}); --left) {
    Do(*state, "continue");
  }
  Do(*state, "choice", json::Object{{"choice", "No action"}});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(InRoot(*Sampled(*state, kRunner, seed), "remote1"), "Nico Campaign");
  }
}

// A choice that the other side cannot see has not been made, for all that it knows.
TEST(NetrunnerSample, KnowsNothingOfAnInstallThatIsStillBeingChosen) {
  const auto state = NewGame(nullptr, 3);
  KeepBoth(*state);
  const auto sample = Sampled(*state, kRunner, 7);
  const json::Object corp = Seen(*state, kCorp, "corp");
  for (const json::Value& card : corp.at("hand").get_array()) {
    if (json::TextOf(card, "type") == "Operation") continue;
    const auto choosing = state->Clone();
    Do(*choosing, "play", json::Object{{"card", card.at("cid")}});
    ASSERT_EQ(json::Write(choosing->Observe(Viewer::Seat(kRunner))),
              json::Write(state->Observe(Viewer::Seat(kRunner))));
    EXPECT_TRUE(Sampled(*choosing, kRunner, 7)->Equals(*sample));
  }
}

TEST(NetrunnerSample, ASavedPositionThatWasTouchedIsRefused) {
  const auto state = NewGame(nullptr);
  const json::Value saved = Sampled(*state, kRunner, 1)->Serialize();
  ASSERT_TRUE(TheGame().Restore(saved).has_value());
  json::Value touched = saved;
  json::Array& row = touched.at("position").at("state").get_array();
  row[3] = row[3] == json::Value(0) ? 1 : 0;
  const auto restored = TheGame().Restore(touched);
  ASSERT_FALSE(restored.has_value());
  EXPECT_EQ(restored.error().code, ErrorCode::kInvalid);
  json::Value seeded = saved;
  seeded.get_object()["seed"] = 1;
  EXPECT_FALSE(TheGame().Restore(seeded).has_value());
}

}  // namespace
}  // namespace openseat::games::netrunner
