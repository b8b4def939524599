// Reads bytes as messages of an OpenEnv socket, one a line; "+" lets a minute pass. Every request gets at most one
// answer, which is JSON of one of the documented types, and an episode that is begun can be left.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "agents/make_agent.h"
#include "agents/random_agent.h"
#include "base/check.h"
#include "base/log.h"
#include "games/connectm/connectm.h"
#include "games/rps/rps.h"
#include "net/fake_socket.h"
#include "protocols/openenv/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat;
  static const std::unique_ptr<Game> connectm = games::MakeConnectM();
  static const std::unique_ptr<Game> rps = games::MakeRockPaperScissors();
  static const AgentKinds kinds{{RandomKind()}};
  log::SetLevel(log::Level::kOff);
  const std::vector<const Game*> games{connectm.get(), rps.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby(games, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent);
  openenv::Environments environments(lobby, kinds, MatchRules{}, {&scheduler}, journal, MakeLocalAgent);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool first = input.empty() || (input.size() & 1) == 0;
  auto socket = std::make_shared<net::FakeSocket>(scheduler, 1);
  openenv::Session session(environments, first ? *connectm : *rps, Namer::kPlayer, nullptr);
  session.OnOpen(socket);
  std::size_t asked = 0;
  std::size_t answered = 0;
  for (int lines = 0; !input.empty() && lines < 60; ++lines) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line == "+") {
      scheduler.Advance(std::chrono::minutes(1));
    } else {
      static_cast<void>(openenv::DecodeRequest(line.substr(0, line.size() / 2), {}));
      session.OnText(line);
      ++asked;
    }
    scheduler.Run();
    for (const std::string& text : socket->Take()) {
      const Result<json::Value> answer = json::Parse(text);
      OPENSEAT_CHECK(answer && answer->is_object(), "an answer is a JSON object");
      const std::string_view type = json::TextOf(answer->get_object(), "type");
      OPENSEAT_CHECK(
          type == "observation" || type == "observations" || type == "state" || type == "error" || type == "mcp",
          "an answer has a documented type");
      ++answered;
    }
    OPENSEAT_CHECK(answered <= asked, "a request has one answer");
  }
  session.OnClosed({.code = net::close_code::kAbnormal});
  scheduler.Run();
  OPENSEAT_CHECK(environments.open() == 0, "nothing stays behind");
  return 0;
}
