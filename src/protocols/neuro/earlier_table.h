// EarlierTable: a remote table that another process of a cluster had (docs/cluster.md), from its record.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/ids.h"
#include "core/journal.h"

namespace openseat::neuro {

// What the journal says of a table that another process had, and whose game has not come back yet.
struct EarlierTable {
  TableId id;
  std::string game;
  std::string owner;
  Time opened;
  Seq last_seq = 0;                  // of its record, which goes on
  std::optional<AgentSpec> agent{};  // who was seated; nullopt: whom the settings name
  int run = 1;                       // of the game
  Time run_began;
  Seq run_since = 0;
  // The last ones of the seat.
  DecisionId decision{};
  ChoiceId choice{};
};

// nullopt if it is over, if it is no table of ours, or if nobody owns it, so that its game cannot come back. kIo and
// kTimeout if the journal cannot be read now. Reads all of its events.
Result<std::optional<EarlierTable>> ReadEarlier(Journal& journal, const TableRecord& record);

}  // namespace openseat::neuro
