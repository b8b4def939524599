// Around: what belongs to a match besides its position: what was said, what is offered, what can be taken back, and the
// match that follows. Like the position it is a fold of the journal (match/match_fold.h). A plain value; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/game.h"
#include "core/ids.h"
#include "match/invite.h"
#include "match/offers.h"

namespace openseat {

struct ChatLine {
  SeatIndex seat = 0;
  std::string text;
  Time time;
};

// A choice that may still be taken back.
struct PastChoice {
  SeatIndex seat = 0;
  std::shared_ptr<const GameState> before;
};

struct Around {
  static constexpr std::size_t kMaxPast = 16;
  static constexpr std::size_t kMaxChat = 100;

  Offers offers;
  std::vector<ChatLine> chat;     // the latest, oldest first
  std::vector<PastChoice> past;   // the latest, oldest first
  std::optional<MatchName> next;  // the rematch

  // A choice counted. `keep`: whether it may be taken back.
  void Chose(SeatIndex seat, std::shared_ptr<const GameState> before, bool keep);
  void Say(ChatLine line);
  // How many choices the seat would take back: those since its last one, with that one; 0 if that is not known here.
  std::size_t Retractable(SeatIndex seat) const;
  // That many choices are taken back.
  void TakeBack(std::size_t choices);
};

}  // namespace openseat
