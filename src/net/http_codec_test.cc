#include "net/http_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace openseat::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using State = RequestParser::State;

constexpr HttpLimits kLimits{.max_target_bytes = 100, .max_header_bytes = 400, .max_body_bytes = 50};

TEST(HttpResponse, AnErrorIsCut) {
  const std::string much(1u << 20, 'x');
  const HttpResponse response = HttpResponse::FromError({ErrorCode::kInvalid, much, much});
  EXPECT_EQ(response.body, R"({"error":{"code":"invalid","message":")" + much.substr(0, kMaxErrorBytes) +
                               R"(\u2026","path":")" + much.substr(0, kMaxErrorBytes) + R"(\u2026"}})");
}

// What `bytes` mean, coming in pieces of `step`, as one line per request: "POST /path [body]" or "STATUS".
std::vector<std::string> Parse(const std::string& bytes, std::size_t step) {
  std::vector<std::string> out;
  std::string left;
  auto parser = std::make_unique<RequestParser>(kLimits);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    left += bytes.substr(at, step);
    for (bool more = true; more && !left.empty();) {
      const std::size_t used = parser->Feed(left);
      left.erase(0, used);
      more = used > 0;
      if (parser->state() == State::kFailed) {
        out.push_back(std::to_string(parser->error_status()));
        return out;
      }
      if (parser->state() == State::kDone) {
        const HttpRequest& request = parser->request();
        out.push_back(std::string(MethodName(request.method)) + " " + request.target + " [" + request.body + "]");
        parser = std::make_unique<RequestParser>(kLimits);
        more = true;
      }
    }
  }
  return out;
}

std::vector<std::string> Parse(const std::string& bytes) {
  const auto whole = Parse(bytes, bytes.size());
  for (std::size_t step = 1; step < bytes.size(); ++step)
    EXPECT_EQ(Parse(bytes, step), whole) << "in steps of " << step;
  return whole;
}

TEST(RequestParser, TakesRequestsOneBehindTheOther) {
  EXPECT_THAT(
      Parse("GET /a HTTP/1.1\r\nHost: x\r\n\r\n\r\nPOST /b?c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
            "HEAD / HTTP/1.0\r\n\r\n"),
      ElementsAre("GET /a []", "POST /b?c [abc]", "HEAD / []"));
}

TEST(RequestParser, JoinsChunksAndIgnoresExtensionsAndTrailers) {
  EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n"
                    "Later: yes\r\n\r\nGET /n HTTP/1.1\r\nHost: x\r\n\r\n"),
              ElementsAre("POST / [abcde]", "GET /n []"));
}

TEST(RequestParser, TakesAnEmptyChunkedBody) {
  EXPECT_THAT(Parse("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /n HTTP/1.1\r\n"
                    "Host: x\r\n\r\n"),
              ElementsAre("POST /a []", "GET /n []"));
}

