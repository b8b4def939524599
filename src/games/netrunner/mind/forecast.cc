#include "games/netrunner/mind/forecast.h"

#include <algorithm>
#include <array>
#include <bit>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kStopped = 9;  // what being stopped costs, when the Runner decides what to break
constexpr float kDeadly = 80;
// How often what the Runner has not seen is found face down in a remote server, compared with each other.
constexpr float kOpenAgendas = 0.35F;
constexpr float kGuardedAgendas = 0.7F;
constexpr float kPlayedTraps = 1.4F;
constexpr float kLostShot = 3;     // a breaker that is trashed for breaking
constexpr float kRezzes = 0.9F;    // how often the Corp rezzes what it can
constexpr float kSurprise = 0.1F;  // the Runner may find what is missing
constexpr int kTurnsCredits = 3;   // that a Runner can take before a run

struct Suffered {
  float harm = 0;
  float stopped = 0;
  float damage = 0;
  float deadly = 0;
};

// The subroutines of `unbroken` resolve.
Suffered Suffer(const IceFacts& ice, unsigned unbroken, float credits, float grip, int programs) {
  Suffered sum;
  float on = 1;  // chance that the run still goes on
  for (int i = 0; i < ice.subroutines; ++i) {
    if ((unbroken >> i & 1) == 0) continue;
    const SubroutineFacts& each = ice.each[static_cast<std::size_t>(i)];
    const float lost = std::min(static_cast<float>(each.credits_lost), std::max(credits, 0.F));
    credits -= lost;
    sum.harm += on * lost;
    float tags = kTagWorth * static_cast<float>(each.tags);
    if (each.pays_instead > 0 && credits >= static_cast<float>(each.pays_instead)) {
      tags = std::min(tags, static_cast<float>(each.pays_instead));
    }
    sum.harm += on * (tags + each.corp_gains * 0.6F + (each.no_stealing ? kStopped : 0.F));
    if (each.trashes_program && programs > 0) sum.harm += on * 5.5F;
    sum.damage += on * static_cast<float>(each.damage);
    if (static_cast<float>(each.damage) > 0 && sum.damage > grip) sum.deadly = 1;
    const bool poor = each.ends_if_credits_at_most >= 0 && credits <= static_cast<float>(each.ends_if_credits_at_most);
    // Where the Corp may trash a program instead, it does.
    const float ends = poor ? 1.F : each.trashes_program && programs > 0 ? 0.F : each.ends;
    sum.stopped += on * ends;
    on *= 1 - ends;
  }
  sum.harm += kDamageWorth * sum.damage + (sum.damage + 1 > grip && sum.damage > 0 ? 2.F : 0.F);
  return sum;
}

int TimesFor(int wanted, int each) {
  return each <= 0 ? 100 : (wanted + each - 1) / each;
}

int StrengthIn(const CardDef& def, Server server) {
  int strength = def.strength;
  for (const StaticAbility& each : def.statics) {
    if (each.what != Modifier::kStrength || each.when.size() != 1) continue;
    if (each.when[0].kind == If::kInRemote && !IsCentral(server)) strength += each.amount.base;
  }
  return strength;
}

// Of an agenda that the Runner has not seen, rounded.
int MeanPoints(const Unseen& unseen) {
  return unseen.agendas == 0 ? 0 : (2 * unseen.points + unseen.agendas) / (2 * unseen.agendas);
}

}  // namespace

RunCalculator::RunCalculator(const State& state, Side side) : s_(state), side_(side) {
  if (side == Side::kRunner) unseen_ = UnseenByRunner(state);
  LookAtRig();
}

void RunCalculator::LookAtRig() {
  int breakers = 0;
  for (const Inst inst : s_.runner().installed) {
    if (s_.Def(inst).Has(Subtype::kIcebreaker)) ++breakers;
  }
  for (const Inst inst : s_.runner().installed) {
    const CardDef& def = s_.Def(inst);
    const CardFacts& facts = FactsOf(s_[inst].card);
    if (def.type == CardType::kProgram) ++programs_;
    weakening_ += facts.weakens_ice * s_[inst].virus;
    const BreakerFacts& breaker = facts.breaker;
    if (!breaker.breaks || tools_.size() == tools_.capacity()) continue;
    const int boost = breaker.boost * (breaker.boost_per_breaker ? breakers : 1);
    tools_.push_back({inst, &breaker, breaker.interface ? Strength(s_, inst) : 100, boost, s_[inst].virus});
    if (!breaker.on_host_only && !breaker.one_shot)
      covered_ |= breaker.subtypes == 0 ? ~SubtypeSet{0} : breaker.subtypes;
  }
}

