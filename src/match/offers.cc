#include "match/offers.h"

#include <algorithm>

#include "base/check.h"

namespace openseat {

std::string_view OfferName(Offer offer) {
  switch (offer) {
    case Offer::kTakeBack:
      return "take-back";
    case Offer::kDraw:
      return "draw";
    case Offer::kRematch:
      return "rematch";
  }
  CheckFailed("Offer", __FILE__, __LINE__, "an Offer outside its enum");
}

std::optional<Offer> ParseOffer(std::string_view name) {
  for (const Offer offer : kAllOffers) {
    if (OfferName(offer) == name) return offer;
  }
  return std::nullopt;
}

const Offers::Open* Offers::Find(Offer offer) const {
  const auto& open = open_[static_cast<std::size_t>(offer)];
  return open ? &*open : nullptr;
}

void Offers::Agree(Offer offer, SeatIndex seat) {
  auto& open = open_[static_cast<std::size_t>(offer)];
  if (!open) open = Open{.seat = seat, .agreed = {}};
  open->agreed.Insert(seat);
}

void Offers::Lapse() {
  Close(Offer::kTakeBack);
  Close(Offer::kDraw);
}

bool Offers::any() const {
  return std::ranges::any_of(open_, [](const auto& open) { return open.has_value(); });
}

}  // namespace openseat
