#include "games/netrunner/engine/values.h"

#include <algorithm>

#include "games/netrunner/cards/card_table.h"

namespace openseat::games::netrunner {
namespace {

constexpr int kStartingMemory = 4;
constexpr int kStartingHandSize = 5;

bool HappenedOnce(const State& state, Event event) {
  return state.log_of_turn.events[static_cast<std::size_t>(event)] == 1;
}
bool NeverHappened(const State& state, Event event) {
  return state.log_of_turn.events[static_cast<std::size_t>(event)] == 0;
}

bool FacedownInArchives(const State& state) {
  const CardList& archives = state.corp().discard;
  return std::any_of(archives.begin(), archives.end(), [&](Inst inst) { return !state[inst].faceup; });
}

int InstalledIcebreakers(const State& state) {
  const CardList& installed = state.runner().installed;
  return static_cast<int>(std::count_if(installed.begin(), installed.end(),
                                        [&](Inst inst) { return state.Def(inst).Has(Subtype::kIcebreaker); }));
}

bool ProgramInstalled(const State& state) {
  const CardList& installed = state.runner().installed;
  return std::any_of(installed.begin(), installed.end(),
                     [&](Inst inst) { return state.Def(inst).type == CardType::kProgram; });
}

}  // namespace

const CardDef& State::Def(Inst inst) const {
  return CardOf((*this)[inst].card);
}

bool Encountering(const State& state) {
  return state.run.active && !state.run.ended && state.run.phase == RunPhase::kEncounterIce &&
         state.run.ice != kNoInst && state[state.run.ice].id == state.run.ice_id;
}

bool Holds(const State& state, const Condition& condition, const Context& context) {
  const CardState& source = state[context.source];
  const RunState& run = state.run;
  switch (condition.kind) {
    case If::kItIsThis:
      return context.it == context.source;
    case If::kItIsVirus:
      return state.Def(context.it).type == CardType::kProgram && state.Def(context.it).Has(Subtype::kVirus);
    case If::kOwnTurn:
      return context.side == source.side;
    case If::kFirstThisTurn:
      return HappenedOnce(state, context.event);
    case If::kRunHere:
      return run.server == source.server;
    case If::kDuringRunHere:
      return run.active && run.server == source.server;
    case If::kRunOnCentral:
      return IsCentral(run.server);
    case If::kRunOnHqOrRnd:
      return run.server == kHqServer || run.server == kRndServer;
    case If::kRunOnRnd:
      return run.server == kRndServer;
    case If::kRunWasSuccessful:
      return run.successful;
    case If::kStoleThisRun:
      return run.stolen > 0;
    case If::kAccessedThisRun:
      return run.accesses > 0;
    case If::kScoredFromHere:
      return context.n == source.server;
    case If::kRunnerTagged:
      return state.tags > 0;
    case If::kSuccessfulRunThisTurn:
      return state.log_of_turn.successful_run;
    case If::kSuccessfulRunLastTurn:
      return state.ran_last_turn;
    case If::kFacedownInArchives:
      return FacedownInArchives(state);
    case If::kIceAtLeast: {
      const CardList& installed = state.corp().installed;
      return std::count_if(installed.begin(), installed.end(), [&](Inst inst) { return IsIce(state, inst); }) >=
             condition.n;
    }
    case If::kHadNoAdvancement:
      return context.n == 0;
    case If::kAdvancementAtLeast:
      return source.advancement >= condition.n;
    case If::kVirusAtLeast:
      return source.virus >= condition.n;
    case If::kInRemote:
      return source.server != kNoServer && !IsCentral(source.server);
    case If::kInstalledHere:
      return source.zone == Zone::kInstalled;
    case If::kNoCreditsHere:
      return source.credits == 0;
    case If::kCorpCreditsAtLeast:
      return state.corp().credits >= condition.n;
    case If::kHqAtLeast:
      return static_cast<int>(state.corp().hand.size()) >= condition.n;
    case If::kGripAtLeast:
      return static_cast<int>(state.runner().hand.size()) >= condition.n;
    case If::kRunnerCanPay:
      return Spendable(state, Side::kRunner) >= condition.n;
    case If::kRunnerClicksAtLeast:
      return state.runner().clicks >= condition.n;
    case If::kRunnerCreditsAtMost:
      return state.runner().credits <= condition.n;
    case If::kAnyTargets:
      return context.target != kNoInst;
    case If::kTargetCostOdd:
      return context.target != kNoInst && state.Def(context.target).cost > 0 && state.Def(context.target).cost % 2 == 1;
    case If::kTargetInstallable:
      return context.target != kNoInst && CanInstallRunner(state, context.target);
    case If::kProgramInstalled:
      return ProgramInstalled(state);
    case If::kNoProgramInstalled:
      return !ProgramInstalled(state);
    case If::kEncountering:
      return Encountering(state);
    case If::kEncounteringHost:
      return Encountering(state) && run.ice == source.host;
    case If::kNewCentral:
      return state.log_of_turn.centrals_run != 7;
    case If::kFirstBreachOfHq:
      return HappenedOnce(state, Event::kBreachHq);
    case If::kNoProgramThisTurn:
      return NeverHappened(state, Event::kProgramInstalled);
    case If::kNoBasicDrawThisTurn:
      return NeverHappened(state, Event::kBasicDraw);
  }
  return false;
}

bool AllHold(const State& state, const Conditions& conditions, const Context& context) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return Holds(state, condition, context); });
}

