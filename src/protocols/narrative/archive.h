// Archive: stories read back from the journal: those that are no longer live, and the data requested for debugging. A
// thread of its own, since it reads the disk.
#pragma once

#include <functional>
#include <vector>

#include "base/worker.h"
#include "core/game.h"
#include "core/journal.h"
#include "match/match_fold.h"

namespace openseat::narrative {

struct Record {
  MatchFold fold;                   // after its whole journal
  std::vector<json::Object> debug;  // of each turn, as in LlmResultV1, if requested
};

class Archive {
 public:
  // `journal` and `game`, the narrative one, outlive it.
  Archive(Journal& journal, const Game& game) : journal_(journal), game_(game) {}

  // `done` runs on the archive's thread. kNotFound if the journal has no such story, or it never began.
  void Read(TableId id, bool with_debug, std::function<void(Result<Record>)> done);

 private:
  Result<Record> ReadNow(const TableId& id, bool with_debug);

  Journal& journal_;
  const Game& game_;
  Worker worker_;
};

}  // namespace openseat::narrative
