#include "net/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openseat::net {
namespace {

using ::testing::HasSubstr;

HttpRequest From(const std::string& origin, const std::string& host = "127.0.0.1:8000") {
  HttpRequest request;
  request.headers.Add("Host", host);
  if (!origin.empty()) request.headers.Add("Origin", origin);
  return request;
}

bool May(const HttpRequest& request, const std::vector<std::string>& allowed = {}) {
  return CheckPage(request, allowed).has_value();
}

TEST(CheckPage, PagesOfTheServersOwnOriginMay) {
  EXPECT_TRUE(May(From(""))) << "no browser";
  EXPECT_TRUE(May(From("http://127.0.0.1:8000")));
  EXPECT_TRUE(May(From("http://localhost:8000", "LocalHost:8000")));
  EXPECT_TRUE(May(From("https://play.example", "play.example"))) << "TLS ends before us";
  EXPECT_TRUE(May(From("http://[::1]:8000", "[::1]:8000")));
  // As native libraries make it up.
  EXPECT_TRUE(May(From("http://127.0.0.1")));
  EXPECT_TRUE(May(From("http://[::1]", "[::1]:8000")));
}

TEST(CheckPage, APageOfTheDefaultPortIsAnother) {
  const auto page = [](const std::string& origin, const std::string& host) {
    HttpRequest request = From(origin, host);
    request.headers.Add("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
    return May(request);
  };
  EXPECT_TRUE(page("http://127.0.0.1:8000", "127.0.0.1:8000"));
  EXPECT_TRUE(page("https://play.example", "play.example"));
  EXPECT_FALSE(page("http://127.0.0.1", "127.0.0.1:8000"));
  EXPECT_FALSE(page("https://play.example", "play.example:8443"));
  EXPECT_FALSE(page("http://[::1]", "[::1]:8000"));
}

TEST(CheckGamePage, APageWhoseNameResolvesToThisMachineMayNot) {
  const auto may = [](const std::string& origin, const std::string& host, bool browser,
                      const std::vector<std::string>& allowed = {}) {
    HttpRequest request = From(origin, host);
    request.loopback = true;
    if (browser) request.headers.Add("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
    return CheckGamePage(request, allowed).has_value();
  };
  EXPECT_TRUE(may("http://localhost:5173", "127.0.0.1:8000", true));
  EXPECT_FALSE(may("http://evil.example:8000", "evil.example:8000", true));
  EXPECT_FALSE(may("", "evil.example:8000", true));
  EXPECT_TRUE(may("http://my.game:8000", "my.game:8000", true, {"http://my.game:8000"}));
  EXPECT_TRUE(may("", "my.game:8000", false)) << "a program";
  EXPECT_THAT(CheckGamePage(From("http://evil.example"), {}).error().message,
              HasSubstr("pages of http://evil.example may not use this program; use --allow-origin"));
}

// Somebody on the way can show any page of http://.
TEST(CheckPage, APageWithoutTlsIsNotThatOfAServerWithTls) {
  HttpRequest request = From("http://play.example", "play.example");
  request.https = true;
  EXPECT_TRUE(May(request)) << "as native libraries make it up";
  request.headers.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
  EXPECT_FALSE(May(request));
  request.headers.Set("Origin", "https://play.example");
  EXPECT_TRUE(May(request));
  EXPECT_TRUE(May(From("http://127.0.0.1:5173"), {"http://127.0.0.1:5173"})) << "an allowed page";
}

TEST(CheckPage, OtherPagesMayNot) {
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:8001", "http://127.0.0.1:80000", "http://localhost:8000",
        "http://evil.example:8000", "127.0.0.1:8000", "file://127.0.0.1:8000", "http://127.0.0.1.evil.example",
        "http://127.0.0.1:8000.evil.example", "http://user@127.0.0.1:8000", "http://", "http://[::1]:8000", " "}) {
    EXPECT_FALSE(May(From(origin))) << origin;
  }
  const Result<void> refused = CheckPage(From("http://evil.example"), {});
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  EXPECT_THAT(refused.error().message, HasSubstr("[access]"));
}

TEST(CheckPage, AllowedOriginsMay) {
  const std::vector<std::string> allowed{"http://localhost:5173", "https://games.example"};
  EXPECT_TRUE(May(From("http://localhost:5173"), allowed));
  EXPECT_TRUE(May(From("https://games.example"), allowed));
  EXPECT_FALSE(May(From("http://games.example"), allowed));
  EXPECT_FALSE(May(From("http://localhost:5174"), allowed));
  EXPECT_FALSE(May(From("null"), allowed));
}

TEST(CheckPage, WithoutOriginABrowsersOwnWordCounts) {
  HttpRequest request = From("");
  request.headers.Set("Sec-Fetch-Site", "same-origin");
  EXPECT_TRUE(May(request));
  request.headers.Set("Sec-Fetch-Site", "none");
  EXPECT_TRUE(May(request));
  request.headers.Set("Sec-Fetch-Site", "cross-site");
  EXPECT_FALSE(May(request));
  request.headers.Set("Sec-Fetch-Mode", "no-cors");
  EXPECT_FALSE(May(request));
  // Links that people follow lead to pages from anywhere …
  request.headers.Set("Sec-Fetch-Mode", "navigate");
  request.headers.Set("Sec-Fetch-Dest", "document");
  EXPECT_FALSE(May(request)) << "not to what programs ask for";
  request.page = true;
  EXPECT_TRUE(May(request));
  // … forms, frames and WebSockets do not.
  request.method = Method::kPost;
  EXPECT_FALSE(May(request));
  request.method = Method::kGet;
  request.headers.Set("Sec-Fetch-Dest", "iframe");
  EXPECT_FALSE(May(request));
  request.headers.Set("Sec-Fetch-Dest", "document");
  request.headers.Set("Upgrade", "websocket");
  EXPECT_FALSE(May(request));
  // An allowed page is of another site, too.
  HttpRequest allowed = From("https://games.example");
  allowed.headers.Set("Sec-Fetch-Site", "cross-site");
  EXPECT_TRUE(May(allowed, {"https://games.example"}));
}

TEST(AllowedOrigin, IsThatOfAPageThatMayReadAnswers) {
  const std::vector<std::string> allowed{"http://localhost:5173"};
  EXPECT_EQ(AllowedOrigin(From("http://localhost:5173"), allowed), "http://localhost:5173");
  EXPECT_EQ(AllowedOrigin(From("http://LOCALHOST:5173"), allowed), "http://LOCALHOST:5173") << "as it was sent";
  EXPECT_EQ(AllowedOrigin(From("http://localhost:5173"), {}), "");
  EXPECT_EQ(AllowedOrigin(From(""), allowed), "");
  EXPECT_EQ(AllowedOrigin(From("http://127.0.0.1:8000"), allowed), "") << "the server's own needs no leave";
  EXPECT_EQ(AllowedOrigin(From("http://evil.example"), allowed), "");
}

TEST(ParseOrigin, GivesTheFormThatBrowsersSend) {
  EXPECT_EQ(ParseOrigin("HTTP://Localhost:5173/").value(), "http://localhost:5173");
  EXPECT_EQ(ParseOrigin("https://[::1]:8443").value(), "https://[::1]:8443");
  for (const char* text : {"localhost:5173", "ws://localhost", "http://", "http://a/b", "http://*.example", "*", "null",
                           "http://u@h", "http://a b", ""}) {
    EXPECT_FALSE(ParseOrigin(text).has_value()) << text;
  }
}

TEST(HostOnly, TakesThePortAndTheBracketsAway) {
  EXPECT_EQ(HostOnly("Play.Example:80"), "play.example");
  EXPECT_EQ(HostOnly("play.example"), "play.example");
  EXPECT_EQ(HostOnly("[FD00::5]:80"), "fd00::5");
  EXPECT_EQ(HostOnly("fd00::5"), "fd00::5");
  EXPECT_EQ(HostOnly("[::1].evil.example"), "");
  EXPECT_EQ(HostOnly(""), "");
}

}  // namespace
}  // namespace openseat::net
