#include "protocols/mcp/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/json.h"
#include "base/metrics.h"
#include "protocols/mcp/fixtures.h"
#include "protocols/mcp/sessions.h"
#include "protocols/mcp/test_exchange.h"
#include "testing/fake_scheduler.h"

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    AddFixtures(server_, scheduler_);
    server_.OfferTasks(scheduler_);
  }

  std::shared_ptr<Heard> Say(const std::string& text, bool legacy = true) {
    auto message = DecodeMessage(text);
    EXPECT_TRUE(message) << text;
    auto envelope = ReadEnvelope(*message, nullptr);
    EXPECT_TRUE(envelope) << text;
    auto heard = std::make_shared<Heard>();
    heard->whose = payer_;
    last_ =
        server_.Handle({std::move(*message), std::move(*envelope), legacy ? session_ : nullptr, std::nullopt}, heard);
    return heard;
  }
  std::shared_ptr<Heard> Modern(const std::string& method, const std::string& params) {
    return Say(
        R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + std::string(kMeta) + "}}",
        false);
  }

  // From a client that takes tasks.
  std::shared_ptr<Heard> Tasks(const std::string& method, const std::string& params) {
    std::string meta(kMeta);
    meta.insert(meta.size() - 2, R"("extensions":{"io.modelcontextprotocol/tasks":{}})");
    return Say(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + meta + "}}", false);
  }
  static std::string TaskOf(const std::string& answer) {
    const auto parsed = json::Parse(answer);
    return parsed ? std::string(json::TextOf(*json::Find(*parsed, "result"), "taskId")) : "";
  }

  ::openseat::testing::FakeScheduler scheduler_;
  Server server_{{"openseat", "Openseat", "1", "Play."}};
  std::shared_ptr<Session> session_ = std::make_shared<Session>();
  std::weak_ptr<Call> last_;
  std::shared_ptr<Payer> payer_;  // of who calls
};

