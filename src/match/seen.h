// What spectators saw of a hosted match, as its journal records it: for readers that no longer have the rules by which
// it was played (docs/formats/journal.md#what-was-seen). Pure; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/sight.h"
#include "match/match_events.h"

namespace openseat {

// The payload of a kSeen event: what spectators see of `state`, whose sight is `after`, and how the game ended. Only
// what has changed since `before`, what the last kSeen event recorded, unless that is null.
std::string SeenPayload(const Sight* before, const Sight& after, const GameState& state);

// What the events recorded so far.
class Seen {
 public:
  // The next event. kParse for what no match wrote.
  Result<void> Add(const json::Value& payload);

  // What the viewer may see: what spectators saw. nullptr if nothing was recorded.
  const json::Value* Of(Viewer viewer) const;
  // Whether the last event changed it.
  bool changed() const { return changed_; }
  // How the rules ended the game.
  const std::optional<EndedEvent>& ended() const { return ended_; }

 private:
  std::vector<json::Value> views_;  // the spectators', once there is one
  bool changed_ = false;
  std::optional<EndedEvent> ended_;
};

}  // namespace openseat
