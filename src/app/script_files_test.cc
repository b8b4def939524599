#include "app/script_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "app/new_script.h"
#include "app/script_check.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

class ScriptFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("openseat-scripts-" + std::to_string(::getpid()) + "-" + name);
    fs::create_directories(folder_ / "games");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / "games" / name).parent_path());
    std::ofstream(folder_ / "games" / name) << text;
  }
  std::string Games() const { return (folder_ / "games").string(); }
  std::string Kept() const { return (folder_ / "kept").string(); }

  fs::path folder_;
};

std::string Nim() {
  std::ostringstream text;
  text << std::ifstream("games/nim.js").rdbuf();
  return text.str();
}

TEST_F(ScriptFiles, ReadsWhatAScriptImports) {
  Write("nim/game.js", "export * from './parts/rules.js';");
  Write("nim/parts/rules.js", "export * from '../nim.js';");
  Write("nim/nim.js", Nim());
  Write("nim/other.js", "not for this game");
  const auto files = ReadScript(Games() + "/nim");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 3u);
  EXPECT_EQ((*files)[0].name, "game.js");
  EXPECT_EQ((*files)[1].name, "parts/rules.js");
  EXPECT_EQ((*files)[2].name, "nim.js");
  const auto scripts = ScriptsIn(Games());
  ASSERT_TRUE(scripts) << scripts.error().message;
  EXPECT_EQ(*scripts, std::vector<std::string>{Games() + "/nim"});
}

TEST_F(ScriptFiles, ReadsTypeScriptWithoutItsDeclarations) {
  Write("hex/game.ts",
        "import type { Game } from './openseat-game.d.ts';\nimport { lines } from './lines.ts';\nexport const a = "
        "lines;");
  Write("hex/lines.ts", "export const lines: number = 1;");
  Write("hex/openseat-game.d.ts", "export type Game = 1;");
  Write("openseat-game.d.ts", "export type Game = 1;");
  const auto files = ReadScript(Games() + "/hex");
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[1].name, "lines.ts");
  EXPECT_EQ(*ScriptsIn(Games()), std::vector<std::string>{Games() + "/hex"});
}

TEST_F(ScriptFiles, WritesANewGameThatConforms) {
  for (const char* name : {"my-game.js", "my-game.ts"}) {
    Write(name, NewScriptText("my-game", name));
    const auto game = games::MakeScriptGame(*ReadScript(Games() + "/" + name));
    ASSERT_TRUE(game) << name << ": " << game.error().message;
    EXPECT_EQ(CheckScript(**game, nullptr, 5).complaints, std::vector<std::string>()) << name;
  }
}

TEST_F(ScriptFiles, NeverReadsOutsideTheFolder) {
  Write("nim/game.js", "export * from '../secret.js';");
  Write("secret.js", "export const secret = 1;");
  const auto files = ReadScript(Games() + "/nim");
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), 1u);
}

TEST_F(ScriptFiles, StampsWhatAScriptMayRead) {
  Write("nim/game.js", "1");
  const std::string first = StampOf(Games());
  EXPECT_EQ(StampOf(Games()), first);
  Write("notes.txt", "not a script");
  EXPECT_EQ(StampOf(Games()), first);
  Write("nim/parts/rules.js", "1");
  const std::string second = StampOf(Games());
  EXPECT_NE(second, first);
  Write("nim/parts/rules.js", "12");
  EXPECT_NE(StampOf(Games()), second);
}

ScriptReport CheckText(const std::string& change) {
  const auto game = games::MakeScriptGame(
      {{"game.js", "export * from './nim.js'; import * as good from './nim.js';\n" + change}, {"nim.js", Nim()}});
  EXPECT_TRUE(game) << game.error().message;
  return CheckScript(**game, nullptr, 5);
}

TEST(ScriptCheck, PraisesAGoodScript) {
  const ScriptReport report = CheckText("");
  EXPECT_EQ(report.complaints, std::vector<std::string>());
  EXPECT_EQ(report.games, 5);
  EXPECT_GT(report.longest, 2u);
}

TEST(ScriptCheck, FindsWhatFailsInTheMiddle) {
  const ScriptReport report = CheckText(
      "export const observe = (state) => { if (state.heaps[0] === 0) return state.nothing.left; return {}; };");
  ASSERT_FALSE(report.complaints.empty());
  EXPECT_NE(report.complaints.front().find("game.js:2:"), std::string::npos) << report.complaints.front();
  EXPECT_NE(report.complaints.front().find("before this choice, the state was {\"heaps\":"), std::string::npos)
      << report.complaints.front();
}