TEST_F(ServerTest, ShakesHands) {
  const auto heard = Say(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}})");
  EXPECT_THAT(heard->answer, HasSubstr(R"("protocolVersion":"2025-06-18")"));
  EXPECT_THAT(heard->answer, HasSubstr(R"("serverInfo":{"name":"openseat","title":"Openseat","version":"1"})"));
  EXPECT_EQ(session_->version, "2025-06-18");
  EXPECT_TRUE(session_->capabilities.contains("sampling"));
  EXPECT_EQ(Say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")->status, 202);
  EXPECT_EQ(Say(R"({"jsonrpc":"2.0","id":2,"method":"ping"})")->answer, R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

TEST_F(ServerTest, SkillsAreFilesWithAHead) {
  server_.AddSkill({"play-chess", "How to \"win\".", "Think."});
  const std::string uri = R"("uri":"skill://openseat/play-chess/SKILL.md")";
  const std::string listed = Modern("skills/list", "")->answer;
  EXPECT_THAT(listed, HasSubstr(uri));
  EXPECT_EQ(Modern("skills/get", uri + ",")->answer.find("Unknown"), std::string::npos);
  EXPECT_THAT(Modern("skills/get", R"("uri":"skill://openseat/other/SKILL.md",)")->answer, HasSubstr("Unknown skill"));
  const std::string read = Modern("resources/read", uri + ",")->answer;
  const std::string file = "---\nname: play-chess\ndescription: \"How to \\\"win\\\".\"\n---\n\nThink.\n";
  EXPECT_THAT(read, HasSubstr(json::Write(json::Value(file))));
  EXPECT_THAT(listed, HasSubstr("\"size\":" + std::to_string(file.size())));
  EXPECT_THAT(Modern("server/discover", "")->answer, HasSubstr("io.modelcontextprotocol/skills"));
}

TEST_F(ServerTest, ACallThatTakesLongBecomesATask) {
  const auto called = Tasks("tools/call", R"("name":"slow_compute","arguments":{"seconds":5,"label":"a"},)");
  EXPECT_THAT(called->answer, HasSubstr(R"("status":"working")"));
  EXPECT_THAT(called->answer, HasSubstr(R"("resultType":"task")"));
  const std::string task = R"("taskId":")" + TaskOf(called->answer) + R"(",)";
  EXPECT_THAT(Tasks("tasks/get", task)->answer, HasSubstr(R"("status":"working")"));
  EXPECT_THAT(Modern("tasks/get", task)->answer, HasSubstr("-32021")) << "its client takes no tasks";
  scheduler_.Advance(std::chrono::seconds(5));
  const std::string over = Tasks("tasks/get", task)->answer;
  EXPECT_THAT(over, HasSubstr(R"("status":"completed")"));
  EXPECT_THAT(over, HasSubstr("computed a"));
  scheduler_.Advance(TaskBook::kKept);
  EXPECT_THAT(Tasks("tasks/get", task)->answer, HasSubstr("Unknown task"));
  EXPECT_THAT(Modern("tools/call", R"("name":"slow_compute","arguments":{"seconds":5},)")->answer, "") << "it waits";
}

TEST_F(ServerTest, ATaskIsStopped) {
  const auto called = Tasks("tools/call", R"("name":"slow_compute","arguments":{"seconds":5},)");
  const std::string task = R"("taskId":")" + TaskOf(called->answer) + R"(",)";
  EXPECT_EQ(Tasks("tasks/cancel", task)->answer.find("taskId"), std::string::npos);
  scheduler_.Advance(std::chrono::seconds(6));
  EXPECT_THAT(Tasks("tasks/get", task)->answer, HasSubstr(R"("status":"cancelled")"));
  EXPECT_EQ(Tasks("tasks/cancel", task)->status, 200) << "again";
}

TEST_F(ServerTest, ItsWitnessIsToldOfCallsThatMayChangeSomething) {
  Tool tool;
  tool.name = "change";
  tool.input_schema = {{"type", "object"}, {"properties", json::Object{{"n", json::Object{{"type", "integer"}}}}}};
  tool.run = [](const CallPtr& call, const json::Object&) { call->Answer(ToolResult("Changed.")); };
  server_.AddTool(std::move(tool));
  std::vector<std::string> told;
  server_.SetWitness([&](const Caller& caller, const Tool& called, const json::Object& arguments) {
    told.push_back(called.name + json::Write(arguments) + (caller.local ? " here" : ""));
  });
  EXPECT_THAT(Modern("tools/call", R"("name":"change","arguments":{"n":1},)")->answer, HasSubstr("Changed"));
  EXPECT_THAT(Modern("tools/call", R"("name":"change","arguments":{"n":"x"},)")->answer,
              HasSubstr("Invalid arguments"));
  EXPECT_THAT(Modern("tools/call", R"("name":"test_simple_text",)")->answer, HasSubstr("simple text"));
  EXPECT_THAT(told, ::testing::ElementsAre(R"(change{"n":1} here)"));
}

TEST_F(ServerTest, WhoHangsUpWaitsForNothing) {
  const auto heard = Say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":5}}})");
  last_.lock()->HungUp();
  EXPECT_EQ(heard->status, 202) << "in the older revisions too, since the tool only reads";
  EXPECT_TRUE(session_->running.empty());
}

TEST_F(ServerTest, HangingUpDoesNotStopATask) {
  const auto called = Tasks("tools/call", R"("name":"slow_compute","arguments":{"seconds":5},)");
  const CallPtr call = last_.lock();
  ASSERT_NE(call, nullptr);
  call->HungUp();
  scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_THAT(Tasks("tasks/get", R"("taskId":")" + TaskOf(called->answer) + R"(",)")->answer, HasSubstr("completed"));
}

TEST_F(ServerTest, ATaskAsks) {
  const auto called = Tasks("tools/call", R"("name":"multi_input","arguments":{},)");
  const std::string task = R"("taskId":")" + TaskOf(called->answer) + R"(",)";
  EXPECT_THAT(Tasks("tasks/get", task)->answer, HasSubstr(R"("status":"input_required")"));
  Tasks("tasks/update", task + R"("inputResponses":{"name":{"action":"accept"},"other":1},)");
  const std::string half = Tasks("tasks/get", task)->answer;
  EXPECT_THAT(half, HasSubstr(R"("inputRequests":{"confirm":)"));
  EXPECT_THAT(half, Not(HasSubstr(R"("name":{"method")")));
  Tasks("tasks/update", task + R"("inputResponses":{"confirm":{"action":"accept"}},)");
  EXPECT_THAT(Tasks("tasks/get", task)->answer, HasSubstr("Both are answered"));
}

TEST_F(ServerTest, ManyTasksOfOneCallerAreCallsAgain) {
  Metrics metrics;
  Budget budget({}, &metrics);
  payer_ = budget.PayerOf("203.0.113.9", scheduler_.clock().Monotonic());
  const std::string slow = R"("name":"slow_compute","arguments":{"seconds":50},)";
  for (std::size_t i = 0; i < TaskBook::kMaxOfCaller; ++i) {
    EXPECT_THAT(Tasks("tools/call", slow)->answer, HasSubstr("working")) << i;
  }
  const auto waits = Tasks("tools/call", slow);
  EXPECT_EQ(waits->answer, "");
  EXPECT_THAT(Tasks("tools/call", R"("name":"failing_job","arguments":{},)")->answer,
              HasSubstr("too many tasks: the fixed limit mcp.tasks is reached: 50 tasks"));
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="mcp.tasks"} 1)"));
  scheduler_.Advance(std::chrono::seconds(50));
  EXPECT_THAT(waits->answer, HasSubstr("computed"));
  scheduler_.Advance(TaskBook::kKept);  // nothing of them is left in the budget
}

TEST_F(ServerTest, ATaskThatIsOverMakesRoom) {
  const std::string slow = R"("name":"slow_compute","arguments":{"seconds":1},)";
  const auto get = [this](const std::string& id) { return Tasks("tasks/get", R"("taskId":")" + id + R"(",)")->answer; };
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 3 * TaskBook::kMaxOfCaller; ++i) {
    ids.push_back(TaskOf(Tasks("tools/call", slow)->answer));
    ASSERT_NE(ids.back(), "") << i;
    scheduler_.Advance(std::chrono::seconds(1));
  }
  EXPECT_THAT(get(ids.front()), HasSubstr("Unknown task")) << "the oldest ones went first";
  EXPECT_THAT(get(ids.back()), HasSubstr("computed"));
}

