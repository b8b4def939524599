#include "games/netrunner/mind/reading.h"

#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kPointWorth = 5;

}  // namespace

bool Knows(const State& state, Inst inst, Side side) {
  const CardState& card = state[inst];
  switch (card.zone) {
    case Zone::kDeck:
      return side == Side::kRunner && card.side == Side::kCorp && card.id != 0;
    case Zone::kHand:
      return card.side == side || card.known;
    case Zone::kInstalled:
    case Zone::kDiscard:
      return card.side == side || card.faceup || card.known;
    default:
      return true;
  }
}

float CreditWorth(int credits) {
  static constexpr std::array<float, 21> kWorth = {1.7F,  1.6F,  1.5F,  1.4F, 1.3F,  1.2F,  1.15F,
                                                   1.1F,  1.05F, 1.F,   1.F,  0.9F,  0.85F, 0.75F,
                                                   0.65F, 0.6F,  0.55F, 0.5F, 0.45F, 0.4F,  0.35F};
  return kWorth[static_cast<std::size_t>(std::clamp(credits, 0, 20))];
}

float CardsWorth(const State& state, Side side, float cards) {
  const float room = static_cast<float>(MaxHandSize(state, side)) - static_cast<float>(state.Of(side).hand.size());
  // What does not fit into the hand is discarded again; choosing what to keep is worth a little.
  const float kept = std::clamp(cards, std::min(0.F, cards), std::max(room, 0.F));
  return kCardWorth * kept + 0.3F * (cards - kept);
}

float PointsWorth(const State& state, Side side, int points) {
  if (points <= 0) return 0;
  const int missing = state.points_to_win - Points(state, side);
  if (points >= missing) return kWin;
  const float progress = 1.F - static_cast<float>(missing) / static_cast<float>(state.points_to_win);
  return kPointWorth * static_cast<float>(points) * (1 + progress);
}

float WorthOf(const State& state, const Yield& yield, Side side) {
  const std::size_t own = At(side);
  const std::size_t other = At(Other(side));
  const float sign = side == Side::kCorp ? 1.F : -1.F;
  const float grip = static_cast<float>(state.runner().hand.size());
  float worth = yield.credits[own] * CreditWorth(state.Of(side).credits + static_cast<int>(yield.credits[own] / 2));
  worth -= 0.8F * yield.credits[other] * CreditWorth(state.Of(Other(side)).credits);
  worth += CardsWorth(state, side, yield.cards[own]) - 0.8F * CardsWorth(state, Other(side), yield.cards[other]);
  worth += 1.1F * yield.clicks[own] - 1.1F * yield.clicks[other];
  worth += 0.35F * yield.hosted;
  worth += 0.9F * yield.virus;
  worth += sign * (yield.damage > grip ? kWin : kDamageWorth * yield.damage + (yield.damage >= grip ? 3.F : 0.F));
  worth += sign * kTagWorth * yield.tags;
  worth += sign * 5 * yield.runner_trashed;
  worth += sign * (yield.ends_run && state.run.active ? 5.F : 0.F);
  worth += 1.5F * yield.found + 4 * yield.rezzed + 2 * yield.installed - 0.7F * yield.own_discarded;
  return worth;
}

Unseen UnseenByRunner(const State& state) {
  Unseen unseen;
  for (std::size_t i = 0; i < state.card_count; ++i) {
    const CardState& card = state.cards[i];
    if (card.side != Side::kCorp || card.zone == Zone::kIdentity) continue;
    if (Knows(state, static_cast<Inst>(i), Side::kRunner)) continue;
    ++unseen.cards;
    const CardDef& def = CardOf(card.card);
    if (def.type == CardType::kAgenda) {
      ++unseen.agendas;
      unseen.points += def.points;
    } else if (def.type == CardType::kIce) {
      const auto same =
          std::ranges::find_if(unseen.ice, [&](const Unseen::Kind& kind) { return kind.card == card.card; });
      if (same != unseen.ice.end()) {
        ++same->copies;
      } else if (unseen.ice.size() < unseen.ice.capacity()) {
        unseen.ice.push_back({card.card, 1});
      }
    } else if (const CardFacts& facts = FactsOf(card.card); facts.trap_damage > 0 && def.advanceable) {
      ++unseen.traps;
      unseen.trap_damage = std::max(unseen.trap_damage, facts.trap_damage);
    }
  }
  return unseen;
}

}  // namespace openseat::games::netrunner::mind
