#include "protocols/agent_api/webhook_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "testing/fake_scheduler.h"

namespace openseat::agent_api {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Answers when the test says so.
class FakeCaller final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler&, net::HttpCall call, net::HttpDone done) override {
    calls.push_back(std::move(call));
    done_ = std::move(done);
    last_ = last_.Next();
    return last_;
  }
  void Cancel(Scheduler&, net::HttpCallId call) override {
    if (call == last_) done_ = nullptr;
  }
  bool busy() const { return done_ != nullptr; }
  void Answer(int status) {
    net::HttpResponse response;
    response.status = status;
    AnswerWith(std::move(response));
  }
  void AnswerWith(Result<net::HttpResponse> response) { std::exchange(done_, nullptr)(std::move(response)); }
  std::vector<std::string> Events() const {
    std::vector<std::string> events;
    for (const net::HttpCall& call : calls) events.emplace_back(call.headers.Get("X-Event-Type"));
    return events;
  }

  std::vector<net::HttpCall> calls;

 private:
  net::HttpDone done_;
  net::HttpCallId last_;
};

class WebhookQueueTest : public ::testing::Test {
 protected:
  void Put(std::string_view event) { queue_.Release(queue_.Put(event, json::Object{{"gameid", "g"}})->sequence); }
  std::string State() const { return std::string(queue_.Info().at("state").as_string()); }

  testing::FakeScheduler scheduler_;
  FakeCaller caller_;
  std::vector<json::Object> told_;
  std::uint64_t through_ = 0;
  WebhookRules rules_;
  WebhookQueue queue_{caller_, scheduler_, rules_, nullptr, [this](std::uint64_t sequence, json::Object delivery) {
                        told_.push_back(std::move(delivery));
                        through_ = sequence;
                      }};
};

TEST_F(WebhookQueueTest, SendsTheDocumentsEnvelopeAndHeaders) {
  Put("game-started");
  EXPECT_TRUE(caller_.calls.empty());
  EXPECT_EQ(State(), "waiting");
  queue_.Open("http://127.0.0.1:9/hook", "secret");
  ASSERT_THAT(caller_.calls, SizeIs(1));
  const net::HttpCall& call = caller_.calls[0];
  EXPECT_EQ(call.method, net::Method::kPost);
  EXPECT_EQ(call.url, "http://127.0.0.1:9/hook");
  EXPECT_EQ(call.body, R"({"event":"game-started","payload":{"gameid":"g"},"timestamp":1800000000000})");
  EXPECT_EQ(call.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(call.headers.Get("X-Agent-API-Key"), "secret");
  EXPECT_EQ(call.headers.Get("X-Event-Type"), "game-started");
  EXPECT_EQ(call.headers.Get("webhook-timestamp"), "1800000000");
  const std::string id(call.headers.Get("webhook-id"));
  EXPECT_THAT(id, SizeIs(36));
  EXPECT_EQ(call.headers.Get("webhook-signature"), "v1," + HmacSha256Base64("secret", id + ".1800000000." + call.body));
  EXPECT_EQ(call.headers.Get("X-Openseat-Sequence"), "1");
  EXPECT_EQ(call.max_redirects, 0);
  EXPECT_TRUE(call.allow_address({"127.0.0.1", 9}));
  EXPECT_FALSE(call.allow_address({"10.0.0.1", 9}));
  caller_.Answer(204);
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].at("delivery"), json::Value(id));
  EXPECT_EQ(told_[0].at("status"), json::Value(204));
  EXPECT_EQ(State(), "ok");
}

