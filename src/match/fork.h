// Fork: the point of another match at which a match begins. docs/formats/journal.md#forks describes how it is recorded,
// docs/minds.md#the-time-machine what it is for. The match has the choices that led there as data, so it needs neither
// its parent's journal nor anybody who made them. Plain values; pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

struct ForkChoice {
  SeatIndex seat = 0;
  std::string action;
  json::Value data;
};

struct Fork {
  TableId table;  // the parent
  Seq event = 0;  // its last event that has happened here, too
  std::vector<ForkChoice> choices;
};

// {"table", "event"}: what a match's first event says.
json::Object ForkName(const Fork& fork);
// Without the choices. kParse for what no match wrote.
Result<Fork> ReadForkName(const json::Value& named);
// The payload of the event with the choices (EventKind::kForked), and back.
std::string ForkedPayload(const Fork& fork);
Result<std::vector<ForkChoice>> ReadForked(const json::Value& payload);

using BegunGame = Result<std::shared_ptr<const GameState>>;

// How a match begins: a new game, in which the choices of `fork` (may be null) were made. Errors: NewGame's; kParse for
// a choice that the rules refuse, and for one after the end.
BegunGame BeginGame(const Game& game, const json::Value& options, std::uint64_t seed, std::vector<std::string> names,
                    const Fork* fork);

struct Beginning {
  const Game* game = nullptr;  // outlives it
  json::Value options;
  std::uint64_t seed = 0;
  std::vector<std::string> names;
  std::optional<Fork> fork;
};
// The same on the scheduler's worker thread (Scheduler::OffloadFor), where others have their turn in between if there
// are many choices; then calls `begun` on the scheduler.
void BeginElsewhere(Scheduler& scheduler, std::string owner, Beginning beginning, std::function<void(BegunGame)> begun);

}  // namespace openseat
