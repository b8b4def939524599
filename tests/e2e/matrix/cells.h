// The cells of the matrix: every game with every kind of agent, and why some cannot be.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/ids.h"

namespace openseat::tests {

std::string TextOf(const json::Value& value, std::string_view name);
// What a command of the program prints, a JSON object a line.
std::vector<json::Value> Listed(const std::string& command);

// A hosted game, or a game from elsewhere.
struct Source {
  std::string id;  // of a hosted game; "": a game connected over the Neuro API
  std::string title;
  json::Object options;
  std::array<json::Value, 2> scripts;  // what the agent `script` plays at each seat

  bool is_hosted() const { return !id.empty(); }
  bool is_story() const { return id == "narrative"; }
};

enum class Way { kServer, kWebhook, kRest, kMcp, kChimera, kBrowser };

// A kind of agent, and how it plays.
struct Row {
  std::string title;
  Way way;
  std::string kind;  // in the server's table of agents; "": not in it
};

// Every game that the program lists, and one from elsewhere.
const std::vector<Source>& Sources();
const std::vector<Row>& Rows();

struct Cell {
  const Row& row;
  const Source& source;
  std::string why_not = {};  // "": it is possible
  std::string table = {};
  std::vector<json::Value> events = {};  // the whole record
  json::Value end = {};                  // the last thing that a spectator of a hosted match was told
};

// Every pair.
std::vector<Cell> AllCells();
// The table of docs/architecture.md.
std::string Printed();

std::string NameOf(const Cell& cell);
// Who makes the choices at a seat, as recorded.
std::string AgentAt(const Cell& cell, SeatIndex seat);
// Whether the wrong choice that outside players begin with reaches the rules.
bool TriesWhatIsWrong(const Cell& cell);
bool IsNetrunnerByBackend(const Cell& cell);

}  // namespace openseat::tests