TEST_F(WebhookQueueTest, OneAtATimeAndInOrder) {
  queue_.Open("http://localhost/", "");
  for (const char* event : {"game-started", "prompt", "waiting"}) Put(event);
  EXPECT_THAT(caller_.Events(), ElementsAre("game-started"));
  EXPECT_FALSE(caller_.calls[0].headers.Has("webhook-signature"));
  caller_.Answer(200);
  caller_.Answer(200);
  caller_.Answer(200);
  EXPECT_THAT(caller_.Events(), ElementsAre("game-started", "prompt", "waiting"));
  EXPECT_EQ(caller_.calls[2].headers.Get("X-Openseat-Sequence"), "3");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(WebhookQueueTest, AReceiverThatIsDownForAMinuteLosesNothing) {
  queue_.Open("http://localhost/", "k");
  for (const char* event : {"game-started", "prompt"}) Put(event);
  const std::string first(caller_.calls[0].headers.Get("webhook-id"));
  for (int i = 0; i < 60; ++i) {
    if (caller_.busy()) caller_.AnswerWith(Fail(ErrorCode::kIo, "connection refused"));
    EXPECT_EQ(State(), "failing");
    scheduler_.Advance(seconds(1));
  }
  const std::size_t tries = caller_.calls.size();
  EXPECT_GT(tries, 5u);
  EXPECT_LT(tries, 15u) << "the pauses grow";
  EXPECT_TRUE(told_.empty());
  scheduler_.Advance(seconds(15));
  ASSERT_TRUE(caller_.busy());
  caller_.Answer(200);
  caller_.Answer(200);
  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_EQ(told_[0].at("delivery"), json::Value(first)) << "a try again is the same delivery";
  EXPECT_FALSE(told_[0].contains("dropped"));
  EXPECT_THAT(caller_.Events().back(), "prompt");
}

TEST_F(WebhookQueueTest, AReceiverThatIsGoneIsGivenUpAndMayComeBack) {
  queue_.Open("http://localhost/", "k");
  for (const char* event : {"game-started", "prompt"}) Put(event);
  for (int i = 0; i < 700 && State() != "gone"; ++i) {
    if (caller_.busy()) caller_.Answer(503);
    scheduler_.Advance(seconds(1));
  }
  EXPECT_EQ(State(), "gone");
  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_EQ(told_[1].at("dropped"), json::Value(true));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(scheduler_.timers(), 0u);
  // Each further event is tried once.
  Put("waiting");
  ASSERT_TRUE(caller_.busy());
  caller_.Answer(500);
  EXPECT_FALSE(caller_.busy());
  Put("checkpoint");
  caller_.Answer(200);
  EXPECT_EQ(State(), "ok");
}

TEST_F(WebhookQueueTest, CountsDeliveriesByTheirOutcome) {
  Metrics metrics;
  WebhookMetrics counts(metrics);
  {
    WebhookQueue queue(caller_, scheduler_, rules_, nullptr, [](std::uint64_t, const json::Object&) {}, &counts);
    queue.Open("http://localhost/", "k");
    for (const char* event : {"game-started", "prompt", "waiting"}) queue.Release(queue.Put(event, {})->sequence);
    EXPECT_EQ(counts.waiting.value(), 3);
    caller_.Answer(503);
    EXPECT_EQ(counts.waiting.value(), 3) << "it waits for the next try";
    scheduler_.Advance(milliseconds(250));
    EXPECT_EQ(counts.retries.value(), 1u);
    caller_.Answer(200);
    EXPECT_EQ(counts.delivered.value(), 1u);
    EXPECT_EQ(counts.waiting.value(), 2);
    caller_.Answer(410);
    EXPECT_EQ(counts.given_up.value(), 2u);
    EXPECT_EQ(counts.waiting.value(), 0);
    queue.Put("prompt", {});
    EXPECT_EQ(counts.waiting.value(), 1);
  }
  EXPECT_EQ(counts.waiting.value(), 0) << "the seat is gone";
  EXPECT_EQ(counts.delivered.value(), 1u);
  EXPECT_EQ(counts.retries.value(), 1u);
}

TEST_F(WebhookQueueTest, GoneIsGoneAtOnceAndRedirectsAreRefused) {
  queue_.Open("http://localhost/", "k");
  Put("game-started");
  caller_.Answer(302);
  EXPECT_EQ(State(), "failing");
  scheduler_.Advance(milliseconds(250));
  caller_.Answer(410);
  EXPECT_EQ(State(), "gone");
}

TEST_F(WebhookQueueTest, WaitsAsLongAsItIsTold) {
  queue_.Open("http://localhost/", "k");
  Put("game-started");
  net::HttpResponse later;
  later.status = 429;
  later.headers.Add("Retry-After", "30");
  caller_.AnswerWith(std::move(later));
  scheduler_.Advance(seconds(29));
  EXPECT_FALSE(caller_.busy());
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(caller_.busy());
}

TEST_F(WebhookQueueTest, WhereNothingMayBeSentTheGameGoesOn) {
  queue_.Open("http://agent.example/", "k");
  Put("game-started");
  EXPECT_TRUE(caller_.calls.empty());
  EXPECT_EQ(State(), "refused");
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_THAT(std::string(told_[0].at("error").as_string()), HasSubstr("--allow-http-webhooks"));
}

TEST_F(WebhookQueueTest, NothingLeavesBeforeItIsReleased) {
  queue_.Open("http://localhost/", "k");
  queue_.Put("game-started", {});
  queue_.Put("prompt", {});
  EXPECT_FALSE(caller_.busy());
  queue_.Release(1);
  ASSERT_TRUE(caller_.busy());
  caller_.Answer(200);
  EXPECT_EQ(through_, 1u);
  EXPECT_FALSE(caller_.busy());
  queue_.Release(2);
  EXPECT_TRUE(caller_.busy());
}

TEST_F(WebhookQueueTest, GoesOnWhereAnEarlierProcessStopped) {
  queue_.Restore(7, {{.sequence = 6, .id = "a", .event = "prompt", .body = "{}", .made = {}},
                     {.sequence = 7, .id = "b", .event = "waiting", .body = "{\"x\":1}", .made = {}}});
  queue_.Open("http://localhost/", "k");
  Put("opponent-acted");
  caller_.Answer(200);
  caller_.Answer(200);
  EXPECT_THAT(caller_.Events(), ElementsAre("prompt", "waiting", "opponent-acted"));
  EXPECT_EQ(caller_.calls[0].headers.Get("webhook-id"), "a");
  EXPECT_EQ(caller_.calls[0].headers.Get("X-Openseat-Sequence"), "6");
  EXPECT_EQ(caller_.calls[1].body, "{\"x\":1}");
  EXPECT_EQ(caller_.calls[2].headers.Get("X-Openseat-Sequence"), "8");
}

TEST_F(WebhookQueueTest, WhatWasLeftIsGivenUpWhereNothingMayBeSent) {
  queue_.Refuse("no longer known");
  queue_.Restore(3, {{.sequence = 3, .id = "a", .event = "prompt", .body = "{}", .made = {}}});
  EXPECT_EQ(through_, 3u);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(WebhookQueueTest, WhatWaitsIsBounded) {
  queue_.Open("http://localhost/", "k");
  for (int i = 0; i < 1005; ++i) Put("checkpoint");
  EXPECT_THAT(told_, SizeIs(1000));
  EXPECT_TRUE(caller_.busy());
}

TEST_F(WebhookQueueTest, WhatWaitsIsLimitedForAllSeatsOfAnAddress) {
  BudgetLimits limits;
  limits.others.max_webhook_bytes_per_address = 2'000;
  Budget budget(limits);
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.7", Instant());
  const auto count_dropped = [this](std::uint64_t, const json::Object& delivery) {
    if (delivery.contains("dropped")) told_.push_back(delivery);
  };
  WebhookQueue first(caller_, scheduler_, rules_, payer, count_dropped);
  WebhookQueue second(caller_, scheduler_, rules_, payer, count_dropped);
  const json::Object event{{"message", std::string(600, 'x')}};
  first.Put("checkpoint", event);
  first.Put("checkpoint", event);
  second.Put("checkpoint", event);
  EXPECT_THAT(told_, IsEmpty()) << "what waits alone is always taken";
  EXPECT_EQ(second.Info().at("waiting"), 1);
  second.Put("prompt", event);
  EXPECT_THAT(told_, SizeIs(1));
  EXPECT_EQ(second.Info().at("waiting"), 1);
  EXPECT_EQ(first.Info().at("waiting"), 2);
  first.Refuse("it is no longer wanted");
  EXPECT_LT(payer->held(Holding::kWebhookBytes), 1'000u);
  second.Put("waiting", event);
  EXPECT_THAT(told_, SizeIs(3));
  EXPECT_EQ(second.Info().at("waiting"), 2);
}

TEST_F(WebhookQueueTest, WhatWaitsIsLimitedInItemsAndBytes) {
  rules_.waiting = {.items = 3, .bytes = 10'000};
  WebhookQueue queue(caller_, scheduler_, rules_, nullptr,
                     [this](std::uint64_t, json::Object delivery) { told_.push_back(std::move(delivery)); });
  for (int i = 0; i < 3; ++i) queue.Put("prompt", json::Object{{"gameid", "g"}});
  EXPECT_THAT(told_, SizeIs(0));
  queue.Put("prompt", json::Object{{"gameid", "g"}});
  ASSERT_THAT(told_, SizeIs(3)) << "a receiver that far behind gets the latest";
  EXPECT_EQ(told_[0].at("error"), json::Value("too many events wait for the receiver"));
  queue.Put("prompt", json::Object{{"gameid", std::string(9'800, 'x')}});
  EXPECT_THAT(told_, SizeIs(4));
  EXPECT_EQ(queue.Info().at("waiting"), json::Value(1));
}

}  // namespace
}  // namespace openseat::agent_api