TEST(RequestParser, RefusesWhatIsNoHttp) {
  EXPECT_THAT(Parse("\x16\x03\x01 garbage garbage\r\n\r\n"), ElementsAre("400"));
  EXPECT_THAT(Parse("GET / HTTP/2.0\r\n\r\n"), ElementsAre("505"));
  EXPECT_THAT(Parse("GET / HTTP/1.1\r\n\r\n"), ElementsAre("400"));  // no Host
  EXPECT_THAT(Parse("GET x HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("400"));
  EXPECT_THAT(Parse("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("400"));
  EXPECT_THAT(Parse("BREW / HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("501"));
  EXPECT_THAT(Parse("GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n"), ElementsAre("417"));
}

TEST(RequestParser, RefusesAmbiguousBodies) {
  for (const char* headers :
       {"Content-Length: 1\r\nContent-Length: 2", "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 1", "Content-Length: -1", "Content-Length: 1x",
        "Content-Length: 99999999999999999999", "Transfer-Encoding: gzip\r\nContent-Length: 2",
        "Content-Length: 2\r\nTransfer-Encoding: identity", "Transfer-Encoding: gzip", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked;x=1",
        "Transfer-Encoding:"}) {
    EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\n" + std::string(headers) + "\r\n\r\nxx"), ElementsAre("400"))
        << headers;
  }
  EXPECT_THAT(Parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), ElementsAre("400"));
  EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
              ElementsAre("POST / [a]"));
}

TEST(RequestParser, KeepsPathAndQueryOfAnAbsoluteTarget) {
  EXPECT_THAT(Parse("GET http://h:80/a%2f?c HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("GET /a%2f?c []"));
  EXPECT_THAT(Parse("GET https://h HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("GET / []"));
  EXPECT_THAT(Parse("GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("GET /a []"));
  EXPECT_THAT(Parse("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("OPTIONS * []"));
  for (const char* target : {"8/://localhost/mcp", "@evil.example/://localhost/mcp", "ftp://h/a", "/a\tb", "/a\x7f"}) {
    EXPECT_THAT(Parse("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("400")) << target;
  }
}

TEST(RequestParser, RefusesTwoHosts) {
  EXPECT_THAT(Parse("GET / HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n"), ElementsAre("400"));
  EXPECT_THAT(Parse("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"), ElementsAre("400"));
}

TEST(RequestParser, HoldsItsLimits) {
  EXPECT_THAT(Parse("GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), ElementsAre("414"));
  EXPECT_THAT(Parse("GET /" + std::string(500, 'a')), ElementsAre("414"));
  EXPECT_THAT(Parse("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(500, 'a')), ElementsAre("431"));
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 50; ++i) many += "Name: value\r\n";
  EXPECT_THAT(Parse(many), ElementsAre("431"));
  EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 51\r\n\r\n"), ElementsAre("413"));
  EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n" + std::string(32, 'a') +
                    "\r\n20\r\n"),
              ElementsAre("413"));
  EXPECT_THAT(Parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(500, 'a')),
              ElementsAre("400"));
}

TEST(RequestParser, TellsWhatTheClientWants) {
  RequestParser upgrade(kLimits);
  upgrade.Feed("GET / HTTP/1.1\r\nhost: x\r\nCONNECTION: keep-alive, UPGRADE\r\nupgrade: WebSocket\r\n\r\n");
  ASSERT_EQ(upgrade.state(), State::kDone);
  EXPECT_TRUE(upgrade.wants_websocket());
  EXPECT_TRUE(upgrade.keep_alive());

  RequestParser closing(kLimits);
  closing.Feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(closing.keep_alive());
  EXPECT_FALSE(closing.wants_websocket());

  RequestParser old(kLimits);
  old.Feed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(old.http_1_0());
  EXPECT_TRUE(old.keep_alive());

  RequestParser expecting(kLimits);
  expecting.Feed("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(expecting.state(), State::kBody);
  EXPECT_TRUE(expecting.TakeExpectation());
  EXPECT_FALSE(expecting.TakeExpectation());
}

std::string Written(const HttpResponse& response, const ResponseOptions& options = {}) {
  std::string out;
  AppendResponse(out, response, options);
  return out;
}

TEST(AppendResponse, LeavesTheBodyOfHeadAway) {
  const std::string out = Written(HttpResponse::Text(200, "hello"), {.head = true});
  EXPECT_THAT(out, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_TRUE(out.ends_with("\r\n\r\n"));
}

TEST(AppendResponse, HasNoLengthWhereThereIsNoBody) {
  HttpResponse response;
  response.status = 304;
  EXPECT_THAT(Written(response), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(Written(response), HasSubstr("HTTP/1.1 304 Not Modified\r\n"));
}

TEST(AppendResponse, IsNotCachedUnlessItSaysSo) {
  HttpResponse response = HttpResponse::Text(200, "");
  EXPECT_THAT(Written(response), HasSubstr("\r\nCache-Control: private, no-store\r\n"));
  response.headers.Add("Cache-Control", "no-cache");
  EXPECT_THAT(Written(response), HasSubstr("\r\nCache-Control: no-cache\r\n"));
  EXPECT_THAT(Written(response), Not(HasSubstr("no-store")));
}

TEST(AppendResponse, SaysHowTheConnectionGoesOn) {
  const HttpResponse response = HttpResponse::Text(200, "");
  EXPECT_THAT(Written(response), Not(HasSubstr("Connection:")));
  EXPECT_THAT(Written(response, {.keep_alive = false}), HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(Written(response, {.http_1_0 = true}), HasSubstr("Connection: keep-alive\r\n"));
}

TEST(AppendResponse, AHeaderCannotBreakOut) {
  HttpResponse response;
  response.headers.Add("Location", "/x\r\nSet-Cookie: a=b");
  EXPECT_THAT(Written(response), HasSubstr("Location: /x  Set-Cookie: a=b\r\n"));
}

TEST(HttpDate, HasTheFormOfHttp) {
  EXPECT_THAT(std::string(HttpDate()), ::testing::MatchesRegex("..., .. ... .... ..:..:.. GMT"));
}

TEST(HasToken, ComparesWithoutCase) {
  EXPECT_TRUE(HasToken("keep-alive , UpGrade", "upgrade"));
  EXPECT_FALSE(HasToken("upgraded", "upgrade"));
  EXPECT_FALSE(HasToken("", "upgrade"));
}

TEST(HttpResponse, MapsErrorsToStatuses) {
  const HttpResponse response = HttpResponse::FromError({ErrorCode::kNotFound, "no table \"x\"", "tables.x"});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  EXPECT_EQ(response.body, R"({"error":{"code":"not-found","message":"no table \"x\"","path":"tables.x"}})");
  EXPECT_EQ(HttpResponse::FromError({ErrorCode::kBusy, "", ""}).headers.Get("Retry-After"), "1");
  const Error later{ErrorCode::kBusy, "", "", std::chrono::milliseconds(59'001)};
  EXPECT_EQ(HttpResponse::FromError(later).headers.Get("Retry-After"), "60");
}

// Also without a wait of its own.
TEST(HttpResponse, A429AlwaysSaysWhenToRetry) {
  const auto sent = [](const HttpResponse& response) {
    std::string out;
    AppendResponse(out, response, {});
    return out;
  };
  HttpResponse response = HttpResponse::Json(429, json::Object());
  EXPECT_THAT(sent(response), HasSubstr("\r\nRetry-After: 1\r\n"));
  response.headers.Set("retry-after", "7");
  EXPECT_THAT(sent(response), HasSubstr("\r\nretry-after: 7\r\n"));
  EXPECT_THAT(sent(response), Not(HasSubstr("Retry-After")));
  EXPECT_THAT(sent(HttpResponse::Json(409, json::Object())), Not(HasSubstr("Retry-After")));
}

TEST(Headers, CompareNamesWithoutCase) {
  Headers headers;
  headers.Add("X-A", "1");
  headers.Add("x-a", "2");
  EXPECT_EQ(headers.Get("X-a"), "1");
  headers.Set("X-A", "3");
  EXPECT_EQ(headers.all().size(), 1u);
  EXPECT_FALSE(headers.Has("X-B"));
}

}  // namespace
}  // namespace openseat::net