TEST_F(ServerTest, TheResultOfATaskCountsAsLongAsItIsKept) {
  PeerLimits limits;
  limits.max_table_bytes_per_address = 1'000;
  Budget budget({.others = limits});
  payer_ = budget.PayerOf("203.0.113.9", scheduler_.clock().Monotonic());
  const auto held = [&] { return payer_->held(Holding::kTableBytes); };
  const std::string label(600, 'x');
  const auto run = [&] {
    const auto called =
        Tasks("tools/call", R"("name":"slow_compute","arguments":{"seconds":5,"label":")" + label + R"("},)");
    scheduler_.Advance(std::chrono::seconds(5));
    return *json::Parse(Tasks("tasks/get", R"("taskId":")" + TaskOf(called->answer) + R"(",)")->answer);
  };
  const json::Value first = run().at("result");
  EXPECT_EQ(first.at("status"), json::Value("completed"));
  EXPECT_THAT(json::Write(first.at("result").at("content")), HasSubstr("computed " + label));
  EXPECT_EQ(held(), json::Write(first.at("result")).size());
  const json::Value second = run().at("result");
  EXPECT_EQ(second.at("status"), json::Value("failed"));
  EXPECT_FALSE(second.as_object().contains("result"));
  const std::string why = json::Write(second.at("error"));
  EXPECT_THAT(why, HasSubstr("the limit max_table_bytes_per_address is reached"));
  EXPECT_THAT(why, HasSubstr("wait_for_turn again"));
  EXPECT_GT(held(), label.size());
  EXPECT_LT(held(), 1'000u);
  // Though nobody calls.
  scheduler_.Advance(TaskBook::kKept);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(run().at("result").at("status"), json::Value("completed"));
}

TEST_F(ServerTest, WhatMakesRoomForAnotherTaskIsGivenBack) {
  Budget budget;
  payer_ = budget.PayerOf("203.0.113.9", scheduler_.clock().Monotonic());
  const auto run = [&] {
    Tasks("tools/call", R"("name":"slow_compute","arguments":{"seconds":1},)");
    scheduler_.Advance(std::chrono::seconds(1));
    return payer_->held(Holding::kTableBytes);
  };
  const std::uint64_t one = run();
  EXPECT_GT(one, 0u);
  for (std::size_t i = 0; i < 2 * TaskBook::kMaxOfCaller; ++i) run();
  EXPECT_EQ(run(), TaskBook::kMaxOfCaller * one);
}

TEST_F(ServerTest, ATaskKeepsNoMoreThanItNeeds) {
  Say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":5},"_meta":{)"
      R"("progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}})",
      false);
  const CallPtr call = last_.lock();
  ASSERT_NE(call, nullptr);
  EXPECT_FALSE(call->wants_progress()) << "nobody hears of it";
  EXPECT_TRUE(call->params().empty());
  EXPECT_TRUE(call->capabilities().empty());
}

