// The recorded games that `openseat fork`, `ask` and `analyze` look at: a journaled match, all of them, or those of a
// run's folder. Only reads; a server or a run may go on meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "core/game.h"
#include "core/journal.h"

namespace openseat::app {

struct PastFlags {
  std::string source;  // a table's id, or the folder of a run; "": every match of the data directory
  std::string data_dir;
  std::uint64_t game = 0;
  bool one_game = false;
  bool of_run() const;  // whether `source` is the folder of a run
};
// REQUIRES `flags` to outlive the parsing.
void AddPastOptions(cli::Command& command, PastFlags& flags);

struct PastGame {
  TableId table;
  const Game* game = nullptr;
  std::vector<StoredEvent> events;
  std::uint64_t number = 0;         // in its run; matches of the data directory are counted from 0
  std::vector<std::string> agents;  // by seat, as a run or the journal names them; "": a person
};

// Calls `visit` for each of them, until it fails. A match of a game that is not known here is an error if it was asked
// for by name, and else left out; so is a table that is no hosted match. Errors: kInvalid for what is not there; the
// journal's.
Result<void> VisitPastGames(const PastFlags& flags, const std::function<Result<void>(const PastGame& game)>& visit);
// The one that the flags name. kInvalid if they name several.
Result<PastGame> OnePastGame(const PastFlags& flags);

}  // namespace openseat::app
