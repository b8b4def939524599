// SeatStage: the character at a table of the server. She acts as the chooser "chaos" where the choice is her own, and
// leaves it to the seat's agent otherwise.
//
// One thread: the seat's scheduler.
#pragma once

#include <cstdint>
#include <functional>

#include "agents/random_choice.h"
#include "core/seat.h"
#include "protocols/neuro/character.h"

namespace openseat::neuro {

class SeatStage : public Stage {
 public:
  using SpokeFunction = std::function<void(bool last, std::string_view canceled)>;

  // `seat` outlives it.
  SeatStage(std::uint64_t seed, Seat& seat, SpokeFunction spoke);

  static OpenForce ForceOf(const Decision& decision);

  Scheduler& scheduler() override { return seat_.scheduler(); }
  std::optional<OpenForce> force() const override;
  void Invite() override { seat_.Invite(); }
  void Act() override;
  void Stray() override;
  void Spoil() override;
  void Spoke(bool last, std::string_view canceled) override { spoke_(last, canceled); }

 private:
  void Choose(Result<Choice> choice);

  RandomChoice choice_;
  Seat& seat_;
  const SpokeFunction spoke_;
};

}  // namespace openseat::neuro
