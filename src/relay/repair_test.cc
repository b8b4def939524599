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

}  // namespace
}  // namespace openseat::relay
