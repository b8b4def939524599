// SeatView: what one viewer, a seat or a spectator, may know of a table at one moment: who plays, what it sees, what it
// is asked, what it was told, and how it ended. Every protocol answers from one of these.
//
// It is cheap to take: what the viewer sees (SeatView::sight) is made when somebody reads it. Taken on the table's
// scheduler; then a value, for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "core/decision.h"
#include "core/game.h"
#include "core/ids.h"
#include "core/sight.h"
#include "core/table.h"

namespace openseat {

// Something that a seat was told.
struct Told {
  std::uint64_t version = 0;  // after it was told
  Context context;
};

struct SeatView {
  // --- Of the table ---

  TableId table;
  std::string invite;  // Table::invite
  Time opened{};
  std::string_view status;         // Table::status_name
  const Game* game = nullptr;      // null where the rules are elsewhere
  std::vector<std::string> names;  // of the seats that are taken
  std::size_t open_seats = 0;      // that have to be taken before it begins
  std::optional<Outcome> outcome;  // where the game is over, and it is known how

  // --- Of the viewer ---

  Viewer viewer = Viewer::Spectator();
  std::shared_ptr<const Sight> sight = Sight::None();  // never null

  // --- Of a seat that is taken, and nobody else ---

  std::string title;                 // the game's name for people
  std::optional<Decision> decision;  // pending
  ActionSet free_actions;            // that may be chosen where no decision is pending
  bool awaiting = false;             // its last choice awaits its verdict
  // Where somebody plays it from outside (Agent::AddTold):
  std::uint64_t version = 0;
  std::vector<Told> told;
  bool ended = false;  // the seat was told that the table is over

  // REQUIRES a seat's view.
  SeatIndex seat() const { return *viewer.seat(); }
  // What may be chosen now.
  const ActionSet& actions() const { return decision ? decision->actions : free_actions; }
  // Nothing where the game is not over, and for a draw.
  std::optional<std::string> winner() const;
};

// Of what the seat was told, only what came after the version `told_after`. REQUIRES the table's scheduler; a viewer's
// seat need not be taken yet.
SeatView LookAt(const Table& table, Viewer viewer, std::uint64_t told_after = 0);

// The winners' names joined; nothing for a draw.
std::optional<std::string> WinnerName(const Outcome& outcome, const std::vector<std::string>& names);

// Adds "winner" (null for a draw) and "reason" where the game is over.
void AddOutcome(const SeatView& view, json::Object& shown);

}  // namespace openseat
