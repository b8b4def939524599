#include "games/script/script_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "games/script/script_game.h"

namespace openseat::games {
namespace {

using ::testing::HasSubstr;

// What a script fails with, as it is loaded or plays.
std::string Told(const std::string& name, const std::string& setup, const std::string& observe = "(s) => s",
                 const std::string& apply = "(state) => ({ state })") {
  const auto game = MakeScriptGame(
      {{name,
        "export const info = { id: 'x', title: 'X', description: 'X', rules: 'X', seats: { min: 1, max: 1 }, actions: "
        "{ go: 'Go.' } };\n"
        "export const setup = " +
            setup +
            ";\nexport const awaited = () => [0];\nexport const actions = () => [{ name: 'go' }];\n"
            "export const redeal = (s) => s;\n"
            "export const apply = " +
            apply + ";\nexport const observe = " + observe + ";\nexport const outcome = () => null;\n"}});
  if (!game) return game.error().message;
  const auto state = (*game)->NewGame(nullptr, 1, {"Ann"});
  if (!state) return state.error().message;
  (*state)->Apply(0, "go", nullptr);
  return FaultOf(**state);
}

TEST(ScriptAdvice, SaysHowToWriteWhatTheEngineDoesNotHave) {
  EXPECT_EQ(Told("x.js", "() => ({})"), "");
  EXPECT_THAT(Told("x.js", "() => structuredClone({})"),
              HasSubstr("is not defined; JSON.parse(JSON.stringify(value)) copies"));
  EXPECT_THAT(Told("x.js", "() => console.log(1)"), HasSubstr("; a script prints nothing"));
  EXPECT_THAT(Told("x.js", "() => new Date()"), HasSubstr("Date is not defined; a game knows no time"));
  EXPECT_THAT(Told("x.js", "(seats, random) => random.int(6)"),
              HasSubstr("not a function: random.int(6);; it is called as setup(options, seats, random)"));
  EXPECT_THAT(Told("x.js", "() => ({})", "() => random.int(6)"),
              HasSubstr("random is not defined; setup(options, seats, random)"));
}

TEST(ScriptAdvice, SaysWhatMayBeChanged) {
  EXPECT_THAT(Told("x.js", "() => ({ list: [2, 1] })", "(s) => s.list.sort()"),
              HasSubstr("; only apply may change the state: copy it first"));
  EXPECT_THAT(Told("x.js", "() => ({ n: 1 })", "(s) => { s.n = 2; return s; }"),
              HasSubstr("; only apply may change the state: copy it first"));
  EXPECT_THAT(
      Told("x.js", "() => ({ n: 1 })", "(s) => s", "(state, seat, action) => { action.name = 'x'; return { state }; }"),
      HasSubstr("'name' is read-only; copy it first: {...object}, [...list]"));
}

TEST(ScriptAdvice, RemembersSpectators) {
  EXPECT_THAT(Told("x.js", "() => ({ hands: [[1]] })", "(s, viewer) => ({ hand: s.hands[viewer].length })"),
              HasSubstr("; viewer is null for spectators"));
}

TEST(ScriptAdvice, KnowsWhatIsNoJavaScript) {
  EXPECT_THAT((MakeScriptGame({{"x.js", "Here it is:\n```js\nexport const info = {};\n```\n"}})).error().message,
              HasSubstr("; leave out the lines with ```"));
  EXPECT_THAT(Told("x.js", "(options: any) => ({})"),
              HasSubstr("; if this is TypeScript, let the file's name end in .ts"));
  EXPECT_EQ(Told("x.ts", "(options: any) => ({})"), "");
  EXPECT_EQ(Told("x.js", "() => ({").find("TypeScript"), std::string::npos);
}

TEST(ScriptAdvice, FindsTheLine) {
  const std::vector<ScriptFile> files{{"a.js", "one\ntwo\r\nthree"}};
  std::size_t column = 0;
  EXPECT_EQ(LineAt("a.js:2:3", files, column), "two");
  EXPECT_EQ(column, 3u);
  EXPECT_EQ(LineAt("b.js:2:3", files, column), "");
  EXPECT_EQ(column, 0u);
}

}  // namespace
}  // namespace openseat::games
