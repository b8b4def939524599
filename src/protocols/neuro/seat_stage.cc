#include "protocols/neuro/seat_stage.h"

#include <utility>

namespace openseat::neuro {
namespace {

constexpr std::string_view kChaosName = "chaos";  // who chose

}  // namespace

// Her own draws and those of her data are apart, so that neither changes the other.
SeatStage::SeatStage(std::uint64_t seed, Seat& seat, SpokeFunction spoke)
    : choice_(seed + 1), seat_(seat), spoke_(std::move(spoke)) {}

OpenForce SeatStage::ForceOf(const Decision& decision) {
  return {
      .id = decision.id.value(), .priority = decision.priority, .again = decision.attempt > 1, .last = decision.last};
}

std::optional<OpenForce> SeatStage::force() const {
  const Decision* decision = seat_.decision();
  return decision == nullptr ? std::nullopt : std::optional(ForceOf(*decision));
}

void SeatStage::Act() {
  if (seat_.decision() == nullptr) Choose(choice_.Pick(seat_.actions()));
}

void SeatStage::Stray() {
  const Decision* decision = seat_.decision();
  if (decision == nullptr) return;
  ActionSet others;
  for (const ActionPtr& action : seat_.actions().all()) {
    if (decision->actions.Find(action->name) == nullptr) others.Put(action);
  }
  if (others.empty()) return;
  Result<Choice> choice = choice_.Pick(others);
  if (choice) choice->beside = true;
  Choose(std::move(choice));
}

void SeatStage::Spoil() {
  const Decision* decision = seat_.decision();
  if (decision == nullptr || decision->attempt > 1) return;
  Result<Choice> choice = choice_.Pick(decision->actions);
  if (choice) Choose(choice_.Spoil(std::move(*choice)));
}

void SeatStage::Choose(Result<Choice> choice) {
  if (!choice || seat_.awaiting() != nullptr || !seat_.reachable()) return;
  choice->by = kChaosName;
  static_cast<void>(seat_.Choose(std::move(*choice)));
}

}  // namespace openseat::neuro
