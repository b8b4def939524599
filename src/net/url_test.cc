#include "net/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ParseTarget, SplitsAndDecodes) {
  const auto target = ParseTarget("/a%2fb/c%20d//?x=1&y=a+b%26&z&&=v#part");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "/a/b/c d//");
  EXPECT_THAT(target->segments, ElementsAre("a/b", "c d", "", ""));
  EXPECT_THAT(target->query, ElementsAre(Pair("x", "1"), Pair("y", "a b&"), Pair("z", ""), Pair("", "v")));
}

TEST(ParseTarget, TakesTheRootAndAbsoluteForms) {
  EXPECT_THAT(ParseTarget("/")->segments, ElementsAre(""));
  EXPECT_EQ(ParseTarget("http://host:1/x?q=1")->path, "/x");
  EXPECT_EQ(ParseTarget("http://host")->path, "/");
  EXPECT_EQ(ParseTarget("HTTPS://host/x")->authority, "host");
  EXPECT_EQ(ParseTarget("*")->path, "*");
}

// It may follow an address, and leads nowhere else.
TEST(ParseTarget, KeepsPathAndQueryUnchanged) {
  const std::pair<const char*, const char*> cases[] = {
      {"/a%2fb/../c?x=1&y=%20#part", "/a%2fb/../c?x=1&y=%20"},
      {"http://host:1/x%20?q=1#part", "/x%20?q=1"},
      {"http://host", "/"},
      {"http://host?q=http://evil", "/?q=http://evil"},
      {"https://host#part", "/"},
      {"//evil.example/x", "//evil.example/x"},
      {"/@evil.example:1", "/@evil.example:1"},
      {"*", "*"},
  };
  for (const auto& [target, origin] : cases) {
    const auto parsed = ParseTarget(target);
    ASSERT_TRUE(parsed.has_value()) << target;
    EXPECT_EQ(parsed->origin, origin) << target;
  }
}

TEST(ParseTarget, RefusesWhatIsBroken) {
  for (const char* target : {"x",
                             "",
                             "/%",
                             "/%1",
                             "/%zz",
                             "/%00",
                             "/?a=%x0",
                             "8/://localhost/mcp",
                             "@evil.example/://localhost/mcp",
                             "://localhost/mcp",
                             ":80/http://localhost/",
                             "ftp://h/x",
                             "ws://h/x",
                             "httpx://h/x",
                             " http://h/x",
                             "http:///x",
                             "http://?x",
                             "http://user@h/x",
                             "**",
                             "*/x",
                             "?x",
                             "#"}) {
    EXPECT_FALSE(ParseTarget(target).has_value()) << target;
  }
}

TEST(ParseWebSocketUrl, TakesItsParts) {
  const auto url = ParseWebSocketUrl("WS://Example.org:8080/a/b?c=d%20#e");
  ASSERT_TRUE(url.has_value());
  EXPECT_FALSE(url->tls);
  EXPECT_EQ(url->host, "Example.org");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->target, "/a/b?c=d%20");
  EXPECT_EQ(url->Authority(), "Example.org:8080");
}

TEST(ParseWebSocketUrl, KnowsPortsAndAddresses) {
  EXPECT_EQ(ParseWebSocketUrl("wss://h")->port, 443);
  EXPECT_EQ(ParseWebSocketUrl("wss://h")->Authority(), "h");
  EXPECT_EQ(ParseWebSocketUrl("ws://h?x")->target, "/?x");
  EXPECT_EQ(ParseWebSocketUrl("ws://[::1]:9/")->host, "::1");
  EXPECT_EQ(ParseWebSocketUrl("ws://[::1]:9/")->Authority(), "[::1]:9");
}

TEST(ParseWebSocketUrl, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"http://x", "must begin with ws://"},
      {"x", "must begin with ws://"},
      {"ws://", "host is missing"},
      {"ws://x:0", "port must be"},
      {"ws://x:65536", "port must be"},
      {"ws://x:1a", "port must be"},
      {"ws://[::1", "no \"]\""},
      {"ws://u@x", "user name"},
      {"ws://x/a b", "space"},
  };
  for (const auto& [text, why] : cases) {
    const auto url = ParseWebSocketUrl(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_THAT(url.error().message, HasSubstr(why));
    EXPECT_EQ(url.error().code, ErrorCode::kInvalid);
  }
}

TEST(ParseHttpUrl, IsTheSameParser) {
  const auto url = ParseHttpUrl("HTTPS://[::1]:8443/a?b#c");
  ASSERT_TRUE(url.has_value());
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->Authority(), "[::1]:8443");
  EXPECT_EQ(url->target, "/a?b");
  EXPECT_EQ(ParseHttpUrl("http://h")->Authority(), "h");
  for (const char* wrong : {"", "h", "ws://h", "ftp://h", "http://", "https:///x", "http://u:p@h", "http://h\\@i",
                            "http://h/a b", "http://h:0", "http://[::1", "http://[::1].evil.example/"}) {
    EXPECT_FALSE(ParseHttpUrl(wrong).has_value()) << wrong;
  }
  EXPECT_THAT(ParseHttpUrl("ftp://h").error().message,
              HasSubstr("is not a valid HTTP URL: it must begin with http:// or https://"));
}

TEST(IsLoopbackHost, KnowsThisMachinesOwnNames) {
  for (const char* host : {"localhost", "LocalHost", "127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.1", "127.",
                           "127.0.0.1.", "127.0.0.256", "0x7f.0.0.1", "2130706433", "128.0.0.1", "0.0.0.0",
                           "::", "[::1]", "::1%lo", "::ffff:127.0.0.1", "fe80::1"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
  EXPECT_FALSE(IsLoopbackHost(std::string_view("127.0.0.1\0.evil.example", 23)));
}

}  // namespace
}  // namespace openseat::net
