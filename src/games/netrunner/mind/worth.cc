// The worth of a position: points, what each side has on the table, and what may happen in the next turn.
#include <algorithm>
#include <cmath>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/mind/mind.h"
#include "games/netrunner/mind/rating.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kScale = 13;  // credits that change the odds by a factor of e

// Points weigh more the nearer they bring a side to its goal.
float OfPoints(const State& state, Side side) {
  const auto points = static_cast<float>(Points(state, side));
  return points * (4.2F + 0.8F * points);
}

float OfMoney(int credits) {
  const auto all = static_cast<float>(credits);
  return 0.95F * std::min(all, 8.F) + 0.6F * std::clamp(all - 8, 0.F, 8.F) + 0.25F * std::max(0.F, all - 16);
}

float OfHand(const State& state, Side side) {
  float sum = 0;
  for (const Inst inst : state.Of(side).hand) {
    if (state.Def(inst).type == CardType::kAgenda) continue;  // as much a danger as a chance
    sum += 0.35F * HandWorth(state, inst);
  }
  return sum;
}

float OfCorpBoard(const State& state, const RunCalculator& calculator, float& at_risk) {
  const RunTerms terms = calculator.UsualTerms();
  const bool corp_next = state.active == Side::kRunner;  // the Runner's turn goes on
  float sum = 0;
  for (Server server = kHqServer; server < state.next_remote; ++server) {
    if (!ServerExists(state, server)) continue;
    const bool central = IsCentral(server);
    if (central && server == kArchivesServer && state.corp().discard.empty()) continue;
    const Forecast run = calculator.Run(server, terms);
    const float enters = run.enters * (run.deadly > 0.5F ? 0.4F : 1.F);
    const float tax = std::min(run.credits + run.harm, 10.F);
    float loss = 0;
    for (const Inst inst : state.corp().installed) {
      const CardState& card = state[inst];
      if (card.server != server || IsIce(state, inst)) continue;
      const CardDef& def = state.Def(inst);
      const CardFacts& facts = FactsOf(card.card);
      if (def.type == CardType::kAgenda) {
        const float gain = std::min(PointsWorth(state, Side::kCorp, def.points), 45.F);
        const int missing = def.advancement - card.advancement;
        const float near = missing <= 0 ? 1.F : missing <= 3 ? 0.7F : 0.45F;
        const float paid = state.corp().credits >= missing ? 1.F : 0.75F;
        sum += near * paid * (1 - 0.85F * enters) * gain;
        loss += std::min(PointsWorth(state, Side::kRunner, def.points), 60.F);
      } else if (facts.trap_damage > 0) {
        sum += 0.8F + 0.5F * static_cast<float>(card.advancement);
      } else if (facts.upkeep > 0) {
        const float left = card.faceup ? 0.75F * static_cast<float>(card.credits) : 0.45F * facts.upkeep;
        sum += left * (1 - 0.3F * enters);
      } else {
        sum += 0.8F;
      }
    }
    const auto mean = [&](const CardList& cards) {
      float points = 0;
      for (const Inst inst : cards) points += std::min(PointsWorth(state, Side::kRunner, state.Def(inst).points), 50.F);
      return cards.empty() ? 0 : points / static_cast<float>(cards.size());
    };
    if (server == kHqServer) loss += mean(state.corp().hand) * 1.3F;
    if (server == kRndServer) loss += mean(state.corp().deck) * 1.5F;
    if (server == kArchivesServer) loss += mean(state.corp().discard) * static_cast<float>(state.corp().discard.size());
    at_risk += (corp_next ? 1.F : 0.8F) * enters * loss;
    // Servers that cost something to enter, also after this turn.
    if (central || loss > 0) sum += 0.3F * tax + 2.5F * (1 - enters);
  }
  for (const Inst inst : state.corp().installed) {
    if (IsIce(state, inst))
      sum += static_cast<float>(state.Def(inst).cost) * (state[inst].faceup ? 0.45F : 0.25F) + 0.5F;
  }
  return sum;
}

float OfRig(const State& state, SubtypeSet covered) {
  float sum = 0;
  for (const Inst inst : state.runner().installed) sum += 0.65F * RigWorth(state, inst, covered);
  return sum;
}

float OfDanger(const State& state) {
  const auto grip = static_cast<float>(state.runner().hand.size());
  const float bare = grip == 0 ? 4.F : grip == 1 ? 2.F : grip == 2 ? 0.8F : 0.F;
  return bare + 2 * static_cast<float>(state.tags) + 4 * static_cast<float>(state.core_damage);
}

}  // namespace

double Worth(const State& state, Side side) {
  if (state.over()) return state.winner == At(side) ? 1 : state.winner == At(Other(side)) ? 0 : 0.5;
  const RunCalculator calculator(state, Side::kCorp);
  float at_risk = 0;
  float corp = OfPoints(state, Side::kCorp) + OfMoney(state.corp().credits) + OfHand(state, Side::kCorp);
  corp += OfCorpBoard(state, calculator, at_risk);
  float runner = OfPoints(state, Side::kRunner) + OfMoney(state.runner().credits) + OfHand(state, Side::kRunner);
  runner += OfRig(state, calculator.covered()) + at_risk - OfDanger(state);
  const float clicks = static_cast<float>(state.Of(state.active).clicks);
  (state.active == Side::kCorp ? corp : runner) += clicks;
  if (state.corp().deck.size() < 6) runner += static_cast<float>(6 - state.corp().deck.size());
  // Like a logistic curve, but the same on every machine: no function of a math library but the root.
  const double ahead = static_cast<double>(corp - runner - 4) / (2 * kScale);
  const double odds = 0.5 + 0.5 * ahead / std::sqrt(1 + ahead * ahead);
  return side == Side::kCorp ? odds : 1 - odds;
}

}  // namespace openseat::games::netrunner::mind
