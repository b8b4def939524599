#include "games/netrunner/deck_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/rng.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/decks.h"
#include "games/netrunner/options.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DeckRules& kRules = NetrunnerDecks();

using Cards = std::map<std::string, int>;

DeckList MustRead(std::string_view text) {
  Result<DeckList> list = kRules.FromText(text);
  EXPECT_TRUE(list.has_value()) << list.error().message;
  return list ? *list : DeckList();
}
std::string Refusal(const Result<DeckList>& list) {
  return list ? "accepted" : list.error().message;
}

std::vector<std::string> Messages(const DeckList& list) {
  std::vector<std::string> messages;
  for (const DeckProblem& problem : kRules.Check(list)) messages.push_back(problem.message);
  return messages;
}

DeckList CorpList(Cards cards) {
  return {.name = "x",
          .game = "netrunner",
          .side = "corp",
          .format = "system-gateway",
          .identity = "30035",
          .cards = std::move(cards),
          .notes = {}};
}

DeckList ListOf(const Deck& deck) {
  DeckList list{.name = "A deck",
                .game = "netrunner",
                .side = CardOf(deck.identity).side == Side::kCorp ? "corp" : "runner",
                .format = "system-gateway",
                .identity = std::string(CardOf(deck.identity).code),
                .cards = {},
                .notes = {}};
  for (const CardId card : deck.cards) ++list.cards[std::string(CardOf(card).code)];
  return list;
}

TEST(DeckLists, ReadsTheWaysInWhichPeopleWriteLines) {
  const DeckList list = MustRead(
      "My deck\r\n\r\nHaas-Bioroid: Precision Design\r\n"
      "3x Hedge Fund\n2 Ping\n1 x Sprint\nSeamless Launch x3\n3X Palisade\n30074 \nKaruna\n* 2x Bran 1.0\n"
      "tomorrows headline\n1 Hedge Fund\n");
  EXPECT_EQ(list.name, "My deck");
  EXPECT_EQ(list.side, "corp");
  EXPECT_EQ(list.identity, "30035");
  EXPECT_EQ(list.format, "system-gateway");
  EXPECT_EQ(list.cards, (Cards{{"30075", 4},
                               {"30055", 2},
                               {"30041", 1},
                               {"30040", 3},
                               {"30072", 3},
                               {"30074", 1},
                               {"30047", 1},
                               {"30039", 2},
                               {"30052", 1}}));
}

TEST(DeckLists, ReadsWhatNetrunnerDbExports) {
  const DeckList text = MustRead(
      "Party time\n\nRen\xC3\xA9 \"Loup\" Arcemont: Party Animal (System Gateway)\n\nEvent (6)\n"
      "3x Sure Gamble (System Gateway)\n3x Wildcat Strike (System Gateway)  \xE2\x97\x8F\xE2\x97\x8F\xE2\x97\x8F\n\n"
      "Icebreaker (1)\n1x Unity (System Gateway)  \xE2\x80\xA2\xE2\x80\xA2\n\n"
      "15 influence spent (max 15, available 0)\n45 cards (min 40)\nCards up to System Gateway\n\n"
      "Deck built on https://netrunnerdb.com.\n");
  EXPECT_EQ(text.name, "Party time");
  EXPECT_EQ(text.identity, "30001");
  EXPECT_EQ(text.side, "runner");
  EXPECT_EQ(text.cards, (Cards{{"30030", 3}, {"30002", 3}, {"30026", 1}}));
  const DeckList markdown = MustRead(
      "# Party time\n\n[Ren\xC3\xA9 \"Loup\" Arcemont: Party Animal](https://netrunnerdb.com/en/card/30001) "
      "_(System Gateway)_\n\n## Event (3)\n* 3x [Sure Gamble](https://netrunnerdb.com/en/card/30030) "
      "*(System Gateway)*\n");
  EXPECT_EQ(markdown.name, "Party time");
  EXPECT_EQ(markdown.cards, (Cards{{"30030", 3}}));
}

