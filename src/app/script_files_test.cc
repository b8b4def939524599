#include "app/script_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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
  const auto games = ReadScriptGames(Games(), "");
  ASSERT_TRUE(games) << games.error().message;
  EXPECT_EQ(games->size(), 1u);
}

TEST_F(ScriptFiles, ReadsTheExamples) {
  const auto games = ReadScriptGames("games", "");
  ASSERT_TRUE(games) << games.error().message;
  EXPECT_GE(games->size(), 10u);
}

TEST_F(ScriptFiles, NeverReadsOutsideTheFolder) {
  Write("nim/game.js", "export * from '../secret.js';");
  Write("secret.js", "export const secret = 1;");
  const auto files = ReadScript(Games() + "/nim");
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), 1u);
}

TEST_F(ScriptFiles, NamesTheFileThatIsWrong) {
  Write("broken.js", "export const info = {;");
  const auto games = ReadScriptGames(Games(), "");
  ASSERT_FALSE(games);
  EXPECT_TRUE(games.error().message.starts_with(Games() + "/broken.js: broken.js:1:")) << games.error().message;
  EXPECT_EQ(ReadScriptGames(Games() + "/nowhere", "").error().message,
            "there is no folder of games " + Games() + "/nowhere");
}

TEST_F(ScriptFiles, KeepsTheFilesOfEachVersion) {
  Write("nim.js", Nim());
  const auto first = ReadScriptGames(Games(), Kept());
  ASSERT_TRUE(first) << first.error().message;
  const int version = first->front()->info().rules_version;
  Write("nim.js", Nim() + "// changed\n");
  const auto second = ReadScriptGames(Games(), Kept());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(second->front()->info().rules_version, version);
  const Game* old = second->front()->OfVersion(version);
  ASSERT_NE(old, nullptr);
  EXPECT_TRUE(old->NewGame(nullptr, 1, {"A", "B"}).has_value());
}

TEST_F(ScriptFiles, CompletesACopyThatWasNotWrittenToItsEnd) {
  Write("nim.js", Nim());
  const auto first = ReadScriptGames(Games(), Kept());
  ASSERT_TRUE(first) << first.error().message;
  const fs::path copy = fs::path(Kept()) / "nim" / std::to_string(first->front()->info().rules_version);
  fs::remove(copy / "script");
  ASSERT_TRUE(ReadScriptGames(Games(), Kept()));
  EXPECT_TRUE(fs::exists(copy / "script"));
}

TEST_F(ScriptFiles, ForgetsNoVersion) {
  Write("nim.js", Nim());
  const int version = ReadScriptGames(Games(), Kept())->front()->info().rules_version;
  for (int edit = 0; edit < 52; ++edit) {
    Write("nim.js", Nim() + "// edit " + std::to_string(edit) + "\n");
    ASSERT_TRUE(ReadScriptGames(Games(), Kept()));
  }
  const auto games = ReadScriptGames(Games(), Kept());
  EXPECT_NE(games->front()->OfVersion(version), nullptr);
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
  EXPECT_NE(report.complaints.front().find("in the state {\"heaps\":"), std::string::npos);
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
  EXPECT_NE(report.complaints.front().find("a sample differs for its seat in what it sees"), std::string::npos);
}

}  // namespace
}  // namespace openseat::app
