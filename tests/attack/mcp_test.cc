// Strangers over the Model Context Protocol: waits that go on as tasks, with all that a request may carry.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class McpAttack : public Attack {
 protected:
  // A request of a client that takes tasks; `name`: of the tool, or the id of the task.
  static std::string Request(const std::string& method, const std::string& name, const std::string& params) {
    const std::string meta =
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
        R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
    const std::string body =
        R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "," + meta + "}}";
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
           "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
           method + "\r\nMcp-Name: " + name + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string Call(const std::string& tool, const std::string& arguments, const std::string& more = {}) {
    return Request("tools/call", tool, R"("name":")" + tool + R"(","arguments":)" + arguments + more);
  }
  // In the older revisions, in a session. `headers`: more of them, as whole lines.
  static std::string Legacy(const std::string& session, const std::string& method, const std::string& params,
                            const std::string& headers = {}) {
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n" +
           headers + (session.empty() ? "" : "Mcp-Session-Id: " + session + "\r\n") +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string Session(net::TestClient& client, const std::string& capabilities,
                             const std::string& headers = {}) {
    return client
        .Request(Legacy(
            "", "initialize",
            R"("protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"},"capabilities":)" + capabilities,
            headers))
        .headers["mcp-session-id"];
  }
  // The token of a seat of a new match that waits for another player.
  static std::string Seat(net::TestClient& client) {
    const std::string made = client.Request(Call("create_match", R"({"game":"tictactoe","opponents":["open"]})")).body;
    const auto answer = json::Parse(made);
    EXPECT_TRUE(answer && json::Find(*answer, "result") != nullptr) << made;
    return std::string(json::View(answer->at("result").at("structuredContent").at("token").as_string()));
  }
  std::string Key(const std::string& label) {
    Process create(OPENSEAT_BINARY, {"key", "create", "--data-dir", data_dir(), "--label", label}, {}, "/dev/null");
    std::string key;
    EXPECT_TRUE(create.ReadLine(key));
    EXPECT_EQ(create.Wait(), 0);
    return key;
  }
  // JSON that takes thirty times as much memory as text.
  static std::string Lists(std::size_t count) {
    std::string out = "[";
    const std::string nested = std::string(50, '[') + std::string(50, ']');
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + nested;
    return out + "]";
  }
};

TEST_F(McpAttack, TasksThatCarryMuch) {
  Start();
  net::TestClient first(server().port());
  // A seat has a limit of its own.
  std::vector<std::string> tokens;
  for (int i = 0; i < 4; ++i) tokens.push_back(Seat(first));
  const std::string ballast = R"(,"more":")" + std::string(900 * kKiB, 'x') + '"';
  // As many as one address may have.
  constexpr std::size_t kTasks = 50;
  std::vector<std::unique_ptr<net::TestClient>> clients;
  std::string task;
  for (std::size_t i = 0; i < kTasks; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server().port()));
    clients.back()->Send(Call("wait_for_turn", R"({"token":")" + tokens[i % tokens.size()] + R"("})", ballast));
  }
  for (const auto& client : clients) {
    const std::string body = client->ReadAnswer().body;
    EXPECT_THAT(body, HasSubstr(R"("resultType":"task")"));
    const auto told = json::Parse(body);
    if (told) task = json::TextOf(told->at("result"), "taskId");
  }
  clients.clear();
  for (std::size_t i = 0; i < Scaled(50); ++i) {
    const std::string now = R"({"token":")" + tokens[0] + R"(","timeout_s":0})";
    EXPECT_THAT(first.Request(Call("wait_for_turn", now, ballast)).body, HasSubstr("structuredContent"));
  }
  EXPECT_THAT(first.Request(Request("tasks/get", task, R"("taskId":")" + task + '"')).body,
              HasSubstr(R"("status":"working")"));
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(McpAttack, SessionsThatDeclareMuch) {
  Start();
  net::TestClient client(server().port());
  const std::string first = Session(client, "{}");
  for (std::size_t i = 0; i < Scaled(1'500); ++i) {
    ASSERT_NE(Session(client, R"({"x":)" + Lists(140) + "}"), "") << i;
  }
  EXPECT_THAT(client.Request(Legacy(first, "ping", "")).body, HasSubstr("result"));
  ExpectUnnoticed(20);
  ExpectMemoryBelow(300 * kMiB);
}

TEST_F(McpAttack, WaitsWhoseClientsHaveGone) {
  Start();
  net::TestClient client(server().port());
  const std::string session = Session(client, "{}");
  const std::string wait = R"("name":"wait_for_turn","arguments":{"token":")" + Seat(client) + R"(","timeout_s":50})";
  for (std::size_t i = 0; i < Scaled(300); ++i) {
    net::TestClient(server().port()).Send(Legacy(session, "tools/call", wait + R"(,"more":)" + Lists(390)));
    client.Request(Legacy(session, "ping", ""));  // what counts here is memory, not time
  }
  // Nobody's place is taken by one of them.
  const std::string brief = wait.substr(0, wait.find(R"("timeout_s":)")) + R"("timeout_s":0.1})";
  EXPECT_THAT(client.Request(Legacy(session, "tools/call", brief)).body, HasSubstr(R"("status":"waiting")"));
  ExpectUnnoticed(20);
  ExpectMemoryBelow(200 * kMiB);
}

TEST_F(McpAttack, CallsOfOneKeyFromManyAddresses) {
  // In all as many as one key may have in progress.
  constexpr int kAddresses = 32;
  constexpr int kWaits = 8;
  Start();
  const auto from = [](int address, const std::string& key) {
    return "X-Forwarded-For: 203.0.113." + std::to_string(address) + "\r\nAuthorization: Bearer " + key + "\r\n";
  };
  const std::string key = Key("attacker");
  const std::string other_key = Key("another");
  net::TestClient client(server().port());
  const std::string session = Session(client, "{}", from(1, key));
  const std::string other_session = Session(client, "{}", from(1, other_key));
  std::vector<std::unique_ptr<net::TestClient>> waiting;
  for (int address = 1; address <= kAddresses; ++address) {
    const std::string wait = R"("name":"wait_for_turn","arguments":{"token":")" + Seat(client) + R"(","timeout_s":50})";
    for (int i = 0; i < kWaits; ++i) {
      waiting.push_back(std::make_unique<net::TestClient>(server().port()));
      waiting.back()->Send(Legacy(session, "tools/call", wait, from(address, key)));
    }
  }
  const std::string ping = Legacy(session, "ping", "", from(kAddresses + 1, key));
  net::TestClient::Answer refused;
  while (refused.status != 429) refused = client.Request(ping);  // the last wait is on its way
  EXPECT_THAT(refused.body, HasSubstr("one key may have 256 in progress"));
  EXPECT_EQ(client.Request(Legacy(other_session, "ping", "", from(1, other_key))).status, 200);
  // Hanging up gives the places back.
  waiting.clear();
  while (client.Request(ping).status != 200) {
  }
  ExpectUnnoticed(20);
}

}  // namespace
}  // namespace openseat::tests
