#include "games/script/typescript.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace openseat::games {
namespace {

std::string TypedText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Result<std::string> Untyped(const ScriptFile& file) {
  std::int64_t used = 0;
  return WithoutTypes(file, ScriptLimits().type_steps, used);
}

// The places of line breaks, and the length of each line.
std::vector<std::size_t> LinesOf(const std::string& text) {
  std::vector<std::size_t> lines{0};
  for (const char c : text) {
    if (c == '\n') lines.push_back(0);
    // Characters, not bytes: a blank takes the place of each.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++lines.back();
  }
  return lines;
}

TEST(TypeScript, EveryKindOfTypeBecomesBlanks) {
  const std::string typed = TypedText("tests/script/typescript/all.ts");
  ASSERT_FALSE(typed.empty());
  const Result<std::string> plain = Untyped({"all.ts", typed});
  ASSERT_TRUE(plain) << plain.error().path << ": " << plain.error().message;
  EXPECT_EQ(LinesOf(*plain), LinesOf(typed));
  // The file counts, with what is left of each construct, and exports that as a member of its info.
  const auto script = Script::Load({{"all.ts", typed}, {"other.ts", "export const other: number = 7;\n"}});
  ASSERT_TRUE(script) << script.error().path << ": " << script.error().message;
  EXPECT_EQ(*json::Find((*script)->info(), "guide"), *json::Parse(TypedText("tests/script/typescript/all.json")));
}

TEST(TypeScript, SaysWhereItIsWrong) {
  const auto wrong = [](const std::string& text) { return Untyped({"a.ts", text}).error(); };
  EXPECT_EQ(wrong("const a = 1;\nconst b: = 2;\n").path, "a.ts:2:10");
  EXPECT_TRUE(wrong("const a: = 2;").message.starts_with("this is not TypeScript: ")) << wrong("const a: = 2;").message;
  EXPECT_EQ(wrong("const é = '😀'; enum A { B }").path, "a.ts:1:16");
  EXPECT_TRUE(wrong("enum A { B }").message.starts_with("an enum is not supported")) << wrong("enum A { B }").message;
  EXPECT_NE(wrong("const a = 1 + 2 as number * 3;").message.find("parentheses"), std::string::npos);
  EXPECT_NE(wrong("const a = 2 ** 3 as number ** 2;").message.find("parentheses"), std::string::npos);
  EXPECT_NE(wrong("const a = 2 ** 3 as number satisfies number ** 2;").message.find("parentheses"), std::string::npos);
  EXPECT_TRUE(
      Untyped({"a.ts", "const a = (2 ** 3 as number) ** 2, b = 3 as number ** 2, c = 2 ** (3 as number) ** 2;"}));
  EXPECT_NE(wrong("const a = () => { return <\nnumber>1 };").message.find("in the line of its value"),
            std::string::npos);
  EXPECT_NE(wrong("class A { constructor(private a: number) {} }").message.find("also a field"), std::string::npos);
}

TEST(TypeScript, ErrorsOfTheGameHaveItsLineAndColumn) {
  const std::string text =
      "type A = {\n  a: number;\n};\nexport const info: object = ((): any => {\n  const a: A = { a: 1 }; throw new "
      "Error('here');\n"
      "})();\n";
  const auto script = Script::Load({{"game.ts", text}});
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message, "here");
  EXPECT_EQ(script.error().path.substr(0, 9), "game.ts:5");
}

TEST(TypeScript, AllFilesShareOneBudget) {
  std::string long_text = "export const a = [";
  for (int i = 0; i < 500; ++i) long_text += "1 as number, ";
  long_text += "];\n";
  std::int64_t used = 0;
  ASSERT_TRUE(WithoutTypes({"a.ts", long_text}, ScriptLimits().type_steps, used));
  ASSERT_GT(used, 1000);
  std::vector<ScriptFile> files;
  for (const char* name : {"a.ts", "b.ts", "c.ts", "d.ts"}) files.push_back({name, long_text});
  const auto loaded = Script::Load(files, {.type_steps = 3 * used});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(loaded.error().message.find("TypeScript"), std::string::npos) << loaded.error().message;
  // A check counts the types and the loading as well.
  const auto budget = std::make_shared<std::atomic<std::int64_t>>(3 * used);
  EXPECT_FALSE(Script::Load(files, {.budget = budget}));
  EXPECT_LT(*budget, used);
  EXPECT_FALSE(Script::Load({{"a.js", "for (;;);"}}, {.budget = std::make_shared<std::atomic<std::int64_t>>(1'000)}));
}

TEST(TypeScript, HostileTextEndsInAnError) {
  std::string deep = "const a = ";
  for (int i = 0; i < 20'000; ++i) deep += "(";
  EXPECT_FALSE(Untyped({"deep.ts", deep}));
  std::string generic = "let a: ";
  for (int i = 0; i < 20'000; ++i) generic += "A<";
  EXPECT_FALSE(Untyped({"generic.ts", generic}));
  // Each of these begins many times what may be an arrow or a comparison.
  std::string doubtful;
  for (int i = 0; i < 40; ++i) doubtful += "a < (b ? (";
  EXPECT_FALSE(Untyped({"doubtful.ts", doubtful}));
}

}  // namespace
}  // namespace openseat::games
