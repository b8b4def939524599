#include "app/netrunner_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "protocols/mcp/play_test_support.h"

namespace openseat::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NetrunnerToolsTest : public ::testing::Test {
 protected:
  // The tool's answer at a seat of the match, or its error.
  std::string Call(std::string_view name, const TableId& match, SeatIndex seat, const json::Object& arguments = {}) {
    const auto tool = std::ranges::find(tools_, name, [](const mcp::SeatTool& each) { return each.tool.name; });
    std::optional<Result<json::Object>> answer;
    tool->run(hall_.At(match), hall_.AgentAt(match, seat), arguments,
              [&](Result<json::Object> given) { answer = std::move(given); });
    hall_.scheduler.Run();
    if (!answer) return "no answer";
    return *answer ? json::Write(**answer) : answer->error().message;
  }

  mcp::Hall hall_;
  const std::vector<mcp::SeatTool> tools_ = NetrunnerTools();
};

TEST_F(NetrunnerToolsTest, AreTheDocumentsFour) {
  std::vector<std::string> names;
  for (const mcp::SeatTool& each : tools_) names.push_back(each.tool.name);
  EXPECT_THAT(names, ElementsAre("get_game_state", "get_available_actions", "execute_action", "respond_to_prompt"));
  EXPECT_EQ(tools_[2].tool.input_schema.at("required"), json::Value(json::Array{"command"}));
  EXPECT_EQ(tools_[2].tool.input_schema.at("properties").at("args").at("type"), json::Value("object"));
  EXPECT_EQ(tools_[3].tool.input_schema.at("required"), json::Value(json::Array{"choice"}));
}

TEST_F(NetrunnerToolsTest, PlayASeatOfNetrunner) {
  const TableId match = hall_.Match("netrunner", {"external", "external"});
  EXPECT_THAT(Call("get_game_state", match, 0), HasSubstr(R"("phase":"mulligan","agent-side":"corp")"));
  EXPECT_THAT(Call("get_available_actions", match, 1), HasSubstr(R"({"actions":{"action-type":"waiting")"));
  EXPECT_EQ(Call("respond_to_prompt", match, 0, {{"token", "secret"}, {"choice", "Keep"}}),
            R"({"success":true,"side":"corp"})");
  EXPECT_EQ(Call("respond_to_prompt", match, 1, {{"choice", "Keep"}}), R"({"success":true,"side":"runner"})");
  EXPECT_EQ(Call("execute_action", match, 0, {{"command", "start-turn"}, {"args", json::Object()}}),
            R"({"success":true,"command":"start-turn","side":"corp"})");
  EXPECT_THAT(Call("get_available_actions", match, 0), HasSubstr(R"("action-type":"main","clicks":3,"credits":5)"));
  EXPECT_THAT(Call("execute_action", match, 0, {{"command", "fly"}}), HasSubstr("no command \"fly\""));
  EXPECT_THAT(Call("execute_action", match, 1, {{"command", "credit"}}), HasSubstr("Action failed: "));
  EXPECT_THAT(Call("respond_to_prompt", match, 0, {{"choice", "Keep"}}), HasSubstr("no prompt"));
}

TEST_F(NetrunnerToolsTest, AreForNoOtherGame) {
  const TableId match = hall_.Match("tictactoe", {"external", "external"});
  for (const mcp::SeatTool& each : tools_) {
    EXPECT_THAT(Call(each.tool.name, match, 0, {{"command", "move"}, {"choice", "x"}}),
                HasSubstr("for Netrunner; this is tictactoe"));
  }
}

}  // namespace
}  // namespace openseat::app
