#include "attack/attacks_on_models.h"

#include <memory>
#include <string_view>
#include <utility>

namespace openseat::tests {
namespace {

// max_actions of a stranger; with these sizes, names and schemas fill 99 % of max_schema_bytes (1 MiB) and more.
constexpr std::size_t kActions = 512;
constexpr std::size_t kNameBytes = 2'047;
constexpr std::size_t kSchemas = 4;
constexpr std::size_t kMembers = 4'500;  // about 56 bytes each

json::Value ObjectOfManyNumbers() {
  json::Object properties;
  for (std::size_t i = 0; i < kMembers; ++i) {
    properties["p" + std::to_string(i)] = json::Object{{"type", "integer"}, {"minimum", i}, {"maximum", i + 10}};
  }
  return json::Object{{"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace

ModelStandIn::~ModelStandIn() {
  if (!thread_.joinable()) return;
  stopped_ = true;
  const net::TestClient last(listener_.port());  // it waits for one
  thread_.join();
}

std::string ModelStandIn::Game(std::size_t number) {
  return "Asks a model " + std::to_string(number);
}

std::string ModelStandIn::Config() const {
  std::string config =
      "[models.large]\nprovider = \"openai\"\nmodel = \"large\"\napi_key_env = \"\"\nproxy = \"\"\n"
      "reasoning = \"none\"\nstream = false\ncontext_tokens = 1000000\n"
      "base_url = \"http://127.0.0.1:" +
      std::to_string(listener_.port()) + "\"\n";
  for (std::size_t i = 0; i < kGames; ++i) {
    config += "[agents.\"" + Game(i) + "\"]\nkind = \"llm\"\nmodel = \"large\"\n";
  }
  return config;
}

void ModelStandIn::Serve() {
  thread_ = std::thread([this] { Run(); });
}

void ModelStandIn::Run() {
  for (;;) {
    const std::unique_ptr<net::TestClient> client = listener_.Accept();
    if (stopped_) return;
    Answer(*client);
  }
}

void ModelStandIn::Answer(net::TestClient& client) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::string head = client.ReadUntil("\r\n\r\n");
  const std::size_t at = head.find(kLength);
  if (at == std::string::npos) return;
  const std::size_t length = std::stoul(head.substr(at + kLength.size()));
  if (client.Read(length).size() < length) return;
  ++asked_;
  const std::string body =
      R"({"choices":[{"message":{"role":"assistant","content":"{\"action\":\"rest\"}"},"finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":1,"completion_tokens":1}})";
  client.Send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
}

void ForceLargeNames(WireGame& game) {
  json::Array actions;
  json::Array names;
  for (std::size_t i = 0; i < kActions; ++i) {
    std::string name = std::to_string(i);
    name.resize(kNameBytes, 'n');
    actions.push_back(json::Object{{"name", name}, {"description", ""}});
    names.emplace_back(std::move(name));
  }
  game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
  game.Send("actions/force", json::Object{{"query", "?"}, {"action_names", std::move(names)}});
}

std::vector<std::string> RegisterLargeSchemas(WireGame& game) {
  const json::Value schema = ObjectOfManyNumbers();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kSchemas; ++i) {
    names.push_back("action_" + std::to_string(i));
    game.Register(names.back(), schema);
  }
  return names;
}

void ForceWithState(WireGame& game, const std::vector<std::string>& names, std::size_t bytes) {
  game.Send("actions/force", json::Object{{"query", "?"},
                                          {"state", std::string(bytes, 'x')},
                                          {"action_names", json::Array(names.begin(), names.end())}});
}

std::vector<std::string> RegisterRest(WireGame& game) {
  std::vector<std::string> names{"rest", "go"};
  for (const std::string& name : names) game.Register(name, nullptr);
  return names;
}

}  // namespace openseat::tests
