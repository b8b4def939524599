#include "schema/formats/uri.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace openseat::schema {
namespace {

// RFC 3986, section 5.4: the references that the document itself resolves.
TEST(UriTest, ResolvesAsTheRfcDoes) {
  const std::string base = "http://a/b/c/d;p?q";
  const std::vector<std::pair<std::string, std::string>> examples = {{"g:h", "g:h"},
                                                                     {"g", "http://a/b/c/g"},
                                                                     {"./g", "http://a/b/c/g"},
                                                                     {"g/", "http://a/b/c/g/"},
                                                                     {"/g", "http://a/g"},
                                                                     {"//g", "http://g"},
                                                                     {"?y", "http://a/b/c/d;p?y"},
                                                                     {"g?y", "http://a/b/c/g?y"},
                                                                     {"#s", "http://a/b/c/d;p?q#s"},
                                                                     {"", "http://a/b/c/d;p?q"},
                                                                     {".", "http://a/b/c/"},
                                                                     {"..", "http://a/b/"},
                                                                     {"../g", "http://a/b/g"},
                                                                     {"../..", "http://a/"},
                                                                     {"../../g", "http://a/g"},
                                                                     {"../../../g", "http://a/g"},
                                                                     {"/./g", "http://a/g"},
                                                                     {"/../g", "http://a/g"},
                                                                     {"g.", "http://a/b/c/g."},
                                                                     {"..g", "http://a/b/c/..g"},
                                                                     {"./../g", "http://a/b/g"},
                                                                     {"g/./h", "http://a/b/c/g/h"},
                                                                     {"g/../h", "http://a/b/c/h"},
                                                                     {"http:g", "http:g"}};
  for (const auto& [reference, resolved] : examples) EXPECT_EQ(ResolveUri(base, reference), resolved) << reference;
  EXPECT_EQ(ResolveUri("", "a/b"), "a/b");
  EXPECT_EQ(ResolveUri("urn:uuid:1", "#a"), "urn:uuid:1#a");
  EXPECT_EQ(ResolveUri("http://a", "b"), "http://a/b");
}

TEST(UriTest, PointersAreEscapedBothWays) {
  std::string pointer;
  AppendPointerToken(pointer, "a/b");
  AppendPointerToken(pointer, "~1");
  AppendPointerToken(pointer, "");
  EXPECT_EQ(pointer, "/a~1b/~01/");
  EXPECT_EQ(SplitPointer(pointer), (std::vector<std::string>{"a/b", "~1", ""}));
  EXPECT_EQ(SplitPointer(""), std::vector<std::string>());
  EXPECT_FALSE(SplitPointer("a"));
  EXPECT_FALSE(SplitPointer("/~"));
  EXPECT_FALSE(SplitPointer("/~2"));
}

TEST(UriTest, DecodesPercentEscapes) {
  EXPECT_EQ(PercentDecode("a%20b%c3%A4%2"), "a b\xc3\xa4%2");
  EXPECT_EQ(PercentDecode("%zz%"), "%zz%");
}

}  // namespace
}  // namespace openseat::schema
