// The past of a recorded match: each of its decisions with the position in which it was made, and the forks that begin
// there (match/fork.h). Nobody is asked anything: the journal is folded through the rules that the match was played by.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/game.h"
#include "core/journal.h"
#include "match/match.h"
#include "match/match_events.h"

namespace openseat {

// A question to a seat.
struct PastDecision {
  std::uint64_t number = 0;  // from 0, in the order of the questions, as in a run's decisions.jsonl
  SeatIndex seat = 0;
  Seq asked = 0;    // the event
  Seq settled = 0;  // the event with the choice; 0: it ended without one
  PlayedEvent choice{};
  // The position in which the choice was made: with what others had already chosen. Null without a choice.
  std::shared_ptr<const GameState> before{};
  // In which the match began; a fork as well begins before all choices. Null without a choice.
  std::shared_ptr<const GameState> first{};
  // The event after which a fork takes this decision again.
  Seq fork_event() const { return settled > 0 ? settled - 1 : asked; }
  const Game* game = nullptr;  // under whose rules it was made: those of the match, not of today
};

// All of them, in the order in which they were settled; those without a choice last. `events` are the match's, from the
// first. Errors: MatchFold's, and `visit`'s, which ends it.
Result<void> VisitDecisions(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                            const std::function<Result<void>(const PastDecision& decision)>& visit);
// The decision with this number. kInvalid with how many there are.
Result<PastDecision> FindDecision(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                                  std::uint64_t number);

// A match that begins where this one was after `event`: its game under the rules that it was played by, options, seed
// and players' names, without agents. Choices that were taken back until then are left out. Errors: MatchFold's;
// kInvalid for an event that is not there, kConflict if the match had not begun or was over then.
Result<MatchSpec> ForkAfter(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, Seq event);

// What entering decisions again has come to.
struct ForkTrial {
  std::uint64_t forks = 0;
  std::uint64_t differences = 0;
  std::string first;   // where the first difference is
  std::string digest;  // SHA-256 over all states, in order: the same on every machine
};
// Enters every decision of the match again, by the events that a fork of it would have in its journal, and compares the
// state with the one in which the decision was made. Errors: MatchFold's.
Result<void> TryForks(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, ForkTrial& trial);

// All events of a table. kTooLarge beyond `most` of them; else the journal's errors. Reads the journal.
Result<std::vector<StoredEvent>> ReadPast(Journal& journal, const TableId& id, std::size_t most);

}  // namespace openseat
