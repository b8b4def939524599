#include "attack/attackers.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

namespace openseat::tests {
namespace {

constexpr std::size_t kGamesOfAConnection = 64;
constexpr int kPatienceMs = 10'000;

json::Value Pattern(const std::string& pattern) {
  return json::Object{{"pattern", pattern}};
}

json::Value ObjectOf(json::Object properties, json::Array required) {
  return json::Object{{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

json::Value OfString(json::Object more) {
  more["type"] = "string";
  return ObjectOf(json::Object{{"a", std::move(more)}}, json::Array{"a"});
}

json::Array NamesOf(std::size_t count) {
  json::Array names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back("a" + std::to_string(i));
  return names;
}

}  // namespace

// --- Schemas ---

json::Value TwoPatternsThatNoTextMatches() {
  return OfString({{"minLength", 300}, {"allOf", json::Array{Pattern("^(a|b|ab)*a$"), Pattern("^(a|b|ab)*b$")}}});
}

json::Value FiftyPatterns() {
  json::Array patterns;
  for (int i = 0; i < 50; ++i) {
    patterns.push_back(
        Pattern("^(a|b|ab)*" + std::string(i % 2 == 0 ? "a" : "b") + "{" + std::to_string(i / 2 + 1) + "}$"));
  }
  return OfString({{"minLength", 300}, {"allOf", std::move(patterns)}});
}

json::Value APatternAndItsNegation() {
  return OfString({{"pattern", "^(a+)+$"}, {"not", Pattern("^(a+)+$")}});
}

json::Value ManyLongStrings() {
  json::Object properties;
  json::Array required;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "p" + std::to_string(i);
    properties[name] = json::Object{{"type", "string"}, {"minLength", 100'000}};
    required.push_back(json::Value(name));
  }
  return ObjectOf(std::move(properties), std::move(required));
}

std::vector<json::Value> PatternsThatAreHardToCompile() {
  std::vector<std::string> patterns;
  std::string nested = "a";
  for (int i = 0; i < 49; ++i) nested = "(?:" + std::string(i == 0 ? "" : nested) + "){8}";
  patterns.push_back("^" + nested + "$");
  std::string states = "^";
  for (int i = 0; i < 60; ++i) {
    states += "(?:[" + std::string(1, static_cast<char>('A' + i % 26)) + "-z]|" +
              std::string(1, static_cast<char>('a' + i % 26)) + ")*";
  }
  patterns.push_back(states + "$");
  std::string doubling = "^(a)";
  for (int i = 1; i < 90; ++i) doubling += "(\\" + std::to_string(i) + "\\" + std::to_string(i) + ")";
  patterns.push_back(doubling);
  patterns.emplace_back("^(?=(a+)+$)(a*)*\\b$");
  std::vector<json::Value> schemas;
  for (const std::string& pattern : patterns) {
    json::Array all;
    for (int i = 0; i < 100; ++i) all.push_back(Pattern(pattern + "|x{" + std::to_string(i) + "}"));
    schemas.push_back(OfString({{"minLength", 30}, {"allOf", std::move(all)}}));
  }
  return schemas;
}

json::Value SchemaAsLargeAsItMayBe() {
  json::Object properties;
  for (int i = 0; i < 12'000; ++i) {
    properties["p" + std::to_string(i)] = json::Object{{"type", "integer"}, {"minimum", i}, {"maximum", i + 10}};
  }
  return ObjectOf(std::move(properties), {});
}

json::Value AlternativesWithLongLists(int members) {
  json::Array alternatives;
  for (const std::string prefix : {"a", "b"}) {
    json::Array required;
    for (int i = 0; i < members; ++i) required.emplace_back(prefix + std::to_string(i));
    alternatives.push_back(json::Object{{"required", std::move(required)}});
  }
  return json::Object{{"type", "object"}, {"anyOf", std::move(alternatives)}};
}

void RegisterActions(WireGame& game, std::size_t count) {
  json::Array actions;
  for (json::Value& name : NamesOf(count)) {
    actions.push_back(json::Object{{"name", std::move(name)}, {"description", "Does something."}});
  }
  game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
}

void ForceOneOf(WireGame& game, std::size_t count) {
  game.Send("actions/force", json::Object{{"query", "Choose."}, {"action_names", NamesOf(count)}});
}

void UnregisterActions(WireGame& game, std::size_t count) {
  game.Send("actions/unregister", json::Object{{"action_names", NamesOf(count)}});
}

// --- Sessions ---

std::string StartupFrame(const std::string& game) {
  return net::ClientFrame(0x81, json::Write(json::Object{{"command", "startup"}, {"game", game}}));
}

std::string CreateMatchFrame() {
  return net::ClientFrame(
      0x81,
      R"({"type":"request","id":1,"operation":"create-match","params":{"game":"tictactoe","player-name":"Eve"}})");
}

json::Object LongNarration() {
  json::Array answers;
  for (int i = 0; i < 16; ++i) {
    answers.push_back(json::Object{
        {"npcId", "npc-" + std::to_string(i)}, {"emotion", "neutral"}, {"response", std::string(990, 'y')}});
  }
  return {{"narrative", std::string(9000, 'x')},
          {"emotion", "neutral"},
          {"choices", json::Array{json::Object{{"id", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, {"label", "Go on"}}}},
          {"npcResponses", std::move(answers)}};
}

net::TestClient::Frame FloodWithEmptyFrames(const RealServer& server, std::string_view path, const std::string& first,
                                            std::size_t empty_frames) {
  WireClient client(server, path);
  std::string bytes = first;
  const std::string empty = net::ClientFrame(0x81, "");
  for (std::size_t i = 0; i < empty_frames; ++i) bytes += empty;
  client.raw().Send(bytes);
  for (;;) {
    net::TestClient::Frame frame = client.raw().ReadFrame();
    if (frame.opcode == 8 || frame.opcode == -1) return frame;
  }
}

Swarm::Swarm(const RealServer& server, std::size_t tables) {
  for (std::size_t first = 0; first < tables; first += kGamesOfAConnection) {
    WireClient& connection = *connections_.emplace_back(std::make_unique<WireClient>(server, "/"));
    std::string frames;
    for (std::size_t game = first; game < first + kGamesOfAConnection; ++game) {
      frames += StartupFrame("Swarm " + std::to_string(game));
    }
    connection.raw().Send(frames);
    for (std::size_t game = 0; game < kGamesOfAConnection; ++game) {
      const json::Value answer = connection.Next();
      if (!answer.is_object()) break;
      ids_.emplace_back(json::View(answer.at("data").at("session").at("sessionId").as_string()));
    }
  }
}

// --- Bodies, messages and answers ---

std::string PostHead(std::string_view path, std::size_t length) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(length) +
         "\r\n\r\n";
}

std::string UpgradeHead(std::string_view path, std::string_view headers, std::string_view host) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(headers) + "\r\n";
}

std::unique_ptr<net::TestClient> BeginBody(const RealServer& server, std::string_view path, std::size_t bytes) {
  auto client = std::make_unique<net::TestClient>(server.port());
  client->Send(PostHead(path, 8 * kMiB) + std::string(bytes, 'x'));
  return client;
}

std::unique_ptr<WireClient> BeginMessage(const RealServer& server, std::string_view path, std::size_t bytes) {
  auto client = std::make_unique<WireClient>(server, path);
  client->raw().Send(net::ClientFrame(0x01, std::string(bytes, 'x')));
  return client;
}

Outcomes SendTogether(const RealServer& server, std::size_t count, std::size_t bytes) {
  constexpr std::size_t kPiece = 16u << 10;
  constexpr int kSendBuffer = 32 << 10;  // otherwise all of it waits in the kernel
  const std::string message = net::ClientFrame(0x01, std::string(bytes, 'x'));
  const std::string request = PostHead("/api/v1/matches", bytes) + std::string(bytes, 'x');
  struct Sender {
    std::unique_ptr<net::TestClient> client;
    bool is_websocket = false;
    std::string_view left;
  };
  std::vector<Sender> senders(count);
  std::vector<pollfd> waiting;
  for (std::size_t i = 0; i < count; ++i) {
    auto client = std::make_unique<net::TestClient>(server.port());
    ::setsockopt(client->descriptor(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
    const bool is_websocket = i % 2 == 0 && client->Request(UpgradeHead("/")).status == 101;
    waiting.push_back({client->descriptor(), POLLIN | POLLOUT, 0});
    senders[i] = {std::move(client), is_websocket, is_websocket ? message : request};
  }
  while (std::ranges::any_of(waiting, [](const pollfd& each) { return each.fd >= 0; })) {
    if (::poll(waiting.data(), waiting.size(), kPatienceMs) <= 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      std::string_view& left = senders[i].left;
      if ((waiting[i].revents & ~POLLOUT) != 0) left = {};  // it is answered before the end
      if ((waiting[i].revents & POLLOUT) != 0) {
        const std::string_view piece = left.substr(0, kPiece);
        const ssize_t taken = ::send(waiting[i].fd, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken > 0) left.remove_prefix(static_cast<std::size_t>(taken));
      }
      if (left.empty()) waiting[i].fd = -1;
    }
  }
  Outcomes outcomes;
  for (const Sender& sender : senders) {
    const int got = sender.is_websocket ? WaitUntilRead(*sender.client) : sender.client->ReadAnswer().status;
    outcomes.answered += got > 0 ? 1 : 0;
    outcomes.refused += got == 503 || got == 429 || (sender.is_websocket && got != 10) ? 1 : 0;
  }
  return outcomes;
}

int WaitUntilRead(net::TestClient& client) {
  client.Send(net::ClientFrame(0x89, "all"));
  for (;;) {
    const net::TestClient::Frame frame = client.ReadFrame();
    if (frame.opcode == -1 || frame.opcode == 8) return frame.opcode;
    if (frame.opcode == 10 && frame.payload == "all") return frame.opcode;
  }
}

std::vector<int> AskAndLeave(const RealServer& server, std::string_view path, std::size_t count) {
  constexpr int kReceiveBuffer = 4096;
  std::vector<std::unique_ptr<net::TestClient>> clients(count);
  for (auto& client : clients) {
    client = std::make_unique<net::TestClient>(server.port());
    ::setsockopt(client->descriptor(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
    // A connection that was there before memory got short.
    client->Request("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  }
  for (auto& client : clients) client->Send("GET " + std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  std::vector<int> statuses;
  for (auto& client : clients) {
    std::string head(12, '\0');  // "HTTP/1.1 200"
    const ssize_t got = ::recv(client->descriptor(), head.data(), head.size(), MSG_WAITALL);
    statuses.push_back(got == static_cast<ssize_t>(head.size()) ? std::stoi(head.substr(9)) : 0);
  }
  return statuses;
}

GreedyReaders::GreedyReaders(const RealServer& server, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    auto client = std::make_unique<net::TestClient>(server.port());
    if (client->Request(UpgradeHead("/chimera")).status == 101) clients_.push_back(std::move(client));
  }
}

bool GreedyReaders::AskUntilCutOff() {
  // The longest id that is answered: the answer is larger than the question.
  const std::string ask = net::ClientFrame(
      0x81, R"({"type":"request","id":")" + std::string(1024, 'i') + R"(","operation":"list-games","params":{}})");
  std::vector<std::size_t> sent(clients_.size());  // bytes of the current request
  std::vector<pollfd> waiting;
  for (const auto& client : clients_) waiting.push_back({client->descriptor(), POLLOUT, 0});
  std::size_t left = waiting.size();
  while (left > 0) {
    if (::poll(waiting.data(), waiting.size(), kPatienceMs) <= 0) return false;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t taken =
          ::send(waiting[i].fd, ask.data() + sent[i], ask.size() - sent[i], MSG_NOSIGNAL | MSG_DONTWAIT);
      if (taken >= 0) {
        sent[i] = (sent[i] + static_cast<std::size_t>(taken)) % ask.size();
      } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        waiting[i].fd = -1;
        --left;
      }
    }
  }
  return true;
}

// --- The disk ---

void Talk(WireGame& game, std::size_t contexts, std::size_t bytes) {
  for (std::size_t i = 0; i < contexts; ++i) {
    game.Send("context", json::Object{{"message", std::string(bytes, 'x')}, {"silent", true}});
  }
}

}  // namespace openseat::tests
