// The Runner: money, icebreakers for what is there, runs that pay.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/mind/rating.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kUnwise = -100;
constexpr float kFlatline = 60;  // what a certain flatline costs
constexpr SubtypeSet kIceTypes = SetOf(Subtype::kBarrier) | SetOf(Subtype::kCodeGate) | SetOf(Subtype::kSentry);

}  // namespace

float RunnerRater::Rate(const Command& command) const {
  switch (command.kind) {
    case CommandKind::kCredit:
      return CreditWorth(s_.runner().credits);
    case CommandKind::kDraw:
      return DrawWorth();
    case CommandKind::kRemoveTag: {
      const bool dangerous = s_.corp().credits >= 2;
      return (dangerous ? kTagWorth + 0.6F * static_cast<float>(s_.tags) : 1.2F) -
             2 * CreditWorth(s_.runner().credits) + 1.5F;
    }
    case CommandKind::kPlay:
      return PlayWorth(command.card);
    case CommandKind::kRun:
      return RunWorth(command.arg);
    case CommandKind::kAbility:
    case CommandKind::kAutoBreak:
    case CommandKind::kRunnerAbility:
      if (Encountering(s_)) return EncounterWorth(command);
      return command.kind == CommandKind::kAbility ? AbilityWorth(command.card, command.arg) : kUnwise;
    case CommandKind::kContinue:
      if (s_.prompt.kind == PromptKind::kJackOut) return GoOnWorth() + 0.3F;
      return Encountering(s_) ? EncounterWorth(command) : 0;
    default:
      return 0;
  }
}

float RunnerRater::RunWorth(Server server, float credits, float accesses, bool dearer_ice) const {
  RunTerms terms = calculator_.UsualTerms();
  terms.credits += credits;
  terms.dearer_ice = dearer_ice;
  const Forecast run = calculator_.Run(server, terms);
  const float access = calculator_.AccessWorth(server, accesses);
  float worth = run.enters * (access + 0.2F) - run.harm - kFlatline * run.deadly;
  const float paid = std::max(0.F, run.credits - credits);
  worth -= paid * CreditWorth(static_cast<int>(terms.credits - paid / 2)) * 0.9F + (1 - run.enters) * 0.8F;
  for (const Inst inst : s_.runner().installed) {
    // What successful runs bring: counters and credits.
    const CardDef& def = s_.Def(inst);
    if ((def.events >> static_cast<unsigned>(Event::kRunSuccessful) & 1) == 0) continue;
    for (const Trigger& trigger : def.triggers) {
      if (trigger.on == Event::kRunSuccessful && !trigger.delayed && (IsCentral(server) || trigger.when.empty())) {
        worth += 0.7F * run.enters;
      }
    }
  }
  // With a hand that one trap empties, only what pays at once.
  if (s_.runner().hand.size() <= 1) worth -= 1.5F;
  return worth;
}

float RunnerRater::GoOnWorth() const {
  const Forecast run = calculator_.Run(s_.run.server, calculator_.UsualTerms());
  return run.enters * (calculator_.AccessWorth(s_.run.server, 0) + 0.5F) - 0.9F * run.credits - run.harm -
         kFlatline * run.deadly;
}

float RunnerRater::BestRun(Servers servers, float credits, float accesses, bool dearer_ice) const {
  float best = kUnwise;
  for (Server server = kHqServer; server < s_.next_remote; ++server) {
    const bool fits =
        servers == Servers::kAny || (servers == Servers::kHqOrRnd && server <= kRndServer) ||
        (servers == Servers::kRnd && server == kRndServer) ||
        (servers == Servers::kNewCentrals && IsCentral(server) && (s_.log_of_turn.centrals_run >> server & 1) == 0);
    if (fits && ServerExists(s_, server)) best = std::max(best, RunWorth(server, credits, accesses, dearer_ice));
  }
  return best;
}

