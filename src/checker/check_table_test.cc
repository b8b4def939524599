#include "checker/check_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace openseat::checker {
namespace {

TEST(CheckTableTest, KeysAreUniqueAndInOrder) {
  std::set<std::string_view> keys;
  std::size_t index = 0;
  for (const CheckInfo& info : AllChecks()) {
    EXPECT_EQ(static_cast<std::size_t>(info.check), index++);
    EXPECT_TRUE(keys.insert(info.key).second) << info.key;
    EXPECT_FALSE(info.sentence.empty());
    EXPECT_FALSE(info.advice.empty());
  }
}

// The document must have the output of `openseat check --list`.
TEST(CheckTableTest, IsInTheDocument) {
  std::ifstream file("docs/checker.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("\n" + ChecksAsMarkdown()), std::string::npos) << ChecksAsMarkdown();
}

}  // namespace
}  // namespace openseat::checker
