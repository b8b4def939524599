#include "relay/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/neuro/codec.h"

namespace openseat::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Through(Repair& repair, const std::string& message,
                                 std::vector<std::string>* notes = nullptr) {
  const auto repaired = repair.ToUpstream(false, neuro::DecodeClient(message), "A");
  if (!repaired) return {"unchanged"};
  if (notes != nullptr) *notes = repaired->notes;
  return repaired->texts;
}
std::string RegisterText(const std::string& game, const std::string& name) {
  return R"({"command":"actions/register","game":")" + game + R"(","data":{"actions":[{"name":")" + name +
         R"(","description":"d"}]}})";
}

TEST(Repair, TheListIsRead) {
  EXPECT_FALSE(ParseRepairs("")->any());
  const Repairs two = *ParseRepairs("messages,names");
  EXPECT_TRUE(two.messages && two.names && !two.schemas);
  EXPECT_TRUE(ParseRepairs("all")->schemas);
  EXPECT_THAT(ParseRepairs("names,nmaes").error().message, HasSubstr("got \"nmaes\""));
}

TEST(Repair, MessagesAreWrittenAgainOnlyIfSomethingIsWrong) {
  NameBook book;
  Repair repair({.messages = true}, book, 1);
  EXPECT_THAT(Through(repair, R"({ "command": "startup",  "game": "A" })"), ElementsAre("unchanged"));
  std::vector<std::string> notes;
  EXPECT_THAT(
      Through(repair,
              R"({"command":"actions/force","game":"A","data":{"state":null,"query":"?","action_names":["a"]}})",
              &notes),
      ElementsAre(R"({"command":"actions/force","game":"A","data":{"query":"?","action_names":["a"]}})"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("state")));
  EXPECT_THAT(
      Through(
          repair,
          R"({"command":"startup","game":"A"}{"command":"context","game":"A","data":{"message":"x","silent":true}})"),
      ElementsAre(HasSubstr("startup"), HasSubstr("context")));
  EXPECT_THAT(Through(repair, R"({"command":"vendor/thing","game":"A","data":{"x":1}})"), ElementsAre("unchanged"));
}

TEST(Repair, NamesAreKeptApartAndFoundAgain) {
  NameBook book;
  Repair first({.names = true}, book, 1);
  Repair second({.names = true}, book, 2);
  std::vector<std::string> notes;
  EXPECT_THAT(Through(first, RegisterText("A", "move")), ElementsAre("unchanged"));
  EXPECT_THAT(Through(second, RegisterText("Other Game", "move"), &notes),
              ElementsAre(HasSubstr("\"other_game_move\"")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the action \"move\" of \"Other Game\" was sent as \"other_game_move\"")));
  EXPECT_THAT(Through(second, RegisterText("Other Game", "move")), ElementsAre(HasSubstr("\"other_game_move\"")));
  EXPECT_THAT(
      Through(second,
              R"({"command":"actions/force","game":"Other Game","data":{"query":"?","action_names":["move","new"]}})"),
      ElementsAre(HasSubstr(R"(["other_game_move","new"])")));
  EXPECT_EQ(second.ToGame(neuro::ActionMessage{"7", "other_game_move", "{}"}),
            R"({"command":"action","data":{"id":"7","name":"move","data":"{}"}})");
  EXPECT_EQ(first.ToGame(neuro::ActionMessage{"7", "move", "{}"}), std::nullopt);
  EXPECT_EQ(first.ToGame(neuro::ActionMessage{"7", "other_game_move", "{}"}), std::nullopt);
  EXPECT_THAT(Through(first, RegisterText("A", "Play Card!")), ElementsAre(HasSubstr("\"play_card\"")));
}

TEST(Repair, ANameIsFreeAgainWhenItsGameHasStartedOverOrLeft) {
  NameBook book;
  {
    Repair gone({.names = true}, book, 1);
    Through(gone, RegisterText("A", "move"));
    Through(gone, R"({"command":"startup","game":"A"})");
    Through(gone, RegisterText("A", "other"));
  }
  Repair repair({.names = true}, book, 2);
  EXPECT_THAT(Through(repair, RegisterText("B", "move")), ElementsAre("unchanged"));
  EXPECT_THAT(Through(repair, RegisterText("B", "other")), ElementsAre("unchanged"));
}

// Of `count` actions whose names fit to the same one.
std::string RegisterMany(const std::string& game, int first, int count) {
  std::vector<neuro::ActionDefinition> actions;
  for (int i = first; i < first + count; ++i) actions.push_back({"!" + std::string(i, '?'), "d", std::nullopt});
  std::string text;
  neuro::EncodeRegister(game, actions, text);
  return text;
}