TEST(ScriptCheck, FindsAGameWithoutEnd) {
  const ScriptReport report = CheckText(
      "export const outcome = () => null;\n"
      "export const apply = (state, seat) => ({ state: { ...state, turn: 1 - seat } });");
  ASSERT_FALSE(report.complaints.empty());
  EXPECT_NE(report.complaints.front().find("not over after 2000"), std::string::npos);
}

TEST(ScriptCheck, FindsASecretThatASeatSees) {
  const ScriptReport report = CheckText(
      "export const redeal = (state, seat, random) => ({ ...state, secret: random.int(1000000) });\n"
      "export const setup = (options, seats, random) => ({ ...good.setup(options), secret: random.int(1000000) });\n"
      "export const observe = (state) => ({ heaps: state.heaps, secret: state.secret });");
  ASSERT_FALSE(report.complaints.empty());
  EXPECT_NE(report.complaints.front().find("observe shows a seat what redeal draws again"), std::string::npos);
}

std::vector<std::string> ComplaintsAbout(const std::string& text) {
  const auto game = games::MakeScriptGame({{"game.js", text}});
  EXPECT_TRUE(game) << game.error().message;
  return game ? CheckScript(**game, nullptr, 3).complaints : std::vector<std::string>();
}

TEST(ScriptCheck, AGameForOneCanBeLost) {
  EXPECT_EQ(ComplaintsAbout(R"js(
export const info = { id: 'alone', title: 'Alone', description: 'Alone', rules: 'Alone', seats: { min: 1, max: 1 }, actions: { go: 'Go' } };
export const setup = () => ({ steps: 0 });
export const awaited = () => [0];
export const actions = () => [{ name: 'go' }];
export const apply = ({ steps }) => ({ state: { steps: steps + 1 } });
export const observe = (state) => state;
export const outcome = ({ steps }) => (steps < 3 ? null : { winners: [], reason: 'went too far' });
)js"),
            std::vector<std::string>());
}

TEST(ScriptCheck, LegalDataMayBeListed) {
  EXPECT_EQ(ComplaintsAbout(R"js(
export const info = { id: 'walk', title: 'Walk', description: 'Walk', rules: 'Walk', seats: { min: 2, max: 2 },
  actions: { move: { description: 'Move from `from` to `to`.', data: { from: [0, 1, 2, 3], to: [0, 1, 2, 3] } } } };
export const setup = () => ({ at: [0, 0], steps: 0 });
export const awaited = ({ steps }) => [steps % 2];
export const actions = ({ at }, seat) => [{ name: 'move', data: [1, 3].map((by) => ({ from: at[seat], to: (at[seat] + by) % 4 })) }];
export const apply = ({ at, steps }, seat, { data: { to } }) => ({ state: { at: at.with(seat, to), steps: steps + 1 } });
export const observe = (state) => state;
export const outcome = ({ steps }) => (steps < 6 ? null : { winners: [], reason: 'tired' });
)js"),
            std::vector<std::string>());
}

TEST(ScriptCheck, SaysWhatIsMissingWhereSeveralChooseAtTheSameTime) {
  const auto game = [](const std::string& observed, const std::string& redealt) {
    return R"js(
export const info = { id: 'all', title: 'All', description: 'All', rules: 'All', seats: { min: 3, max: 3 },
  actions: { pick: { description: 'Pick a `number`.', data: { number: [1, 2, 3] } } } };
export const setup = () => ({ chosen: [null, null, null] });
export const awaited = ({ chosen }) => chosen.flatMap((choice, seat) => (choice === null ? [seat] : []));
export const actions = () => [{ name: 'pick', data: { number: [1, 2, 3] } }];
export const apply = ({ chosen }, seat, { data: { number } }) => ({ state: { chosen: chosen.with(seat, number) } });
export const outcome = ({ chosen }) => (chosen.includes(null) ? null : { winners: [], reason: 'all have picked' });
export const observe = ({ chosen }, viewer) => ({ own: viewer === null ? null : chosen[viewer])js" +
           observed + R"js( });
export const redeal = ({ chosen }, seat, random) => chosen.includes(null)
  ? { chosen: chosen.map((choice, other) => (other === seat || choice === null ? choice : )js" +
           redealt + ")) } : { chosen };\n";
  };
  const std::string shown = ", done: chosen.map((choice) => choice !== null)";
  EXPECT_EQ(ComplaintsAbout(game(shown, "random.pick([1, 2, 3])")), std::vector<std::string>());
  for (const auto& [observed, redealt] :
       {std::pair<std::string, std::string>{shown, "null"}, {"", "random.pick([1, 2, 3])"}}) {
    const std::vector<std::string> complaints = ComplaintsAbout(game(observed, redealt));
    ASSERT_FALSE(complaints.empty()) << redealt;
    EXPECT_NE(complaints[0].find("\n  "), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find("redeal"), std::string::npos) << complaints[0];
  }
}

}  // namespace
}  // namespace openseat::app