RunTerms RunCalculator::UsualTerms() const {
  const bool now = s_.active == Side::kRunner && s_.in_turn;
  RunTerms terms;
  terms.credits = static_cast<float>(now ? Spendable(s_, Side::kRunner) : s_.runner().credits + kTurnsCredits);
  terms.clicks = now ? std::max(0, s_.runner().clicks - (s_.run.active ? 0 : 1)) : 1;
  return terms;
}

RunCalculator::Obstacle RunCalculator::ObstacleOf(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  return {&FactsOf(s_[inst].card).ice, def.subtypes, Strength(s_, inst), inst};
}

void RunCalculator::Consider(const Obstacle& ice, const Means& means, unsigned unbroken, Passage candidate,
                             Passage& best) const {
  const Suffered suffered = Suffer(*ice.facts, unbroken, means.credits - candidate.credits, means.grip, programs_);
  candidate.harm += suffered.harm;
  candidate.stopped = suffered.stopped;
  candidate.damage = suffered.damage;
  candidate.deadly = suffered.deadly;
  const auto total = [&](const Passage& passage) {
    return passage.credits + passage.harm + means.goal * passage.stopped + kDeadly * passage.deadly +
           1.2F * static_cast<float>(passage.clicks);
  };
  if (total(candidate) < total(best)) best = candidate;
}

void RunCalculator::TryBreaking(const Obstacle& ice, const Means& means, const Tool& tool, Passage& best) const {
  const BreakerFacts& facts = *tool.facts;
  if (facts.subtypes != 0 && (facts.subtypes & ice.subtypes) == 0) return;
  if (facts.on_host_only && (ice.inst == kNoInst || s_[tool.card].host != ice.inst)) return;
  int lacking = facts.interface ? std::max(0, ice.strength - tool.strength) : 0;
  Passage plan;
  plan.breaker = tool.card;
  const int weakened = std::min(lacking, means.viruses);
  lacking -= weakened;
  plan.harm = 0.6F * static_cast<float>(weakened) + (facts.one_shot ? kLostShot : 0.F);
  const int boosts = lacking == 0 ? 0 : TimesFor(lacking, tool.boost);
  if (boosts > 20) return;
  // The worst first: what ends the run, then in the order of the text.
  std::array<int, kMostSubroutines> order{};
  int count = 0;
  for (const bool worst : {true, false}) {
    for (int i = 0; i < ice.facts->subroutines; ++i) {
      const SubroutineFacts& each = ice.facts->each[static_cast<std::size_t>(i)];
      const bool bad = each.ends > 0 || each.ends_if_credits_at_most >= 0 || each.trashes_program || each.damage > 1;
      if ((ice.broken >> i & 1) == 0 && bad == worst) order[static_cast<std::size_t>(count++)] = i;
    }
  }
  unsigned unbroken = ((1u << ice.facts->subroutines) - 1) & ~unsigned{ice.broken};
  for (int broken = 1; broken <= count; ++broken) {
    unbroken &= ~(1u << order[static_cast<std::size_t>(broken - 1)]);
    const int uses = TimesFor(broken, facts.at_once);
    plan.credits = static_cast<float>(boosts * facts.boost_credits + uses * facts.credits);
    if (plan.credits > means.credits || uses * facts.virus > tool.virus) return;
    Passage candidate = plan;
    candidate.breaks = broken;
    candidate.harm += 0.5F * static_cast<float>(uses * facts.virus);
    Consider(ice, means, unbroken, candidate, best);
  }
}

Passage RunCalculator::Pass(const Obstacle& ice, const Means& means) const {
  const unsigned all = ((1u << ice.facts->subroutines) - 1) & ~unsigned{ice.broken};
  Passage best;
  best.deadly = 100;  // worse than all that is considered
  Consider(ice, means, all, {}, best);
  if (all != 0) {
    for (const Tool& tool : tools_) TryBreaking(ice, means, tool, best);
    if (ice.facts->by_clicks) {
      unsigned unbroken = all;
      int clicks = 0;
      for (int i = ice.facts->subroutines; i-- > 0 && clicks < means.clicks;) {
        if ((all >> i & 1) == 0) continue;
        unbroken &= ~(1u << i);
        ++clicks;
        Consider(ice, means, unbroken, {.clicks = clicks}, best);
      }
    }
  }
  return best;
}

Passage RunCalculator::Encounter(float worth) const {
  Obstacle ice = ObstacleOf(s_.run.ice);
  ice.broken = s_.run.broken;
  return Pass(ice, {static_cast<float>(Spendable(s_, Side::kRunner)), s_.runner().clicks,
                    static_cast<float>(s_.runner().hand.size()), weakening_, worth});
}

Passage RunCalculator::Approach() const {
  return Pass(ObstacleOf(s_.run.ice), {static_cast<float>(Spendable(s_, Side::kRunner)), s_.runner().clicks,
                                       static_cast<float>(s_.runner().hand.size()), weakening_, kStopped});
}

