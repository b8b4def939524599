#include "app/cluster_http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testing/fake_scheduler.h"

namespace openseat::app {
namespace {

// Answers when the test says so.
class FakeNodes final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler&, net::HttpCall call, net::HttpDone done) override {
    last_ = last_.Next();
    open.emplace(call.url, std::pair(last_, std::move(done)));
    return last_;
  }
  void Cancel(Scheduler&, net::HttpCallId call) override {
    std::erase_if(open, [call](const auto& each) { return each.second.first == call; });
  }
  void Answer(const std::string& url, int status, std::string body) {
    const auto found = open.find(url);
    ASSERT_NE(found, open.end());
    const net::HttpDone done = std::move(found->second.second);
    open.erase(found);
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    done(std::move(response));
  }

  std::map<std::string, std::pair<net::HttpCallId, net::HttpDone>> open;

 private:
  net::HttpCallId last_;
};

class NodeCallsTest : public ::testing::Test {
 protected:
  static store::NodeBeat Node(const std::string& name) { return {.node = name}; }
  static net::HttpCall To(const std::string& url) {
    net::HttpCall call;
    call.url = url;
    return call;
  }
  std::shared_ptr<NodeCalls::Call> Start() {
    auto call = calls_.Make();
    call->Start(Node("two"), To("u"), [this](Result<net::HttpResponse> answer) { answer_ = std::move(answer); });
    return call;
  }

  testing::FakeScheduler home_;
  FakeNodes nodes_;
  bool lives_ = true;
  NodeCalls calls_{[this](const store::NodeBeat& to) { return lives_ || to.node != "two"; }, nodes_, home_};
  std::optional<Result<net::HttpResponse>> answer_;
};

TEST_F(NodeCallsTest, ACallEndsWhenItsNodeVanishes) {
  Start();
  home_.Run();
  home_.Advance(std::chrono::minutes(1));
  EXPECT_FALSE(answer_);
  lives_ = false;
  home_.Advance(std::chrono::seconds(1));
  ASSERT_TRUE(answer_);
  ASSERT_FALSE(*answer_);
  EXPECT_EQ(answer_->error().code, ErrorCode::kIo);
  EXPECT_TRUE(nodes_.open.empty());
}

TEST_F(NodeCallsTest, AnAnswerIsPassedOnOnce) {
  Start();
  home_.Run();
  nodes_.Answer("u", 404, "none");
  ASSERT_TRUE(answer_ && *answer_);
  EXPECT_EQ((*answer_)->status, 404);
  answer_.reset();
  lives_ = false;
  home_.Advance(std::chrono::minutes(1));
  EXPECT_FALSE(answer_);
}

TEST_F(NodeCallsTest, ACanceledCallEndsWithoutAnAnswer) {
  const auto call = Start();
  home_.Run();
  EXPECT_EQ(nodes_.open.size(), 1u);
  call->Canceler()();
  home_.Run();
  EXPECT_TRUE(nodes_.open.empty());
  // Nor does one begin that was canceled before.
  const auto next = calls_.Make();
  next->Canceler()();
  next->Start(Node("two"), To("u"), [this](Result<net::HttpResponse> answer) { answer_ = std::move(answer); });
  home_.Run();
  EXPECT_TRUE(nodes_.open.empty());
  lives_ = false;
  home_.Advance(std::chrono::minutes(1));
  EXPECT_FALSE(answer_);
}

TEST_F(NodeCallsTest, AllAreAskedAndThoseThatGaveNoAnswerAreNamed) {
  std::optional<std::vector<net::OtherServers::Answer>> answers;
  calls_.CallAll({{Node("one"), To("a")}, {Node("two"), To("b")}, {Node("three"), To("c")}},
                 [&answers](std::vector<net::OtherServers::Answer> all) { answers = std::move(all); });
  home_.Run();
  nodes_.Answer("c", 200, "yes");
  nodes_.Answer("a", 503, "no");
  EXPECT_FALSE(answers);
  lives_ = false;
  home_.Advance(std::chrono::seconds(1));
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 3u);
  EXPECT_EQ(answers->at(0).node, "one");
  EXPECT_EQ(answers->at(0).body, std::nullopt);
  EXPECT_EQ(answers->at(1).body, std::nullopt);
  EXPECT_EQ(answers->at(2).body, "yes");
}

TEST(UrlAt, LeadsToTheNodeOnly) {
  const store::NodeBeat node{.node = "two", .address = "http://127.0.0.1:8000"};
  EXPECT_EQ(UrlAt(node, "/a?b=1"), "http://127.0.0.1:8000/a?b=1");
  EXPECT_EQ(UrlAt(node, "//evil.example/"), "http://127.0.0.1:8000//evil.example/");
  for (const char* target : {"8/://localhost/mcp", "@evil.example/", ".evil.example/", "*", ""}) {
    EXPECT_DEATH(UrlAt(node, target), "path and query") << target;
  }
}

}  // namespace
}  // namespace openseat::app
