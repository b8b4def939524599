// Play: the tools, resources and prompts with which any MCP host plays at any table: hosted matches, and games
// elsewhere whose seats it takes. A seat is named by its token in every call. On the server's scheduler; what happens
// at tables is posted to them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/kinds.h"
#include "base/guesses.h"
#include "core/agent.h"
#include "core/journal.h"
#include "core/table.h"
#include "match/lobby.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

// A tool that reads or plays a seat in another protocol's words.
struct SeatTool {
  // Without `run`; the seat's token is added to what it takes.
  Tool tool;
  // On the table's scheduler. `done` runs once: what the tool answers, or why not, in a sentence.
  std::function<void(Table& table, ExternalAgent& agent, const json::Object& arguments,
                     std::function<void(Result<json::Object>)> done)>
      run;
};

struct PlayWorld {
  Scheduler& home;  // the server's
  Lobby& lobby;
  TableDirectory& directory;
  Journal& journal;
  const AgentKinds& kinds;
  // Who sits down at a game from elsewhere when its player leaves; null: nobody.
  std::function<std::unique_ptr<Agent>(const std::string& game)> default_agent;
  // How often a caller may be wrong about tokens and names of tables; null: as often as it likes.
  Guesses* guesses = nullptr;
  std::vector<SeatTool> seat_tools{};
};

// How to play, for the model: what `initialize` and `server/discover` say.
std::string PlayInstructions();

class Play {
 public:
  explicit Play(PlayWorld world);
  ~Play();
  // REQUIRES this to outlive the server's calls.
  void AddTo(Server& server);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace openseat::mcp
