#include "attack/attacks_over_mcp.h"

#include <stdexcept>
#include <utility>

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

// The token in the answer to create_match, "" if there is none.
std::string TokenIn(const std::string& body) {
  const auto answer = json::Parse(body);
  const json::Value* result = answer ? json::Find(*answer, "result") : nullptr;
  const json::Value* content = result == nullptr ? nullptr : json::Find(*result, "structuredContent");
  return content == nullptr ? std::string() : std::string(json::TextOf(*content, "token"));
}

// What a table shows: "transcript", or "state".
std::string Read(const std::string& match, std::string_view what, const std::string& headers) {
  const std::string address = "openseat://tables/" + match + "/" + std::string(what);
  return mcp::Request("resources/read", address, R"("uri":")" + address + '"', headers);
}

}  // namespace

namespace mcp {

std::string Request(const std::string& method, const std::string& name, const std::string& params,
                    const std::string& headers) {
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
      R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "," + meta + "}}";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
         "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
         method + "\r\nMcp-Name: " + name + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string Call(const std::string& tool, const std::string& arguments, const std::string& more,
                 const std::string& headers) {
  return Request("tools/call", tool, R"("name":")" + tool + R"(","arguments":)" + arguments + more, headers);
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

std::string Seat(net::TestClient& client, const std::string& headers) {
  const std::string made =
      client.Request(Call("create_match", R"({"game":"tictactoe","opponents":["open"]})", {}, headers)).body;
  std::string token = TokenIn(made);
  if (token.empty()) throw std::runtime_error("no seat: " + made);
  return token;
}

void Resign(net::TestClient& client, const std::vector<std::string>& tokens, const std::string& headers) {
  for (const std::string& token : tokens) {
    client.Request(Call("resign", R"({"token":")" + token + "\"}", {}, headers));
  }
}

std::string Bearing(const std::string& key) {
  return "Authorization: Bearer " + key + "\r\n";
}

std::string From(int address, const std::string& key) {
  return "X-Forwarded-For: 203.0.113." + std::to_string(address) + "\r\n" + Bearing(key);
}

}  // namespace mcp

LargeTasks::LargeTasks(const RealServer& server, std::string headers)
    : headers_(std::move(headers)), ballast_(R"(,"more":")" + std::string(900 * kKiB, 'x') + '"') {
  net::TestClient first(server.port());
  // A seat has a limit of its own.
  for (int i = 0; i < 4; ++i) tokens_.push_back(mcp::Seat(first, headers_));
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (std::size_t i = 0; i < kTasks; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server.port()));
    clients.back()->Send(
        mcp::Call("wait_for_turn", R"({"token":")" + tokens_[i % tokens_.size()] + R"("})", ballast_, headers_));
  }
  for (const auto& client : clients) answers_.push_back(client->ReadAnswer().body);
}

std::string LargeTasks::AskWithMuch(net::TestClient& client) const {
  const std::string now = R"({"token":")" + tokens_[0] + R"(","timeout_s":0})";
  return client.Request(mcp::Call("wait_for_turn", now, ballast_, headers_)).body;
}

std::string DeclareMuch(net::TestClient& client, const std::string& headers) {
  return mcp::Session(client, R"({"x":)" + Lists(140) + "}", headers);
}

WaitsToLeave::WaitsToLeave(const RealServer& server, std::string headers)
    : server_(server), headers_(std::move(headers)) {
  net::TestClient client(server.port());
  session_ = mcp::Session(client, "{}", headers_);
  token_ = mcp::Seat(client, headers_);
}

bool WaitsToLeave::WaitAndHangUp(net::TestClient& client) const {
  net::TestClient(server_.port())
      .Send(mcp::Legacy(session_, "tools/call", Wait(token_, "50") + R"(,"more":)" + Lists(390), headers_));
  return client.Request(mcp::Legacy(session_, "ping", "", headers_)).status != 0;
}

std::string WaitsToLeave::WaitBriefly(net::TestClient& client) const {
  return client.Request(mcp::Legacy(session_, "tools/call", Wait(token_, "0.1"), headers_)).body;
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

MatchesBegun BeginMatches(const RealServer& server, const std::string& arguments, std::size_t count,
                          const std::string& headers) {
  net::TestClient client(server.port());
  MatchesBegun begun;
  for (std::size_t i = 0; i < count; ++i) {
    const net::TestClient::Answer answer = client.Request(mcp::Call("create_match", arguments, {}, headers));
    if (answer.status == 0) break;
    ++begun.answers;
    std::string token = TokenIn(answer.body);
    if (!token.empty()) begun.tokens.push_back(std::move(token));
  }
  return begun;
}

LargeAnswers ReadTranscripts(const RealServer& server, const std::string& match, std::size_t clients,
                             std::size_t rounds, const std::string& headers) {
  return AskAtOnce(server, Read(match, "transcript", headers + "Accept-Encoding: br, gzip;q=0.5\r\n"), clients, rounds);
}

std::vector<int> LeaveTranscripts(const RealServer& server, const std::string& match, std::size_t count,
                                  const std::string& headers) {
  const std::string transcript = Read(match, "transcript", headers);
  const std::string state = Read(match, "state", headers);
  net::TestClient client(server.port());
  std::vector<int> statuses;
  for (std::size_t i = 0; i < count; ++i) {
    net::TestClient(server.port()).Send(transcript);
    statuses.push_back(client.Request(state).status);
  }
  return statuses;
}

}  // namespace openseat::tests
