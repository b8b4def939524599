#include "protocols/neuro/diagnostics.h"

#include <gtest/gtest.h>

#include <fstream>
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

// The page's table equals the code's, row by row. Tests run in the project's folder.
TEST(Diagnostics, ThePageHoldsTheSameTable) {
  std::ifstream page("docs/protocols/neuro.md");
  ASSERT_TRUE(page.is_open());
  std::string expected;
  for (const DiagnosticInfo& info : AllDiagnostics()) {
    expected.append("| `").append(info.key).append("` | ").append(SeverityName(info.severity)).append(" | ");
    expected.append(info.sentence).append(" | ").append(info.advice).append(" |\n");
  }
  std::string found;
  std::string line;
  bool in_table = false;
  while (std::getline(page, line)) {
    if (line.starts_with("| key | severity |")) {
      in_table = true;
      std::getline(page, line);  // the rule below the heading
    } else if (in_table && line.starts_with("|")) {
      found += line + "\n";
    } else {
      in_table = false;
    }
  }
  EXPECT_EQ(found, expected) << "the table that docs/protocols/neuro.md should hold:\n" << expected;
}

}  // namespace
}  // namespace openseat::neuro