TEST_F(ServerTest, ASessionKeepsNoMoreThanItNeeds) {
  const std::string large(20'000, 'x');
  const auto heard = Say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
                         R"("capabilities":{"elicitation":{"form":{}},"experimental":{"x":")" +
                         large +
                         R"("},"extensions":{"x":[[[[]]]],"io.modelcontextprotocol/ui":{"mimeTypes":["a",)"
                         R"("text/html;profile=mcp-app"]}}},"clientInfo":{"name":"c","version":"1"}}})");
  EXPECT_THAT(heard->answer, HasSubstr("serverInfo"));
  EXPECT_EQ(json::Write(session_->capabilities), R"({"elicitation":{},"extensions":{)"
                                                 R"("io.modelcontextprotocol/ui":{}}})");
}

TEST_F(ServerTest, EachEraHasItsMethods) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                             "subscriptions/listen", "none"}) {
    const auto heard = Modern(method, "");
    EXPECT_EQ(heard->status, 404) << method;
    EXPECT_THAT(heard->answer, HasSubstr("-32601")) << method;
  }
  for (const char* method : {"server/discover", "none"}) {
    const auto heard = Say(std::string(R"({"jsonrpc":"2.0","id":1,"method":")") + method + R"("})");
    EXPECT_EQ(heard->status, 200) << method;
    EXPECT_THAT(heard->answer, HasSubstr("-32601")) << method;
  }
}

TEST_F(ServerTest, ModernAnswersAreStamped) {
  const auto discovered = Modern("server/discover", "");
  EXPECT_THAT(discovered->answer, HasSubstr(R"("supportedVersions":["2026-07-28"])"));
  EXPECT_THAT(discovered->answer, HasSubstr(R"("cacheScope":"public")"));
  EXPECT_THAT(discovered->answer, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(discovered->answer, HasSubstr(R"("io.modelcontextprotocol/serverInfo")"));
  const auto called = Modern("tools/call", R"("name":"test_simple_text",)");
  EXPECT_THAT(called->answer, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(called->answer, ::testing::Not(HasSubstr("ttlMs")));
  const auto legacy = Say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_simple_text"}})");
  EXPECT_EQ(
      legacy->answer,
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"This is a simple text response for testing."}]}})");
}

