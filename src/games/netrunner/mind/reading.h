// What a side can tell from a position, as far as playing well needs it. It looks only at what the side knows: in a
// sampled position, too, the cards that it does not see are only possibilities.
#pragma once

#include <array>

#include "games/netrunner/engine/state.h"
#include "games/netrunner/mind/card_facts.h"
#include "games/netrunner/mind/yield.h"

namespace openseat::games::netrunner::mind {

// Values are in credits: what one is worth to a side that has enough of them.
constexpr float kCardWorth = 1.2F;
constexpr float kDamageWorth = 1.7F;  // a card of the grip, lost
constexpr float kTagWorth = 2.6F;
constexpr float kWin = 100;

// Whether the side knows which card it is.
bool Knows(const State& state, Inst inst, Side side);
// What a credit more is worth to a side that has so many.
float CreditWorth(int credits);
float CardsWorth(const State& state, Side side, float cards);
// What agenda points are worth to the side that gets them: everything, if they win.
float PointsWorth(const State& state, Side side, int points);
// What a yield is worth to a side; what one side gains, the other loses a part of.
float WorthOf(const State& state, const Yield& yield, Side side);

// The Corp's cards that the Runner has not seen, wherever they are.
struct Unseen {
  int cards = 0;
  int agendas = 0;
  int points = 0;
  int traps = 0;  // cards that can be advanced, and hurt who accesses them
  int trap_damage = 0;
  struct Kind {
    CardId card = kNoCard;
    std::uint8_t copies = 0;
  };
  FixedVector<Kind, 32> ice;
};
Unseen UnseenByRunner(const State& state);

}  // namespace openseat::games::netrunner::mind
