#include "arena/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::arena {
namespace {

using ::testing::HasSubstr;

RunSpec SomeSpec() {
  RunSpec spec;
  spec.command = "tournament";
  spec.name = "night";
  spec.openseat = "1.0.0";
  spec.games = {{"tictactoe", "Tic-Tac-Toe", 1, nullptr}, {"connectm", "Connect-M", 2, json::Object{{"columns", 9}}}};
  spec.agents = {"random", "llm:a"};
  spec.format = "gauntlet:llm:a";
  spec.pairs = 20;
  spec.until_interval = 80;
  spec.pool = {.file = "/pool.json", .runs = {"monday", "/tuesday"}};
  spec.seed = (1ull << 53) - 1;
  spec.fixed_roles = true;
  spec.models = {{"a", json::Object{{"provider", "openai"}, {"model", "m"}, {"base_url", "http://h"}}}};
  spec.model_flags = {"a=openai:m@http://h"};
  spec.config = "/c.toml";
  spec.budget = {.cost = 5, .tokens = 1000, .hours = std::nullopt};
  spec.parts = {{Time(std::chrono::seconds(1795309380)), 12.5, {.tokens = 7, .cost = 0.25}},
                {Time(std::chrono::seconds(1795309480)), std::nullopt, {}}};
  spec.summary = json::Object{{"games", 3}};
  return spec;
}

TEST(RunSpecTest, IsReadAsWritten) {
  for (const char* command : {"tournament", "play"}) {
    RunSpec spec = SomeSpec();
    spec.command = command;
    spec.wanted = 9;
    const json::Object written = ToJson(spec);
    const Result<RunSpec> read = ParseRunSpec(written);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(json::Write(ToJson(*read)), json::Write(written));
    EXPECT_EQ(read->parts.size(), 2U);
    EXPECT_FALSE(read->parts[1].seconds.has_value());
    EXPECT_EQ(read->budget.tokens, 1000U);
    EXPECT_FALSE(read->budget.hours.has_value());
  }
}

TEST(RunSpecTest, SaysWhatIsWrong) {
  const auto error = [](const char* member, const json::Value& value) {
    json::Object written = ToJson(SomeSpec());
    if (value.is_null()) {
      written.erase(member);
    } else {
      written[member] = value;
    }
    const Result<RunSpec> read = ParseRunSpec(written);
    return read ? "accepted" : read.error().message;
  };
  EXPECT_EQ(error("format", "else"), "it is not a run: \"format\" is not \"openseat-run\"");
  EXPECT_EQ(error("version", 3), "it has version 3; this program continues runs of version 2");
  EXPECT_EQ(error("agents", nullptr), "\"agents\" is missing");
  EXPECT_EQ(error("agents", json::Array{1}), "\"agents\" must be a list of strings; got 1");
  EXPECT_EQ(error("seed", -1), "\"seed\" must be a whole number of at least 0; got -1");
  EXPECT_EQ(error("fixed_roles", 1), "\"fixed_roles\" must be true or false; got 1");
  EXPECT_EQ(error("games", json::Array{json::Object{}}), "\"games[].id\" is missing");
  EXPECT_EQ(error("games", json::Array{}), "\"games\" and \"agents\" must not be empty");
  EXPECT_EQ(error("schedule", json::Object{{"format", 1}}), "\"schedule.format\" must be a string; got 1");
  EXPECT_EQ(error("schedule", json::Object{{"format", ""}, {"pairs", 1}, {"pool", json::Object{{"file", "x"}}}}),
            "\"schedule.pool.runs\" is missing");
  EXPECT_EQ(error("budget", json::Object{{"cost", "x"}}), "\"budget.cost\" must be a number of at least 0; got \"x\"");
  EXPECT_THAT(error("parts", json::Array{json::Object{{"started", "now"}}}),
              HasSubstr("\"parts[].started\" must be a time"));
  EXPECT_FALSE(ParseRunSpec(json::Array{}).has_value());
}

TEST(RunSpecTest, ComparesWhatWasAsked) {
  const RunSpec before = SomeSpec();
  RunSpec now = before;
  now.name = "another";
  now.openseat = "1.1.0";
  now.parts.clear();
  now.budget = {};
  now.model_flags.clear();
  now.config.clear();
  now.models["a"].as_object()["base_url"] = "http://elsewhere";
  EXPECT_TRUE(CheckSameRun(before, now).has_value()) << "how it is reached is no part of a model";
  now.models["a"].as_object()["model"] = "larger";
  EXPECT_EQ(CheckSameRun(before, now).error().message,
            "the run was begun with another model a's model: \"m\", not \"larger\"");
  now = before;
  now.agents[0] = "bot";
  EXPECT_THAT(CheckSameRun(before, now).error().message, HasSubstr("another agents: [\"random\",\"llm:a\"], not"));
  now = before;
  now.games[0].rules_version = 2;
  EXPECT_EQ(CheckSameRun(before, now).error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace openseat::arena
