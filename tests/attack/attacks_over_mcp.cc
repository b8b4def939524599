#include "attack/attacks_over_mcp.h"

#include <stdexcept>

namespace openseat::tests {
namespace {

// As many tasks as one address may have.
constexpr std::size_t kTasks = 50;

// JSON that takes thirty times as much memory as text.
std::string Lists(std::size_t count) {
  std::string out = "[";
  const std::string nested = std::string(50, '[') + std::string(50, ']');
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + nested;
  return out + "]";
}

std::string Wait(const std::string& token, const std::string& seconds) {
  return R"("name":"wait_for_turn","arguments":{"token":")" + token + R"(","timeout_s":)" + seconds + "}";
}

}  // namespace

namespace mcp {

std::string Request(const std::string& method, const std::string& name, const std::string& params) {
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
      R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "," + meta + "}}";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
         "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
         method + "\r\nMcp-Name: " + name + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string Call(const std::string& tool, const std::string& arguments, const std::string& more) {
  return Request("tools/call", tool, R"("name":")" + tool + R"(","arguments":)" + arguments + more);
}

std::string Legacy(const std::string& session, const std::string& method, const std::string& params,
                   const std::string& headers) {
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n" +
         headers + (session.empty() ? "" : "Mcp-Session-Id: " + session + "\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string Session(net::TestClient& client, const std::string& capabilities, const std::string& headers) {
  return client
      .Request(Legacy(
          "", "initialize",
          R"("protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"},"capabilities":)" + capabilities,
          headers))
      .headers["mcp-session-id"];
}

std::string Seat(net::TestClient& client) {
  const std::string made = client.Request(Call("create_match", R"({"game":"tictactoe","opponents":["open"]})")).body;
  const auto answer = json::Parse(made);
  if (!answer || json::Find(*answer, "result") == nullptr) throw std::runtime_error("no seat: " + made);
  return std::string(json::View(answer->at("result").at("structuredContent").at("token").as_string()));
}

std::string From(int address, const std::string& key) {
  return "X-Forwarded-For: 203.0.113." + std::to_string(address) + "\r\nAuthorization: Bearer " + key + "\r\n";
}

}  // namespace mcp

LargeTasks::LargeTasks(const RealServer& server) : ballast_(R"(,"more":")" + std::string(900 * kKiB, 'x') + '"') {
  net::TestClient first(server.port());
  // A seat has a limit of its own.
  for (int i = 0; i < 4; ++i) tokens_.push_back(mcp::Seat(first));
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (std::size_t i = 0; i < kTasks; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server.port()));
    clients.back()->Send(mcp::Call("wait_for_turn", R"({"token":")" + tokens_[i % tokens_.size()] + R"("})", ballast_));
  }
  for (const auto& client : clients) answers_.push_back(client->ReadAnswer().body);
}

std::string LargeTasks::AskWithMuch(net::TestClient& client) const {
  const std::string now = R"({"token":")" + tokens_[0] + R"(","timeout_s":0})";
  return client.Request(mcp::Call("wait_for_turn", now, ballast_)).body;
}

std::string DeclareMuch(net::TestClient& client, const std::string& headers) {
  return mcp::Session(client, R"({"x":)" + Lists(140) + "}", headers);
}

WaitsToLeave::WaitsToLeave(const RealServer& server) : server_(server) {
  net::TestClient client(server.port());
  session_ = mcp::Session(client, "{}");
  token_ = mcp::Seat(client);
}

bool WaitsToLeave::WaitAndHangUp(net::TestClient& client) const {
  net::TestClient(server_.port())
      .Send(mcp::Legacy(session_, "tools/call", Wait(token_, "50") + R"(,"more":)" + Lists(390)));
  return client.Request(mcp::Legacy(session_, "ping", "")).status != 0;
}

std::string WaitsToLeave::WaitBriefly(net::TestClient& client) const {
  return client.Request(mcp::Legacy(session_, "tools/call", Wait(token_, "0.1"))).body;
}

std::vector<std::unique_ptr<net::TestClient>> WaitFromManyAddresses(const RealServer& server,
                                                                    const std::string& session, const std::string& key,
                                                                    int addresses, int waits) {
  net::TestClient client(server.port());
  std::vector<std::unique_ptr<net::TestClient>> waiting;
  for (int address = 1; address <= addresses; ++address) {
    const std::string wait = Wait(mcp::Seat(client), "50");
    for (int i = 0; i < waits; ++i) {
      waiting.push_back(std::make_unique<net::TestClient>(server.port()));
      waiting.back()->Send(mcp::Legacy(session, "tools/call", wait, mcp::From(address, key)));
    }
  }
  return waiting;
}

}  // namespace openseat::tests
