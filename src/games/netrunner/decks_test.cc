#include "games/netrunner/decks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/netrunner.h"
#include "games/netrunner/options.h"

namespace openseat::games::netrunner {
namespace {

int Points(const Deck& deck) {
  int points = 0;
  for (const CardId card : deck.cards) points += CardOf(card).points;
  return points;
}

Deck Filled(std::string_view identity, const std::vector<std::pair<std::string_view, int>>& cards) {
  Deck deck;
  deck.identity = *FindCard(identity);
  for (const auto& [title, count] : cards) deck.cards.insert(deck.cards.end(), count, *FindCard(title));
  return deck;
}

std::string Refusal(const Deck& deck, Side side) {
  const Result<void> valid = ValidateDeck(deck, side);
  return valid ? "accepted" : valid.error().message;
}

// Legal: 40 cards, 18 points.
std::vector<std::pair<std::string_view, int>> WeylandCards() {
  return {{"Send a Message", 3},
          {"Offworld Office", 3},
          {"Orbital Superiority", 1},
          {"Superconducting Hub", 1},
          {"Hedge Fund", 3},
          {"Palisade", 3},
          {"Tithe", 3},
          {"Whitespace", 3},
          {"Government Subsidy", 3},
          {"Ballista", 3},
          {"Pharos", 3},
          {"Clearinghouse", 3},
          {"Retribution", 3},
          {"Malapert Data Vault", 3},
          {"Regolith Mining License", 2}};
}

TEST(Cards, AllOfSystemGatewayIsThere) {
  EXPECT_EQ(AllCards().size(), 77u);
  std::set<std::string_view> titles;
  for (int code = 30001; code <= 30077; ++code) {
    const std::optional<CardId> card = FindCard(std::to_string(code));
    ASSERT_TRUE(card.has_value()) << code;
    const CardDef& def = CardOf(*card);
    EXPECT_TRUE(titles.insert(def.title).second);
    EXPECT_FALSE(def.text.empty()) << def.title;
    EXPECT_EQ(FindCard(def.title), card);
    if (def.type == CardType::kIce) {
      EXPECT_TRUE(def.cost >= 0 && def.strength >= 0 && !def.subroutines.empty()) << def.title;
    }
    if (def.type == CardType::kAgenda) {
      EXPECT_TRUE(def.advancement > 0 && def.points > 0) << def.title;
    }
    if (def.type == CardType::kProgram) {
      EXPECT_GT(def.memory, 0) << def.title;
    }
    if (def.type == CardType::kAsset || def.type == CardType::kUpgrade) {
      EXPECT_GE(def.trash, 0) << def.title;
    }
  }
}

TEST(Decks, TeachingDecksHaveTheirCards) {
  const Deck beginner_corp = MakeTeachingDeck(TeachingDeck::kBeginnerCorp);
  EXPECT_EQ(beginner_corp.cards.size(), 34u);
  EXPECT_EQ(Points(beginner_corp), 14);
  EXPECT_EQ(MakeTeachingDeck(TeachingDeck::kBeginnerRunner).cards.size(), 30u);
  const Deck corp = MakeTeachingDeck(TeachingDeck::kIntermediateCorp);
  EXPECT_EQ(corp.cards.size(), 44u);
  EXPECT_EQ(Points(corp), 18);
  EXPECT_EQ(MakeTeachingDeck(TeachingDeck::kIntermediateRunner).cards.size(), 40u);
}

TEST(Decks, RandomDecksAreLegal) {
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    for (const Side side : {Side::kCorp, Side::kRunner}) EXPECT_EQ(Refusal(RandomDeck(side, rng), side), "accepted");
  }
}

TEST(Decks, SaysWhatIsWrong) {
  const std::string_view weyland = "Weyland Consortium: Built to Last";
  EXPECT_EQ(Refusal(Filled(weyland, WeylandCards()), Side::kCorp), "accepted");
  auto cards = WeylandCards();
  cards.pop_back();
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp), "the Corp's deck has 40 to 60 cards; got 38");
  cards.push_back({"Sure Gamble", 2});
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp), "Sure Gamble cannot be in the Corp's deck");
  cards.back() = {"Hedge Fund", 2};
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp), "the Corp's deck may have 3 of Hedge Fund; got 5");
  cards.back() = {"Longevity Serum", 1};
  cards.push_back({"Regolith Mining License", 1});
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp), "Longevity Serum can only be in a deck of its own faction");
  cards = WeylandCards();
  cards[0].second = 2;
  cards.push_back({"Seamless Launch", 1});
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp),
            "a Corp deck of 40 cards needs 18 or 19 agenda points; got 15");
  cards = WeylandCards();
  for (auto& [title, count] : cards) {
    if (title == "Retribution") title = "Anoetic Void";
    if (title == "Malapert Data Vault") title = "Ansel 1.0";
  }
  EXPECT_EQ(Refusal(Filled(weyland, cards), Side::kCorp), "the Corp's deck may have 15 influence; got 21");
  EXPECT_EQ(Refusal(Filled("The Syndicate: Profit over Principle", WeylandCards()), Side::kCorp),
            "The Syndicate: Profit over Principle is for the teaching decks only");
  EXPECT_EQ(Refusal(Filled(weyland, WeylandCards()), Side::kRunner),
            "the Runner's deck needs an identity of that side; got Weyland Consortium: Built to Last");
}

