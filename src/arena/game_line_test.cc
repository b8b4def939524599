#include "arena/game_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace openseat::arena {
namespace {

using ::testing::HasSubstr;

constexpr const char* kShortest = R"({"game": 3, "pair": 1, "seats": ["a", "b"], "result": "win", "winners": [1]})";

GameLine FullLine() {
  GameLine line;
  line.game = 17;
  line.pair = 8;
  line.game_id = "tictactoe";
  line.seed = kEndOfSeeds - 1;
  line.seats = {"llm:a", "random"};
  line.result = GameResult::kWin;
  line.winners = {0};
  line.forfeit = true;
  line.cause = "no valid answer";
  line.code = "schema";
  line.culprit = 1;
  line.reason = "three in a row";
  line.turns = 7;
  line.tokens = 1234;
  line.cost = 0.0012;
  SeatFigures model;
  model.decisions = 4;
  model.illegal = 1;
  model.repaired = 2;
  model.asked_again = 1;
  model.tokens = {.input = 1000, .cached = 100, .created = 34, .output = 100, .reasoning = 60};
  model.cost = 0.0012;
  model.latency_ms = 812.5;
  line.by_seat = {model, SeatFigures{}};
  line.started = Time(std::chrono::milliseconds(1'795'309'380'123));
  line.seconds = 1.25;
  return line;
}

Result<GameLine> ParseText(const std::string& text) {
  const Result<json::Value> value = json::Parse(text);
  return value ? ParseGameLine(*value) : Result<GameLine>(Fail(value.error()));
}

// The shortest line with a member replaced or added.
Result<GameLine> ParseWith(const char* name, const char* member) {
  json::Value value = *json::Parse(kShortest);
  value.get_object()[name] = *json::Parse(member);
  return ParseGameLine(value);
}

TEST(GameLineTest, WhatIsWrittenIsRead) {
  const GameLine line = FullLine();
  const Result<GameLine> read = ParseGameLine(*json::Parse(json::Write(ToJson(line))));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, line);
  GameLine played;
  played.seats = {"a", "b", "c"};
  played.result = GameResult::kVoid;
  played.cause = "status 503";
  const Result<GameLine> again = ParseGameLine(ToJson(played));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, played);
}

TEST(GameLineTest, EveryMemberIsAlwaysWritten) {
  const json::Object full = ToJson(FullLine());
  const json::Object empty = ToJson(GameLine());
  EXPECT_EQ(full.size(), 18U);
  for (const auto& member : full) EXPECT_TRUE(empty.contains(member.key())) << member.key();
  EXPECT_TRUE(empty.at("cost").is_null());
  EXPECT_TRUE(empty.at("cause").is_null());
}

TEST(GameLineTest, FiguresHaveNoMoreDigitsThanMeaning) {
  GameLine line = FullLine();
  line.seconds = 1.23456789;
  line.cost = 0.1 + 0.2;
  line.by_seat[0].latency_ms = 12.3456789;
  const std::string text = json::Write(ToJson(line));
  EXPECT_THAT(text, HasSubstr("\"seconds\":1.235"));
  EXPECT_THAT(text, HasSubstr("\"cost\":0.3,"));
  EXPECT_THAT(text, HasSubstr("\"latency_ms\":12.3}"));
}

TEST(GameLineTest, FewMembersAreRequired) {
  const Result<GameLine> line = ParseText(kShortest);
  ASSERT_TRUE(line.has_value()) << line.error().message;
  EXPECT_EQ(line->game, 3U);
  EXPECT_EQ(line->pair, 1U);
  EXPECT_FALSE(line->Won(0));
  EXPECT_TRUE(line->Won(1));
  EXPECT_TRUE(ParseText(R"({"game": 0, "pair": 0, "seats": ["a", "b"], "result": "draw"})").has_value());
  EXPECT_TRUE(ParseWith("unknown", "[1]").has_value());
  EXPECT_TRUE(ParseWith("cost", "null").has_value());
  for (const char* name : {"game", "pair", "seats", "result", "winners"}) {
    json::Value value = *json::Parse(kShortest);
    value.get_object().erase(name);
    const Result<GameLine> bad = ParseGameLine(value);
    ASSERT_FALSE(bad.has_value()) << name;
    EXPECT_EQ(bad.error().path, name);
  }
}

TEST(GameLineTest, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    const char* member;
    const char* message;
  };
  for (const Case& bad : {
           Case{"game", "-1", "\"game\" must be a whole number from 0 to 2^53 - 1, not -1"},
           Case{"seed", "9007199254740992", "\"seed\" must be a whole number from 0 to 2^53 - 1"},
           Case{"turns", "1.5", "\"turns\" must be a whole number"},
           Case{"seats", "[]", "\"seats\" must have 1 to 64 agents, not 0"},
           Case{"seats", "[\"a\", \"\"]", "\"seats\" must have agents' names of 1 to 1000 bytes, not \"\""},
           Case{"seats", "\"a\"", "\"seats\" must be an array, not \"a\""},
           Case{"result", "\"lost\"", R"("result" must be "win", "draw" or "void", not "lost")"},
           Case{"result", "\"draw\"", "\"winners\" must name the winning seats of a win"},
           Case{"winners", "[]", "\"winners\" must name the winning seats of a win"},
           Case{"winners", "[2]", "\"winners\" must be seats in ascending order, each less than 2, not [2]"},
           Case{"winners", "[1,0]", "\"winners\" must be seats in ascending order"},
           Case{"winners", "[0.5]", "\"winners\" must be seats in ascending order"},
           Case{"winners", "[-1]", "\"winners\" must be seats in ascending order"},
           Case{"forfeit", "1", "\"forfeit\" must be true or false, not 1"},
           Case{"cause", "{}", "\"cause\" must be a string, not {}"},
           Case{"culprit", "2", "\"culprit\" must be a seat"},
           Case{"culprit", "-1", "\"culprit\" must be a whole number"},
           Case{"cost", "\"0.1\"", "\"cost\" must be a number that is not negative, not \"0.1\""},
           Case{"seconds", "-1", "\"seconds\" must be a number that is not negative, not -1"},
           Case{"started", "\"yesterday\"", "\"started\" must be a time in UTC such as"},
           Case{"by_seat", "[{}]", "\"by_seat\" must be empty or have as many members as \"seats\""},
           Case{"by_seat", "[{}, 1]", "\"by_seat[1]\" must be an object, not 1"},
           Case{"by_seat", "[{\"illegal\": -1}, {}]", "\"by_seat[0].illegal\" must be a whole number"},
           Case{"by_seat", "[{}, {\"tokens\": {\"input\": []}}]", "\"by_seat[1].tokens.input\" must be a whole number"},
       }) {
    const Result<GameLine> line = ParseWith(bad.name, bad.member);
    ASSERT_FALSE(line.has_value()) << bad.name << " " << bad.member;
    EXPECT_THAT(line.error().message, HasSubstr(bad.message));
  }
  EXPECT_THAT(ParseText("[]").error().message, HasSubstr("a line must be an object, not []"));
}

}  // namespace
}  // namespace openseat::arena
