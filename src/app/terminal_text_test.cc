#include "app/terminal_text.h"

#include <gtest/gtest.h>

namespace openseat::app {
namespace {

TEST(TerminalText, CutsBetweenWords) {
  EXPECT_EQ(ForTerminal("You are **Ann**.\n\n- Take `count` stones, or pass", 16),
            "You are Ann.\n\n- Take count\n  stones, or\n  pass");
  EXPECT_EQ(ForTerminal("unbelievable words", 5), "unbelievable\nwords");
  EXPECT_EQ(ForTerminal("a  b  c  d  e", 5), "a  b  c  d  e") << "a row of a board";
  EXPECT_EQ(ForTerminal("Größe über Öl", 10), "Größe über\nÖl");
  EXPECT_EQ(ForTerminal("one two three", 0), "one two three");
}

TEST(TerminalText, TakesAChoiceByItsWordsOrItsNumber) {
  const std::vector<LegalChoice> choices = {{1, {}, "Column 3"}, {2, {}, "Column 5"}, {3, {}, "1"}};
  EXPECT_EQ(ChosenBy("column 5 ", choices), 1u);
  EXPECT_EQ(ChosenBy("2", choices), 1u);
  EXPECT_EQ(ChosenBy("[2]", choices), 1u);
  EXPECT_EQ(ChosenBy("1", choices), 2u) << "its words";
  for (const char* none : {"", "0", "4", "2x", "Column", "-1", "99999999999999999999999"}) {
    EXPECT_EQ(ChosenBy(none, choices), std::nullopt) << none;
  }
}

TEST(TerminalText, TakesTextsOfOnesOwn) {
  const json::Value text = *json::Parse(R"({"type":"string","maxLength":9})");
  const json::Value listed = *json::Parse(R"({"enum":["Yes",3]})");
  EXPECT_TRUE(IsFree({.name = "say",
                      .description = {},
                      .schema = json::Object{{"properties", json::Object{{"to", listed}, {"text", text}}}}}));
  EXPECT_FALSE(IsFree(
      {.name = "take", .description = {}, .schema = json::Object{{"properties", json::Object{{"to", listed}}}}}));
  EXPECT_FALSE(IsFree({.name = "pass", .description = {}, .schema = nullptr}));
  EXPECT_EQ(TypedValue(" 12 ", text), json::Value("12"));
  EXPECT_EQ(TypedValue("yes", listed), json::Value("Yes"));
  EXPECT_EQ(TypedValue("3", listed), json::Value(3));
  EXPECT_EQ(TypedValue("no", listed), json::Value("no"));
}

}  // namespace
}  // namespace openseat::app