// On average over all that it may be, if the Corp could pay for it.
Passage RunCalculator::PassUnknown(Server server, const Means& means, float corp_credits, int dearer) const {
  Passage sum;
  float weight = 0;
  for (const Unseen::Kind& kind : unseen_.ice) {
    const auto copies = static_cast<float>(kind.copies);
    weight += copies;
    const CardDef& def = CardOf(kind.card);
    if (static_cast<float>(def.cost + dearer) > corp_credits) continue;
    const IceFacts& facts = FactsOf(kind.card).ice;
    const Passage passage = Pass({&facts, def.subtypes, StrengthIn(def, server), kNoInst}, means);
    const float share = copies * kRezzes;
    sum.credits += share * passage.credits;
    sum.harm += share * (passage.harm + kTagWorth * static_cast<float>(facts.tags_on_encounter + facts.tags_on_rez));
    sum.stopped += share * passage.stopped;
    sum.damage += share * passage.damage;
    sum.deadly += share * passage.deadly;
  }
  if (weight == 0) return {};
  for (float* part : {&sum.credits, &sum.harm, &sum.stopped, &sum.damage, &sum.deadly}) *part /= weight;
  return sum;
}

Passage RunCalculator::MeetUnknown(Server server, const Means& means, float corp_credits, int dearer) const {
  const bool central = IsCentral(server);
  for (const Remembered& each : remembered_) {
    if (each.means == means && each.corp_credits == corp_credits && each.dearer == dearer && each.central == central) {
      return each.passage;
    }
  }
  const Passage passage = PassUnknown(server, means, corp_credits, dearer);
  if (remembered_.size() < remembered_.capacity()) {
    remembered_.push_back({means, corp_credits, dearer, central, passage});
  }
  return passage;
}

Forecast RunCalculator::Run(Server server, const RunTerms& terms) const {
  Forecast sum;
  Means means{terms.credits, terms.clicks, static_cast<float>(s_.runner().hand.size()), weakening_, kStopped};
  float corp_credits = s_.corp().credits;
  // The rest of the Corp's turn can bring what is missing for new ice.
  if (terms.more_ice != kNoInst) corp_credits += static_cast<float>(std::max(0, s_.corp().clicks - 1));
  const int dearer = terms.dearer_ice ? 3 : 0;
  const bool running = s_.run.active && s_.run.server == server;
  CardList all = IceOn(s_, server);
  if (running) all.resize(std::min<std::size_t>(all.size(), s_.run.position));
  if (terms.more_ice != kNoInst) all.push_back(terms.more_ice);
  for (std::size_t i = all.size(); i-- > 0;) {
    const Inst inst = all[i];
    const CardDef& def = s_.Def(inst);
    const bool rezzed = s_[inst].faceup && s_[inst].zone == Zone::kInstalled;
    Passage passage;
    if (!Knows(s_, inst, side_)) {
      passage = MeetUnknown(server, means, corp_credits, dearer);
      corp_credits -= 2;
    } else if (rezzed || static_cast<float>(def.cost + dearer) <= corp_credits) {
      Obstacle ice = ObstacleOf(inst);
      if (s_[inst].zone != Zone::kInstalled) ice.strength = StrengthIn(def, server);
      if (running && Encountering(s_) && s_.run.ice == inst) ice.broken = s_.run.broken;
      passage = Pass(ice, means);
      passage.harm += kTagWorth * static_cast<float>(ice.facts->tags_on_encounter);
      if (!rezzed) corp_credits -= static_cast<float>(def.cost + dearer);
    }
    if (side_ == Side::kCorp) passage.stopped *= 1 - kSurprise;
    sum.credits += sum.enters * passage.credits;
    sum.harm += sum.enters * (passage.harm + static_cast<float>(passage.clicks));
    sum.deadly += sum.enters * passage.deadly;
    sum.enters *= 1 - passage.stopped;
    means.credits = std::max(0.F, means.credits - passage.credits);
    means.grip = std::max(0.F, means.grip - passage.damage);
    means.clicks = std::max(0, means.clicks - passage.clicks);
    if (sum.enters < 0.01F) break;
  }
  PassRoot(server, means, sum);
  return sum;
}

// Upgrades that end the run of those who do not pay.
void RunCalculator::PassRoot(Server server, Means& means, Forecast& sum) const {
  for (const Inst inst : s_.corp().installed) {
    if (s_[inst].server != server || IsIce(s_, inst) || !Knows(s_, inst, side_)) continue;
    const CardFacts& facts = FactsOf(s_[inst].card);
    if (facts.guards <= 0 || (!s_[inst].faceup && s_.Def(inst).cost > s_.corp().credits)) continue;
    if (means.credits >= facts.guards) {
      sum.credits += sum.enters * facts.guards;
      means.credits -= facts.guards;
    } else {
      sum.enters *= means.clicks >= 2 && facts.guards < 6 ? 0.8F : 0.25F;
    }
  }
}