TEST(Repair, AChannelThatHasTooManyNamesKeepsThemAndTakesNoneFromOthers) {
  NameBook book;
  Repair many({.names = true}, book, 1, 20);
  Repair other({.names = true}, book, 2, 20);
  std::vector<std::string> notes;
  EXPECT_THAT(Through(many, RegisterMany("A", 0, 25), &notes),
              ElementsAre(AllOf(HasSubstr("\"action\""), HasSubstr("\"a_action\""), HasSubstr("\"a_action_19\""),
                                HasSubstr("\"!" + std::string(20, '?') + "\""))));
  EXPECT_EQ(notes.front(), "5 actions of \"A\" were sent with their own names: max_actions is 20");
  EXPECT_THAT(Through(many, RegisterText("A", "Draw Card!")), ElementsAre("unchanged"));
  EXPECT_THAT(Through(other, RegisterText("B", "Draw Card!")), ElementsAre(HasSubstr("\"draw_card\"")));
  Through(many, R"({"command":"startup","game":"A"})");
  EXPECT_THAT(Through(many, RegisterText("A", "Draw Card!")), ElementsAre(HasSubstr("\"a_draw_card\"")));
}

TEST(Repair, AGameThatNeverUsesANameTwiceGoesOn) {
  NameBook book;
  Repair repair({.names = true}, book, 1, 3);
  Through(repair, RegisterText("A", "Always!"));
  for (int i = 0; i < 10; ++i) {
    const std::string name = "Turn " + std::to_string(i);
    EXPECT_THAT(Through(repair, RegisterText("A", name)), ElementsAre(HasSubstr("\"turn_" + std::to_string(i) + "\"")));
    EXPECT_THAT(
        Through(repair, R"({"command":"actions/unregister","game":"A","data":{"action_names":[")" + name + R"("]}})"),
        ElementsAre(HasSubstr("\"turn_" + std::to_string(i) + "\"")));
  }
  EXPECT_NE(repair.ToGame(neuro::ActionMessage{"1", "turn_9", "{}"}), std::nullopt) << "it was on its way";
  EXPECT_NE(repair.ToGame(neuro::ActionMessage{"1", "always", "{}"}), std::nullopt);
  EXPECT_EQ(repair.ToGame(neuro::ActionMessage{"1", "turn_7", "{}"}), std::nullopt) << "it is forgotten";
}

TEST(Repair, LongNamesCountForSeveral) {
  NameBook book;
  Repair repair({.names = true}, book, 1, 512);
  EXPECT_THAT(Through(repair, RegisterText("A", std::string(200'000, 'A'))), ElementsAre("unchanged"));
  EXPECT_THAT(Through(repair, RegisterText("A", std::string(1000, 'A'))),
              ElementsAre(HasSubstr("\"" + std::string(64, 'a') + "\"")));
}

TEST(Repair, SchemasLoseWhatTheApiAdvisesAgainst) {
  NameBook book;
  Repair repair({.schemas = true}, book, 1);
  const auto with = [](const std::string& schema) {
    return R"({"command":"actions/register","game":"A","data":{"actions":[{"name":"a","description":"d","schema":)" +
           schema + "}]}}";
  };
  EXPECT_THAT(Through(repair, with(R"({"type":"object"})")), ElementsAre("unchanged"));
  EXPECT_THAT(Through(repair, with(R"({"type":"object","additionalProperties":false})")),
              ElementsAre(HasSubstr(R"("schema":{"type":"object"})")));
}

TEST(Repair, ASchemaThatIsTooHardPassesAsItIs) {
  NameBook book;
  Repair repair({.schemas = true, .names = true}, book, 1);
  json::Array alternatives;
  for (const char* prefix : {"left", "right"}) {
    json::Array names;
    for (int i = 0; i < 48'000; ++i) names.emplace_back(prefix + std::to_string(i));
    alternatives.push_back(json::Object{{"required", std::move(names)}});
  }
  const json::Value schema = json::Object{{"anyOf", std::move(alternatives)}};
  std::string text;
  neuro::EncodeRegister("A", std::vector<neuro::ActionDefinition>{{"a", "d", schema}}, text);
  EXPECT_THAT(Through(repair, text), ElementsAre("unchanged"));
  text.clear();
  neuro::EncodeRegister("A", std::vector<neuro::ActionDefinition>{{"B!", "d", schema}}, text);
  std::vector<std::string> notes;
  EXPECT_THAT(Through(repair, text, &notes), ElementsAre(HasSubstr("left47999")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the schema of \"B!\" and those after it were sent as they are: the schema "
                                           "needs more than 1000000 steps"),
                                 HasSubstr("\"b\"")));
}

}  // namespace
}  // namespace openseat::relay
