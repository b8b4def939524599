// Offers: what the players of a match have asked each other and not settled yet: to take back a choice, a draw, a
// rematch. A plain value; any thread. docs/protocols/chimera.md, "Offers".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ids.h"
#include "core/seat_set.h"

namespace openseat {

enum class Offer : std::uint8_t { kTakeBack, kDraw, kRematch };
inline constexpr std::array kAllOffers{Offer::kTakeBack, Offer::kDraw, Offer::kRematch};
std::string_view OfferName(Offer offer);  // "take-back", "draw", "rematch"
std::optional<Offer> ParseOffer(std::string_view name);

class Offers {
 public:
  struct Open {
    SeatIndex seat = 0;  // who made it
    SeatSet agreed;      // who wants it, with that seat
  };

  // Null if nobody has made it.
  const Open* Find(Offer offer) const;
  // The seat makes the offer, or agrees to it.
  void Agree(Offer offer, SeatIndex seat);
  // It was declined, withdrawn, or has taken effect.
  void Close(Offer offer) { open_[static_cast<std::size_t>(offer)].reset(); }
  // A choice was made: what was offered before it no longer stands.
  void Lapse();
  // Whether there is any.
  bool any() const;

 private:
  std::array<std::optional<Open>, kAllOffers.size()> open_;
};

}  // namespace openseat
