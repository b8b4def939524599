#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "net/test_client.h"
#include "net/test_server.h"
#include "net/transport.h"

namespace openseat::net {
namespace {

constexpr char kGet[] = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";

// A reader that never quite catches up must not keep all that was ever sent to it.
TEST(DropSent, GivesBackTheMemoryOnceMostIsSent) {
  for (const std::size_t left : {1u, 1000u}) {
    std::string out(1u << 20, 'x');
    out.back() = 'y';
    std::size_t sent = 500'000;
    DropSent(out, sent);
    EXPECT_EQ(out.size() - sent, (1u << 20) - 500'000);
    sent = out.size() - left;
    DropSent(out, sent);
    EXPECT_EQ(out, std::string(left - 1, 'x') + 'y');
    EXPECT_EQ(sent, 0u);
    EXPECT_LT(out.capacity(), 2000u) << left;
  }
}

TEST(Empty, GivesMuchMemoryBack) {
  std::string small(1000, 'x');
  Empty(small);
  EXPECT_EQ(small, "");
  EXPECT_GE(small.capacity(), 1000u);
  std::string large(1u << 20, 'x');
  Empty(large);
  EXPECT_EQ(large, "");
  EXPECT_LT(large.capacity(), 1000u);
}

HttpResponse Head() {
  return HttpResponse::Text(200, "", "text/event-stream");
}

// A server whose GET /stream hands its stream to the test, and reports when the peer is gone.
class StreamTest : public ::testing::Test {
 protected:
  void Serve(const ServerLimits& limits = {}) {
    server_.emplace(
        [this](Router& router) {
          router.Add(Method::kGet, "/stream", {}, [this](const HttpRequest&, HttpReply reply) {
            reply.OnGone([this] { gone_.set_value(); });
            stream_.emplace(std::move(reply).Stream(Head()));
            begun_.set_value();
          });
          router.Add(Method::kGet, "/wait", {}, [this](const HttpRequest&, HttpReply reply) {
            reply.OnGone([this] { gone_.set_value(); });
            waiting_.emplace(std::move(reply));
            begun_.set_value();
          });
          router.Add(Method::kGet, "/hello", {}, [](const HttpRequest&, HttpReply reply) {
            std::move(reply).Send(HttpResponse::Text(200, "hello"));
          });
        },
        limits);
  }
  void AwaitBegun() {
    begun_.get_future().wait();
    begun_ = {};
  }
  // Answers may not outlive the server, nor the server what its handlers use.
  void TearDown() override {
    stream_.reset();
    waiting_.reset();
    server_.reset();
  }

  std::promise<void> gone_;
  std::promise<void> begun_;
  std::optional<HttpStream> stream_;
  std::optional<HttpReply> waiting_;
  std::optional<TestServer> server_;
};

TEST_F(StreamTest, SendsPiecesAsTheyCome) {
  Serve();
  TestClient client(server_->port());
  client.Send(kGet);
  AwaitBegun();
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_NE(head.find("HTTP/1.1 200"), std::string::npos);
  EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  // From another thread, and from the shard.
  EXPECT_TRUE(stream_->Write("one"));
  EXPECT_EQ(client.Read(8), "3\r\none\r\n");
  server_->On(0, [this] {
    stream_->Write("two and ");
    stream_->Write("three");
    stream_.reset();
  });
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "8\r\ntwo and \r\n5\r\nthree\r\n0\r\n\r\n");
  // The connection goes on.
  EXPECT_EQ(client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").body, "hello");
}

TEST_F(StreamTest, AFastReaderMayGetMoreThanTheOutboxInOneTurn) {
  ServerLimits limits;
  limits.max_outbox_bytes = 100'000;
  Serve(limits);
  TestClient client(server_->port());
  client.Send(kGet);
  AwaitBegun();
  client.ReadUntil("\r\n\r\n");
  const std::string piece(10'000, 'm');
  server_->On(0, [&] {
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(stream_->Write(piece));
    stream_.reset();
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(client.Read(10'008), "2710\r\n" + piece + "\r\n");
  EXPECT_EQ(client.Read(5), "0\r\n\r\n");
}

TEST_F(StreamTest, WhatIsPipelinedBehindAStreamWaits) {
  Serve();
  TestClient client(server_->port());
  client.Send(std::string(kGet) + "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  AwaitBegun();
  client.ReadUntil("\r\n\r\n");
  stream_->Write("x");
  EXPECT_EQ(client.Read(6), "1\r\nx\r\n");
  server_->On(0, [this] { stream_.reset(); });
  EXPECT_EQ(client.Read(5), "0\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "hello");
}

TEST_F(StreamTest, SaysWhenThePeerHasGone) {
  Serve();
  {
    TestClient client(server_->port());
    client.Send(kGet);
    AwaitBegun();
    client.ReadUntil("\r\n\r\n");
  }
  gone_.get_future().wait();
  EXPECT_FALSE(stream_->Write("x"));
}

TEST_F(StreamTest, SaysWhenNobodyWaitsForAnAnswerAnyMore) {
  Serve();
  {
    TestClient client(server_->port());
    client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    AwaitBegun();
  }
  gone_.get_future().wait();
}

TEST_F(StreamTest, WhoEndsItsSideAndStillReadsGetsTheAnswer) {
  Serve();
  TestClient client(server_->port());
  client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  client.EndSending();
  AwaitBegun();
  gone_.get_future().wait();
  std::move(*waiting_).Send(HttpResponse::Text(200, "late"));
  EXPECT_EQ(client.ReadAnswer().body, "late");
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(StreamTest, AnAnswerInTimeIsNotGone) {
  Serve();
  TestClient client(server_->port());
  client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  AwaitBegun();
  std::move(*waiting_).Send(HttpResponse::Text(200, "soon"));
  EXPECT_EQ(client.ReadAnswer().body, "soon");
  auto gone = gone_.get_future();
  server_.reset();
  EXPECT_NE(gone.wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

TEST_F(StreamTest, AReaderThatIsTooSlowIsCutOff) {
  ServerLimits limits;
  limits.max_outbox_bytes = 256u << 10;
  Serve(limits);
  TestClient client(server_->port());
  client.Send(kGet);
  AwaitBegun();
  const std::string piece(64u << 10, 'x');
  int written = 0;
  bool open = true;
  while (open && written < 1'000) {
    server_->On(0, [&] { open = stream_->Write(piece); });
    ++written;
  }
  EXPECT_FALSE(open);
  gone_.get_future().wait();
  const std::string refused = "openseat_refused_total{budget=\"max_outbox_bytes\"} 1\n";
  EXPECT_NE(server_->metrics.Text().find(refused), std::string::npos);
}

TEST_F(StreamTest, HeadGetsTheHeadersAlone) {
  Serve();
  TestClient client(server_->port());
  client.Send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  AwaitBegun();
  client.ReadUntil("\r\n\r\n");
  EXPECT_FALSE(stream_->Write("x"));
  EXPECT_EQ(client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").body, "hello");
}

TEST_F(StreamTest, AnOldClientGetsTheBodyAsItIsUntilTheEnd) {
  Serve();
  TestClient client(server_->port());
  client.Send("GET /stream HTTP/1.0\r\n\r\n");
  AwaitBegun();
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_EQ(head.find("chunked"), std::string::npos);
  EXPECT_NE(head.find("Connection: close"), std::string::npos);
  server_->On(0, [this] {
    stream_->Write("all of it");
    stream_.reset();
  });
  EXPECT_EQ(client.Read(9), "all of it");
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(StreamTest, AShutdownEndsStreamsAsTheyShould) {
  Serve();
  TestClient client(server_->port());
  client.Send(kGet);
  AwaitBegun();
  client.ReadUntil("\r\n\r\n");
  std::promise<void> down;
  server_->On(0, [&] { server_->server->Shutdown(std::chrono::seconds(10), [&down] { down.set_value(); }); });
  EXPECT_EQ(client.Read(5), "0\r\n\r\n");
  EXPECT_TRUE(client.AtEnd());
  gone_.get_future().wait();
  down.get_future().wait();
}

TEST(ServerSentEventTest, PutsEachLineOnItsOwn) {
  EXPECT_EQ(ServerSentEvent("turn", "{}", "7"), "event: turn\nid: 7\ndata: {}\n\n");
  EXPECT_EQ(ServerSentEvent("", "a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(ServerSentEvent("", ""), "data: \n\n");
}

}  // namespace
}  // namespace openseat::net