TEST_F(ServerTest, WhatIsUnknownIsRefusedInBand) {
  for (const char* params : {R"("name":"none",)", R"("name":3,)", "", R"("name":"test_simple_text","arguments":[],)"}) {
    const auto heard = Modern("tools/call", params);
    EXPECT_EQ(heard->status, 200) << params;
    EXPECT_THAT(heard->answer, HasSubstr("-32602")) << params;
  }
  EXPECT_THAT(Modern("prompts/get", R"("name":"none",)")->answer, HasSubstr("Unknown prompt"));
  EXPECT_THAT(Modern("prompts/get", R"("name":"test_prompt_with_arguments","arguments":{"arg1":"a"},)")->answer,
              HasSubstr("arg2 is missing"));
  EXPECT_THAT(Modern("tools/list", R"("cursor":"x",)")->answer, HasSubstr("-32602"));
  EXPECT_THAT(Modern("resources/read", R"("uri":"test://none",)")->answer,
              HasSubstr(R"("code":-32602,"message":"Resource not found: test://none","data":{"uri":"test://none"})"));
  EXPECT_THAT(Say(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://none"}})")->answer,
              HasSubstr("-32002"));
}

TEST_F(ServerTest, WhatIsLongIsNotRepeated) {
  const std::string much = "\"" + std::string(900u << 10, '\x7f') + "\"";
  const auto expect = [](const std::shared_ptr<Heard>& heard, const char* expected) {
    EXPECT_THAT(heard->answer, HasSubstr(expected));
    EXPECT_LT(heard->answer.size(), 8u << 10) << expected;
  };
  expect(Modern("tools/call", R"("name":)" + much + ","), "Unknown tool: ");
  expect(Modern("tools/call", R"("name":"test_sampling","arguments":{"prompt":[)" + much + "]},"), "must be a string");
  expect(Modern("tools/call", R"("name":"test_sampling","arguments":{)" + much + ":1},"), "Invalid arguments");
  expect(Modern("prompts/get", R"("name":)" + much + ","), "Unknown prompt: ");
  expect(Modern("resources/read", R"("uri":)" + much + ","), "Resource not found: ");
  expect(Tasks("tasks/get", R"("taskId":)" + much + ","), "Unknown task: ");
}

TEST_F(ServerTest, WrongArgumentsAreToldTheModel) {
  const auto heard = Modern("tools/call", R"("name":"test_sampling","arguments":{"prompt":3},)");
  EXPECT_THAT(heard->answer, HasSubstr(R"("isError":true)"));
  EXPECT_THAT(heard->answer, HasSubstr("Invalid arguments for test_sampling"));
}

TEST_F(ServerTest, NeedsWhatAToolNeedsOfItsClient) {
  const auto heard = Modern("tools/call", R"("name":"test_missing_capability",)");
  EXPECT_EQ(heard->status, 400);
  EXPECT_THAT(heard->answer, HasSubstr(R"("code":-32021)"));
  EXPECT_THAT(heard->answer, HasSubstr(R"("requiredCapabilities":{"sampling":{}})"));
}

TEST_F(ServerTest, ReportsProgressWhereItIsWanted) {
  const auto silent =
      Say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress"}})");
  const auto heard = Say(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_progress","_meta":{"progressToken":"p"}}})");
  EXPECT_EQ(heard->status, 0);
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(silent->before.size(), 0u);
  ASSERT_EQ(heard->before.size(), 3u);
  EXPECT_THAT(heard->before[1], HasSubstr(R"("progressToken":"p","progress":50)"));
  EXPECT_EQ(heard->status, 200);
}

TEST_F(ServerTest, LogsFromTheLevelThatWasAskedFor) {
  const std::string call =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_logging"}})";
  const auto heard = Say(call);
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(heard->before.size(), 3u);
  EXPECT_EQ(Say(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}})")->answer,
            R"({"jsonrpc":"2.0","id":1,"result":{}})");
  const auto graver = Say(call);
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(graver->before.size(), 0u);
  EXPECT_THAT(Say(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}})")->answer,
              HasSubstr("-32602"));
  const auto modern = Modern("tools/call", R"("name":"test_tool_with_logging",)");
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(modern->before.size(), 0u) << "it did not say that it wants logs";
}

TEST_F(ServerTest, AsksLegacyClients) {
  const auto heard = Say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hi"}}})");
  ASSERT_EQ(heard->before.size(), 1u);
  EXPECT_THAT(heard->before[0], HasSubstr(R"("id":"ask-1","method":"sampling/createMessage")"));
  EXPECT_EQ(Say(R"({"jsonrpc":"2.0","id":"ask-9","result":{}})")->status, 202);
  EXPECT_EQ(heard->status, 0);
  EXPECT_EQ(Say(R"({"jsonrpc":"2.0","id":"ask-1","result":{"content":{"type":"text","text":"Hello"}}})")->status, 202);
  EXPECT_THAT(heard->answer, HasSubstr("LLM response: Hello"));
}

TEST_F(ServerTest, CancelledCallsSayNothingMore) {
  const auto heard =
      Say(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"test_tool_with_progress"}})");
  EXPECT_EQ(session_->running.size(), 1u);
  Say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}})");
  EXPECT_EQ(heard->status, 0);
  Say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  EXPECT_EQ(heard->status, 202);
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(heard->answer, "");
  EXPECT_TRUE(last_.expired());
  EXPECT_EQ(session_->running.size(), 0u);
}