float RunCalculator::UnknownRootWorth(const CardState& card) const {
  const auto grip = static_cast<float>(s_.runner().hand.size());
  const bool advanced = card.advancement > 0;
  // A trap is played for certain, an agenda only where it seems safe: hardly where nothing protects it.
  const bool open = IceCount(s_, card.server) == 0;
  const float agendas = static_cast<float>(unseen_.agendas) * (open ? kOpenAgendas : kGuardedAgendas);
  const float traps = static_cast<float>(unseen_.traps) * kPlayedTraps;
  const int mean_points = MeanPoints(unseen_);
  const float points = PointsWorth(s_, Side::kRunner, mean_points);
  // Cards with counters are what can be advanced; of the others, some are what the Corp lives on.
  const float others = advanced ? 0.F : 1.5F + 0.15F * static_cast<float>(unseen_.cards);
  const float all = agendas + traps + others;
  if (all <= 0) return 0;
  const auto damage = static_cast<float>(unseen_.trap_damage + card.advancement);
  const float trapped = unseen_.traps == 0 ? 0 : damage > grip ? kDeadly : kDamageWorth * damage;
  // What the Runner steals, the Corp does not score.
  const float denied = advanced ? 0.5F * PointsWorth(s_, Side::kCorp, mean_points) : 0;
  return (agendas * (points + denied) - traps * trapped + others * 1.5F) / all;
}

float RunCalculator::CardAccessWorth(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  const CardState& card = s_[inst];
  const CardFacts& facts = FactsOf(card.card);
  if (def.type == CardType::kAgenda) {
    return PointsWorth(s_, Side::kRunner, def.points) - kTagWorth * static_cast<float>(facts.trap_tags);
  }
  float worth = 0;
  if (card.zone == Zone::kInstalled && facts.trap_damage > 0) {
    const int damage = facts.trap_damage + facts.trap_per_counter * card.advancement;
    if (damage > static_cast<int>(s_.runner().hand.size())) return -kDeadly;
    worth -= kDamageWorth * static_cast<float>(damage);
  }
  if (def.trash < 0 || def.trash > Spendable(s_, Side::kRunner)) return worth;
  float gain = 0;
  if (card.zone == Zone::kInstalled) {
    gain = facts.upkeep > 0 ? 1 + (card.faceup ? 0.9F * static_cast<float>(card.credits) : 0.8F * facts.upkeep) : 0.6F;
    gain +=
        facts.guards + facts.punishes + static_cast<float>(facts.threat_per_counter * card.advancement) * kDamageWorth;
  } else {
    gain = 0.35F * facts.upkeep + 0.4F * facts.guards;
  }
  return worth + std::max(0.F, gain - static_cast<float>(def.trash) * CreditWorth(s_.runner().credits));
}

float RunCalculator::AccessWorth(Server server, float more_accesses) const {
  const float per_card = unseen_.cards == 0
                             ? 0
                             : PointsWorth(s_, Side::kRunner, MeanPoints(unseen_)) *
                                   static_cast<float>(unseen_.agendas) / static_cast<float>(unseen_.cards);
  float worth = 0;
  for (const Inst inst : s_.corp().installed) {
    if (s_[inst].server != server || IsIce(s_, inst)) continue;
    worth += Knows(s_, inst, Side::kRunner) ? CardAccessWorth(inst)
             : IsCentral(server)            ? 0.3F
                                            : UnknownRootWorth(s_[inst]);
  }
  if (server == kHqServer || server == kRndServer) {
    const float accesses = static_cast<float>(AccessLimit(s_, server)) + more_accesses;
    if (server == kRndServer) {
      float left = accesses;
      const CardList& deck = s_.corp().deck;
      for (std::size_t i = deck.size(); i-- > 0 && left > 0; left -= 1) {
        worth += Knows(s_, deck[i], Side::kRunner) ? CardAccessWorth(deck[i]) : std::min(left, 1.F) * (per_card + 0.2F);
      }
    } else if (const std::size_t size = s_.corp().hand.size(); size > 0) {
      float sum = 0;
      for (const Inst inst : s_.corp().hand) {
        sum += Knows(s_, inst, Side::kRunner) ? CardAccessWorth(inst) : per_card + 0.3F;
      }
      worth += sum * std::min(1.F, accesses / static_cast<float>(size));
    }
  } else if (server == kArchivesServer) {
    for (const Inst inst : s_.corp().discard) {
      if (!Knows(s_, inst, Side::kRunner)) {
        worth += 0.6F * per_card;
      } else if (s_.Def(inst).type == CardType::kAgenda) {
        worth += CardAccessWorth(inst);
      }
    }
  }
  return worth;
}

}  // namespace openseat::games::netrunner::mind
