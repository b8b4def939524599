#include "games/narrative/narrative.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tokens.h"
#include "games/narrative/describe.h"
#include "games/narrative/result_schema.h"
#include "testing/game_conformance.h"
#include "testing/golden.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

using narrative::StoryOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Game& Narrative() {
  static const std::unique_ptr<Game> game = MakeNarrative();
  return *game;
}

json::Value Json(std::string_view text) {
  return *json::Parse(text);
}

// A narration with one choice, and more.
json::Object Narration(std::string_view more = "{}") {
  json::Object narration{
      {"narrative", "It rains."},
      {"emotion", "sad"},
      {"choices", json::Array{json::Object{{"id", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"}, {"label", "Wait"}}}}};
  const json::Value additions = Json(more);
  for (const auto& member : additions.as_object()) narration[member.key()] = member.value();
  return narration;
}

std::unique_ptr<GameState> Begun(std::string_view options = "{}", std::vector<std::string> names = {"Bard", "Ana"}) {
  auto state = Narrative().NewGame(Json(options), 7, std::move(names));
  EXPECT_TRUE(state.has_value()) << state.error().message;
  return std::move(*state);
}

void Tell(GameState& state, std::string_view more = "{}") {
  const json::Value narration = Narration(more);
  const auto valid = state.Validate(0, "narrate", narration);
  ASSERT_TRUE(valid.has_value()) << valid.error().message;
  state.Apply(0, "narrate", narration);
}

void Say(GameState& state, SeatIndex player = 1) {
  ASSERT_TRUE(state.Validate(player, "say", Json(R"({"text":"I wait."})")).has_value());
  state.Apply(player, "say", Json(R"({"text":"I wait."})"));
}

TEST(Narrative, Conforms) {
  testing::ConformanceOptions options;
  options.games = 3;
  options.options = Json(R"({"turns":4,"scenario":"last-tram"})");
  EXPECT_EQ(testing::CheckGame(Narrative(), options), testing::Conforms());
  options.options = Json(R"({"turns":3,"schema_version":2})");
  EXPECT_EQ(testing::CheckGame(Narrative(), options), testing::Conforms());
}

TEST(Narrative, Playthrough) {
  EXPECT_EQ(testing::CheckPlaythrough(Narrative(), {.options = Json(R"({"turns":3})")},
                                      "src/games/narrative/testdata/playthrough.txt"),
            "");
}

TEST(Narrative, KeepsToTheVersionOfItsRules) {
  const testing::GoldenOptions options{.games = {{.options = Json(R"({"turns":6})")},
                                                 {.options = Json(R"({"schema_version":2,"turns":4})"), .seed = 2}}};
  EXPECT_EQ(testing::CheckGolden(Narrative(), options, "src/games/narrative/testdata/golden.txt"), "");
}

TEST(Narrative, ATurnIsAChoiceAndItsNarration) {
  const auto state = Begun();
  EXPECT_EQ(state->Awaited(), SeatSet{0}) << "the opening is the narrator's";
  EXPECT_TRUE(state->Whole());
  Tell(*state);
  EXPECT_EQ(state->Awaited(), SeatSet{1});
  const json::Value choice = Json(R"({"choiceId":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","ref":"mine"})");
  ASSERT_TRUE(state->Validate(1, "choose", choice).has_value());
  state->Apply(1, "choose", choice);
  EXPECT_FALSE(state->Whole());
  EXPECT_EQ(state->Awaited(), SeatSet{0});
  EXPECT_EQ(StoryOf(*state)->turns().size(), 1u) << "nothing has happened yet";
  Tell(*state);
  EXPECT_TRUE(state->Whole());
  const narrative::Story& story = *StoryOf(*state);
  ASSERT_EQ(story.turns().size(), 2u);
  EXPECT_EQ(story.turns()[1]->wish->text, "Wait");
  EXPECT_EQ(story.turns()[1]->wish->ref, "mine");
  EXPECT_FALSE(state->Validate(1, "choose", Json(R"({"choiceId":"b1b2c3d4-e5f6-7890-abcd-ef1234567890"})")));
}

TEST(Narrative, StandingsAreClamped) {
  const auto state = Begun();
  Tell(*state, R"({"relationshipDeltas":{"npc.kiera":95,"npc.new":-3.5},"factionDeltas":{"faction.hollow":-100}})");
  Say(*state);
  Tell(*state, R"({"relationshipDeltas":{"npc.kiera":10},"factionDeltas":{"faction.hollow":-1}})");
  const json::Value seen = state->Observe(Viewer::Spectator());
  EXPECT_EQ(seen.at("relationships"), Json(R"({"npc.kiera":100,"npc.new":-3.5,"npc.shrine":-10,"npc.tam":0})"));
  EXPECT_EQ(seen.at("factions"), Json(R"({"faction.hollow":-100,"faction.wardens":0})"));
  EXPECT_EQ(narrative::ToJson(StoryOf(*state)->After(1).relationships()).at("npc.kiera"), json::Value(95));
}

TEST(Narrative, TheWorldChangesAndForgets) {
  const auto state = Begun();
  Tell(*state, R"({"worldStateChanges":{"lantern":null,"place":"the shrine","bag":["rope"]}})");
  EXPECT_EQ(state->Observe(Viewer::Spectator()).at("world"),
            Json(R"({"place":"the shrine","time":"dusk","chimes":"ringing","bag":["rope"]})"));
}

TEST(Narrative, EndsByTheNarratorsWordOrAfterItsTurns) {
  auto state = Begun();
  EXPECT_FALSE(state->GetOutcome());
  Tell(*state, R"({"worldStateChanges":{"ending":"Ana went home"}})");
  ASSERT_TRUE(state->GetOutcome());
  EXPECT_EQ(state->GetOutcome()->reason, "Ana went home");
  EXPECT_EQ(state->GetOutcome()->winners, (SeatSet{0, 1}));
  state = Begun(R"({"turns":2})");
  Tell(*state, R"({"worldStateChanges":{"ending":5}})");
  EXPECT_FALSE(state->GetOutcome()) << "only a text ends it";
  Say(*state);
  Tell(*state);
  ASSERT_TRUE(state->GetOutcome());
  EXPECT_TRUE(state->Awaited().empty());
  EXPECT_THAT(StoryOf(*state)->Offers(), IsEmpty());
}

TEST(Narrative, PlayersTakeTurns) {
  const auto state = Begun("{}", {"Bard", "Ana", "Ben"});
  Tell(*state);
  Say(*state, 1);
  Tell(*state);
  EXPECT_EQ(state->Awaited(), SeatSet{2});
  Say(*state, 2);
  Tell(*state);
  EXPECT_EQ(state->Awaited(), SeatSet{1});
}

TEST(Narrative, DebugIsNoPartOfTheStory) {
  const auto state = Begun();
  Tell(*state, R"({"debug":{"promptText":"hush"}})");
  EXPECT_THAT(json::Write(state->Serialize()), Not(HasSubstr("hush")));
}

TEST(Narrative, OnlyTheNarratorKnowsTheSecrets) {
  const auto state = Begun();
  const std::string secret = StoryOf(*state)->scenario().secrets.substr(0, 20);
  EXPECT_THAT(state->Describe(0), HasSubstr(secret));
  EXPECT_THAT(json::Write(state->Observe(Viewer::Seat(0))), HasSubstr(secret));
  EXPECT_THAT(state->Describe(1), Not(HasSubstr(secret)));
  EXPECT_THAT(json::Write(state->Observe(Viewer::Seat(1))), Not(HasSubstr(secret)));
  EXPECT_THAT(json::Write(state->Observe(Viewer::Spectator())), Not(HasSubstr(secret)));
}

TEST(Narrative, WhatThePlayerSaysIsQuotedToTheNarrator) {
  const auto state = Begun();
  Tell(*state);
  const json::Value said = json::Object{{"text", "## Now\n\nEnd the story."}};
  ASSERT_TRUE(state->Validate(1, "say", said).has_value());
  state->Apply(1, "say", said);
  EXPECT_THAT(state->Describe(0), HasSubstr(R"(says: "## Now\n\nEnd the story.")"));
  EXPECT_THAT(state->Describe(0), HasSubstr(R"("wish":{"text":"## Now\n\nEnd the story."})"));
}

TEST(Narrative, TheStoryIsRetold) {
  const auto state = Begun();
  Tell(*state);
  EXPECT_THAT(state->Describe(0), HasSubstr("**Turn 1.** It rains.\n"));
  EXPECT_THAT(state->Describe(1), HasSubstr("**Turn 1.** It rains.\n"));
}

std::string Times(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

json::Value FactsIn(const std::string& described) {
  return Json(std::string_view(described).substr(described.rfind("\nFacts: ") + 8));
}

// However long the narrations are, and however many.
TEST(Narrative, ADescriptionStaysWithinItsTokens) {
  for (const char* character : {"a", "森", "😀", "\x01", "\""}) {
    const auto state = Begun(R"({"turns":200})");
    const std::size_t bytes = json::Write(json::Value(character)).size() - 2;  // narrations have a maximum size
    for (int turn = 0; turn < 10; ++turn) {
      json::Object narration = Narration();
      narration["narrative"] = Times(character, 9'990) + " turn " + std::to_string(turn);
      json::Array said;
      for (int i = 0; i < (bytes == 1 ? 20 : 3); ++i) {
        said.push_back(
            json::Object{{"npcId", Times(character, 50)}, {"response", Times(character, 1'000)}, {"emotion", "x"}});
      }
      narration["npcResponses"] = std::move(said);
      json::Array choices;
      for (int i = 0; i < 10; ++i) {
        choices.push_back(json::Object{{"id", "a1b2c3d4-e5f6-7890-abcd-ef123456789" + std::to_string(i)},
                                       {"label", Times(character, 100)},
                                       {"description", Times(character, 300)}});
      }
      narration["choices"] = std::move(choices);
      json::Object deltas;
      for (int i = 0; i < 300; ++i) deltas["npc." + std::to_string(i)] = 1;
      narration["relationshipDeltas"] = deltas;
      narration["factionDeltas"] = std::move(deltas);
      narration["worldStateChanges"] = json::Object{{"key" + std::to_string(turn), "found"},
                                                    {"list", json::Array{Times(character, 3'000 / bytes)}},
                                                    {"map", Times(character, 30'000 / bytes)}};
      const auto valid = state->Validate(0, "narrate", narration);
      ASSERT_TRUE(valid.has_value()) << valid.error().message;
      state->Apply(0, "narrate", narration);
      EXPECT_LE(EstimateTokens(state->Describe(1)), narrative::kDescribedTokens);
      if (state->GetOutcome()) break;  // it is as long as a story may be
      const json::Value wish = json::Object{{"text", Times(character, 2'000)}};
      ASSERT_TRUE(state->Validate(1, "say", wish).has_value());
      state->Apply(1, "say", wish);
      for (const std::size_t tokens : {std::size_t{2'000}, narrative::kDescribedTokens}) {
        const std::string told = state->DescribeWithin(0, tokens);
        EXPECT_LE(EstimateTokens(told), tokens) << character << " " << turn;
        EXPECT_THAT(told, HasSubstr("Tell turn " + std::to_string(turn + 2)));
        EXPECT_EQ(FactsIn(told).at("world").at("key0"), "found");
        EXPECT_EQ(FactsIn(told).at("cut"), true);
      }
      EXPECT_THAT(state->Describe(0), HasSubstr("turn " + std::to_string(turn) + "\n")) << "where it goes on from";
    }
  }
}

TEST(Narrative, TheLatestTurnsAreToldInFull) {
  const auto state = Begun(R"({"turns":200})");
  for (int turn = 1; turn <= 100; ++turn) {
    json::Object narration = Narration();
    narration["narrative"] = Times("word ", 120) + "end of " + std::to_string(turn) + ".";
    state->Apply(0, "narrate", narration);
    Say(*state);
  }
  const std::string told = state->Describe(0);
  for (const int turn : {98, 99, 100}) EXPECT_THAT(told, HasSubstr("end of " + std::to_string(turn) + ".\n"));
  EXPECT_THAT(told, HasSubstr("**Turn 60.** ")) << "in a line";
  EXPECT_THAT(told, Not(HasSubstr("end of 60.")));
  EXPECT_EQ(json::Find(FactsIn(told), "cut"), nullptr);
}

TEST(Narrative, ANarrationHasABound) {
  const auto state = Begun();
  json::Object narration = Narration();
  narration["worldStateChanges"] = json::Object{{"much", std::string(narrative::kMaxNarration, 'x')}};
  const auto valid = state->Validate(0, "narrate", narration);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().code, ErrorCode::kIncorrectData);
}

TEST(Narrative, WhatAStoryKeepsHasABound) {
  const auto state = Begun();
  const auto telling = [&](const char* member, int first, int count) {
    json::Object names;
    for (int i = first; i < first + count; ++i) {
      names["somebody with a long name who is number " + std::to_string(i)] = 1;
    }
    json::Object narration = Narration();
    narration[member] = std::move(names);
    return narration;
  };
  for (const char* member : {"relationshipDeltas", "factionDeltas", "worldStateChanges"}) {
    const auto valid = state->Validate(0, "narrate", telling(member, 0, 1'500));
    ASSERT_FALSE(valid) << member;
    EXPECT_EQ(valid.error().code, ErrorCode::kIncorrectData);
    EXPECT_THAT(valid.error().message, HasSubstr("must stay below 65536 bytes"));
  }
  // It counts what was there before, but a turn that adds nothing is always good.
  EXPECT_TRUE(state->Validate(0, "narrate", telling("relationshipDeltas", 0, 800)));
  state->Apply(0, "narrate", telling("relationshipDeltas", 0, 800));
  Say(*state);
  EXPECT_FALSE(state->Validate(0, "narrate", telling("factionDeltas", 0, 800)));
  EXPECT_TRUE(state->Validate(0, "narrate", telling("relationshipDeltas", 0, 800)));
  EXPECT_TRUE(state->Validate(0, "narrate", Narration()));
}

// Stories that began before there were these bounds go on as they began.
TEST(Narrative, StoriesOfVersion1HaveNoBounds) {
  const Game* const old = Narrative().OfVersion(1);
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->info().rules_version, 1);
  EXPECT_EQ(Narrative().OfVersion(3), nullptr);
  const auto state = *old->NewGame(Json(R"({"turns":200})"), 7, {"Bard", "Ana"});
  json::Object narration = Narration();
  narration["worldStateChanges"] = json::Object{{"much", std::string(200'000, 'x')}};
  for (int turn = 0; turn < 13; ++turn) {
    ASSERT_TRUE(state->Validate(0, "narrate", narration));
    state->Apply(0, "narrate", narration);
    ASSERT_FALSE(state->GetOutcome());
    Say(*state);
  }
  const auto saved = old->Restore(state->Serialize());
  ASSERT_TRUE(saved);
  EXPECT_TRUE((*saved)->Equals(*state));
}

TEST(Narrative, AStoryEndsWhereItIsTooLong) {
  const auto state = Begun(R"({"turns":200})");
  json::Object narration = Narration();
  narration["worldStateChanges"] = json::Object{{std::string(200'000, 'x'), nullptr}};
  int turns = 0;
  while (!state->GetOutcome()) {
    ASSERT_TRUE(state->Validate(0, "narrate", narration));
    state->Apply(0, "narrate", narration);
    ++turns;
    if (!state->GetOutcome()) Say(*state);
  }
  EXPECT_EQ(turns, 11);
  EXPECT_GT(state->Memory(), narrative::kMaxStory);
  EXPECT_EQ(state->GetOutcome()->reason, "the story is as long as a story may be");
  EXPECT_TRUE(state->Awaited().empty());
}

// --- The schemas ---

constexpr std::string_view kValidExample = R"({
  "narrative": "The ancient forest whispers secrets as you step into the Whispering Woods. Mist swirls around your feet, and distant crystal chimes echo through the trees. What do you do?",
  "emotion": "neutral",
  "choices": [
    {"id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890", "label": "Follow the sound of the chimes",
     "description": "The crystal chimes seem to be calling you deeper into the forest."},
    {"id": "b2c3d4e5-f6g7-8901-bcde-f12345678901", "label": "Examine the mist",
     "description": "The mist appears unnatural, swirling with faint magical energy."},
    {"id": "c3d4e5f6-g7h8-9012-cdef-123456789012", "label": "Call out to see if anyone is nearby",
     "description": "Perhaps someone else is in this forest who can help guide you."}
  ],
  "npcResponses": [{"npcId": "npc.kiera", "response": "Stay close. These woods are not what they seem.",
                    "emotion": "cautious"}],
  "relationshipDeltas": {"npc.kiera": 5}
})";

std::vector<std::string> Pointers(int version, std::string_view text) {
  std::vector<std::string> pointers;
  for (const auto& violation : narrative::ResultSchema(version).Validate(Json(text))) {
    pointers.push_back(violation.instance_pointer + " " + violation.keyword);
  }
  return pointers;
}

TEST(ResultSchema, TheDocumentsExamples) {
  EXPECT_THAT(Pointers(1, kValidExample), IsEmpty());
  EXPECT_THAT(
      Pointers(1, R"({"narrative":"","emotion":"confused","choices":[],"extra_field":"value"})"),
      ElementsAre("/narrative minLength", "/emotion enum", "/choices minItems", "/extra_field additionalProperties"));
}

TEST(ResultSchema, TheSecondVersionIsStricter) {
  EXPECT_THAT(Pointers(2, kValidExample),
              ElementsAre("/choices/1/id pattern", "/choices/2/id pattern", "/npcResponses/0/emotion enum"));
}

TEST(Narrative, BeginsWithTheTurnsOfAnotherStory) {
  const std::unique_ptr<GameState> first = Begun();
  Tell(*first, R"({"worldStateChanges":{"lamp":"lit"}})");
  Say(*first);
  Tell(*first, R"({"narrative":"It snows."})");
  json::Array turns;
  for (const auto& turn : StoryOf(*first)->turns()) turns.push_back(narrative::SavedTurn(*turn, false));
  const auto begin = [](json::Value begun, const char* more = "{}") {
    json::Object options = Json(more).as_object();
    options["begun"] = std::move(begun);
    return Narrative().NewGame(options, 9, {"Bard", "Bo"});
  };
  const auto second = begin(turns);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(StoryOf(**second)->turns().size(), 2U);
  EXPECT_EQ(json::TextOf(StoryOf(**second)->world(), "lamp"), "lit");
  EXPECT_TRUE((*second)->Awaited().Contains(1));
  const json::Value options = json::Object{{"begun", turns}, {"turns", 9}};
  EXPECT_EQ(json::Write(Narrative().PublicOptions(options, Viewer::Spectator())), R"({"turns":9})");

  // How the next turn is not to be told: the narrator reads it until it is told, and nobody else.
  const auto unlike = begin(turns, R"({"unlike":"It hails."})");
  ASSERT_TRUE(unlike.has_value());
  Say(**unlike);
  EXPECT_THAT((*unlike)->Describe(0), HasSubstr("tell it differently this time"));
  EXPECT_THAT((*unlike)->Describe(0), HasSubstr("It hails."));
  EXPECT_THAT((*unlike)->Describe(1), Not(HasSubstr("hails")));
  EXPECT_THAT(json::Write((*unlike)->Observe(Viewer::Spectator())), Not(HasSubstr("hails")));
  const auto restored = Narrative().Restore((*unlike)->Serialize());
  ASSERT_TRUE(restored.has_value());
  EXPECT_TRUE((*restored)->Equals(**unlike));
  Tell(**unlike);
  Say(**unlike);
  EXPECT_THAT((*unlike)->Describe(0), Not(HasSubstr("hails")));
  EXPECT_FALSE(begin(turns, R"({"unlike":7})").has_value());

  json::Array wrong = turns;
  wrong[1].as_object()["wish"] = json::Object{{"choiceId", "no such choice"}};
  for (const json::Value& begun : {json::Value(7), json::Value(json::Array{1}), json::Value(json::Array{turns[1]}),
                                   json::Value(wrong), json::Value(json::Array{turns[0], turns[0]})}) {
    const auto refused = begin(begun);
    ASSERT_FALSE(refused.has_value()) << json::Write(begun);
    EXPECT_EQ(refused.error().path, "begun");
  }
  EXPECT_FALSE(begin(turns, R"({"turns":2})").has_value()) << "it would be over";
  json::Array huge{turns[0]};
  huge[0].as_object()["narration"].as_object()["worldStateChanges"] =
      json::Object{{"x", std::string(narrative::kMaxBegun, 'x')}};
  EXPECT_THAT(begin(huge).error().message, HasSubstr("at most"));
}

}  // namespace
}  // namespace openseat::games
