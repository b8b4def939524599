#include "attack/attacks_of_trainers.h"

#include <stdexcept>
#include <utility>

namespace openseat::tests {
namespace {

std::string Times(std::size_t count, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string Recorded(std::size_t count, json::Object narration) {
  const json::Array begun{json::Object{{"narration", std::move(narration)}}};
  return json::Write(
      json::Object{{"count", count}, {"record", true}, {"wait", 0}, {"options", json::Object{{"begun", begun}}}});
}

}  // namespace

std::string EnvironmentMessage(std::string_view type, const std::string& data) {
  return R"({"type":")" + std::string(type) + R"(","data":)" + data + "}";
}

std::unique_ptr<WireClient> SendToAnEnvironment(const RealServer& server, std::string_view path,
                                                const std::string& message) {
  auto client = std::make_unique<WireClient>(server, path, kTrainerElsewhere);
  client->Send(message);
  return client;
}

std::string ManyEnvironments() {
  return EnvironmentMessage("reset_many", R"({"count":1024,"fields":["mask"]})");
}

std::string ManyEnvironmentsWithOptions() {
  std::string options = R"({"x":[)";
  while (options.size() < 63 * kKiB) options += std::string(50, '[') + std::string(50, ']') + ",";
  options.back() = ']';
  return EnvironmentMessage("reset_many", R"({"count":1024,"options":)" + options + "}}");
}

std::string EpisodesWithLongOptions() {
  std::string begun = "[";
  while (begun.size() < kMiB) begun += "\"" + std::string(9000, 'x') + "\",";
  begun.back() = ']';
  return EnvironmentMessage("reset_many", R"({"count":64,"record":true,"options":{"begun":)" + begun + "}}");
}

std::string EpisodesThatBeginWithMuch() {
  const json::Array begun{json::Object{{"narration", LongNarration()}}};
  return EnvironmentMessage(
      "reset_many",
      json::Write(json::Object{{"count", 64}, {"record", true}, {"options", json::Object{{"begun", begun}}}}));
}

std::string EpisodesThatCannotBeCompressed(Rng& rng) {
  std::string text;
  while (text.size() < 9000) text += static_cast<char>('!' + rng.Below('~' - '!'));
  json::Object narration = LongNarration();
  narration["narrative"] = text;
  return EnvironmentMessage("reset_many", Recorded(32, std::move(narration)));
}

std::size_t PileUpSteps(const RealServer& server) {
  constexpr std::size_t kPiled = 31;
  const std::string hard =
      EnvironmentMessage("step", R"({"choice":"{\"choice\":)" + std::string(255 * kKiB, '9') + R"(}"})");
  WireClient client(server, kEnvironmentPath);
  client.Send(EnvironmentMessage("reset", R"({"opponents":"search:level=7","seat":0,"wait":50})"));
  if (json::TextOf(client.Next(), "type") != "observation") return 0;
  client.Send(EnvironmentMessage("step", R"({"choice":3})"));
  for (std::size_t i = 0; i < kPiled; ++i) client.Send(hard);
  std::size_t answers = 0;
  while (answers <= kPiled && client.Next().is_object()) ++answers;
  return answers;
}

void LeaveInTheMiddle(const RealServer& server) {
  WireClient client(server, kEnvironmentPath);
  client.Send(EnvironmentMessage("reset_many", R"({"count":20})"));
  client.Send(EnvironmentMessage("reset", R"({"episode_id":"E","opponents":"open"})"));
  client.Send(EnvironmentMessage("step", R"({"choice":0})"));
}

std::vector<std::string> CostlyEnvironmentMessages() {
  std::string many = R"({"actions":[)";
  while (many.size() < 3 * kMiB) many += "null,";
  return {
      EnvironmentMessage("step_many", many + "null]}"),
      EnvironmentMessage("step", R"({"choice":")" + std::string(3 * kMiB, '{') + "\"}"),
      EnvironmentMessage("step", R"({"choice":)" + std::string(1000, '[') + std::string(1000, ']') + "}"),
      EnvironmentMessage("reset", R"({"options":{"a":)" + std::string(100, '[') + std::string(100, ']') + "}}"),
  };
}

std::vector<std::string> MessagesThatErrorsWouldQuote() {
  const std::string much = "\"" + std::string(4 * kMiB - 200, '\x7f') + "\"";
  return {
      EnvironmentMessage("reset", R"({"fields":[)" + much + "]}"),
      EnvironmentMessage("reset", R"({"seat":)" + much + "}"),
      EnvironmentMessage("reset", R"({"opponents":)" + much + "}"),
      EnvironmentMessage("reset", "{" + much + ":1}"),
      EnvironmentMessage("step", R"({"seat":)" + much + "}"),
      R"({"type":)" + much + "}",
      R"({"type":"reset",)" + much + ":1}",
  };
}

std::vector<std::string> AnswersThatAreHardToRead() {
  const std::string quotes = Times(15, R"({"a":)") + Times(111, "[") + '"' + Times(60'000, R"(" q)") + R"(":))";
  return {
      quotes,
      Times(15, R"({"a":)") + Times(110, "[") + "}" + std::string(200 * kKiB, ' ') + ")",
      Times(15, R"({\"a\":)") + Times(50, "[") + R"(\")" + Times(40'000, R"(\" q)") + R"(\":))",
      std::string(200 * kKiB, '{'),
      Times(100'000, "{x"),
      Times(30'000, R"({"a":)") + Times(30'000, "}"),
      quotes + Times(300'000, R"(" q)"),  // too long
  };
}

json::Value SayInAnEnvironment(const RealServer& server, const std::string& message) {
  WireClient client(server, kEnvironmentPath);
  client.Send(EnvironmentMessage("reset", "{}"));
  if (json::TextOf(client.Next(), "type") != "observation") throw std::runtime_error("no environment");
  client.Send(message);
  return client.Next();
}

std::vector<json::Value> AnswerInAnEnvironment(const RealServer& server, const std::vector<std::string>& texts,
                                               std::size_t times) {
  std::vector<json::Value> answers;
  WireClient client(server, kEnvironmentPath);
  client.Send(EnvironmentMessage("reset", R"({"opponents":"random"})"));
  if (json::TextOf(client.Next(), "type") != "observation") return answers;
  for (const std::string& text : texts) {
    for (std::size_t round = 0; round < times; ++round) {
      client.Send(EnvironmentMessage("step", json::Write(json::Object{{"choice", text}})));
      answers.push_back(client.Next());
      if (!answers.back().is_object()) return answers;
    }
  }
  return answers;
}

void HaveChoicesJudgedAndLeave(const RealServer& server) {
  WireClient client(server, kEnvironmentPath);
  client.Send(EnvironmentMessage("reset_many", R"({"count":20,"reward":"judge","wait":0})"));
  client.Send(EnvironmentMessage("step_many", R"({"actions":[)" + Times(19, R"({"choice":0},)") + R"({"choice":0}]})"));
  // Waits for the step: only one choice of a player is judged at a time.
  client.Send(EnvironmentMessage("reset", R"({"reward":"judge","wait":0})"));
  client.Send(EnvironmentMessage("step", R"({"choice":0})"));
}

net::TestClient::Frame FloodAnEnvironment(const RealServer& server, std::size_t empty_frames) {
  const std::string open = EnvironmentMessage("reset", R"({"episode_id":"E","opponents":"open"})");
  return FloodWithEmptyFrames(server, kEnvironmentPath, net::ClientFrame(0x81, open), empty_frames);
}

}  // namespace openseat::tests
