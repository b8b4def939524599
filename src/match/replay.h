// Replay: a hosted match, live or over, as one of its players or a spectator saw it: the journal folded through the
// game again, with what the viewer saw after each step and nothing else. docs/formats/journal.md describes the steps.
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

// Whose view a replay shows, as text: "spectator", a seat's number, or a player's name (a player whose name looks like
// one of the former is selected by number). Everything in the journal, "all", is not a view: that is Journal::Read.
inline constexpr std::string_view kSpectatorViewer = "spectator";
inline constexpr std::string_view kWholeRecord = "all";

// The game that a table's first event names, if that table is a hosted match; nullopt if it is a remote table.
std::optional<std::string> HostedGameOf(std::string_view opened_payload);

class Replay {
 public:
  // Reads the beginning of the match to find the viewer. `journal` and `game` outlive the replay. Errors: the journal's
  // own; kParse if it is not a match of this game; kInvalid for a viewer that the match does not have. Reads the disk.
  static Result<Replay> Open(Journal& journal, const Game& game, const TableId& id, std::string_view viewer);

  // From now on payloads that have a "state" also have its "view" (GameState::View), if the game draws one.
  void ShowViews() { shows_views_ = true; }

  // Continues to the end of the journal, or until `show` returns false. `show` gets each step after number `after` that
  // the viewer was told: {"seq", "time", "kind", "payload"}. The payload of a step that everyone was told has "event"
  // ("start", "update" or "end", as everyone was told), "status", the viewer's "state" once begun and, when over, the
  // "winner" (null for a draw) and "reason". If it can be said, such a payload also has "news": what happened since the
  // step before, as sentences. kParse for a journal that cannot be folded.
  // A match under rules that `game` no longer has is shown as it was recorded: choices and results, if the viewer may
  // know them, and the states that the viewer saw. Its first step has a "warning" that says so.
  Result<void> Run(Seq after, const std::function<bool(json::Object step)>& show);

 private:
  Replay(Journal& journal, const TableId& id, MatchFold fold, StoredEvent opened, Viewer viewer);
  // nullopt if the viewer was told nothing.
  std::optional<json::Object> Told(const StoredEvent& event, MatchFold::Step step);
  void AddView(MatchEvent told, json::Object& payload);

  Journal& journal_;
  TableId id_;
  MatchFold fold_;
  StoredEvent opened_;
  Viewer viewer_;
  bool shows_views_ = false;
  std::shared_ptr<const Sight> last_sight_;  // of the last step that everyone was told; null before the start
};

}  // namespace openseat
