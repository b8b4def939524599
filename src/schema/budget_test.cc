// What each call of the module may cost, on schemas that ask for much more.
#include "schema/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schema/generate/generate.h"
#include "schema/inspect.h"
#include "schema/providers/project.h"
#include "schema/regex/regex.h"
#include "schema/schema.h"
#include "schema/schema_test_support.h"

namespace openseat::schema {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const Schema& schema, Budget& budget) {
  Rng rng(1);
  GenerateOptions options;
  options.budget = &budget;
  const Result<json::Value> value = Generate(schema, rng, options);
  return value ? json::Write(*value) : value.error().message;
}

// {"properties": {"p0": {...}, ...}}
json::Value Wide(int count) {
  json::Object properties;
  for (int i = 0; i < count; ++i) {
    properties["p" + std::to_string(i)] = json::Object{{"type", "integer"}, {"minimum", i}};
  }
  return json::Object{{"type", "object"}, {"properties", std::move(properties)}};
}

TEST(BudgetTest, IsExhaustedOnceAndForAll) {
  Budget budget(10, 100);
  EXPECT_TRUE(budget.Spend(9));
  EXPECT_FALSE(budget.Spend(1)) << "all of it is too much, too";
  EXPECT_FALSE(budget.Spend(0));
  EXPECT_TRUE(budget.exhausted());
  EXPECT_EQ(budget.Exceeded("be told").message, "the schema needs more than 10 steps to be told");
  EXPECT_EQ(budget.Exceeded("be told").code, ErrorCode::kTooLarge);
  budget = Budget(1'000, 100);
  EXPECT_TRUE(budget.Make(100));
  EXPECT_FALSE(budget.Make(1));
  EXPECT_EQ(budget.Exceeded("be told").message, "the schema needs more than 100 bytes to be told");
}

TEST(BudgetTest, EveryCallEndsWithAnErrorThatSaysSo) {
  const json::Value wide = Wide(500);
  Budget budget(1'000);
  CompileOptions options;
  options.budget = &budget;
  const auto compiled = Schema::Compile(wide, options);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(compiled.error().message, "the schema needs more than 1000 steps to be compiled");
  budget = Budget(1'000);
  EXPECT_EQ(Inspect(wide, budget).error().message, "the schema needs more than 1000 steps to be inspected");
  for (const Dialect dialect : {Dialect::kOpenAi, Dialect::kGemini, Dialect::kAnthropicTool}) {
    budget = Budget(1'000);
    EXPECT_EQ(Project(wide, dialect, budget).error().message,
              "the schema needs more than 1000 steps to be put into the provider's dialect");
  }
  const auto schema = *Schema::Compile(wide);
  budget = Budget(1'000);
  EXPECT_EQ(ErrorOf(*schema, budget), "the schema needs more than 1000 steps to generate a value");
  json::Object instance;
  for (int i = 0; i < 500; ++i) instance["p" + std::to_string(i)] = 0;
  budget = Budget(100);
  EXPECT_FALSE(schema->IsValid(instance, budget));
  EXPECT_TRUE(budget.exhausted());
  budget = Budget(100);
  const std::vector<Violation> found = schema->Validate(instance, budget);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].keyword, "limit");
  EXPECT_THAT(found[0].message, HasSubstr("more than 100 steps to check this value"));
}

TEST(BudgetTest, CallsMayShareOne) {
  const auto schema = *Schema::Compile(Wide(100));
  Budget budget(500);
  int calls = 0;
  while (schema->IsValid(json::Object(), budget)) ++calls;
  EXPECT_TRUE(budget.exhausted());
  EXPECT_GT(calls, 1);
  EXPECT_LT(calls, 500);
}

// Requests of a few hundred bytes that took seconds, or never ended, before work was counted.
TEST(BudgetTest, PatternsSpendFromIt) {
  const auto hopeless =
      Compiled(R"({"type":"string","minLength":300,"allOf":[{"pattern":"^(a|b|ab)*a$"},{"pattern":"^(a|b|ab)*b$"}]})");
  const auto denied = Compiled(R"({"type":"string","pattern":"^(a+)+$","not":{"pattern":"^(a+)+$"}})");
  const auto look_ahead = Compiled(R"({"type":"string","minLength":200,"pattern":"^(?=(a|b|ab)*a$)(a|b|ab)*b$"})");
  for (const auto& schema : {hopeless, denied, look_ahead}) {
    Budget budget;
    EXPECT_EQ(ErrorOf(*schema, budget), "the schema needs more than 300000 steps to generate a value");
  }
  const auto names = Compiled(R"({"type":"object","minProperties":50,"propertyNames":{"pattern":"^(a|b|ab)*\\b$"}})");
  Budget budget(50'000);
  EXPECT_THAT(ErrorOf(*names, budget), HasSubstr("more than 50000 steps"));
}

TEST(BudgetTest, ValuesHaveALimitInBytes) {
  const auto long_strings =
      Compiled(R"({"type":"array","minItems":100,"maxItems":100,"items":{"type":"string","minLength":100000}})");
  Budget budget(100'000'000);
  EXPECT_EQ(ErrorOf(*long_strings, budget), "the schema needs more than 1048576 bytes to generate a value");
  // Each group is the one before it twice.
  std::string pattern = "^(a)";
  for (int i = 1; i < 90; ++i) pattern += "(\\\\" + std::to_string(i) + "\\\\" + std::to_string(i) + ")";
  const auto doubling = Compiled(R"({"type":"string","minLength":1,"pattern":")" + pattern + R"("})");
  budget = Budget(100'000'000);
  EXPECT_THAT(ErrorOf(*doubling, budget), HasSubstr("more than 1048576 bytes"));
}

TEST(BudgetTest, RepetitionsOfNothingEndSoon) {
  for (const char* count : {"{8}", "{400}", "{0,400}", "*"}) {
    std::string pattern;
    for (int i = 0; i < 49; ++i) pattern = "(?:" + pattern + ")" + count;
    Budget budget;
    const Result<Regex> regex = Regex::Compile("^" + pattern + "$", 4096, budget);
    if (!regex) continue;  // PCRE2 has bounds of its own
    std::uint64_t steps = kCallSteps;
    EXPECT_NE(regex->Match("a", steps), Regex::Outcome::kYes) << count;
  }
}

TEST(BudgetTest, MatchingCountsWhatPcre2Does) {
  const auto steps_of = [](std::string_view pattern, std::string_view text) {
    Budget budget(10 * kCallSteps);
    const Result<Regex> regex = Regex::Compile(pattern, 4096, budget);
    EXPECT_TRUE(regex) << pattern;
    std::uint64_t steps = 1'000'000'000;
    regex->Match(text, steps);
    return 1'000'000'000 - steps;
  };
  const std::string few = "b" + std::string(100, 'a');
  const std::string many = "b" + std::string(1'000, 'a');
  // Once over the text, and from every start of it over the rest: by steps back, by scanning, by comparing.
  EXPECT_LT(steps_of("^(?!c)[a-z]+$", many), 1'000u);
  for (const char* pattern : {"[a-z]+(?=b)", "[a-z]{90}(?=b)", "(?:[a-z]|_)+(?=b)$"}) {
    const std::uint64_t little = steps_of(pattern, few);
    const std::uint64_t much = steps_of(pattern, many);
    EXPECT_GT(much, 20 * little) << pattern << " " << little;
    EXPECT_GT(much, 20'000u) << pattern;
  }
  std::uint64_t steps = 1'000;
  Budget budget;
  EXPECT_GT(steps_of("(a+)c?\\1d", std::string(1'000, 'a') + "d"), 30'000u);
  EXPECT_EQ(Regex::Compile("[a-z]+(?=b)", 4096, budget)->Match(many, steps), Regex::Outcome::kLimit);
  EXPECT_EQ(steps, 0u);
}

// Schemas of games and of 100 kB that are nothing but large stay well within what a call may take.
TEST(BudgetTest, ReasonableSchemasNeedLittle) {
  Budget budget;
  const json::Value large = Wide(1'500);
  EXPECT_GT(json::Write(large).size(), 50'000u);
  EXPECT_TRUE(Inspect(large, budget));
  const auto schema = *Schema::Compile(large);
  budget = Budget();
  EXPECT_THAT(ErrorOf(*schema, budget), HasSubstr(R"("p1)"));
  const auto move = Compiled(R"({"type":"object","properties":{"position":{"type":"array","items":{"type":"integer",
      "minimum":0,"maximum":2},"minItems":2,"maxItems":2},"note":{"type":"string","pattern":"^[a-z ]{0,20}$"}},
      "required":["position","note"]})");
  budget = Budget();
  ErrorOf(*move, budget);
  EXPECT_LT(budget.granted() - budget.left(), 3'000u);
}

}  // namespace
}  // namespace openseat::schema
