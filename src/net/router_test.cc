#include "net/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/router_match.h"
#include "net/test_server.h"
#include "net/url.h"

namespace openseat::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class RouterTest : public ::testing::Test {
 protected:
  void Get(const std::string& pattern) {
    router_.Add(Method::kGet, pattern, {}, [this, pattern](const HttpRequest&, HttpReply) { hit_ = pattern; });
  }
  Router::Match Find(Method method, std::string_view path, bool upgrade = false) {
    return router_.impl().Find(method, upgrade, ParseTarget(path)->segments);
  }
  // The pattern whose handler answers a GET of `path`; "" if there is no such handler.
  std::string Hit(std::string_view path) {
    hit_.clear();
    const auto match = Find(Method::kGet, path);
    if (match.handler != nullptr) (*match.handler)({}, HttpReply(nullptr));
    return hit_;
  }

  Router router_;
  std::string hit_;
};

TEST_F(RouterTest, LiteralsWinOverParametersOverTheRest) {
  for (const char* pattern : {"/", "/a", "/a/b", "/a/:x", "/a/:x/c", "/*rest"}) Get(pattern);
  EXPECT_EQ(Hit("/"), "/");
  EXPECT_EQ(Hit("/a"), "/a");
  EXPECT_EQ(Hit("/a/b"), "/a/b");
  EXPECT_EQ(Hit("/a/z"), "/a/:x");
  EXPECT_EQ(Hit("/a/b/c"), "/a/:x/c");  // back from the literal "b"
  EXPECT_EQ(Hit("/a/b/d"), "/*rest");
  EXPECT_EQ(Hit("/a/"), "/*rest");  // a parameter is never empty
}

TEST_F(RouterTest, FillsParameters) {
  Get("/t/:id/*file");
  EXPECT_THAT(Find(Method::kGet, "/t/a%2Fb/x/y").params, ElementsAre(Pair("id", "a/b"), Pair("file", "x/y")));
  EXPECT_THAT(Find(Method::kGet, "/t/1/").params, ElementsAre(Pair("id", "1"), Pair("file", "")));
}

TEST_F(RouterTest, SaysWhichMethodsAPathHas) {
  Get("/x");
  router_.Add(Method::kDelete, "/x", {}, [](const HttpRequest&, HttpReply) {});
  EXPECT_EQ(Find(Method::kPost, "/x").handler, nullptr);
  EXPECT_EQ(Find(Method::kPost, "/x").allow, "GET, HEAD, DELETE, OPTIONS");
  EXPECT_NE(Find(Method::kHead, "/x").handler, nullptr);
  EXPECT_THAT(Find(Method::kGet, "/y").allow, IsEmpty());
}

TEST_F(RouterTest, AWebSocketRouteNamesItsOwnParameters) {
  Get("/g/:a");
  router_.AddWebSocket("/g/:b", {}, EchoFactory());
  EXPECT_THAT(Find(Method::kGet, "/g/1", false).params, ElementsAre(Pair("a", "1")));
  EXPECT_THAT(Find(Method::kGet, "/g/1", true).params, ElementsAre(Pair("b", "1")));
  EXPECT_NE(Find(Method::kGet, "/g/1", true).websocket, nullptr);
}

TEST_F(RouterTest, ListsItsRoutes) {
  RouteInfo info;
  info.summary = "One.";
  router_.Add(Method::kPut, "/x/:y", info, [](const HttpRequest&, HttpReply) {});
  ASSERT_EQ(router_.routes().size(), 1u);
  EXPECT_EQ(router_.routes()[0].pattern, "/x/:y");
  EXPECT_EQ(router_.routes()[0].info.summary, "One.");
}

using RouterDeathTest = RouterTest;

TEST_F(RouterDeathTest, RefusesTheSameRouteTwice) {
  Get("/x/:a");
  EXPECT_DEATH(Get("/x/:b"), "two routes for GET /x/:b");
}

}  // namespace
}  // namespace openseat::net