int Evaluate(const State& state, const Amount& amount, const Context& context) {
  int count = 0;
  switch (amount.of) {
    case Count::kNone:
      return amount.base;
    case Count::kVirusHere:
      count = state[context.source].virus;
      break;
    case Count::kAdvancementHere:
      count = state[context.source].advancement;
      break;
    case Count::kCreditsHere:
      count = state[context.source].credits;
      break;
    case Count::kNoted:
      count = context.noted;
      break;
    case Count::kPointsScoredThisTurn:
      count = state.log_of_turn.points_scored;
      break;
    case Count::kAccessesThisRun:
      count = state.run.accesses;
      break;
    case Count::kInstalledIcebreakers:
      count = InstalledIcebreakers(state);
      break;
    case Count::kSuccessfulRunThisTurn:
      count = state.log_of_turn.successful_run ? 1 : 0;
      break;
  }
  return amount.base + amount.times * count;
}

namespace {

// The modifier from a card's own static abilities in its current zone.
int OfCard(const State& state, Modifier modifier, Inst inst, Server server = kNoServer) {
  const CardDef& def = state.Def(inst);
  if ((def.modifiers >> static_cast<unsigned>(modifier) & 1) == 0) return 0;
  int total = 0;
  for (const StaticAbility& ability : def.statics) {
    if (ability.what != modifier || ability.server != server) continue;
    if (ability.in_score_area != (state[inst].zone == Zone::kScore)) continue;
    const Context context{.source = inst};
    if (AllHold(state, ability.when, context)) total += Evaluate(state, ability.amount, context);
  }
  return total;
}

}  // namespace

int Total(const State& state, Modifier modifier, Side side) {
  int total = 0;
  ForEachActive(state, side, [&](Inst inst) { total += OfCard(state, modifier, inst); });
  return total;
}

bool Lingers(const State& state, Modifier modifier) {
  return std::any_of(state.lingering.begin(), state.lingering.end(),
                     [&](const Lingering& effect) { return !effect.delayed && effect.modifier == modifier; });
}

int Strength(const State& state, Inst inst) {
  int strength = state.Def(inst).strength + OfCard(state, Modifier::kStrength, inst);
  for (const Lingering& effect : state.lingering) {
    if (!effect.delayed && effect.modifier == Modifier::kStrength && effect.target == inst &&
        effect.id == state[inst].id) {
      strength += effect.amount;
    }
  }
  return strength;
}

int InstallCost(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  int cost = std::max(def.cost, 0) + OfCard(state, Modifier::kInstallCost, inst);
  if (def.type == CardType::kProgram) cost += Total(state, Modifier::kProgramInstallCost, Side::kRunner);
  return std::max(cost, 0);
}

int RezCost(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  int cost = def.cost;
  if (def.type == CardType::kIce) {
    for (const Lingering& effect : state.lingering) {
      if (!effect.delayed && effect.modifier == Modifier::kIceRezCost) cost += effect.amount;
    }
  }
  return std::max(cost, 0);
}

int MemoryLimit(const State& state) {
  return kStartingMemory + Total(state, Modifier::kMemory, Side::kRunner);
}

int MemoryUsed(const State& state) {
  int used = 0;
  for (const Inst inst : state.runner().installed) used += state.Def(inst).memory;
  return used;
}

int MaxHandSize(const State& state, Side side) {
  const int size = kStartingHandSize + Total(state, Modifier::kHandSize, side);
  return side == Side::kRunner ? size - state.core_damage : size;
}

int Points(const State& state, Side side) {
  int points = 0;
  for (const Inst inst : state.Of(side).score) points += state.Def(inst).points;
  return points;
}

int AccessLimit(const State& state, Server server) {
  int limit = 1;
  ForEachActive(state, Side::kRunner, [&](Inst inst) { limit += OfCard(state, Modifier::kAccesses, inst, server); });
  for (const Lingering& effect : state.lingering) {
    if (!effect.delayed && effect.modifier == Modifier::kAccesses && effect.server == server) limit += effect.amount;
  }
  return limit;
}

Inst SpendableCard(const State& state) {
  const Inst source = state.run.source;
  if (!state.run.active || source == kNoInst || !state.Def(source).spent_in_run) return kNoInst;
  return state[source].credits > 0 ? source : kNoInst;
}

