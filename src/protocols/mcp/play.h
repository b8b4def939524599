// Play: the tools, resources and prompts with which any MCP host plays at any table: hosted matches, and games
// elsewhere whose seats it takes. Every call names its seat by a token. Runs on the server's scheduler; work at tables
// is posted to them.
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
#include "protocols/mcp/board_tools.h"
#include "protocols/mcp/reads.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

// A tool that reads or plays a seat in another protocol's terms.
struct SeatTool {
  // Without `run`; the seat's token is added to its arguments.
  Tool tool;
  // On the table's scheduler. `done` runs once, with the tool's answer, or with the error as a sentence.
  std::function<void(Table& table, ExternalAgent& agent, const json::Object& arguments,
                     std::function<void(Result<json::Object>)> done)>
      run;
};

// What another server of the cluster answered to the same call; nullopt: it gave no answer in time.
struct OthersAnswer {
  std::string node;
  std::optional<json::Object> result;
};

struct PlayWorld {
  Scheduler& home;  // the server's
  Lobby& lobby;
  TableDirectory& directory;
  Journal& journal;
  const AgentKinds& kinds;
  Reads& reads;  // the process's
  // How often a caller may be wrong about tokens and names of tables; null: as often as it likes.
  Guesses* guesses = nullptr;
  std::vector<SeatTool> seat_tools{};
  BoardPage board{};
  // In a cluster: makes the same call at all other servers, unless one of them passed it on; `done` runs on `home`.
  // Null without a cluster.
  using AskOthers = std::function<void(const CallPtr& call, std::function<void(std::vector<OthersAnswer>)> done)>;
  AskOthers ask_others{};
};

// How to play, for the model: the instructions in `initialize` and `server/discover`.
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
