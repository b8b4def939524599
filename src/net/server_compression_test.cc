// Which answers of a server are compressed, and that the client gets them whole.
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <thread>
#include <vector>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

std::string NumbersUpTo(int last) {
  std::string text;
  for (int i = 0; i <= last; ++i) text += std::to_string(i) + " ";
  return text;
}

const std::string kShort = "short";
const std::string kMiddle = NumbersUpTo(1000);   // compressed by the shard
const std::string kLong = NumbersUpTo(100'000);  // compressed elsewhere

std::string Gunzip(const std::string& packed) {
  std::string out(kLong.size() + 1, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  out.resize(result == Z_STREAM_END ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

class ServerCompression : public ::testing::Test {
 protected:
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }
  TestClient::Answer Get(const std::string& path, const std::string& method = "GET") {
    return client_.Request(method + " " + path + " HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n",
                           method == "HEAD");
  }

  std::vector<std::thread> threads_;
  TestServer server_{[this](Router& router) {
    const auto add = [&](Method method, const char* path, const std::string& text, bool secret = false) {
      router.Add(method, path, {}, [&text, secret](const HttpRequest&, HttpReply reply) {
        HttpResponse response = HttpResponse::Text(200, text);
        response.secret = secret;
        std::move(reply).Send(std::move(response));
      });
    };
    add(Method::kGet, "/short", kShort);
    add(Method::kGet, "/middle", kMiddle);
    add(Method::kPost, "/middle", kMiddle);
    add(Method::kGet, "/long", kLong);
    add(Method::kGet, "/secret", kMiddle, true);
    router.Add(Method::kGet, "/shared", {}, [](const HttpRequest&, HttpReply reply) {
      static const auto body = std::make_shared<const std::string>(kLong);
      HttpResponse response = HttpResponse::Text(200, "");
      response.shared_body = body;
      std::move(reply).Send(std::move(response));
    });
    router.Add(Method::kGet, "/later", {}, [this](const HttpRequest&, HttpReply reply) {
      threads_.emplace_back(
          [kept = std::move(reply)]() mutable { std::move(kept).Send(HttpResponse::Text(200, kLong)); });
    });
    router.Add(Method::kGet, "/stream", {}, [](const HttpRequest&, HttpReply reply) {
      HttpStream stream = std::move(reply).Stream(HttpResponse::Text(200, kMiddle));
      stream.Write("end");
    });
  }};
  TestClient client_{server_.port()};
};

TEST_F(ServerCompression, AnswersThatAreLargeComeSmaller) {
  const std::pair<const char*, const std::string*> cases[] = {
      {"/middle", &kMiddle}, {"/long", &kLong}, {"/shared", &kLong}, {"/later", &kLong}};
  for (const auto& [path, text] : cases) {
    const auto answer = Get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.headers.at("content-encoding"), "gzip") << path;
    EXPECT_EQ(answer.headers.at("vary"), "Accept-Encoding") << path;
    EXPECT_LT(answer.body.size(), text->size() / 2) << path;
    EXPECT_EQ(Gunzip(answer.body), *text) << path;
  }
}

TEST_F(ServerCompression, OthersComeAsTheyAre) {
  EXPECT_EQ(Get("/short").body, kShort);
  const auto secret = Get("/secret");
  EXPECT_EQ(secret.body, kMiddle);
  EXPECT_FALSE(secret.headers.contains("content-encoding"));
  const auto posted =
      client_.Request("POST /middle HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(posted.body, kMiddle);
  TestClient listener(server_.port());
  listener.Send("GET /stream HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
  const std::string streamed = listener.ReadUntil("0\r\n\r\n");
  EXPECT_EQ(streamed.find("Content-Encoding"), std::string::npos);
  EXPECT_NE(streamed.find(kMiddle), std::string::npos);
  const auto plain = client_.Request("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(plain.body, kLong);
  EXPECT_EQ(plain.headers.at("vary"), "Accept-Encoding");
}

TEST_F(ServerCompression, HeadSaysWhatGetWouldSay) {
  const std::string length = std::to_string(Get("/long").body.size());
  const auto head = Get("/long", "HEAD");
  EXPECT_EQ(head.headers.at("content-encoding"), "gzip");
  EXPECT_EQ(head.headers.at("content-length"), length);
  EXPECT_EQ(head.body, "");
}

// Requests that wait behind a large answer are answered in order.
TEST_F(ServerCompression, PipelinedAnswersStayInOrder) {
  client_.Send(
      "GET /long HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
      "GET /short HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(Gunzip(client_.ReadAnswer().body), kLong);
  EXPECT_EQ(client_.ReadAnswer().body, kShort);
}

}  // namespace
}  // namespace openseat::net