int Spendable(const State& state, Side side) {
  int credits = state.Of(side).credits;
  if (side == Side::kCorp) return credits;
  if (state.run.active) credits += state.run.bad_publicity_credits;
  const Inst card = SpendableCard(state);
  return card == kNoInst ? credits : credits + state[card].credits;
}

bool IsIce(const State& state, Inst inst) {
  return state.Def(inst).type == CardType::kIce;
}

bool CanBeAdvanced(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  return def.type == CardType::kAgenda || def.advanceable;
}

CardList IceOn(const State& state, Server server) {
  CardList ice;
  for (const Inst inst : state.corp().installed) {
    if (state[inst].server == server && IsIce(state, inst)) ice.push_back(inst);
  }
  return ice;
}

int IceCount(const State& state, Server server) {
  int count = 0;
  for (const Inst inst : state.corp().installed) {
    if (state[inst].server == server && IsIce(state, inst)) ++count;
  }
  return count;
}

CardList RootOf(const State& state, Server server) {
  CardList root;
  for (const Inst inst : state.corp().installed) {
    if (state[inst].server == server && !IsIce(state, inst)) root.push_back(inst);
  }
  return root;
}

bool ServerExists(const State& state, Server server) {
  if (IsCentral(server)) return true;
  const CardList& installed = state.corp().installed;
  return std::any_of(installed.begin(), installed.end(), [&](Inst inst) { return state[inst].server == server; });
}

bool CanInstallRunner(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  if (def.type != CardType::kProgram && def.type != CardType::kHardware && def.type != CardType::kResource) {
    return false;
  }
  if (InstallCost(state, inst) > Spendable(state, Side::kRunner)) return false;
  // All programs may be trashed to make room.
  if (def.memory > 0 && def.memory > MemoryLimit(state)) return false;
  if (!def.only_on_ice) return true;
  const CardList& installed = state.corp().installed;
  return std::any_of(installed.begin(), installed.end(), [&](Inst card) { return IsIce(state, card); });
}

bool CanInstallCorp(const State& state, Inst inst, Server server) {
  switch (state.Def(inst).type) {
    case CardType::kAgenda:
    case CardType::kAsset:
      return !IsCentral(server);
    case CardType::kUpgrade:
    case CardType::kIce:  // all ice on the server may be trashed to make it free
      return true;
    default:
      return false;
  }
}

namespace {

bool InstallableBy(const State& state, Side side, Inst inst) {
  return side == Side::kRunner ? CanInstallRunner(state, inst) : CanInstallCorp(state, inst, kNewRemote);
}

bool Passes(const State& state, const Filter& filter, Side side, Inst inst) {
  const CardDef& def = state.Def(inst);
  const CardState& card = state[inst];
  if (filter.types != 0 && (filter.types & TypeBit(def.type)) == 0) return false;
  if (filter.subtypes != 0 && (filter.subtypes & def.subtypes) == 0) return false;
  if (filter.no_agendas && def.type == CardType::kAgenda) return false;
  if (filter.unrezzed && card.faceup) return false;
  if (filter.not_this_turn && card.new_this_turn) return false;
  return !filter.installable || InstallableBy(state, side, inst);
}

}  // namespace

CardList Candidates(const State& state, const Filter& filter, Side side) {
  CardList found;
  const auto add = [&](const CardList& list) {
    for (const Inst inst : list) {
      if (Passes(state, filter, side, inst)) found.push_back(inst);
    }
  };
  switch (filter.from) {
    case From::kHq:
      add(state.corp().hand);
      break;
    case From::kGrip:
      add(state.runner().hand);
      break;
    case From::kArchives:
      add(state.corp().discard);
      break;
    case From::kHqOrArchives:
      add(state.corp().hand);
      add(state.corp().discard);
      break;
    case From::kRnd:
      add(state.corp().deck);
      break;
    case From::kStack:
      add(state.runner().deck);
      break;
    case From::kCorpInstalled:
      add(state.corp().installed);
      break;
    case From::kRunnerInstalled:
      add(state.runner().installed);
      break;
    case From::kIce:
      for (const Inst inst : state.corp().installed) {
        if (IsIce(state, inst) && Passes(state, filter, side, inst)) found.push_back(inst);
      }
      break;
  }
  return found;
}

FixedVector<Inst, kMaxCards> CandidatesByNumber(const State& state) {
  FixedVector<Inst, kMaxCards> found;
  for (std::size_t i = 0; i < state.card_count; ++i) {
    if (state.prompt.candidates.Contains(static_cast<Inst>(i))) found.push_back(static_cast<Inst>(i));
  }
  std::ranges::sort(found, {}, [&](Inst inst) { return state[inst].id; });
  return found;
}

}  // namespace openseat::games::netrunner
