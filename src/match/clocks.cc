#include "match/clocks.h"

#include <algorithm>

namespace openseat {

Clocks::OfSeat& Clocks::At(SeatIndex seat) {
  if (seat >= seats_.size()) seats_.resize(seat + std::size_t{1});
  return seats_[seat];
}

Duration Clocks::Used(SeatIndex seat, Instant now) const {
  return running(seat) ? std::max(now - *seats_[seat].since, Duration(0)) : Duration(0);
}

Duration Clocks::Bank(SeatIndex seat) const {
  return seat < seats_.size() && seats_[seat].left ? *seats_[seat].left : *terms_.game_time;
}

void Clocks::Start(SeatIndex seat, Instant now) {
  if (!terms_.clocked()) return;
  OfSeat& clock = At(seat);
  if (!clock.since) clock.since = now;
}

void Clocks::Halt(SeatIndex seat, Instant now) {
  if (!running(seat)) return;
  const Duration used = Used(seat, now);
  OfSeat& clock = At(seat);
  if (terms_.game_time) clock.left = std::max(Bank(seat) - used, Duration(0));
  clock.since.reset();
}

std::optional<Duration> Clocks::Left(SeatIndex seat, Instant now) const {
  const Duration used = Used(seat, now);
  std::optional<Duration> left;
  if (terms_.move_time) left = *terms_.move_time - used;
  if (terms_.game_time) left = std::min(left.value_or(Duration::max()), Bank(seat) - used);
  if (left) left = std::max(*left, Duration(0));
  return left;
}

std::optional<Duration> Clocks::AfterChoice(SeatIndex seat, Instant arrived) const {
  if (!terms_.game_time) return std::nullopt;
  return std::max(Bank(seat) - Used(seat, arrived), Duration(0)) + terms_.increment;
}

void Clocks::Stop(SeatIndex seat, std::optional<Duration> left) {
  if (!terms_.clocked()) return;
  OfSeat& clock = At(seat);
  clock.since.reset();
  if (left) clock.left = left;
}

}  // namespace openseat