TEST(Decks, CountingKeepsEveryCard) {
  Rng rng(5);
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    const Deck deck = RandomDeck(side, rng);
    const CountedDeck counted = Counted(deck);
    EXPECT_EQ(counted.identity, deck.identity);
    std::vector<CardId> cards;
    for (const auto& [card, copies] : counted.cards) cards.insert(cards.end(), static_cast<std::size_t>(copies), card);
    EXPECT_TRUE(std::ranges::is_permutation(cards, deck.cards));
    EXPECT_TRUE(DeckFaults(counted, side).empty());
  }
}

TEST(Decks, PointsGrowWithTheDeck) {
  EXPECT_EQ(AgendaPointsFor(40).least, 18);
  EXPECT_EQ(AgendaPointsFor(44).most, 19);
  EXPECT_EQ(AgendaPointsFor(45).least, 20);
  EXPECT_EQ(AgendaPointsFor(54).most, 23);
}

json::Value OwnDecks(const char* rest) {
  return *json::Parse(std::string(R"({"decks":{"corp":{"identity":"30059","cards":["Hedge Fund","30072"]},)") +
                      R"("runner":{"identity":"The Catalyst: Convention Breaker","cards":["30030"]}})" + rest + "}");
}

TEST(Options, TakeDecksInTheirOrder) {
  const Result<GameSetup> setup = ReadOptions(OwnDecks(R"(,"shuffle":false,"validate":false,"points":3)"));
  ASSERT_TRUE(setup.has_value()) << setup.error().message;
  EXPECT_FALSE(setup->shuffle);
  EXPECT_EQ(setup->points_to_win, 3);
  EXPECT_EQ(setup->decks[0].cards, (std::vector<CardId>{*FindCard("Hedge Fund"), *FindCard("Palisade")}));
}

TEST(Options, SayWhatIsWrong) {
  const auto refusal = [](const json::Value& options) {
    const Result<GameSetup> setup = ReadOptions(options);
    return setup ? "accepted" : setup.error().path + ": " + setup.error().message;
  };
  EXPECT_EQ(refusal(nullptr), "accepted");
  EXPECT_EQ(ReadOptions(nullptr)->points_to_win, 6);
  EXPECT_EQ(ReadOptions(json::Object{{"format", "system-gateway-intermediate"}})->points_to_win, 7);
  EXPECT_EQ(refusal(OwnDecks("")), "decks: the Corp's deck has 40 to 60 cards; got 2");
  EXPECT_EQ(refusal(json::Object{{"format", "system-gateway"}}),
            "decks: the format system-gateway requires decks; the other formats have their own");
  json::Value half = OwnDecks(R"(,"validate":false)");
  half.at("decks").get_object().erase("runner");
  EXPECT_EQ(refusal(half), "decks.runner: the Runner has no deck; in the format system-gateway, both sides need one");
  EXPECT_EQ(refusal(json::Object{{"points", 0}}), "points: points must be a whole number from 1 to 60; got 0");
  json::Value unknown = OwnDecks(R"(,"validate":false)");
  unknown.at("decks").at("corp").at("cards").get_array().emplace_back("No such card");
  EXPECT_EQ(refusal(unknown), "decks.corp.cards: unknown card \"No such card\"");
  json::Value other = OwnDecks(R"(,"validate":false)");
  other.at("decks").at("corp").at("cards").get_array().emplace_back("Sure Gamble");
  EXPECT_EQ(refusal(other), "decks.corp.cards: Sure Gamble is a card of the Runner");
}