// What its delayed trigger adds to the accesses of a successful run: once, although it may name several servers.
float RunnerRater::MoreAccesses(Inst card) const {
  float most = 0;
  for (const Trigger& trigger : s_.Def(card).triggers) {
    if (!trigger.delayed || trigger.on != Event::kRunSuccessful) continue;
    for (const Instruction& each : trigger.effect) {
      if (each.op != Op::kLinger || each.modifier != Modifier::kAccesses) continue;
      most = std::max(most, static_cast<float>(Evaluate(s_, each.amount, {.source = card})));
    }
  }
  return most;
}

float RunnerRater::RunWorthWith(Inst card, Server server) const {
  const float credits = s_.Def(card).spent_in_run ? static_cast<float>(s_[card].credits) : 0;
  return RunWorth(server, credits, MoreAccesses(card), Lingers(s_, Modifier::kIceRezCost));
}

float RunnerRater::DrawWorth() const {
  if (s_.runner().deck.empty()) return -1;
  const auto hand = static_cast<int>(s_.runner().hand.size());
  const int room = MaxHandSize(s_, Side::kRunner) - hand;
  if (room <= 0) return 0.1F;
  const auto drawn = static_cast<float>(std::min(room, 1 + Total(s_, Modifier::kBasicDraw, Side::kRunner)));
  float worth = hand == 0 ? 2.1F : hand == 1 ? 1.8F : hand == 2 ? 1.4F : 0.95F;
  if ((covered() & kIceTypes) != kIceTypes) worth += 0.2F;
  // A card that is being advanced may be a trap: it is accessed with a hand that survives it.
  for (const Inst inst : s_.corp().installed) {
    const int counters = s_[inst].advancement;
    if (counters == 0 || Knows(s_, inst, Side::kRunner) || IsIce(s_, inst) || calculator_.unseen().traps == 0) continue;
    if (calculator_.unseen().trap_damage + counters > hand && hand < 5) worth += 0.8F;
  }
  return worth + (drawn - 1);
}

float RunnerRater::PlayWorth(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  if (def.type != CardType::kEvent) return InstallWorth(inst);
  Yield yield = YieldOf(s_, def.play, 0, inst, &WorthOf);
  yield.credits[At(Side::kRunner)] -= static_cast<float>(def.cost);
  if (yield.runs) {
    float drawn = 0;
    for (const Trigger& trigger : def.triggers) {
      for (const Instruction& each : trigger.effect) drawn += each.op == Op::kDraw ? 1.F : 0.F;
    }
    const float credits = def.spent_in_run ? yield.hosted : 0;
    yield.hosted = 0;
    const float run = BestRun(yield.servers, credits, MoreAccesses(inst), yield.dearer_ice);
    return run + WorthOf(s_, yield, Side::kRunner) + 0.8F * drawn - 0.5F;
  }
  return WorthOf(s_, yield, Side::kRunner) - 0.4F;
}

float RunnerRater::InstallWorth(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  const float price = static_cast<float>(InstallCost(s_, inst)) * CreditWorth(s_.runner().credits) * 0.8F;
  float worth = RigWorth(s_, inst, covered()) - price;
  const int left = s_.runner().credits - InstallCost(s_, inst);
  if (left <= 1 && FactsOf(s_[inst].card).hosted == 0) worth -= 1;
  // What must be trashed for it.
  if (def.memory > 0 && MemoryUsed(s_) + def.memory > MemoryLimit(s_)) worth -= 5;
  return worth;
}

