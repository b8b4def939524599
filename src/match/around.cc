#include "match/around.h"

#include <algorithm>
#include <utility>

namespace openseat {

void Around::Chose(SeatIndex seat, std::shared_ptr<const GameState> before, bool keep) {
  offers.Lapse();
  if (!keep) return;
  past.push_back({seat, std::move(before)});
  if (past.size() > kMaxPast) past.erase(past.begin());
}

void Around::Say(ChatLine line) {
  chat.push_back(std::move(line));
  if (chat.size() > kMaxChat) chat.erase(chat.begin());
}

std::size_t Around::Retractable(SeatIndex seat) const {
  const auto last = std::find_if(past.rbegin(), past.rend(), [&](const PastChoice& each) { return each.seat == seat; });
  return last == past.rend() ? 0 : static_cast<std::size_t>(last - past.rbegin()) + 1;
}

void Around::TakeBack(std::size_t choices) {
  offers.Lapse();
  past.resize(past.size() - std::min(choices, past.size()));
}

}  // namespace openseat
