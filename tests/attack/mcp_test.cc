// Strangers over the Model Context Protocol: waits that go on as tasks, with all that a request may carry.
#include <sstream>
#include <string>
#include <string_view>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_over_mcp.h"
#include "base/digest.h"
#include "base/json.h"

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
  // How many lines of `text` contain `what`.
  static std::size_t Lines(const std::string& text, std::string_view what) {
    std::size_t count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) count += line.find(what) != std::string::npos ? 1 : 0;
    return count;
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

TEST_F(McpAttack, WhatTheOperatorDoesIsRecorded) {
  WriteTextFile(data_dir() + "/admin-token.sha256", Sha256Hex("theoldtoken") + "\n");
  StartUnwatched({}, {"--new-token"});
  EXPECT_EQ(server().Status("/healthz"), 200) << "it hears signals now";
  server().Stop();
  WriteTextFile(data_dir() + "/admin-token.sha256", Sha256Hex(kToken) + "\n");
  StartUnwatched();
  net::TestClient client(server().port());
  const std::string owner = std::string(kElsewhere) + "Authorization: Bearer " + std::string(kToken) + "\r\n";
  const std::string key = Key("player");
  const std::string player = std::string(kElsewhere) + "Authorization: Bearer " + key + "\r\n";
  const auto call = [&](const std::string& headers, const std::string& params) {
    const std::string session = mcp::Session(client, "{}", headers);
    return client.Request(mcp::Legacy(session, "tools/call", params, headers)).body;
  };
  const std::string create = R"("name":"create_match","arguments":{"game":"tictactoe","opponents":["open"]})";
  const auto made = json::Parse(call(owner, create));
  ASSERT_TRUE(made.has_value());
  const std::string token(json::TextOf(made->at("result").at("structuredContent"), "token"));
  ASSERT_NE(token, "");
  EXPECT_THAT(call(owner, R"("name":"get_state","arguments":{"token":")" + token + R"("})"), HasSubstr("content"));
  EXPECT_THAT(call(owner, R"("name":"resign","arguments":{"token":")" + token + R"("})"), HasSubstr("content"));
  EXPECT_THAT(call(player, create), HasSubstr("structuredContent"));
  EXPECT_THAT(call("", create), HasSubstr("structuredContent"));
  server().Stop();
  const std::string audit = ReadTextFile(data_dir() + "/audit.log");
  EXPECT_THAT(audit, HasSubstr(R"("what":"new admin token: --new-token","from":"command line","who":"user )"));
  const std::string table = token.substr(0, token.find('.'));
  const std::string by_token = R"(","from":"203.0.113.9","who":"admin token"})";
  EXPECT_THAT(audit, HasSubstr(R"("event":"admin","what":"MCP create_match tictactoe)" + by_token));
  EXPECT_THAT(audit, HasSubstr(R"("event":"admin","what":"MCP resign )" + table + by_token));
  EXPECT_THAT(audit, HasSubstr(R"("what":"MCP create_match tictactoe","from":"127.0.0.1","who":"this machine"})"));
  EXPECT_EQ(Lines(audit, "MCP "), 3u) << "neither what reads nor what players do: " << audit;
  for (const std::string& secret : {token.substr(table.size() + 1), std::string(kToken), key}) {
    EXPECT_THAT(audit, ::testing::Not(HasSubstr(secret)));
  }
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
  EXPECT_THAT(refused.body, HasSubstr("the fixed limit mcp.calls is reached: 256 calls"));
  EXPECT_EQ(client.Request(mcp::Legacy(other_session, "ping", "", mcp::From(1, other_key))).status, 200);
  // Hanging up gives the places back.
  waiting.clear();
  while (client.Request(ping).status != 200) {
  }
  ExpectUnnoticed(20);
}

}  // namespace
}  // namespace openseat::tests
