// Sampling: a position that one side cannot tell from the real one, with what it does not know drawn at random.
//
// Drawn again are the order of the own deck; the opponent's hand, deck and facedown cards, as far as the side has not
// seen which cards they are; the chance to come; and the numbers by which the state tells cards and objects apart,
// where the side has not seen them. What it has seen stays: a card that was accessed and lies where it lay, the cards
// of R&D that were accessed since it was shuffled.
#pragma once

#include <vector>

#include "base/rng.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

struct SampleTerms {
  Side viewer = Side::kCorp;
  // Whether the opponent's deck is one that everybody knows: then the unseen cards are those that are left of it. Else
  // they are drawn among what a deck of that identity may have, with all that the viewer's log has named.
  bool known_decks = true;
};

// `state` is the first of those that look to the viewer as the present one does, so that what the opponent has chosen
// meanwhile is not in it; `log` all lines of the game so far. The log of the result is empty: LogSeenBy is its log.
State SampleState(const State& state, const std::vector<LogEntry>& log, const SampleTerms& terms, Rng& rng);

// The same lines without the cards that the viewer may not know.
std::vector<LogEntry> LogSeenBy(std::vector<LogEntry> log, Side viewer);

}  // namespace openseat::games::netrunner
