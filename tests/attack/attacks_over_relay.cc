#include "attack/attacks_over_relay.h"

#include <functional>
#include <utility>

namespace openseat::tests {
namespace {

std::string RegisterText(json::Array actions) {
  return json::Write(json::Object{
      {"command", "actions/register"}, {"game", "A"}, {"data", json::Object{{"actions", std::move(actions)}}}});
}

// A message that registers 2,000 actions, each with the next name.
std::string RegisterText(const std::function<std::string()>& name) {
  json::Array actions;
  for (int i = 0; i < 2000; ++i) actions.push_back(json::Object{{"name", name()}});
  return RegisterText(std::move(actions));
}

// A different short name for each number, of which nothing fits.
std::string OfNoLetters(int number) {
  std::string name;
  for (int i = 0; i < 16; ++i) name += (number >> i & 1) != 0 ? '!' : '?';
  return name;
}

}  // namespace

std::unique_ptr<WireClient> BeginAtRelay(const RealServer& relay, std::string_view headers) {
  auto game = std::make_unique<WireClient>(relay, "/", headers);
  game->Send(R"({"command":"startup","game":"A"})");
  return game;
}

void RegisterNamesThatAreHardToTellApart(WireClient& game, int& name) {
  game.Send(RegisterText([&] { return OfNoLetters(++name); }));
}

void RegisterSchemasThatAreHardToFit(WireClient& game) {
  for (const int count : {20'000, 48'000}) {
    game.Send(RegisterText(
        json::Array{json::Object{{"name", "a"}, {"description", "d"}, {"schema", AlternativesWithLongLists(count)}}}));
  }
}

void RegisterVeryManyActions(WireClient& game, int messages) {
  int name = 0;
  for (int message = 0; message < messages; ++message) {
    game.Send(RegisterText([&] { return std::to_string(++name); }));
  }
}

void HoldALargeActionAndForce(WireClient& game, const std::string& name) {
  const std::string large(3'900'000, 'x');
  const auto say = [&](std::string_view command, const json::Object& data) {
    game.Send(json::Write(json::Object{{"command", command}, {"game", name}, {"data", data}}));
  };
  say("startup", {});
  say("actions/register", {{"actions", json::Array{json::Object{{"name", "go"}, {"description", large}}}}});
  say("actions/force", {{"query", large}, {"action_names", json::Array{json::Value("go")}}});
}

std::vector<std::unique_ptr<net::TestClient>> CrowdTheRelay(const RealServer& relay, std::string_view headers,
                                                            std::size_t count) {
  std::vector<std::unique_ptr<net::TestClient>> open;
  for (std::size_t i = 0; i < count; ++i) {
    auto client = std::make_unique<net::TestClient>(relay.port());
    if (client->Request(UpgradeHead("/", headers)).status == 101) open.push_back(std::move(client));
  }
  return open;
}

}  // namespace openseat::tests