float RunnerRater::AbilityWorth(Inst inst, std::size_t index) const {
  const Ability& ability = s_.Def(inst).abilities[index];
  const Yield yield = YieldOf(s_, ability.effect, 0, inst, &WorthOf);
  float worth = WorthOf(s_, yield, Side::kRunner);
  if (yield.runs) {
    float credits = 0;
    for (const Trigger& trigger : s_.Def(inst).triggers) {
      if (!trigger.delayed || trigger.on != Event::kRunSuccessful) continue;
      for (const Instruction& each : trigger.effect) {
        const auto amount = static_cast<float>(Evaluate(s_, each.amount, {.source = inst}));
        if (each.op == Op::kTakeCredits) credits += std::min(amount, static_cast<float>(s_[inst].credits));
      }
    }
    worth += BestRun(yield.servers, 0, MoreAccesses(inst), false) + 0.8F * credits;
  }
  if (yield.trashes_itself) worth -= 2.4F;  // what it would still have become
  if (yield.hosted > 0 && ability.cost.clicks > 0) worth += s_[inst].credits < 4 ? 0.2F : -0.8F;
  // What collects from run to run is taken when there is enough of it.
  if (yield.hosted < 0 && s_[inst].credits < 3) worth -= 0.6F;
  return worth;
}

float RunnerRater::EncounterWorth(const Command& command) const {
  const float goal = std::clamp(GoOnWorth() + 2, 0.5F, 40.F);
  const Passage plan = calculator_.Encounter(goal);
  const CardState* tool = command.card == kNoInst ? nullptr : &s_[command.card];
  if (command.kind == CommandKind::kRunnerAbility) return plan.clicks > 0 ? 10.F : kUnwise;
  if (plan.breaker == kNoInst || plan.breaks == 0) return command.kind == CommandKind::kContinue ? 5.F : kUnwise;
  if (command.kind == CommandKind::kContinue) return 0;
  const int lacking = Strength(s_, s_.run.ice) - Strength(s_, plan.breaker);
  const BreakerFacts& facts = FactsOf(s_[plan.breaker].card).breaker;
  if (command.card != plan.breaker) {
    const bool weakens = FactsOf(tool->card).weakens_ice > 0 && tool->virus > 0;
    return weakens && facts.interface && lacking > 0 ? 12.F : kUnwise;
  }
  if (command.kind == CommandKind::kAutoBreak) {
    int left = 0;
    for (std::size_t i = 0; i < s_.Def(s_.run.ice).subroutines.size(); ++i)
      left += (s_.run.broken >> i & 1) == 0 ? 1 : 0;
    return plan.breaks >= left ? 11.F : 1.F;
  }
  const bool breaks = s_.Def(command.card).abilities[command.arg].use == Use::kBreak;
  return breaks != (facts.interface && lacking > 0) ? 10.F : kUnwise;
}

float RigWorth(const State& state, Inst inst, SubtypeSet covered) {
  const CardDef& def = state.Def(inst);
  const CardFacts& facts = FactsOf(state[inst].card);
  const BreakerFacts& breaker = facts.breaker;
  const bool installed = state[inst].zone == Zone::kInstalled;
  float worth = installed ? 0.7F * static_cast<float>(state[inst].credits) : facts.upkeep;
  if (installed && facts.hosted == 0) worth += facts.upkeep;
  worth += 4.5F * facts.extra_accesses + 3.F * static_cast<float>(facts.weakens_ice);
  if (installed) worth += static_cast<float>(state[inst].virus);
  // A second copy of what one can only have once.
  if (def.unique && !installed) {
    for (const Inst other : state.runner().installed) {
      if (state[other].card == state[inst].card) return -5;
    }
  }
  if (!breaker.breaks) return worth;
  if (breaker.on_host_only) return worth + 3.5F;
  if (installed) return worth + (breaker.one_shot ? 3.F : 8.F);
  const SubtypeSet types = (breaker.subtypes == 0 ? kIceTypes : breaker.subtypes) & kIceTypes;
  const SubtypeSet fresh = types & ~covered;
  if (fresh == 0) return 0.3F;
  // Ice that is rezzed and stops this Runner calls for it.
  int wanted = 0;
  for (const Inst ice : state.corp().installed) {
    if (state[ice].faceup && IsIce(state, ice) && (state.Def(ice).subtypes & fresh) != 0) ++wanted;
  }
  return worth + (breaker.one_shot ? 2.5F : 6.5F) + 2.F * static_cast<float>(std::min(wanted, 3));
}

}  // namespace openseat::games::netrunner::mind
