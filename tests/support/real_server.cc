#include "support/real_server.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace openseat::tests {
namespace {

std::vector<std::string> Arguments(const std::string& data_dir, const std::vector<std::string>& more) {
  if (!more.empty() && more.front() == "relay") {
    std::vector<std::string> relay{"relay", "--listen", "127.0.0.1:0", "--data-dir", data_dir, "--log-level", "warn"};
    relay.insert(relay.end(), more.begin() + 1, more.end());
    return relay;
  }
  std::vector<std::string> arguments{"serve", "--listen",   "127.0.0.1:0", "--chimera-listen",
                                     "none",  "--data-dir", data_dir,      "--test-games"};
  // Flags override the config file.
  if (std::ranges::find(more, "--config") == more.end()) arguments.insert(arguments.end(), {"--log-level", "warn"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// REQUIRES a line break before every line of `metrics`.
double SampleIn(const std::string& metrics, std::string_view sample) {
  const std::string start = "\n" + std::string(sample) + " ";
  const std::size_t at = metrics.find(start);
  return at == std::string::npos ? 0 : std::stod(metrics.substr(at + start.size()));
}

}  // namespace

RealServer::RealServer(const std::string& data_dir, const std::vector<std::string>& more, const std::string& log_file)
    : data_dir_(data_dir), log_file_(log_file), process_(OPENSEAT_BINARY, Arguments(data_dir, more), {}, log_file) {
  // "Openseat … listens on http://127.0.0.1:PORT"
  std::string line;
  const bool started = process_.ReadLine(line);
  const std::size_t colon = line.rfind(':');
  if (!started || colon == std::string::npos) throw std::runtime_error("the server did not start: " + line);
  port_ = static_cast<std::uint16_t>(std::stoul(line.substr(colon + 1)));
}

void RealServer::Kill() {
  process_.Signal(SIGKILL);
  process_.Wait();
}

void RealServer::Stop() {
  process_.Signal(SIGTERM);
  EXPECT_EQ(process_.Wait(), 0);
}

net::TestClient::Answer RealServer::Ask(std::string_view request) {
  net::TestClient client(port_);
  net::TestClient::Answer answer = client.Request(request);
  if (answer.status != 200 && answer.status != 201) {
    throw std::runtime_error(std::string(request) + "\nwas answered with " + std::to_string(answer.status) + " " +
                             answer.body);
  }
  return answer;
}

json::Value RealServer::Answer(std::string_view request) {
  const net::TestClient::Answer answer = Ask(request);
  if (answer.body.empty()) return nullptr;
  Result<json::Value> body = json::Parse(answer.body);
  if (!body) throw std::runtime_error(body.error().message);
  return std::move(*body);
}

int RealServer::Status(const std::string& path) {
  return net::TestClient(port_).Request("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status;
}

json::Value RealServer::Get(const std::string& path) {
  return Answer("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}

json::Value RealServer::Post(const std::string& path, const json::Value& body) {
  const std::string text = json::Write(body);
  return Answer("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(text.size()) +
                "\r\n\r\n" + text);
}

std::string RealServer::Metrics() {
  return "\n" + Ask("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").body;
}

double RealServer::Metric(std::string_view sample) {
  return SampleIn(Metrics(), sample);
}

RealServer::Observed RealServer::Observations(const std::string& histogram, const std::string& bound) {
  const std::string text = Metrics();
  return {SampleIn(text, histogram + "_count"), SampleIn(text, histogram + "_bucket{le=\"" + bound + "\"}")};
}

std::uint64_t RealServer::StatusBytes(std::string_view field) const {
  // "VmRSS: 12345 kB"
  const std::string status = ReadTextFile("/proc/" + std::to_string(process_.pid()) + "/status");
  const std::size_t at = status.find(field);
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + field.size())) * 1024;
}

std::uint64_t RealServer::JournalBytes() const {
  std::uint64_t bytes = 0;
  for (const char* name : {"openseat.db", "openseat.db-wal"}) {
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(data_dir_ + "/" + name, missing);
    if (!missing) bytes += size;
  }
  return bytes;
}

WireClient::WireClient(const RealServer& server, std::string_view path, std::string_view headers)
    : client_(server.port()) {
  const auto answer = client_.Request("GET " + std::string(path) +
                                      " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                                      std::string(headers) + "\r\n");
  EXPECT_EQ(answer.status, 101);
}

void WireClient::Send(std::string_view text) {
  client_.Send(net::ClientFrame(0x81, text));
}

net::TestClient::Frame WireClient::NextFrame() {
  for (;;) {
    net::TestClient::Frame frame = client_.ReadFrame();
    if (frame.opcode != 9 && frame.opcode != 10) return frame;
  }
}

json::Value WireClient::Next() {
  const net::TestClient::Frame frame = NextFrame();
  if (frame.opcode != 1) return nullptr;
  Result<json::Value> message = json::Parse(frame.payload);
  EXPECT_TRUE(message.has_value()) << frame.payload;
  return message ? std::move(*message) : json::Value();
}

json::Value WireClient::Ask(std::string_view operation, const json::Value& params) {
  Send(json::Write(json::Object{{"type", "request"}, {"id", "r"}, {"operation", operation}, {"params", params}}));
  return Next();
}

WireGame::WireGame(const RealServer& server, std::string game) : game_(std::move(game)), client_(server, "/") {
  Send("startup", nullptr);
}

void WireGame::Send(std::string_view command, const json::Value& data) {
  json::Object message{{"command", command}, {"game", game_}};
  if (!data.is_null()) message["data"] = data;
  client_.Send(json::Write(message));
}

void WireGame::Register(std::string_view name, const json::Value& schema) {
  json::Object action{{"name", name}, {"description", "an action of a test"}};
  if (!schema.is_null()) action["schema"] = schema;
  Send("actions/register", json::Object{{"actions", json::Array{std::move(action)}}});
}

void WireGame::Force(std::string_view action) {
  Send("actions/force", json::Object{{"query", "Choose."}, {"action_names", json::Array{json::Value(action)}}});
}

json::Value WireGame::NextAction() {
  for (;;) {
    const json::Value message = client_.Next();
    if (!message.is_object()) return nullptr;
    if (message.at("command") == json::Value("action")) return message.at("data");
  }
}

void WireGame::Accept(const json::Value& action) {
  Send("action/result", json::Object{{"id", action.at("id")}, {"success", true}});
}

}  // namespace openseat::tests
