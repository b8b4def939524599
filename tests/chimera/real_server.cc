#include "chimera/real_server.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace openseat::tests {
namespace {

std::vector<std::string> Arguments(const std::string& data_dir, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"serve",  "--listen",    "127.0.0.1:0", "--chimera-listen", "none", "--data-dir",
                                     data_dir, "--log-level", "warn",        "--test-games"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

RealServer::RealServer(const std::string& data_dir, const std::vector<std::string>& more)
    : process_(OPENSEAT_BINARY, Arguments(data_dir, more)) {
  // "Openseat … listens on http://127.0.0.1:PORT"
  std::string line;
  const bool started = process_.ReadLine(line);
  const std::size_t colon = line.rfind(':');
  if (!started || colon == std::string::npos) {
    ADD_FAILURE() << "the server did not start: " << line;
    return;
  }
  port_ = static_cast<std::uint16_t>(std::stoul(line.substr(colon + 1)));
}

void RealServer::Kill() {
  process_.Signal(SIGKILL);
  process_.Wait();
}

json::Value RealServer::Answer(std::string_view request) {
  net::TestClient client(port_);
  const net::TestClient::Answer answer = client.Request(request);
  if (answer.status != 200 && answer.status != 201) {
    ADD_FAILURE() << request << "\nwas answered with " << answer.status << " " << answer.body;
    return nullptr;
  }
  Result<json::Value> body = json::Parse(answer.body);
  if (!body) ADD_FAILURE() << body.error().message;
  return body ? std::move(*body) : json::Value();
}

json::Value RealServer::Get(const std::string& path) {
  return Answer("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}

json::Value RealServer::Post(const std::string& path, const json::Value& body) {
  const std::string text = json::Write(body);
  return Answer("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(text.size()) +
                "\r\n\r\n" + text);
}

WireClient::WireClient(const RealServer& server) : client_(server.port()) {
  const auto answer = client_.Request(
      "GET /chimera HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_EQ(answer.status, 101);
}

void WireClient::Send(std::string_view text) {
  client_.Send(net::ClientFrame(0x81, text));
}

json::Value WireClient::Next() {
  for (;;) {
    const net::TestClient::Frame frame = client_.ReadFrame();
    if (frame.opcode == 9 || frame.opcode == 10) continue;  // ping, pong
    if (frame.opcode != 1) return nullptr;
    Result<json::Value> message = json::Parse(frame.payload);
    EXPECT_TRUE(message.has_value()) << frame.payload;
    return message ? std::move(*message) : json::Value();
  }
}

json::Value WireClient::Ask(std::string_view operation, const json::Value& params) {
  Send(json::Write(json::Object{{"type", "request"}, {"id", "r"}, {"operation", operation}, {"params", params}}));
  return Next();
}

}  // namespace openseat::tests
