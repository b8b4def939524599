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
};

TEST_F(McpAttack, TasksThatCarryMuch) {
  Start();
  net::TestClient first(server().port());
  const std::string made = first.Request(Call("create_match", R"({"game":"tictactoe","opponents":["open"]})")).body;
  const auto answer = json::Parse(made);
  ASSERT_TRUE(answer && json::Find(*answer, "result") != nullptr) << made;
  const std::string token(answer->at("result").at("structuredContent").at("token").as_string().c_str());
  const std::string arguments = R"({"token":")" + token + R"("})";
  const std::string ballast = R"(,"more":")" + std::string(900 * kKiB, 'x') + '"';
  // As many as one address may have.
  constexpr std::size_t kTasks = 50;
  std::vector<std::unique_ptr<net::TestClient>> clients;
  std::string task;
  for (std::size_t i = 0; i < kTasks; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server().port()));
    clients.back()->Send(Call("wait_for_turn", arguments, ballast));
  }
  for (const auto& client : clients) {
    const std::string body = client->ReadAnswer().body;
    EXPECT_THAT(body, HasSubstr(R"("resultType":"task")"));
    const auto told = json::Parse(body);
    if (told) task = json::TextOf(told->at("result"), "taskId");
  }
  clients.clear();
  for (std::size_t i = 0; i < Scaled(50); ++i) {
    const std::string now = R"({"token":")" + token + R"(","timeout_s":0})";
    EXPECT_THAT(first.Request(Call("wait_for_turn", now, ballast)).body, HasSubstr("structuredContent"));
  }
  EXPECT_THAT(first.Request(Request("tasks/get", task, R"("taskId":")" + task + '"')).body,
              HasSubstr(R"("status":"working")"));
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

}  // namespace
}  // namespace openseat::tests
