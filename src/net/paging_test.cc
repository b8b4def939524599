#include "net/paging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const auto kSelf = [](const std::string& item) { return item; };

TEST(Paging, PagesFollowOneAnotherWhateverComesAndGoes) {
  std::vector<std::string> items{"d", "a", "c", "b", "e"};
  const std::string first = CutPage(items, Page{2, ""}, kSelf);
  EXPECT_THAT(items, ElementsAre("a", "b"));
  EXPECT_EQ(first, "b");
  items = {"d", "c", "e", "aa", "a"};  // the cursor's own item is gone, and another came before it
  const std::string second = CutPage(items, Page{2, first}, kSelf);
  EXPECT_THAT(items, ElementsAre("c", "d"));
  items = {"d", "c", "e", "a"};
  EXPECT_EQ(CutPage(items, Page{2, second}, kSelf), "");
  EXPECT_THAT(items, ElementsAre("e"));
  items = {"a"};
  EXPECT_EQ(CutPage(items, Page{2, "z"}, kSelf), "");
  EXPECT_THAT(items, IsEmpty());
}

TEST(Paging, ThereIsNoNextPageBehindAFullLastOne) {
  std::vector<std::string> items{"a", "b"};
  EXPECT_EQ(CutPage(items, Page{2, ""}, kSelf), "");
  EXPECT_THAT(items, ElementsAre("a", "b"));
}

TEST(Paging, NewestFirst) {
  std::vector<std::string> items{"a", "c", "b"};
  const std::string next = CutPage(items, Page{2, ""}, kSelf, true);
  EXPECT_THAT(items, ElementsAre("c", "b"));
  items = {"a", "c", "b"};
  EXPECT_EQ(CutPage(items, Page{2, next}, kSelf, true), "");
  EXPECT_THAT(items, ElementsAre("a"));
}

TEST(Paging, ReadsTheRequest) {
  HttpRequest request;
  EXPECT_EQ(PageOf(request)->limit, kDefaultPage);
  request.query = {{"limit", "7"}, {"cursor", "x y"}};
  EXPECT_EQ(PageOf(request)->limit, 7u);
  EXPECT_EQ(PageOf(request)->cursor, "x y");
  request.query = {{"limit", "999999"}};
  EXPECT_EQ(PageOf(request)->limit, kMaxPage);
  for (const char* wrong : {"0", "-1", "many", ""}) {
    request.query = {{"limit", wrong}};
    EXPECT_FALSE(PageOf(request)) << wrong;
  }
}

}  // namespace
}  // namespace openseat::net