json::Value Taught(TeachingDeck which) {
  const Deck deck = MakeTeachingDeck(which);
  json::Array cards;
  for (const CardId card : deck.cards) cards.emplace_back(CardOf(card).code);
  return json::Object{{"identity", CardOf(deck.identity).code}, {"cards", std::move(cards)}, {"name", "Mine"}};
}

TEST(Options, TeachingDecksMayBeWrittenOut) {
  const json::Value corp = Taught(TeachingDeck::kBeginnerCorp);
  json::Object decks{{"corp", corp}, {"runner", Taught(TeachingDeck::kBeginnerRunner)}};
  json::Object options{{"format", "system-gateway-beginner"}, {"decks", decks}};
  Result<GameSetup> setup = ReadOptions(options);
  ASSERT_TRUE(setup) << setup.error().message;
  EXPECT_EQ(setup->points_to_win, 6);
  EXPECT_EQ(setup->deck_names[0], "Mine");
  // The other side has the teaching deck of the format.
  options["decks"] = json::Object{{"corp", corp}};
  setup = ReadOptions(options);
  ASSERT_TRUE(setup) << setup.error().message;
  EXPECT_EQ(setup->decks[1], MakeTeachingDeck(TeachingDeck::kBeginnerRunner));
  EXPECT_EQ(setup->deck_names[1], "Beginner Runner");
  options["format"] = "system-gateway-intermediate";
  EXPECT_EQ(ReadOptions(options).error().message,
            "in the format system-gateway-intermediate, both sides must play their teaching deck");
}

TEST(Options, AnothersDeckIsItsIdentityAlone) {
  const json::Value options = OwnDecks(R"(,"shuffle":false,"validate":false)");
  const json::Value runner = OptionsSeenBy(options, Side::kRunner);
  EXPECT_EQ(json::Write(runner.at("decks").at("corp")),
            json::Write(json::Object{{"identity", options.at("decks").at("corp").at("identity")}}));
  EXPECT_TRUE(runner.at("decks").at("runner").as_object().contains("cards"));
  EXPECT_EQ(runner.at("shuffle"), json::Value(false));
  for (const char* side : {"corp", "runner"}) {
    EXPECT_FALSE(OptionsSeenBy(options, std::nullopt).at("decks").at(side).as_object().contains("cards"));
  }
  // The order of one's own stays unknown, too.
  json::Value turned = options;
  json::Array& cards = turned.at("decks").at("corp").at("cards").get_array();
  std::reverse(cards.begin(), cards.end());
  EXPECT_EQ(OptionsSeenBy(turned, Side::kCorp).at("decks").at("corp"),
            OptionsSeenBy(options, Side::kCorp).at("decks").at("corp"));
}

TEST(Options, FixturesAreToldApart) {
  EXPECT_FALSE(IsNetrunnerFixture(nullptr));
  EXPECT_FALSE(IsNetrunnerFixture(json::Object{{"format", "system-gateway-beginner"}, {"shuffle", true}}));
  EXPECT_TRUE(IsNetrunnerFixture(OwnDecks(R"(,"shuffle":false)")));
  EXPECT_TRUE(IsNetrunnerFixture(OwnDecks(R"(,"validate":false)")));
  EXPECT_TRUE(IsNetrunnerFixture(json::Object{{"points", 3}}));
}

}  // namespace
}  // namespace openseat::games::netrunner
