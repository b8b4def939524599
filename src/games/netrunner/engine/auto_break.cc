#include "games/netrunner/engine/auto_break.h"

#include <bit>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner {
namespace {

constexpr int kMostBoosts = 20;

int TimesNeeded(int wanted, int each) {
  return (wanted + each - 1) / each;
}

bool IsRepeatable(const Ability& ability) {
  const Cost& cost = ability.cost;
  return cost.clicks == 0 && !cost.trash_self && !cost.remove_self && !ability.once_per_turn;
}

bool Breaks(const State& state, Inst card, const Ability& ability) {
  return ability.use == Use::kBreak && ability.breaks > 0 && IsRepeatable(ability) &&
         (ability.subtypes == 0 || (ability.subtypes & state.Def(state.run.ice).subtypes) != 0) &&
         AllHold(state, ability.when, {.source = card});
}

// The strength that one use adds to the card itself; 0 if it does something else.
int StrengthFrom(const State& state, Inst card, const Ability& ability) {
  if (ability.use != Use::kPaid || ability.effect.size() != 1 || !IsRepeatable(ability) || ability.cost.virus > 0)
    return 0;
  const Instruction& effect = ability.effect[0];
  if (effect.op != Op::kLinger || effect.modifier != Modifier::kStrength || effect.on_ice) return 0;
  return AllHold(state, ability.when, {.source = card}) ? Evaluate(state, effect.amount, {.source = card}) : 0;
}

// Adds the boosts that the card lacks; false if nothing raises it that far.
bool AddBoosts(const State& state, Inst card, int lacking, BreakPlan& plan) {
  const std::vector<Ability>& abilities = state.Def(card).abilities;
  for (std::size_t i = 0; i < abilities.size(); ++i) {
    const int each = StrengthFrom(state, card, abilities[i]);
    if (each <= 0) continue;
    plan.boost = static_cast<std::uint8_t>(i);
    plan.boosts = TimesNeeded(lacking, each);
    plan.credits += plan.boosts * Evaluate(state, abilities[i].cost.credits, {.source = card});
    return plan.boosts <= kMostBoosts;
  }
  return false;
}

}  // namespace

std::optional<BreakPlan> PlanBreak(const State& state, Inst card) {
  const std::vector<Ability>& abilities = state.Def(card).abilities;
  const int left = static_cast<int>(state.Def(state.run.ice).subroutines.size()) - std::popcount(state.run.broken);
  if (left <= 0) return std::nullopt;
  for (std::size_t i = 0; i < abilities.size(); ++i) {
    const Ability& ability = abilities[i];
    if (!Breaks(state, card, ability)) continue;
    BreakPlan plan{
        .ability = static_cast<std::uint8_t>(i), .breaks = TimesNeeded(left, ability.breaks), .subroutines = left};
    plan.credits = plan.breaks * Evaluate(state, ability.cost.credits, {.source = card});
    plan.virus = plan.breaks * ability.cost.virus;
    const int lacking = ability.interface ? Strength(state, state.run.ice) - Strength(state, card) : 0;
    if (lacking > 0 && !AddBoosts(state, card, lacking, plan)) continue;
    if (plan.credits <= Spendable(state, Side::kRunner) && plan.virus <= state[card].virus) return plan;
  }
  return std::nullopt;
}

}  // namespace openseat::games::netrunner
