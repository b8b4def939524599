// Reads bytes as messages from an MCP client. The first byte decides how the rest is cut; a line that begins with "#"
// lets time pass instead. The other lines are messages over standard input, with the conformance suite's fixtures.
//
// Reading never crashes. Every answer is one line of JSON-RPC with the id of its request. Every request is answered
// once, or, if it was canceled, never. The same text cut into other pieces gets the same answers.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "protocols/mcp/fixtures.h"
#include "protocols/mcp/server.h"
#include "protocols/mcp/stdio.h"
#include "testing/fake_scheduler.h"

namespace openseat::mcp {
namespace {

// Tokens that each server seals differently are not compared.
std::string WithoutSecrets(const std::string& line) {
  const std::size_t at = line.find("\"requestState\"");
  return at == std::string::npos ? line : line.substr(0, at);
}

// Made once: compiling the tools' schemas takes longer than reading an input. A server keeps nothing about its clients.
struct World {
  World() { AddFixtures(server, scheduler); }

  openseat::testing::FakeScheduler scheduler;
  Server server{{"openseat", "Openseat", "0", "Play."}};
};

std::vector<std::string> Say(std::string_view text, std::size_t step) {
  static World world;
  auto& [scheduler, server] = world;
  std::vector<std::string> said;
  {
    StdioConnection connection(server, [&](const std::string& line) {
      OPENSEAT_CHECK(line.ends_with('\n') && line.find('\n') == line.size() - 1, "an answer is one line");
      const Result<json::Value> value = json::Parse(line);
      OPENSEAT_CHECK(value.has_value() && value->is_object(), "an answer is a JSON object");
      OPENSEAT_CHECK(value->get_object().at("jsonrpc") == "2.0", "an answer is JSON-RPC");
      said.push_back(WithoutSecrets(line));
    });
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.starts_with('#')) {
        scheduler.Advance(std::chrono::milliseconds(60));
        continue;
      }
      const std::string whole = std::string(line) + "\n";
      for (std::size_t at = 0; at < whole.size(); at += step) {
        connection.Feed(std::string_view(whole).substr(at, step));
      }
    }
    scheduler.Advance(std::chrono::seconds(1));
  }
  // What the next client must not notice.
  while (scheduler.timers() > 0) scheduler.Advance(std::chrono::seconds(1));
  return said;
}

// The requests in the input, under any reading of a line, and how often their ids were answered.
void CheckAnswers(std::string_view text, const std::vector<std::string>& said) {
  std::map<std::string, int> asked;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with('#')) continue;
    if (const auto message = DecodeMessage(line); message && message->kind == Message::Kind::kRequest) {
      ++asked[json::Write(message->id)];
    } else if (!message && !message.error().id.is_null()) {
      ++asked[json::Write(message.error().id)];
    }
  }
  for (const std::string& line : said) {
    const Result<json::Value> value = json::Parse(line);
    if (!value) continue;  // cut where its secrets begin
    const json::Object& object = value->get_object();
    if (object.contains("method") || !object.contains("id")) continue;
    OPENSEAT_CHECK(--asked[json::Write(object.at("id"))] >= 0, "there are no more answers than requests");
  }
}

void Run(std::string_view input) {
  if (input.empty()) return;
  const std::size_t step = 1 + static_cast<unsigned char>(input.front()) % 40;
  input.remove_prefix(1);
  const std::vector<std::string> whole = Say(input, input.size() + 2);
  CheckAnswers(input, whole);
  OPENSEAT_CHECK(Say(input, step) == whole, "cuts do not matter");
}

}  // namespace
}  // namespace openseat::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  openseat::mcp::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
