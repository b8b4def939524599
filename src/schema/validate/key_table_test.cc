#include "schema/validate/key_table.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"

namespace openseat::schema {
namespace {

TEST(KeyTableTest, FindsWhatWasAddedAndNothingElse) {
  Rng rng(1);
  KeyTable table;
  EXPECT_EQ(table.Find("a"), KeyTable::kNone);
  std::vector<std::string> texts;
  for (std::size_t length = 0; length < 40; ++length) {
    for (int i = 0; i < 20; ++i) {
      std::string text;
      // Few letters: many texts that differ in one place.
      while (text.size() < length) text.push_back(static_cast<char>('a' + rng.Below(2)));
      const std::uint32_t known = table.Find(text);
      const std::uint32_t number = table.Add(text);
      if (known == KeyTable::kNone) {
        EXPECT_EQ(number, texts.size());
        texts.push_back(text);
      } else {
        EXPECT_EQ(number, known);
      }
    }
  }
  for (std::uint32_t number = 0; number < texts.size(); ++number) {
    EXPECT_EQ(table.Find(texts[number]), number);
    EXPECT_EQ(table.text(number), texts[number]);
    for (std::size_t at = 0; at < texts[number].size(); ++at) {
      std::string changed = texts[number];
      changed[at] = 'z';
      EXPECT_EQ(table.Find(changed), KeyTable::kNone) << changed;
      const PackedKey key = PackedKey::Of(texts[number]);
      EXPECT_TRUE(HasEnds(texts[number].data(), key.size, key.head, key.tail));
      if (key.size <= 16) {
        EXPECT_FALSE(HasEnds(changed.data(), key.size, key.head, key.tail)) << changed;
      }
    }
  }
}

// Texts that differ only where their packed form does not look are no reason for long searches.
TEST(KeyTableTest, IsNotSlowedByTextsThatAreAlike) {
  KeyTable alike;
  KeyTable usual;
  const auto text = [](int i, const char* around) { return around + std::to_string(1'000'000 + i) + around; };
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(alike.Add(text(i, "abcdefgh")), static_cast<std::uint32_t>(i));
    ASSERT_EQ(usual.Add(text(i, "ab")), static_cast<std::uint32_t>(i));
    ASSERT_EQ(usual.Add(text(i, "ab")), static_cast<std::uint32_t>(i));
  }
  EXPECT_TRUE(alike.is_crowded());
  EXPECT_FALSE(usual.is_crowded());
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(alike.Find(text(i, "abcdefgh")), static_cast<std::uint32_t>(i));
    EXPECT_EQ(usual.Find(text(i, "ab")), static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(alike.Find(text(5000, "abcdefgh")), KeyTable::kNone);
}

}  // namespace
}  // namespace openseat::schema
