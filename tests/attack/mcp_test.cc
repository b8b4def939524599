// Strangers over the Model Context Protocol: waits that go on as tasks, with all that a request may carry.
#include <string>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_over_mcp.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class McpAttack : public Attack {
 protected:
  std::string Key(const std::string& label) {
    Process create(OPENSEAT_BINARY, {"key", "create", "--data-dir", data_dir(), "--label", label}, {}, "/dev/null");
    std::string key;
    EXPECT_TRUE(create.ReadLine(key));
    EXPECT_EQ(create.Wait(), 0);
    return key;
  }
};

TEST_F(McpAttack, WhoseKeyItIsThatGuessesIsRecorded) {
  StartAlone();
  const std::string key = Key("guesser");
  const std::string headers = "X-Forwarded-For: 203.0.113.44\r\nAuthorization: Bearer " + key + "\r\n";
  net::TestClient client(server().port());
  const std::string session = mcp::Session(client, "{}", headers);
  const auto call = [&](const std::string& params) {
    return client.Request(mcp::Legacy(session, "tools/call", params, headers)).body;
  };
  EXPECT_THAT(call(R"("name":"join_table","arguments":{"table":"no-such"})"), HasSubstr("There is no table"));
  EXPECT_THAT(call(R"("name":"get_state","arguments":{"token":"no-such.0.x"})"), HasSubstr("isError"));
  server().Stop();
  const std::string audit = ReadTextFile(data_dir() + "/audit.log");
  EXPECT_THAT(audit, HasSubstr(R"("what":"match","from":"203.0.113.44","who":"key )"));
  EXPECT_THAT(audit, HasSubstr(R"("what":"seat token","from":"203.0.113.44","who":"key )"));
  EXPECT_THAT(audit, ::testing::Not(HasSubstr(key)));
}

TEST_F(McpAttack, TasksThatCarryMuch) {
  Start();
  net::TestClient first(server().port());
  const LargeTasks large(server());
  std::string task;
  for (const std::string& body : large.answers()) {
    EXPECT_THAT(body, HasSubstr(R"("resultType":"task")"));
    const auto told = json::Parse(body);
    if (told) task = json::TextOf(told->at("result"), "taskId");
  }
  for (std::size_t i = 0; i < Scaled(50); ++i) {
    EXPECT_THAT(large.AskWithMuch(first), HasSubstr("structuredContent"));
  }
  EXPECT_THAT(first.Request(mcp::Request("tasks/get", task, R"("taskId":")" + task + '"')).body,
              HasSubstr(R"("status":"working")"));
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(McpAttack, SessionsThatDeclareMuch) {
  Start();
  net::TestClient client(server().port());
  const std::string first = mcp::Session(client, "{}");
  for (std::size_t i = 0; i < Scaled(1'500); ++i) ASSERT_NE(DeclareMuch(client), "") << i;
  EXPECT_THAT(client.Request(mcp::Legacy(first, "ping", "")).body, HasSubstr("result"));
  ExpectUnnoticed(20);
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(McpAttack, WaitsWhoseClientsHaveGone) {
  Start();
  net::TestClient client(server().port());
  const WaitsToLeave waits(server());
  for (std::size_t i = 0; i < Scaled(300); ++i) ASSERT_TRUE(waits.WaitAndHangUp(client)) << i;
  // Nobody's place is taken by one of them.
  EXPECT_THAT(waits.WaitBriefly(client), HasSubstr(R"("status":"waiting")"));
  ExpectUnnoticed(20);
  ExpectMemoryBelow(200 * kMiB);
}

TEST_F(McpAttack, CallsOfOneKeyFromManyAddresses) {
  // In all as many as one key may have in progress.
  constexpr int kAddresses = 32;
  constexpr int kWaits = 8;
  Start();
  const std::string key = Key("attacker");
  const std::string other_key = Key("another");
  net::TestClient client(server().port());
  const std::string session = mcp::Session(client, "{}", mcp::From(1, key));
  const std::string other_session = mcp::Session(client, "{}", mcp::From(1, other_key));
  auto waiting = WaitFromManyAddresses(server(), session, key, kAddresses, kWaits);
  const std::string ping = mcp::Legacy(session, "ping", "", mcp::From(kAddresses + 1, key));
  net::TestClient::Answer refused;
  while (refused.status != 429) refused = client.Request(ping);  // the last wait is on its way
  EXPECT_THAT(refused.body, HasSubstr("one key may have 256 in progress"));
  EXPECT_EQ(client.Request(mcp::Legacy(other_session, "ping", "", mcp::From(1, other_key))).status, 200);
  // Hanging up gives the places back.
  waiting.clear();
  while (client.Request(ping).status != 200) {
  }
  ExpectUnnoticed(20);
}

}  // namespace
}  // namespace openseat::tests
