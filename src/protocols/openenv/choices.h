// What a client chooses: the ids of choices, and how an action is read. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "core/game.h"

namespace openseat::openenv {

inline constexpr std::size_t kMaxCatalog = 512;

// How many ids there are if a game's moves are a catalog: finite, few, and numbered from 0; else 0.
std::size_t CatalogOf(const GameInfo& game);
// The id of a choice of this list: its move's number in the catalog, or its place from 0.
std::size_t IdOf(const GameInfo& game, const LegalChoice& choice, std::size_t place);

// An action as it came.
struct StepAction {
  json::Value choice;
  json::Value data;
  std::optional<std::size_t> seat;
};
// What a model may have said in its place is not an error: the player is told why it does not count. Errors: kInvalid
// for what is not an object, and for a wrong seat, with the member as path.
Result<StepAction> ReadAction(const json::Value& data);

// Whether it means to wait on.
bool IsWait(const StepAction& action);
// The choice that the action stands for. The referee has still to check it. Errors, for the player: kNoSuchAction,
// kIncorrectData.
Result<Choice> ChoiceOf(const StepAction& action, const Decision& decision);

}  // namespace openseat::openenv
