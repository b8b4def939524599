#include "app/cluster_calls.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace openseat::app
