#include "games/script/engine/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "games/script/engine/box_check.h"
#include "games/script/harness.h"
#include "games/script/typescript.h"

namespace openseat::games {
namespace {

std::string ReadWhole(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

ScriptFile BaseFile() {
  return {"base.js", ReadWhole("tests/script/hostile/base.js")};
}

std::vector<ScriptFile> GameFiles(std::string text) {
  return {{"game.js", std::move(text)}, BaseFile()};
}

const json::Value& BaseState() {
  static const json::Value state = json::Object{{"left", 7}, {"turn", 0}};
  return state;
}

// Few steps, so that many are stopped halfway.
constexpr std::int64_t kSteps = 3'000'000;

std::vector<std::filesystem::path> ScriptsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    if (name.ends_with(".js") || (name.ends_with(".ts") && !name.ends_with(".d.ts"))) paths.push_back(file.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(Box, NothingRemainsOfHostileScripts) {
  const TestedBox box(box_new());
  int loaded = 0;
  for (const auto& path : ScriptsIn("tests/script/hostile")) {
    const TestedImage script(HarnessText(), GameFiles(ReadWhole(path)), 20 * kSteps);
    if (!script.is_loaded()) continue;
    ++loaded;
    EXPECT_EQ(Remains(box.get(), script.image(), 2, BaseState(), kSteps), "") << path;
  }
  EXPECT_GE(loaded, 40);
}

TEST(Box, NothingRemainsOfShippedGames) {
  const TestedBox box(box_new());
  for (const auto& path : ScriptsIn("games")) {
    ScriptFile file{path.filename(), ReadWhole(path)};
    std::int64_t used = 0;
    if (IsTypeScript(file)) file.text = *WithoutTypes(file, ScriptLimits().type_steps, used);
    const TestedImage script(HarnessText(), {file}, ScriptLimits().load_steps);
    ASSERT_TRUE(script.is_loaded()) << path;
    const std::size_t seats = path.stem() == "wolves" ? 5 : path.stem() == "lanterns" ? 3 : 2;
    EXPECT_EQ(Remains(box.get(), script.image(), seats, nullptr, 10 * kSteps), "") << path;
  }
}

// Each of these writes memory that the script's loading left in the image, behind its end, or both.
TEST(Box, NothingRemainsOfOddWrites) {
  const std::vector<std::string> all{
      // Over the border of two parts, wherever it is and at each distance to it, with nothing else near.
      R"(const kept = new DataView(new ArrayBuffer(2049 * 1030));
      export function setup() {
        for (let i = 0; i < 1030; ++i) kept.setFloat64(2049 * i, 1.5);
        return { left: 7, turn: 0 };
      })",
      // Filling and copying.
      R"(const kept = new Uint8Array(300001);
      export function setup() { kept.fill(7, 5, 200003); return { left: 7, turn: 0 }; }
      export function apply() { kept[3] = 9; kept.copyWithin(100001, 0, 150000); throw 1; })",
      // Memory that grows, and is left when the steps are used up.
      R"(export function setup() { new Uint8Array(9000000)[8999999] = 1; return { left: 7, turn: 0 }; }
      export function apply() { const all = []; for (;;) all.push(new Uint8Array(70000).fill(1)); })",
      // The engine's stack, to its end.
      R"(export const setup = () => JSON.parse('['.repeat(90000));
      export const apply = (state) => [1, 2].map(() => apply(state));)",
      // What was there is given back, and something else is put there.
      R"(let kept = [[1, 2, 3], { a: 'b'.repeat(5000) }, new Map([[1, 2]])];
      export function setup() {
        kept = 'a'.repeat(9000) + kept[1].a;
        globalThis.more = [kept];
        return { left: 7, turn: 0 };
      })",
  };
  const TestedBox box(box_new());
  for (const std::string& text : all) {
    const TestedImage script(HarnessText(), GameFiles("export * from './base.js';\n" + text),
                             ScriptLimits().load_steps);
    ASSERT_TRUE(script.is_loaded()) << text;
    EXPECT_EQ(Remains(box.get(), script.image(), 2, BaseState(), kSteps), "") << text;
  }
}

TEST(Box, NothingRemainsOfAnotherScript) {
  const TestedImage small(HarnessText(), GameFiles("export * from './base.js';"), kSteps * 10);
  const TestedImage large(HarnessText(),
                          GameFiles("export * from './base.js'; globalThis.kept = new Uint8Array(1000000).fill(1);"),
                          kSteps * 10);
  ASSERT_GT(large.image().length, small.image().length);
  const TestedBox box(box_new());
  for (const TestedImage* script : {&large, &small, &large, &large}) {
    EXPECT_EQ(Remains(box.get(), script->image(), 2, BaseState(), kSteps), "");
  }
}

TEST(Box, NothingRemainsOfAScriptThatCannotBeLoaded) {
  const TestedImage good(HarnessText(), GameFiles("export * from './base.js';"), kSteps * 10);
  const TestedBox box(box_new());
  EXPECT_EQ(Remains(box.get(), good.image(), 2, BaseState(), kSteps), "");
  const std::string harness(HarnessText());
  const BoxFile harness_file{"<openseat>", harness.data(), harness.size()};
  const std::string text = "export const all = new Uint8Array(500000).fill(1); throw 1;";
  const BoxFile file{"game.js", text.data(), text.size()};
  BoxText answer{};
  EXPECT_NE(box_load(box.get(), &harness_file, &file, 1, kSteps * 10, &answer), BOX_DONE);
  EXPECT_FALSE(box_is(box.get(), &good.image()));
  EXPECT_EQ(Remains(box.get(), good.image(), 2, BaseState(), kSteps), "");
}

}  // namespace
}  // namespace openseat::games
