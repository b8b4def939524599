#include "app/cluster_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mcp/test_exchange.h"

namespace openseat::app {
namespace {

json::Object Params(std::string_view text) {
  return json::Parse(text)->get_object();
}

TEST(ClusterCallsTest, KnowsWhichTableACallIsAbout) {
  const auto table = [](const char* method, std::string_view params) {
    return SubjectOf(method, Params(params)).table;
  };
  EXPECT_EQ(table("tools/call", R"({"name":"act","arguments":{"token":"calm-otter.1.abcdefghijklmnopqrstuvwxyz"}})"),
            TableId("calm-otter"));
  EXPECT_EQ(table("tools/call", R"({"name":"join_table","arguments":{"table":"calm-otter.invitation"}})"),
            TableId("calm-otter"));
  for (const char* uri : {"openseat://tables/calm-otter/state", "openseat://tables/calm-otter.invitation/transcript",
                          "openseat://seats/calm-otter.1.abcdefghijklmnopqrstuvwxyz/state"}) {
    EXPECT_EQ(table("resources/read", json::Write(json::Object{{"uri", uri}})), TableId("calm-otter")) << uri;
  }
  for (const char* params : {R"({})", R"({"arguments":3})", R"({"arguments":{"token":7}})",
                             R"({"arguments":{"token":"short"}})", R"({"arguments":{"game":"chess"}})"}) {
    EXPECT_FALSE(table("tools/call", params)) << params;
  }
  EXPECT_FALSE(table("resources/read", R"({"uri":"openseat://games/chess/rules"})"));
  EXPECT_FALSE(table("tools/list", R"({"arguments":{"table":"calm-otter"}})"));
}

TEST(ClusterCallsTest, KnowsWhoseATaskIs) {
  EXPECT_EQ(SubjectOf("tasks/get", Params(R"({"taskId":"two.abc"})")).node, "two");
  EXPECT_FALSE(SubjectOf("tasks/get", Params(R"({"taskId":"abc"})")).node);
  EXPECT_FALSE(SubjectOf("tasks/get", Params(R"({"taskId":2})")).node);
  EXPECT_FALSE(SubjectOf("tools/call", Params(R"({"taskId":"two.abc"})")).node);
  EXPECT_EQ(NodeOfId(IdPrefix("two") + "abc"), "two");
}

// What the client of a call gets that another node answered.
std::string Passed(std::string_view body, std::string_view method = "tools/call", int status = 200) {
  const auto heard = std::make_shared<mcp::Heard>();
  const mcp::ServerInfo info{"openseat", "Openseat", "1", ""};
  mcp::Message message;
  message.id = 7;
  message.method = method;
  message.params = {{"uri", "openseat://x"}};
  const auto call = std::make_shared<mcp::Call>(message, mcp::Envelope{}, nullptr, heard, info);
  net::HttpResponse response;
  response.status = status;
  response.body = body;
  AnswerOf(*call, response)(*call);
  return heard->answer;
}

TEST(ClusterCallsTest, AnOlderClientGetsAnAnswerOfItsRevision) {
  EXPECT_EQ(Passed(R"({"jsonrpc":"2.0","id":"1","result":{"content":[],"resultType":"complete","_meta":{"a":1}}})"),
            R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})");
  EXPECT_THAT(Passed(R"({"id":"1","error":{"code":-32603,"message":"busy"}})"),
              ::testing::HasSubstr(R"("error":{"code":-32603,"message":"busy"})"));
  EXPECT_THAT(Passed(R"({"id":"1","error":{"code":-32602,"message":"none"}})", "resources/read"),
              ::testing::HasSubstr("-32002"));
}

TEST(ClusterCallsTest, WhatIsNotJsonReachesNobody) {
  for (const char* body :
       {"", "<html>", R"({"result":{"content":[]})", R"({"result":[1]})", R"({"result":{"a":01}})"}) {
    const std::string answer = Passed(body, "tools/call", 502);
    ASSERT_TRUE(json::Parse(answer).has_value()) << body;
    EXPECT_THAT(answer, ::testing::HasSubstr("status 502")) << body;
  }
}

}  // namespace
}  // namespace openseat::app
