#include "schema/regex/regex.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "schema/generate/generate_pattern.h"
#include "schema/regex/regex_syntax.h"

namespace openseat::schema {
namespace {

Result<Regex> RegexOf(std::string_view pattern, std::size_t max_bytes = 4096) {
  Budget budget;
  return Regex::Compile(pattern, max_bytes, budget);
}

Regex::Outcome OutcomeOf(const Regex& regex, std::string_view text) {
  std::uint64_t steps = kCallSteps;
  return regex.Match(text, steps);
}

bool Matches(std::string_view pattern, std::string_view text) {
  const auto regex = RegexOf(pattern);
  EXPECT_TRUE(regex) << pattern << ": " << regex.error().message;
  return OutcomeOf(*regex, text) == Regex::Outcome::kYes;
}

TEST(RegexTest, FollowsEcma262) {
  EXPECT_TRUE(Matches("b", "abc"));
  EXPECT_FALSE(Matches("^b", "abc"));
  EXPECT_FALSE(Matches("^abc$", "abc\n"));
  EXPECT_FALSE(Matches("^.$", "\n"));
  EXPECT_FALSE(Matches("^.$", "\xE2\x80\xA8"));
  EXPECT_TRUE(Matches("^.$", "\xF0\x9F\x98\x80"));
  EXPECT_TRUE(Matches("^[^a]$", "é"));
  EXPECT_FALSE(Matches("^\\d$", "٣"));
  EXPECT_TRUE(Matches("^\\p{Nd}$", "٣"));
  EXPECT_TRUE(Matches("^\\p{Script=Greek}+$", "αβγ"));
  EXPECT_TRUE(Matches("^\\u00e9\\u{1F600}\\uD83D\\uDE00$", "é😀😀"));
  EXPECT_TRUE(Matches("^(?<year>\\d{4})-\\k<year>$", "1999-1999"));
  EXPECT_TRUE(Matches("^(a)?\\1b$", "b"));
  EXPECT_FALSE(Matches("[]", "a"));
  EXPECT_TRUE(Matches("^[^]$", "\n"));
  EXPECT_TRUE(Matches("", ""));
  EXPECT_TRUE(Matches("", {}));
  EXPECT_TRUE(Matches("\\bfoo\\b", "a foo b"));
  EXPECT_TRUE(Matches("(?<!a)b", "cb"));
  EXPECT_TRUE(Matches("^(?:a|^b)$", "b"));
  EXPECT_FALSE(Matches("a^b", "ab"));
  EXPECT_FALSE(Matches("a$b", "ab"));
  EXPECT_TRUE(Matches("x*", "aaa"));
  EXPECT_TRUE(Matches("^x*$", ""));
}

TEST(RegexTest, ForgivesCommonSloppiness) {
  EXPECT_TRUE(Matches("^[\\w\\-.]+\\@x\\-y$", "a-b.c@x-y"));
  EXPECT_TRUE(Matches("^{a}]$", "{a}]"));
  EXPECT_TRUE(Matches("^[\\w-.]$", "-"));
  for (const char* pattern : {"\\-", "{", "}", "[\\w-.]"}) EXPECT_FALSE(ParseRegex(pattern, true)) << pattern;
}

TEST(RegexTest, RefusesWhatIsNone) {
  for (const char* pattern : {"(", ")", "[", "a**", "+", "(?P<n>a)", "(?i)a", "\\Z", "\\1", "\\k<n>", "a{3,2}", "[b-a]",
                              "\\p{", "\\u12", "\\", "(?<n>a)(?<n>b)", "\\p{NoSuchProperty}"}) {
    EXPECT_FALSE(RegexOf(pattern)) << pattern;
  }
  EXPECT_EQ(RegexOf("(?<=a+)b").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(RegexOf("aaaa", 3).error().code, ErrorCode::kTooLarge);
  EXPECT_FALSE(RegexOf(std::string(100, '(') + std::string(100, ')')));
}

TEST(RegexTest, GivesUpOnEndlessBacktracking) {
  const auto regex = RegexOf("^(?=a)(a+)+$");
  ASSERT_TRUE(regex);
  EXPECT_EQ(OutcomeOf(*regex, std::string(100, 'a') + "!"), Regex::Outcome::kLimit);
  // The same without the look-ahead is a table of states, which takes one step a character.
  const auto table = RegexOf("^(a+)+$");
  EXPECT_EQ(OutcomeOf(*table, std::string(100'000, 'a') + "!"), Regex::Outcome::kNo);
}

// The table of states and PCRE2 agree, on texts made from pieces of the pattern's alphabet and on generated ones.
TEST(RegexTest, BothMatchersAgree) {
  const std::vector<std::string> atoms = {"a", "b", "[ab]", "[^a]",  ".",     "\\d",     "é",  "[à-ü]",
                                          "$", "^", "\\n",  "(a|b)", "(ab|)", "(^a|b$)", "[]", "[^]"};
  const std::vector<std::string> quantifiers = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?"};
  const std::vector<std::string> characters = {"a", "b", "c", "1", "\n", "é", "ÿ", "\xE2\x80\xA8", "😀"};
  Rng rng(7);
  int tables = 0;
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string pattern;
    for (std::uint64_t k = rng.Below(5) + 1; k > 0; --k) {
      const std::string& atom = atoms[rng.Below(atoms.size())];
      pattern += atom;
      if (atom != "^" && atom != "$") pattern += quantifiers[rng.Below(quantifiers.size())];
      if (rng.Chance(0.1)) pattern += "|";
    }
    const auto syntax = ParseRegex(pattern, false);
    ASSERT_TRUE(syntax) << pattern << ": " << syntax.error().message;
    Budget budget(10 * kCallSteps);
    const auto dfa = RegexDfa::Build(*syntax, budget);
    if (!dfa) continue;
    ++tables;
    const auto pcre2 = Regex::CompileForPcre2(*syntax, budget);
    ASSERT_TRUE(pcre2) << pattern;
    PatternGenerator generator(*syntax, {0, 20}, 5, budget);
    for (int k = 0; k < 20; ++k) {
      std::string text;
      if (k % 4 == 0) text = generator.Next(rng).value_or("");
      for (std::uint64_t n = rng.Below(6); n > 0; --n) text += characters[rng.Below(characters.size())];
      const bool expected = OutcomeOf(*pcre2, text) == Regex::Outcome::kYes;
      matched += expected ? 1 : 0;
      ASSERT_EQ(dfa->Matches(text), expected) << pattern << " on \"" << text << "\"";
    }
  }
  EXPECT_GT(tables, 2000);
  EXPECT_GT(matched, 10000);
}

// One comparison of all characters agrees with the table of states, on texts of the pattern and ones nearly so.
TEST(RegexTest, ShortPatternsAgreeWithTables) {
  const std::vector<std::string> atoms = {"a",   "[a-h]", "[0-9]", "\\d",   "[ -~]", "[\\x00-\\x7f]",
                                          "(b)", "~",     "[^a]",  "[ab-d]"};
  const std::vector<std::string> quantifiers = {"", "", "", "{2}", "{3}", "{0}", "?"};
  const std::vector<std::string> characters = {
      "a", "b", "h", "i", "0", "9", ":", "/", "~", " ", "\x7f", std::string(1, '\0'), "é"};
  Rng rng(11);
  int shapes = 0;
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string pattern = "^";
    for (std::uint64_t k = rng.Below(6) + 1; k > 0; --k) {
      pattern += atoms[rng.Below(rng.Chance(0.9) ? 8 : atoms.size())];
      pattern += quantifiers[rng.Below(rng.Chance(0.9) ? 6 : quantifiers.size())];
    }
    pattern += "$";
    const auto syntax = ParseRegex(pattern, false);
    ASSERT_TRUE(syntax) << pattern << ": " << syntax.error().message;
    const auto shape = RegexShort::Build(*syntax);
    Budget budget(10 * kCallSteps);
    const auto dfa = RegexDfa::Build(*syntax, budget);
    if (!shape || !dfa) continue;
    ++shapes;
    PatternGenerator generator(*syntax, {0, 20}, 5, budget);
    for (int k = 0; k < 40; ++k) {
      std::string text = generator.Next(rng).value_or("");
      for (std::uint64_t n = rng.Below(3); n > 0; --n) {
        const std::string& other = characters[rng.Below(characters.size())];
        const std::size_t at = rng.Below(text.size() + 1);
        text =
            text.substr(0, at) + other + (rng.Chance(0.8) && at < text.size() ? text.substr(at + 1) : text.substr(at));
      }
      const bool expected = dfa->Matches(text);
      matched += expected ? 1 : 0;
      ASSERT_EQ(shape->Matches(text), expected) << pattern << " on \"" << text << "\"";
    }
  }
  EXPECT_GT(shapes, 1000);
  EXPECT_GT(matched, 10000);
}

TEST(RegexTest, KnowsShortPatterns) {
  const auto is_short = [](const char* pattern) { return RegexShort::Build(*ParseRegex(pattern, false)).has_value(); };
  for (const char* good : {"^a$", "^[a-h][1-8]$", "^c[0-9]{4}$", "^(ab)c$"}) EXPECT_TRUE(is_short(good)) << good;
  for (const char* bad : {"a", "^a", "a$", "^$", "^a+$", "^[ab]{1,2}$", "^[acx]$", "^é$", "^a$b", "a^$", "^123456789$",
                          "^a|b$", "^(?=a)a$"}) {
    EXPECT_FALSE(is_short(bad)) << bad;
  }
}

}  // namespace
}  // namespace openseat::schema
