#include "games/script/position.h"

#include <gtest/gtest.h>

#include <string>

namespace openseat::games {
namespace {

// What is wrong with a position in which seat 0 is offered this. The harness refuses most of these itself; the program
// does not rely on it.
std::string WrongWith(const std::string& action) {
  ScriptInfo info;
  info.catalog.push_back({"take", "Take", {{"count", {}, {1, 2}, {{"1", 0}, {"2", 1}}, {1, 1}}}, Move{0}});
  const json::Value answer = *json::Parse(R"({"state":{},"outcome":null,"awaited":[0],"actions":[[)" + action + "]]}");
  const Result<Position> read = ReadPosition(info, answer, 2, {});
  return read ? "" : read.error().message;
}

TEST(Position, SaysWhatIsWrongWithAnAction) {
  EXPECT_EQ(WrongWith(R"({"name":"take","data":{"count":[1,2]},"labels":["One","Two"]})"), "");
  EXPECT_EQ(WrongWith(R"({"name":"take","choices":[{"count":2}]})"), "");
  EXPECT_EQ(WrongWith(R"({"name":"take","data":{"count":[1,2]},"labels":["One"]})"),
            "actions(state, 0) must have as many labels as choices; got 1 for 2");
  EXPECT_EQ(WrongWith(R"({"name":"take"})"), "actions(state, 0) must have data or choices");
  EXPECT_EQ(WrongWith(R"({"name":"take","data":{"count":{"type":"integer","minimum":1,"maximum":2},"other":[]}})"),
            "actions(state, 0) offers take without a legal value of other");
  EXPECT_EQ(WrongWith(R"({"name":"give","data":{}})"), "actions: an action is not in info.actions");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[2,0,1]]})"), "");
  EXPECT_EQ(WrongWith(R"({"at":1,"places":[[1,0]]})"), "actions: an action has no place");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[]})"), "actions: an action has other members than in info.actions");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[2,0]]})"), "actions: a member has no list of values");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[0]]})"), "actions: a member has no list of values");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[1,2]]})"), "actions: a member has a value that is not in info.actions");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[{"values":[2,1]}]})"), "");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[{"values":[2,3]}]})"),
            "actions(state, 0) offers take {\"count\":3}, but info.actions.take.data does not list it");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[2,1,1]]})"), "actions(state, 0) offers take {\"count\":2} twice");
  EXPECT_EQ(WrongWith(R"({"at":0,"places":[[1,1]]},{"name":"take","data":{"count":[1]}})"),
            "actions(state, 0) lists \"take\" twice: give it once, with all the values of its data");
}

// The digests of both are the greatest number that a move has.
TEST(Position, DigestsDoNotPassTheLastNumber) {
  ScriptInfo info;
  info.catalog.push_back({"say", "Say", {{"text", json::Object{{"type", "string"}}, {}, {}, {}}}, {}});
  const auto read = [&](const std::string& texts) {
    const std::string action = R"({"name":"say","data":{"text":{"type":"string","examples":[)" + texts + "]}}}";
    return ReadPosition(info, *json::Parse(R"({"state":{},"outcome":null,"awaited":[0],"actions":[[)" + action + "]]}"),
                        2, {});
  };
  const Result<Position> one = read(R"("gdwt4ea","hello")");
  ASSERT_TRUE(one.has_value()) << one.error().message;
  EXPECT_EQ(one->choices.at(0).choices.back().move, ~Move{0});
  const Result<Position> both = read(R"("gdwt4ea","zdggwib")");
  ASSERT_FALSE(both.has_value());
  EXPECT_NE(both.error().message.find("offers too much that has the same digest"), std::string::npos);
}

TEST(Position, ARangeIsAsWideAsItSays) {
  EXPECT_EQ(ValuesOf(*json::Parse(R"({"type":"integer","minimum":-2,"maximum":2})")).size(), 5u);
  const json::Value widest =
      *json::Parse(R"({"type":"integer","minimum":-9000000000000000000,"maximum":9000000000000000000})");
  EXPECT_TRUE(ValuesOf(widest).empty()) << "too many to list";
}

}  // namespace
}  // namespace openseat::games
