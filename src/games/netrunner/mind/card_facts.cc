#include "games/netrunner/mind/card_facts.h"

#include <algorithm>
#include <vector>

#include "games/netrunner/cards/card_table.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kOftenTrue = 0.5F;  // a condition that is not known here

bool HasOp(const Program& program, Op op) {
  return std::ranges::any_of(program, [&](const Instruction& each) { return each.op == op; });
}

const Condition* FindIf(const Conditions& conditions, If kind) {
  const auto found = std::ranges::find_if(conditions, [&](const Condition& each) { return each.kind == kind; });
  return found == conditions.end() ? nullptr : &*found;
}

// Whether the end of the run is one of the options of a choice.
bool IsOfChoice(const Program& program) {
  return HasOp(program, Op::kChoose) || HasOp(program, Op::kMay);
}

SubroutineFacts ReadSubroutine(const Program& program) {
  SubroutineFacts facts;
  float chance = 1;
  for (const Instruction& each : program) {
    switch (each.op) {
      case Op::kSkipUnless:
        if (const Condition* poor = FindIf(each.when, If::kRunnerCreditsAtMost)) {
          facts.ends_if_credits_at_most = poor->n;
          chance = 0;
        } else {
          chance = kOftenTrue;
        }
        break;
      case Op::kMay:
        if (each.who == Who::kRunner) return facts;  // the rest is as the Runner likes
        break;
      case Op::kChoose:
        for (const Option& option : each.options) {
          if (const Condition* pays = FindIf(option.when, If::kRunnerCanPay)) facts.pays_instead = pays->n;
        }
        break;
      case Op::kEndRun:
        facts.ends = std::max(facts.ends, chance);
        break;
      case Op::kDamage:
        facts.damage += std::max<int>(each.amount.base, 0);
        break;
      case Op::kGiveTags:
        facts.tags += each.amount.base;
        break;
      case Op::kLoseCredits:
        facts.credits_lost += each.amount.base;
        break;
      case Op::kTarget:
        if (each.filter.from == From::kRunnerInstalled) facts.trashes_program = HasOp(program, Op::kTrashTargets);
        break;
      case Op::kGainCredits:
        facts.corp_gains += static_cast<float>(each.amount.base);
        break;
      case Op::kInstallTargets:
      case Op::kInstallTargetsInward:
        facts.corp_gains += 2;
        break;
      case Op::kCannotStealOrTrash:
        facts.no_stealing = true;
        break;
      default:
        break;
    }
  }
  return facts;
}

IceFacts ReadIce(const CardDef& def) {
  IceFacts facts;
  facts.by_clicks = def.breaks_by_clicks;
  facts.subroutines = std::min<int>(static_cast<int>(def.subroutines.size()), kMostSubroutines);
  for (int i = 0; i < facts.subroutines; ++i) {
    SubroutineFacts& each = facts.each[static_cast<std::size_t>(i)];
    each = ReadSubroutine(def.subroutines[static_cast<std::size_t>(i)].effect);
    facts.ends = facts.ends || each.ends > 0 || each.ends_if_credits_at_most >= 0;
  }
  for (const Trigger& trigger : def.triggers) {
    for (const Instruction& each : trigger.effect) {
      if (each.op != Op::kGiveTags) continue;
      (trigger.on == Event::kEncounter ? facts.tags_on_encounter : facts.tags_on_rez) += each.amount.base;
    }
  }
  return facts;
}

bool TrashesItselfLater(const CardDef& def) {
  return std::ranges::any_of(def.triggers, [](const Trigger& each) {
    return each.delayed && each.on == Event::kRunEnds && HasOp(each.effect, Op::kTrashSelf);
  });
}

BreakerFacts ReadBreaker(const CardDef& def) {
  BreakerFacts facts;
  for (const Ability& ability : def.abilities) {
    if (ability.use == Use::kBreak && !facts.breaks) {
      facts.breaks = true;
      facts.credits = ability.cost.credits.base;
      facts.virus = ability.cost.virus;
      facts.at_once = std::max<int>(ability.breaks, 1);
      facts.interface = ability.interface;
      facts.on_host_only = FindIf(ability.when, If::kEncounteringHost) != nullptr;
      facts.subtypes = ability.subtypes;
      facts.one_shot = HasOp(ability.effect, Op::kDelay) && TrashesItselfLater(def);
    } else if (ability.use == Use::kPaid && ability.effect.size() == 1 && ability.effect[0].op == Op::kLinger &&
               ability.effect[0].modifier == Modifier::kStrength && !ability.effect[0].on_ice) {
      const Amount& amount = ability.effect[0].amount;
      facts.boost = std::max<int>(amount.base, amount.times);
      facts.boost_per_breaker = amount.of == Count::kInstalledIcebreakers;
      facts.boost_credits = ability.cost.credits.base;
    }
  }
  return facts;
}

