#include "core/judge.h"

#include <algorithm>
#include <utility>

namespace openseat {

Result<Ruling> Judge(const GameState& state, SeatIndex seat, std::string_view action, const json::Value& data) {
  if (Result<void> valid = state.Validate(seat, action, data); !valid) return Fail(std::move(valid).error());
  std::unique_ptr<GameState> next = state.Clone();
  json::Value result = next->Apply(seat, action, data);
  return Ruling{std::move(next), std::move(result)};
}

Result<Ruling> JudgeAgain(const GameState& state, SeatIndex seat, std::string_view action, const json::Value& data) {
  if (Result<void> valid = state.Validate(seat, action, data); !valid) return Fail(std::move(valid).error());
  std::unique_ptr<GameState> next = state.Clone();
  next->Repeat(seat, action, data);
  return Ruling{std::move(next), nullptr};
}

bool IsQuestion(const GameInfo& game, std::string_view action) {
  return std::ranges::any_of(game.actions,
                             [&](const ActionSpec& spec) { return spec.any_time && spec.name == action; });
}

bool LooksDifferent(const GameState& before, const GameState& after) {
  // If a single seat had to choose: the turn has passed to another seat, or its choices have changed.
  if (before.Awaited().size() < 2) return true;
  const auto differs = [&](Viewer viewer) { return !json::Equal(before.Observe(viewer), after.Observe(viewer)); };
  if (differs(Viewer::Spectator())) return true;
  for (SeatIndex seat = 0; seat < before.names().size(); ++seat) {
    if (differs(Viewer::Seat(seat))) return true;
  }
  return false;
}

}  // namespace openseat
