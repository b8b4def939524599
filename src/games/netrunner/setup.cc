#include "games/netrunner/setup.h"

#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

State MakeState(const GameSetup& setup, std::uint64_t seed) {
  State state;
  state.rules = setup.rules;
  state.rng = Rng(seed);
  state.points_to_win = static_cast<std::uint8_t>(setup.points_to_win);
  state.all_windows = setup.all_windows;
  const auto add = [&](CardId card, Side side, Zone zone) {
    const Inst inst{state.card_count++};
    state[inst] = {.card = card, .side = side, .zone = zone};
    return inst;
  };
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    const Deck& deck = setup.decks[At(side)];
    PlayerState& player = state.Of(side);
    player.identity = add(deck.identity, side, Zone::kIdentity);
    state[player.identity].faceup = true;
    state[player.identity].id = state.next_id++;
    // The top of a deck is the end of the list.
    for (std::size_t i = deck.cards.size(); i-- > 0;) player.deck.push_back(add(deck.cards[i], side, Zone::kDeck));
  }
  Engine(state).Begin(setup.shuffle);
  return state;
}

}  // namespace openseat::games::netrunner
