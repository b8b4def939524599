#include "net/static_files.h"

#include <gtest/gtest.h>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

std::shared_ptr<const StaticFiles> MakeFiles() {
  std::vector<StaticFile> files(3);
  files[0] = {.name = "index.html", .bytes = "<html>", .content_type = "", .gzip = "", .immutable = false};
  files[1] = {.name = "assets/a.js", .bytes = "let a", .content_type = "", .gzip = "squeezed", .immutable = true};
  files[2] = {.name = "x.bin", .bytes = "", .content_type = "application/x", .gzip = "", .immutable = false};
  return std::make_shared<const StaticFiles>(std::move(files));
}

HttpRequest With(const std::string& name, const std::string& value) {
  HttpRequest request;
  request.headers.Add(name, value);
  return request;
}

TEST(StaticFiles, AnswersWithTypeTagAndCaching) {
  const auto files = MakeFiles();
  const HttpResponse index = files->Answer({}, "index.html");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(*index.shared_body, "<html>");
  EXPECT_EQ(index.headers.Get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(index.headers.Get("Cache-Control"), "no-cache");
  EXPECT_FALSE(index.headers.Has("Vary"));
  EXPECT_EQ(files->Answer({}, "x.bin").headers.Get("Content-Type"), "application/x");
  EXPECT_EQ(files->Answer({}, "assets/a.js").headers.Get("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(files->Answer({}, "none").status, 404);
}

TEST(StaticFiles, SendsTheCompressedFormOnlyToThoseWhoTakeIt) {
  const auto files = MakeFiles();
  for (const char* accept : {"gzip", "br, GZIP;q=0.5", "*"}) {
    const HttpResponse answer = files->Answer(With("Accept-Encoding", accept), "assets/a.js");
    EXPECT_EQ(*answer.shared_body, "squeezed") << accept;
    EXPECT_EQ(answer.headers.Get("Content-Encoding"), "gzip");
    EXPECT_EQ(answer.headers.Get("Vary"), "Accept-Encoding");
  }
  for (const char* accept : {"", "br", "gzip;q=0", "gzip; q=0.0"}) {
    const HttpResponse answer = files->Answer(With("Accept-Encoding", accept), "assets/a.js");
    EXPECT_EQ(*answer.shared_body, "let a") << accept;
    EXPECT_EQ(answer.headers.Get("Vary"), "Accept-Encoding");
  }
}

TEST(StaticFiles, AnswersAConditionalRequest) {
  const auto files = MakeFiles();
  const std::string tag(files->Answer({}, "index.html").headers.Get("ETag"));
  EXPECT_EQ(tag.size(), 34u);
  for (const std::string& condition : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const HttpResponse answer = files->Answer(With("If-None-Match", condition), "index.html");
    EXPECT_EQ(answer.status, 304) << condition;
    EXPECT_EQ(answer.headers.Get("ETag"), tag);
    EXPECT_EQ(answer.shared_body, nullptr);
  }
  EXPECT_EQ(files->Answer(With("If-None-Match", "\"x\""), "index.html").status, 200);
  EXPECT_NE(files->Answer(With("Accept-Encoding", "gzip"), "assets/a.js").headers.Get("ETag"),
            files->Answer({}, "assets/a.js").headers.Get("ETag"));
}

TEST(StaticFiles, TakesTheCodingThatTheClientLikesBest) {
  std::vector<StaticFile> both(1);
  both[0].name = "a.js";
  both[0].bytes = "let a";
  both[0].gzip = "squeezed";
  both[0].brotli = "tiny";
  const StaticFiles files(std::move(both));
  const auto got = [&](const char* accept) {
    const HttpResponse answer = files.Answer(With("Accept-Encoding", accept), "a.js");
    return std::string(answer.headers.Get("Content-Encoding")) + " " + *answer.shared_body;
  };
  EXPECT_EQ(got("gzip, deflate, br"), "br tiny");
  EXPECT_EQ(got("gzip, deflate"), "gzip squeezed");
  EXPECT_EQ(got("br;q=0.1, gzip"), "gzip squeezed");
  EXPECT_EQ(got("identity"), " let a");
  EXPECT_NE(files.Answer(With("Accept-Encoding", "gzip"), "a.js").headers.Get("ETag"),
            files.Answer(With("Accept-Encoding", "br"), "a.js").headers.Get("ETag"));
}

TEST(StaticFiles, CompressesAFileOnce) {
  const std::string text(10'000, 'x');
  const StaticFiles files(std::vector<StaticFile>{CompressedFile("a.json", text)});
  EXPECT_EQ(*files.Answer({}, "a.json").shared_body, text);
  for (const char* coding : {"br", "gzip"}) {
    const HttpResponse answer = files.Answer(With("Accept-Encoding", coding), "a.json");
    EXPECT_EQ(answer.headers.Get("Content-Encoding"), coding);
    EXPECT_EQ(answer.headers.Get("Content-Type"), "application/json");
    EXPECT_LT(answer.shared_body->size(), 1000u) << coding;
    EXPECT_EQ(files.Answer(With("Accept-Encoding", coding), "a.json").shared_body, answer.shared_body) << coding;
  }
}

TEST(StaticFiles, SendsItsHeadersWithEveryFile) {
  Headers headers;
  headers.Set("X-Content-Type-Options", "nosniff");
  std::vector<StaticFile> list(1);
  list[0].name = "a.txt";
  const StaticFiles files(std::move(list), std::move(headers));
  const HttpResponse answer = files.Answer({}, "a.txt");
  EXPECT_EQ(answer.headers.Get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer.headers.Get("Content-Type"), "text/plain; charset=utf-8");
}

TEST(StaticFiles, AreServedUnderTheirNames) {
  TestServer server([](Router& router) { StaticFiles::AddRoutes(router, MakeFiles()); });
  TestClient client(server.port());
  EXPECT_EQ(client.Request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").body, "<html>");
  const auto head = client.Request("HEAD /assets/a.js HTTP/1.1\r\nHost: x\r\n\r\n", true);
  EXPECT_EQ(head.headers.at("content-length"), "5");
  const auto same =
      client.Request("GET /assets/a.js HTTP/1.1\r\nHost: x\r\nIf-None-Match: " + head.headers.at("etag") + "\r\n\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(client.Request("GET /assets/none.js HTTP/1.1\r\nHost: x\r\n\r\n").status, 404);
  EXPECT_EQ(client.Request("GET /assets/../index.html HTTP/1.1\r\nHost: x\r\n\r\n").status, 404);
}

}  // namespace
}  // namespace openseat::net