float Sum(const Program& program, Op op) {
  float sum = 0;
  for (const Instruction& each : program) {
    if (each.op == op) sum += static_cast<float>(each.amount.base + each.amount.times);
  }
  return sum;
}

void ReadTrigger(const CardDef& def, const Trigger& trigger, CardFacts& facts) {
  const Program& effect = trigger.effect;
  const bool corp = def.side == Side::kCorp;
  switch (trigger.on) {
    case Event::kInstalled:
    case Event::kRezzed:
      facts.hosted += Sum(effect, Op::kPlaceCredits);
      facts.rez_draws += Sum(effect, Op::kDraw);
      break;
    case Event::kTurnBegins:
      facts.drips = true;
      if (corp && HasOp(effect, Op::kDamage)) facts.threat_per_counter = 1;
      facts.upkeep += 2 * Sum(effect, Op::kPlaceVirus) + Sum(effect, Op::kDraw);
      break;
    case Event::kRunSuccessful:
      facts.upkeep += 4 * Sum(effect, Op::kPlaceCredits) + 3 * Sum(effect, Op::kPlaceVirus);
      break;
    case Event::kAccessed:
      for (const Instruction& each : effect) {
        if (each.op == Op::kDamage) {
          facts.trap_damage += each.amount.base;
          facts.trap_per_counter += each.amount.of == Count::kAdvancementHere ? each.amount.times : 0;
        }
      }
      break;
    case Event::kApproachServer:
      if (HasOp(effect, Op::kEndRun)) facts.guards += IsOfChoice(effect) ? 4.5F : 8.F;
      break;
    case Event::kRunEnds:
      if (corp) facts.punishes += 3 * Sum(effect, Op::kGiveTags);
      if (!corp && !trigger.delayed) facts.upkeep += 2 * Sum(effect, Op::kPlaceVirus);
      break;
    case Event::kStolen:
      facts.trap_tags += static_cast<int>(Sum(effect, Op::kGiveTags));
      break;
    default:
      break;
  }
}

CardFacts ReadCard(const CardDef& def) {
  CardFacts facts;
  if (def.type == CardType::kIce) facts.ice = ReadIce(def);
  facts.breaker = ReadBreaker(def);
  for (const Trigger& trigger : def.triggers) ReadTrigger(def, trigger, facts);
  for (const Ability& ability : def.abilities) {
    if (ability.cost.clicks > 0) facts.click_gain += Sum(ability.effect, Op::kTakeCredits);
    if (ability.cost.clicks > 0) facts.upkeep += 0.6F * Sum(ability.effect, Op::kPlaceCredits);
    for (const Instruction& each : ability.effect) {
      if (each.op == Op::kLinger && each.on_ice && each.modifier == Modifier::kStrength) {
        facts.weakens_ice = -each.amount.base;
      }
    }
  }
  if (facts.hosted > 0) {
    // Each click takes more than the one credit it is worth.
    const float clicks = facts.click_gain > 0 && !facts.drips ? facts.hosted / facts.click_gain : 0;
    facts.upkeep += facts.hosted - clicks;
  }
  for (const StaticAbility& each : def.statics) {
    if (each.what == Modifier::kAccesses) facts.extra_accesses += static_cast<float>(each.amount.base);
    if (each.what == Modifier::kBasicDraw) facts.upkeep += 7;
    if (each.what == Modifier::kMemory) facts.upkeep += 2;
    if (each.what == Modifier::kHandSize) facts.upkeep += 1;
    if (each.what == Modifier::kProgramInstallCost) facts.upkeep += 2;
  }
  return facts;
}

}  // namespace

const CardFacts& FactsOf(CardId card) {
  static const std::vector<CardFacts> all = [] {
    std::vector<CardFacts> facts;
    for (const CardDef& def : AllCards()) facts.push_back(ReadCard(def));
    return facts;
  }();
  return all[card];
}

}  // namespace openseat::games::netrunner::mind
