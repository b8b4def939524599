// SeatCodes: the secrets of codes that give a player's seat to another device, once: "continue on another device". Each
// is 130 random bits and lives for minutes. In memory only. One thread; the lobby's.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace openseat {

// A seat as its player knows it.
struct SeatPass {
  std::string game;
  std::string match;  // MatchName::Text
  std::string player;
  std::string token;
};

class SeatCodes {
 public:
  static constexpr Duration kLife = std::chrono::minutes(10);
  static constexpr std::size_t kMost = 4096;     // then the oldest of an owner who has most is forgotten
  static constexpr std::size_t kMostOfOne = 64;  // of one owner; then its oldest is forgotten

  // A code for the seat; an earlier one for the same seat is no longer good. `owner`: the address that asks for it.
  std::string Put(SeatPass pass, std::string_view owner, Instant now);
  // The seat that goes with the code, which is then used up.
  std::optional<SeatPass> Take(std::string_view code, Instant now);
  bool Has(std::string_view code, Instant now) const;

 private:
  struct Kept {
    std::string code_hash;
    SeatPass pass;
    std::string owner;
    Instant until;
  };
  std::deque<Kept> kept_;  // oldest first
};

}  // namespace openseat