TEST(DeckLists, NamesEveryLineThatItCannotRead) {
  EXPECT_THAT(
      Refusal(kRules.FromText("3x Hedge Fund\n2x Account Siphon\nnonsense\n")),
      AllOf(HasSubstr("line 2: unknown card \"Account Siphon\""), HasSubstr("line 3: unknown card \"nonsense\"")));
  EXPECT_THAT(Refusal(kRules.FromText("Identity: NBN: Reality Plus\nJinteki: Restoring Humanity\n1 Ping")),
              HasSubstr("line 2 names a second identity"));
  EXPECT_THAT(Refusal(kRules.FromText("")), HasSubstr("names no card"));
  EXPECT_THAT(Refusal(kRules.FromText(std::string(70000, 'x'))), HasSubstr("65536 bytes"));
  EXPECT_THAT(Refusal(kRules.FromText("9999999999999999999x Ping")), HasSubstr("names no card"));
  EXPECT_THAT(Refusal(kRules.FromText("1x Ping\n\xFF\xFE")), HasSubstr("line 2"));
}

TEST(DeckLists, StopsWhereNoDeckGoesOn) {
  const auto repeated = [](std::string_view line, int times) {
    std::string text = "Name\n";
    for (int i = 0; i < times; ++i) text += line;
    return text;
  };
  EXPECT_THAT(Refusal(kRules.FromText(repeated("1 a\n", 16'000))),
              AllOf(HasSubstr("line 2: unknown card \"a\""), HasSubstr("and 80 more; the rest was not read")));
  EXPECT_THAT(Refusal(kRules.FromText(repeated("1 a\n", 99))), ::testing::EndsWith("and 79 more"));
  EXPECT_EQ(Refusal(kRules.FromText(repeated("Ice (9)\n", 500))), "a deck's text has at most 500 lines");
  EXPECT_EQ(MustRead(repeated("Ice (9)\n\n", 498) + "1 Ping\n").cards, (Cards{{"30055", 1}}));
  json::Object many;
  for (int i = 0; i < 501; ++i) many["a" + std::to_string(i)] = 1;
  EXPECT_THAT(Refusal(kRules.FromJson(json::Object{{"cards", many}})),
              HasSubstr("a deck has at most 500 different cards"));
  DeckList list;
  for (int i = 0; i < 501; ++i) list.cards["a" + std::to_string(i)] = 1;
  EXPECT_EQ(Refusal(kRules.Complete(list)), "a deck has at most 500 different cards");
  std::string marks;
  for (int i = 0; i < 9'000; ++i) marks += "\xE2\x80\xA2 ";
  EXPECT_EQ(MustRead("Name\n3x Ping " + marks).cards, (Cards{{"30055", 3}}));
}

TEST(DeckLists, AnIdentityMayBeNamedByTheFirstPartOfItsTitle) {
  for (const CardDef& def : AllCards()) {
    if (def.type != CardType::kIdentity) continue;
    DeckList list;
    list.identity = def.title.substr(0, def.title.find(':'));
    const Result<DeckList> complete = kRules.Complete(list);
    ASSERT_TRUE(complete) << def.title;
    EXPECT_EQ(complete->identity, def.code);
  }
}

TEST(DeckLists, ReadsNetrunnerDbsJson) {
  const auto read = [](const char* text) { return kRules.FromJson(*json::Parse(text)); };
  const DeckList wanted = *read(R"({"data":[{"id":1,"name":"Fast","cards":{"30035":1,"30075":3,"30072":2}}]})");
  EXPECT_EQ(wanted.name, "Fast");
  EXPECT_EQ(wanted.identity, "30035");
  EXPECT_EQ(wanted.cards, (Cards{{"30075", 3}, {"30072", 2}}));
  EXPECT_EQ(*read(R"({"name":"Fast","cards":{"30035":1,"30075":3,"30072":2}})"), wanted);
  EXPECT_EQ(*read(R"({"data":{"attributes":{"name":"Fast","identity_card_id":"haas_bioroid_precision_design",
                      "card_slots":{"hedge_fund":3,"palisade":2}}}})"),
            wanted);
  EXPECT_THAT(Refusal(read(R"({"cards":{"30075":3,"01110":3,"x":1}})")),
              AllOf(HasSubstr("\"01110\""), HasSubstr("\"x\"")));
  EXPECT_THAT(Refusal(read(R"({"data":[]})")), HasSubstr("there are 0 decks"));
  EXPECT_THAT(Refusal(read(R"({"cards":[]})")), HasSubstr("no object \"cards\""));
  EXPECT_THAT(Refusal(read(R"([1])")), HasSubstr("no object \"cards\""));
  EXPECT_THAT(Refusal(read(R"("x")")), HasSubstr("no object \"cards\""));
  EXPECT_THAT(Refusal(read(R"({"cards":{"30075":-1}})")), HasSubstr("must be from 0 to 99; got -1"));
}

TEST(DeckLists, NoCardHasAHundredCopies) {
  // However it is written, and however often it is named.
  EXPECT_EQ(MustRead("99x Ping").cards, (Cards{{"30055", 99}}));
  EXPECT_EQ(MustRead("Name\n98 Ping\nping").cards, (Cards{{"30055", 99}}));
  for (const char* text : {"100x Ping", "100 Ping", "Ping x100", "100x 30055"}) {
    EXPECT_THAT(Refusal(kRules.FromText(text)),
                HasSubstr("; line 1: 100 copies of \"Ping\" (a deck has at most 99 of a card)"))
        << text;
  }
  EXPECT_THAT(Refusal(kRules.FromText("99x Ping\n3x Hedge Fund\n1 30055\n2x Nothing")),
              HasSubstr("; line 3: 100 copies of \"Ping\" (a deck has at most 99 of a card), line 4: unknown"));
  EXPECT_EQ(kRules.FromText("100x Ping").error().path, "text");
  std::string many = "Name\n";
  for (int i = 0; i < 498; ++i) many += "1000x Ping\n";
  EXPECT_THAT(Refusal(kRules.FromText(many)),
              AllOf(HasSubstr("line 2: 1000 copies"), HasSubstr("and 80 more; the rest was not read")));

  const auto read = [](const char* text) { return kRules.FromJson(*json::Parse(text)); };
  EXPECT_EQ(read(R"({"cards":{"30055":99}})")->cards, (Cards{{"30055", 99}}));
  EXPECT_THAT(Refusal(read(R"({"cards":{"30055":100}})")),
              HasSubstr("the number of copies of \"30055\" must be from 0 to 99; got 100"));
  EXPECT_EQ(Refusal(read(R"({"cards":{"30055":50,"ping":50}})")),
            "a deck has 1 to 99 copies of a card; got 100 of \"ping\"");
  EXPECT_EQ(read(R"({"cards":{"30055":50,"ping":50}})").error().path, "netrunnerdb");

  EXPECT_EQ(kRules.Complete(CorpList({{"Ping", 99}}))->cards, (Cards{{"30055", 99}}));
  EXPECT_EQ(Refusal(kRules.Complete(CorpList({{"Ping", 100}}))),
            "a deck has 1 to 99 copies of a card; got 100 of \"Ping\"");
  EXPECT_EQ(Refusal(kRules.Complete(CorpList({{"30055", 50}, {"Ping", 50}}))),
            "a deck has 1 to 99 copies of a card; got 100 of \"Ping\"");
  EXPECT_EQ(kRules.Complete(CorpList({{"Ping", std::numeric_limits<int>::max()}})).error().path, "cards");
}

TEST(DeckLists, WhatItWritesItReads) {
  Rng rng(7);
  for (int i = 0; i < 50; ++i) {
    for (const Side side : {Side::kCorp, Side::kRunner}) {
      DeckList list = ListOf(RandomDeck(side, rng));
      EXPECT_THAT(kRules.Check(list), IsEmpty());
      EXPECT_EQ(MustRead(kRules.ToText(list)), list);
    }
  }
  DeckList list = ListOf(RandomDeck(Side::kCorp, rng));
  for (const char* name :
       {"Hedge Fund", "3x Ping", "Agenda (9)", "Identity: me", "* starred", "a [link](x)", "45 cards"}) {
    list.name = name;
    EXPECT_EQ(MustRead(kRules.ToText(list)).cards, list.cards) << name;
    EXPECT_EQ(MustRead(kRules.ToText(list)).identity, list.identity) << name;
  }
  for (const char* name : {"Hedge Fund", "3x Ping", "45 cards", "Agenda (9)"}) {
    list.name = name;
    EXPECT_EQ(MustRead(kRules.ToText(list)).name, name);
  }
}

TEST(DeckLists, FindsEverythingThatIsWrong) {
  DeckList list{.name = "x",
                .game = "netrunner",
                .side = "corp",
                .format = "system-gateway",
                .identity = "30035",
                .cards = {{"30075", 4}, {"30044", 1}, {"30030", 1}},
                .notes = {}};
  std::string all;
  for (const DeckProblem& problem : kRules.Check(list)) all += problem.card + ": " + problem.message + "\n";
  EXPECT_THAT(all, AllOf(HasSubstr(": the Corp's deck has 40 to 60 cards; got 6"),
                         HasSubstr("30075: the Corp's deck may have 3 of Hedge Fund; got 4"),
                         HasSubstr("30044: Longevity Serum can only be in a deck of its own faction"),
                         HasSubstr("30030: Sure Gamble cannot be in the Corp's deck"),
                         HasSubstr("needs 18 or 19 agenda points; got 2")));
  list.identity.clear();
  EXPECT_EQ(kRules.Check(list).back().message, "the deck has no identity");
  list.cards = {{"99999", 1}};
  EXPECT_EQ(kRules.Check(list).front().card, "99999");
}

// The messages are those of a deck whose cards are counted one by one.
TEST(DeckLists, FaultsAreFoundByTheCounts) {
  const std::string size = "the Corp's deck has 40 to 60 cards; got ";
  EXPECT_THAT(Messages(CorpList({{"30075", 4}})),
              ElementsAre(size + "4", "the Corp's deck may have 3 of Hedge Fund; got 4",
                          "a Corp deck of 4 cards needs 18 or 19 agenda points; got 0"));
  // Ping and Anoetic Void cost 2 and 4 influence each.
  EXPECT_THAT(Messages(CorpList({{"30050", 3}, {"30055", 3}})),
              ElementsAre(size + "6", "the Corp's deck may have 15 influence; got 18",
                          "a Corp deck of 6 cards needs 18 or 19 agenda points; got 0"));
  EXPECT_THAT(Messages(CorpList({{"30030", 2}, {"30044", 1}, {"99999", 5}})),
              ElementsAre("there is no card \"99999\" in System Gateway", size + "3",
                          "Sure Gamble cannot be in the Corp's deck",
                          "Longevity Serum can only be in a deck of its own faction",
                          "a Corp deck of 3 cards needs 18 or 19 agenda points; got 2"));
  // Lists that were stored before copies had a limit, and damaged ones.
  EXPECT_THAT(Messages(CorpList({{"30075", 1000}})),
              ElementsAre(size + "1000", "the Corp's deck may have 3 of Hedge Fund; got 1000",
                          "a Corp deck of 1000 cards needs 402 or 403 agenda points; got 0"));
  EXPECT_THAT(Messages(CorpList({{"30055", std::numeric_limits<int>::max()}})),
              ElementsAre(size + "2147483647", "the Corp's deck may have 3 of Ping; got 2147483647",
                          "the Corp's deck may have 15 influence; got 4294967294",
                          "a Corp deck of 2147483647 cards needs 858993460 or 858993461 agenda points; got 0"));
  EXPECT_EQ(Messages(CorpList({{"30075", 0}, {"30030", -1}})), Messages(CorpList({})));
}

TEST(DeckLists, ATeachingDeckIsComparedByItsCounts) {
  const std::string wrong = "in the format system-gateway-intermediate, both sides must play their teaching deck";
  DeckList list = ListOf(MakeTeachingDeck(TeachingDeck::kIntermediateCorp));
  list.format = "system-gateway-intermediate";
  EXPECT_THAT(Messages(list), IsEmpty());
  for (const int copies : {0, 1, 4, 1000}) {
    DeckList other = list;
    other.cards["30075"] = copies;
    EXPECT_THAT(Messages(other), ElementsAre(wrong)) << copies;
  }
  list.identity = "30035";
  EXPECT_THAT(Messages(list), ElementsAre(wrong));
}

TEST(DeckLists, TheTeachingDecksAreLegalInTheirFormatsAlone) {
  DeckList list = ListOf(MakeTeachingDeck(TeachingDeck::kBeginnerCorp));
  EXPECT_FALSE(kRules.Check(list).empty());
  list.format = "system-gateway-beginner";
  EXPECT_THAT(kRules.Check(list), IsEmpty());
  EXPECT_EQ(MustRead(kRules.ToText(list)).format, "system-gateway-beginner");
  list.format = "system-gateway-intermediate";
  EXPECT_FALSE(kRules.Check(list).empty());
  list.format = "system-gateway-beginner";
  list.cards.erase(list.cards.begin());
  EXPECT_FALSE(kRules.Check(list).empty());
}

TEST(DeckLists, ATeachingDeckIsGivenItsFormatHoweverItComes) {
  DeckList list = ListOf(MakeTeachingDeck(TeachingDeck::kIntermediateRunner));
  list.format.clear();
  EXPECT_EQ(kRules.Complete(list)->format, "system-gateway-intermediate");
  list.format = "system-gateway";
  EXPECT_EQ(kRules.Complete(list)->format, "system-gateway") << "as it is wanted";
}

TEST(DeckLists, CompletesWhatIsGivenByTitle) {
  const Result<DeckList> list = kRules.Complete({.name = "x",
                                                 .game = {},
                                                 .side = {},
                                                 .format = {},
                                                 .identity = "NBN: Reality Plus",
                                                 .cards = {{"Hedge Fund", 2}, {"30075", 1}, {"ping", 3}},
                                                 .notes = "n"});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->side, "corp");
  EXPECT_EQ(list->identity, "30051");
  EXPECT_EQ(list->format, "system-gateway");
  EXPECT_EQ(list->cards, (Cards{{"30075", 3}, {"30055", 3}}));
  EXPECT_EQ(list->notes, "n");
  const auto refused = [](auto change) {
    DeckList bad{.name = "x", .game = {}, .side = {}, .format = {}, .identity = {}, .cards = {}, .notes = {}};
    change(bad);
    const Result<DeckList> completed = kRules.Complete(bad);
    return completed ? std::string("accepted") : completed.error().path;
  };
  EXPECT_EQ(refused([](DeckList& bad) { bad.format = "standard"; }), "format");
  EXPECT_EQ(refused([](DeckList& bad) { bad.identity = "Ping"; }), "identity");
  EXPECT_EQ(refused([](DeckList& bad) { bad.side = "both"; }), "side");
  EXPECT_EQ(refused([](DeckList& bad) { bad.cards = {{"Account Siphon", 1}}; }), "cards");
}

TEST(DeckLists, ADeckBecomesAnOptionOfAGame) {
  Rng rng(3);
  const json::Value corp = kRules.ToOption(ListOf(RandomDeck(Side::kCorp, rng)));
  const json::Value runner = kRules.ToOption(ListOf(RandomDeck(Side::kRunner, rng)));
  const json::Value options =
      json::Object{{"format", "system-gateway"}, {"decks", json::Object{{"corp", corp}, {"runner", runner}}}};
  const auto setup = ReadOptions(options);
  EXPECT_TRUE(setup.has_value()) << setup.error().message;
}

TEST(DeckLists, TheCardPoolIsFacts) {
  const json::Array cards = kRules.Cards();
  ASSERT_EQ(cards.size(), 77u);
  for (const json::Value& card : cards) {
    EXPECT_TRUE(kRules.Complete({.name = {},
                                 .game = {},
                                 .side = {},
                                 .format = {},
                                 .identity = {},
                                 .cards = {{std::string(json::View(card.at("title").as_string())), 1}},
                                 .notes = {}}))
        << json::Write(card);
  }
}

}  // namespace
}  // namespace openseat::games::netrunner
