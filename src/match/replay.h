// Replay: a hosted match, live or over, as one of its players or a spectator was told it: the journal folded through
// the game again, with what the viewer saw after each step and nothing else. docs/formats/journal.md describes the
// steps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/game.h"
#include "core/journal.h"
#include "match/match_fold.h"

namespace openseat {

// Whose eyes a replay has, as text: "spectator", a seat's number, or a player's name (a player who is called like one
// of the former is reached by number). Everything in the journal, "all", is no viewer: that is Journal::Read.
inline constexpr std::string_view kSpectatorViewer = "spectator";
inline constexpr std::string_view kWholeRecord = "all";

// The game that a table's first event names, where that table is a hosted match; nullopt where it is a remote table.
std::optional<std::string> HostedGameOf(std::string_view opened_payload);

class Replay {
 public:
  // Reads the beginning of the match to find the viewer. `journal` and `game` outlive the replay. Errors: the journal's
  // own; kParse for what is no match of this game; kInvalid for a viewer that the match does not have. Reads the disk.
  static Result<Replay> Open(Journal& journal, const Game& game, const TableId& id, std::string_view viewer);

  // Goes on to the end of the journal, or until `show` says false. `show` gets each step after number `after` that the
  // viewer was told: {"seq", "time", "kind", "payload"}. The payload of a step that everyone was told of has "event"
  // ("start", "update" or "end", as everyone was told), "status", the viewer's "state" once begun and, when over, the
  // "winner" (null for a draw) and "reason". kParse for a journal that cannot be folded.
  // A match by rules that `game` does not have any more is shown as it was recorded: choices and results without a
  // state, where the viewer may know them. Its first step has a "warning" that says so.
  Result<void> Run(Seq after, const std::function<bool(json::Object step)>& show);

 private:
  Replay(Journal& journal, const TableId& id, MatchFold fold, StoredEvent opened, Viewer viewer);
  // Nothing where the viewer was told nothing.
  std::optional<json::Object> Told(const StoredEvent& event, MatchFold::Step step) const;
  void AddView(MatchEvent told, json::Object& payload) const;

  Journal& journal_;
  TableId id_;
  MatchFold fold_;
  StoredEvent opened_;
  Viewer viewer_;
};

}  // namespace openseat
