#include "protocols/neuro/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace openseat::neuro {
namespace {

TEST(Diagnostics, InfoOfFindsItsRow) {
  for (const DiagnosticInfo& info : AllDiagnostics()) {
    EXPECT_EQ(&InfoOf(info.diagnostic), &info);
    EXPECT_FALSE(info.sentence.empty());
    EXPECT_FALSE(info.advice.empty());
  }
}

TEST(Diagnostics, KeysAreUnique) {
  std::set<std::string_view> keys;
  for (const DiagnosticInfo& info : AllDiagnostics()) EXPECT_TRUE(keys.insert(info.key).second) << info.key;
}

// The page is the output of `openseat check --list`. Tests run in the project's folder.
TEST(Diagnostics, ThePageHoldsTheTable) {
  std::ifstream page("docs/rules.md");
  const std::string text{std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("\n" + RulesAsMarkdown()), std::string::npos) << "the table that docs/rules.md should hold:\n"
                                                                    << RulesAsMarkdown();
}

// A rule that no mode reports is dead.
TEST(Diagnostics, EveryRuleCountsSomewhere) {
  for (const DiagnosticInfo& info : AllDiagnostics()) {
    const auto& weights = info.weights.weights;
    EXPECT_TRUE(std::ranges::any_of(weights, [](Weight weight) { return weight != Weight::kNot; })) << info.key;
    // Advice does not fail a run; an action without a result does.
    if (info.key.starts_with("perf/") && info.diagnostic != Diagnostic::kResultTimeout) {
      EXPECT_LE(std::ranges::max(weights), Weight::kWarn) << info.key;
    }
  }
}

}  // namespace
}  // namespace openseat::neuro
