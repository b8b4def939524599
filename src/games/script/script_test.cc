#include "games/script/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "games/script/position.h"
#include "games/script/script_info.h"

namespace openseat::games {
namespace {

const std::filesystem::path kHostile = "tests/script/hostile";

std::string TextOfFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

json::Value Json(std::string_view text) {
  return *json::Parse(text);
}

Result<std::shared_ptr<const Script>> LoadHostile(const std::string& name) {
  return Script::Load(
      {{name + ".js", TextOfFile(kHostile / (name + ".js"))}, {"base.js", TextOfFile(kHostile / "base.js")}});
}

const json::Value& SetupInput() {
  static const json::Value input = Json(R"({"options":{},"names":["A","B"],"random":[1,2,3,4]})");
  return input;
}

Result<json::Value> SetUpOf(const Script& script) {
  return script.Call("setup", SetupInput());
}

// Loads the script and plays until something fails; says what.
Error FirstFault(const std::string& name) {
  const auto script = LoadHostile(name);
  if (!script) return script.error();
  Result<json::Value> position = SetUpOf(**script);
  if (position && (*script)->Has("view")) {
    const json::Value input =
        json::Object{{"state", *json::Find(*position, "state")}, {"viewer", nullptr}, {"names", json::Array{"A", "B"}}};
    if (auto view = (*script)->Call("view", input); !view) return view.error();
  }
  if (position) {
    const Result<ScriptInfo> info = ReadInfo(**script);
    if (!info) return info.error();
    if (const auto read = ReadPosition(*info, *position, 2, {}); !read) return read.error();
  }
  for (int move = 0; position && json::Find(*position, "outcome")->is_null(); ++move) {
    const json::Value input = json::Object{{"state", *json::Find(*position, "state")},
                                           {"seat", move % 2},
                                           {"action", Json(R"({"name":"take","data":{"count":1}})")},
                                           {"names", json::Array{"A", "B"}},
                                           {"random", {1, 2, 3, 4}}};
    position = (*script)->Call("apply", input);
  }
  return position ? Error{ErrorCode::kConflict, "nothing failed", {}} : position.error();
}

// "a | b": one of them is in the text.
bool ContainsOneOf(const std::string& text, std::string expected) {
  while (!expected.empty()) {
    const std::size_t end = std::min(expected.find(" | "), expected.size());
    if (text.find(expected.substr(0, end)) != std::string::npos) return true;
    expected.erase(0, std::min(expected.size(), end + 3));
  }
  return false;
}

std::vector<std::string> HostileScripts() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(kHostile)) {
    if (file.path().stem() != "base") names.push_back(file.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

class HostileScript : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileScript, EndsInAnErrorThatSaysWhereAndWhy) {
  const std::string text = TextOfFile(kHostile / (GetParam() + ".js"));
  const std::string mark = "// expects: ";
  ASSERT_TRUE(text.starts_with(mark));
  const std::string expected = text.substr(mark.size(), text.find('\n') - mark.size());
  const Error first = FirstFault(GetParam());
  EXPECT_TRUE(ContainsOneOf(first.message, expected)) << first.path << ": " << first.message;
  // Every fault is the same the next time.
  EXPECT_EQ(FirstFault(GetParam()), first);
  // And costs the others nothing: a good script goes on.
  const auto good = LoadHostile("base");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_TRUE(SetUpOf(**good).has_value());
}

INSTANTIATE_TEST_SUITE_P(All, HostileScript, ::testing::ValuesIn(HostileScripts()),
                         [](const auto& script) { return script.param; });

TEST(Script, AreManyHostileOnes) {
  EXPECT_GE(HostileScripts().size(), 40u);
}

TEST(Script, PlaysTheGameThatOthersSpoil) {
  const auto script = LoadHostile("base");
  ASSERT_TRUE(script) << script.error().message;
  const auto position = SetUpOf(**script);
  ASSERT_TRUE(position) << position.error().message;
  EXPECT_EQ(json::Write(*json::Find(*position, "state")), R"({"left":7,"turn":0})");
  EXPECT_EQ(FirstFault("base").message, "nothing failed");
}

TEST(Script, SaysTheLine) {
  EXPECT_EQ(FirstFault("loop_apply").path.substr(0, 15), "loop_apply.js:3");
  EXPECT_EQ(FirstFault("built_in_join").path.substr(0, 18), "built_in_join.js:3");
  EXPECT_EQ(FirstFault("clock").path.substr(0, 10), "clock.js:3");
  EXPECT_EQ(FirstFault("syntax").path.substr(0, 11), "syntax.js:3");
}

TEST(Script, UsesTheSameNumberOfStepsEveryTime) {
  const auto script = LoadHostile("base");
  ASSERT_TRUE(script);
  std::int64_t first = 0;
  ASSERT_TRUE((*script)->Call("setup", SetupInput(), first));
  EXPECT_GT(first, 1000);
  for (int i = 0; i < 3; ++i) {
    std::int64_t again = 0;
    ASSERT_TRUE((*script)->Call("setup", SetupInput(), again));
    EXPECT_EQ(again, first);
  }
}

TEST(Script, ForgetsEverythingBetweenCalls) {
  const auto script = Script::Load({{"game.js", R"(
    export * from './base.js';
    let calls = 0;
    globalThis.seen = [];
    export const setup = () => { seen.push(++calls); return { left: calls, turn: 0, seen }; };
  )"},
                                    {"base.js", TextOfFile(kHostile / "base.js")}});
  ASSERT_TRUE(script) << script.error().message;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(json::Write(*json::Find(*SetUpOf(**script), "state")), R"({"left":1,"turn":0,"seen":[1]})");
  }
}

TEST(Script, IsCalledByManyThreads) {
  const auto good = LoadHostile("base");
  ASSERT_TRUE(good);
  const Error fault = FirstFault("recursion");
  const json::Value expected = *SetUpOf(**good);
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int& count : right) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto position = SetUpOf(**good);
        count += position && *position == expected ? 1 : 0;
        count += FirstFault("recursion") == fault ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{40, 40, 40, 40}));
}

// An empty list of legal data is not an action without data.
TEST(Script, PlaysNoChoiceThatIsNotListed) {
  for (const auto& [data, is_fine] : {std::pair{"[{ count: 1 }]", true}, {"[]", false}}) {
    const auto script =
        Script::Load({{"game.js", std::string("export * from './base.js';\n") +
                                      "export const actions = () => [{ name: 'take', data: " + data +
                                      " }];\nexport const apply = () => ({ state: { left: 0, turn: 0 } });"},
                      {"base.js", TextOfFile(kHostile / "base.js")}});
    ASSERT_TRUE(script) << script.error().message;
    const auto played = (*script)->Call("playouts", Json(R"({"state":{"left":7,"turn":0},"names":["A","B"],
        "random":[1,2,3,4],"games":1,"moves":5})"));
    EXPECT_EQ(played ? "played" : played.error().message,
              is_fine ? "played" : "actions(state, 0) offers nothing, but awaited(state) waits for seat 0");
  }
}

TEST(Script, HasLimitedFiles) {
  EXPECT_EQ(Script::Load({}).error().message, "a script has at least one file; got none");
  EXPECT_EQ(Script::Load({{"game.js", std::string(300'000, ' ')}}).error().message,
            "a script's files are at most 256 KB together; got 300000 bytes");
  EXPECT_EQ(Script::Load(std::vector<ScriptFile>(40, {"a.js", ""})).error().message,
            "a script has at most 32 files; got 40");
}

}  // namespace
}  // namespace openseat::games
