// Clocks: what each seat of a match has left by its terms. The match starts a seat's clock when it asks the seat, and
// says what is left once the choice that counts has arrived. A plain value; any thread.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "core/ids.h"
#include "match/terms.h"

namespace openseat {

class Clocks {
 public:
  // `terms` outlive it.
  explicit Clocks(const MatchTerms& terms) : terms_(terms) {}

  // A clock that runs goes on.
  void Start(SeatIndex seat, Instant now);
  // Nobody is asked any more: what was used is gone, and nothing is added.
  void Halt(SeatIndex seat, Instant now);
  // How long the seat may still take now, for this choice; nullopt: no limit. At least zero.
  std::optional<Duration> Left(SeatIndex seat, Instant now) const;
  // What the seat will have for its later choices, if its choice arrived then; nullopt if the match has no game_time.
  std::optional<Duration> AfterChoice(SeatIndex seat, Instant arrived) const;
  // The choice counts: the clock stops, with that much left.
  void Stop(SeatIndex seat, std::optional<Duration> left);
  bool running(SeatIndex seat) const { return seat < seats_.size() && seats_[seat].since.has_value(); }

 private:
  struct OfSeat {
    std::optional<Duration> left;  // of game_time; nullopt: all of it
    std::optional<Instant> since;  // it runs
  };
  OfSeat& At(SeatIndex seat);
  Duration Used(SeatIndex seat, Instant now) const;
  Duration Bank(SeatIndex seat) const;  // REQUIRES game_time

  const MatchTerms& terms_;
  std::vector<OfSeat> seats_;  // empty if there is nothing to measure
};

}  // namespace openseat
