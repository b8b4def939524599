#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openseat {
namespace {

TEST(Text, SanitizesInvalidUtf8) {
  EXPECT_EQ(SanitizeUtf8("caf\xC3\xA9"), "café");
  EXPECT_EQ(SanitizeUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(SanitizeUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(SanitizeUtf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // an overlong slash
}

TEST(Text, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(EscapeControls("plain \"text\", caf\xC3\xA9 \xE2\x80\xA6 \xC2\xA0"),
            "plain \"text\", caf\xC3\xA9 \xE2\x80\xA6 \xC2\xA0");
  EXPECT_EQ(EscapeControls("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(EscapeControls(std::string_view("\x1b[2J\x7f\0", 6)), "\\x1b[2J\\x7f\\x00");
  EXPECT_EQ(EscapeControls("\xC2\x9b"
                           "31m\xC2"),
            "\\x9b31m\xC2");
}

TEST(Text, MakesWhatAStrangerWrotePrintable) {
  EXPECT_EQ(Printable("caf\xC3\xA9\n\x1b]52;c;eA==\x07"), "caf\xC3\xA9\\n\\x1b]52;c;eA==\\x07");
  EXPECT_EQ(Printable("\x9b\xC2\x9bm"), "\xEF\xBF\xBD\\x9bm") << "a byte that is no character, and the character";
  EXPECT_EQ(PrintableLines("a\n\tb\r\n\x1b[2J"), "a\n\tb\\r\n\\x1b[2J");
  EXPECT_EQ(PrintableLines("\n"), "\n");
  EXPECT_EQ(PrintableLines(""), "");
}

TEST(Text, CutsAtACharacter) {
  EXPECT_EQ(Ellipsize("short", 10), "short");
  EXPECT_EQ(Ellipsize("éééé", 3), "é…");
}

TEST(Text, QuotesTheBeginning) {
  EXPECT_EQ(Quote("short"), "\"short\"");
  EXPECT_EQ(Quote("éééé", 3), "\"é…\"");
  EXPECT_EQ(Quote(std::string(1u << 20, '\x7f')), "\"" + std::string(kQuotedBytes, '\x7f') + "…\"");
}

TEST(Text, ListsTheFirst) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Listing(Names{}), "");
  EXPECT_EQ(Listing(Names{"a"}, " or "), "a");
  EXPECT_EQ(Listing(Names{"a", "b", "c"}, " or "), "a, b or c");
  EXPECT_EQ(Listing(Names{"a", "b", "c"}), "a, b, c");
  struct Person {
    std::string name;
  };
  EXPECT_EQ(Listing(std::vector<Person>{{"Ana"}, {"Bo"}}, " and ", &Person::name), "Ana and Bo");
  const std::string list = Listing(Names(5000, std::string(400, 'x')), " or ");
  EXPECT_TRUE(list.ends_with("x…, " + std::string(kQuotedBytes, 'x') + "… … and 4990 more")) << list;
  EXPECT_LT(list.size(), kListedBytes + 150);
}

TEST(Text, AppendsEveryLengthOfCharacter) {
  std::string out;
  for (const char32_t c : {U'a', U'é', U'€', U'😀'}) AppendUtf8(out, c);
  EXPECT_EQ(out, "aé€😀");
}

}  // namespace
}  // namespace openseat