TEST_F(ServerTest, StatesThatTheClientCarriesCannotBeChanged) {
  const auto first = Modern("tools/call", R"("name":"test_input_required_result_request_state",)");
  const json::Value result = json::Parse(first->answer)->as_object().at("result");
  const std::string state(json::View(result.at("requestState").as_string()));
  const std::string answers = R"("inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}},)";
  const auto changed = Modern("tools/call", R"("name":"test_input_required_result_request_state","requestState":")" +
                                                state + R"(x",)" + answers);
  EXPECT_THAT(changed->answer, HasSubstr("-32602"));
  const auto elsewhere = Modern("tools/call", R"("name":"test_input_required_result_tampered_state","requestState":")" +
                                                  state + R"(",)" + answers);
  EXPECT_THAT(elsewhere->answer, HasSubstr("-32602"));
  const auto done = Modern("tools/call", R"("name":"test_input_required_result_request_state","requestState":")" +
                                             state + R"(",)" + answers);
  EXPECT_THAT(done->answer, HasSubstr("state-ok"));
}

TEST(MatchTemplate, TakesWholeSegments) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(MatchTemplate("a://{x}/b", "a://1/b"), (Map{{"x", "1"}}));
  EXPECT_EQ(MatchTemplate("a://{x}/{y}", "a://1/2"), (Map{{"x", "1"}, {"y", "2"}}));
  EXPECT_EQ(MatchTemplate("a://{x}", "a://1/2"), std::nullopt);
  EXPECT_EQ(MatchTemplate("a://{x}/b", "a:///b"), std::nullopt);
  EXPECT_EQ(MatchTemplate("a://b", "a://b"), Map());
}

TEST(Sessions, AreFoundByWhoBeganThem) {
  ::openseat::testing::FakeScheduler scheduler;
  Sessions sessions(scheduler.clock(), 2, 2);
  const auto one = sessions.Begin("me");
  EXPECT_EQ(sessions.Find(one->id, "me"), nullptr) << "it is not kept yet";
  sessions.Keep(one);
  EXPECT_EQ(sessions.Find(one->id, "me"), one);
  EXPECT_EQ(sessions.Find(one->id, "you"), nullptr);
  EXPECT_FALSE(sessions.End(one->id, "you"));
  EXPECT_TRUE(sessions.End(one->id, "me"));
  EXPECT_EQ(sessions.Find(one->id, "me"), nullptr);
}

TEST(Sessions, ForgetTheOneThatWasSilentLongest) {
  ::openseat::testing::FakeScheduler scheduler;
  Sessions sessions(scheduler.clock(), 9, 2);
  const auto one = sessions.Begin("");
  const auto two = sessions.Begin("");
  sessions.Keep(one);
  scheduler.Advance(std::chrono::seconds(1));
  sessions.Keep(two);
  scheduler.Advance(std::chrono::seconds(1));
  sessions.Find(one->id, "");
  sessions.Keep(sessions.Begin(""));
  EXPECT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions.Find(one->id, ""), one);
  EXPECT_EQ(sessions.Find(two->id, ""), nullptr);
}

TEST(Sessions, OfOneDoNotPushOutThoseOfOthers) {
  ::openseat::testing::FakeScheduler scheduler;
  Sessions sessions(scheduler.clock(), 8, 6);
  const auto mine = sessions.Begin("me");
  sessions.Keep(mine);
  for (int i = 0; i < 20; ++i) sessions.Keep(sessions.Begin("you"));
  EXPECT_EQ(sessions.size(), 7u);
  sessions.Keep(sessions.Begin("you"), true);
  EXPECT_EQ(sessions.size(), 8u);
  for (int i = 0; i < 5; ++i) sessions.Keep(sessions.Begin("they"));
  EXPECT_EQ(sessions.size(), 8u);
  EXPECT_EQ(sessions.Find(mine->id, "me"), mine) << "those who have most lose one";
}

TEST(Sessions, AreForgottenAfterADay) {
  ::openseat::testing::FakeScheduler scheduler;
  Sessions sessions(scheduler.clock(), 8, 6);
  const auto idle = sessions.Begin("me");
  const auto used = sessions.Begin("me");
  sessions.Keep(idle);
  sessions.Keep(used);
  scheduler.Advance(Sessions::kIdle / 2);
  EXPECT_EQ(sessions.Find(used->id, "me"), used);
  scheduler.Advance(Sessions::kIdle / 2);
  sessions.Keep(sessions.Begin("you"));
  EXPECT_EQ(sessions.Find(idle->id, "me"), nullptr);
  EXPECT_EQ(sessions.Find(used->id, "me"), used);
}

}  // namespace
}  // namespace openseat::mcp
