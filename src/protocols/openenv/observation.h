// What a player is answered, as text (docs/protocols/openenv.md#observation), and the schemas of the wire. Pure; any
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/game.h"
#include "core/sight.h"
#include "protocols/openenv/reset_options.h"

namespace openseat::openenv {

// Of one seat of a player that has several.
struct SeatPart {
  SeatIndex seat = 0;
  std::string role;
  double reward = 0;
  std::shared_ptr<const Sight> sight;
};

struct ObservationParts {
  const GameInfo* game = nullptr;
  Fields fields{};
  SeatIndex seat = 0;
  std::string role;
  bool waiting = false;
  std::string refused;                                 // "": the last action counts
  const json::Value* result = nullptr;                 // of the last action
  std::shared_ptr<const Sight> sight = Sight::None();  // before the play begins: nothing
  const Outcome* outcome = nullptr;                    // at the end
  std::string match;                                   // its id, if it is recorded
  std::vector<std::string> log;                        // new lines
  std::optional<double> reward;                        // nullopt: of the answer to reset
  std::vector<SeatPart> views;
};

// {"observation": …, "reward": …, "done": …}.
std::string RenderObservation(const ObservationParts& parts);

// {"action": …, "observation": …, "state": …} of this game's environment: JSON Schemas.
json::Object SchemasOf(const GameInfo& game);
// The description of the environment's own routes.
json::Object OpenApiOf(const GameInfo& game);
// What GET …/metadata answers.
json::Object MetadataOf(const GameInfo& game);

}  // namespace openseat::openenv
