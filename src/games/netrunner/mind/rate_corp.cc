// The Corp: money, ice where something is to lose, agendas where the Runner cannot get in.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/mind/rating.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr float kNever = -100;
constexpr float kTooSoon = -8;      // it tells the Runner something for nothing
constexpr float kRunsOften = 0.8F;  // how often a Runner who gets in for an agenda tries to
constexpr float kOftenRun = 0.8F;   // runs on a central server that one ice is meant to meet
constexpr int kClicksATurn = 3;

}  // namespace

float CorpRater::Rate(const Command& command) const {
  switch (command.kind) {
    case CommandKind::kContinueTurn:
      return 0.05F;
    case CommandKind::kCredit:
      return CreditWorth(s_.corp().credits);
    case CommandKind::kDraw:
      return DrawWorth();
    case CommandKind::kPurge:
      return PurgeWorth();
    case CommandKind::kTrashResource:
      return TrashResourceWorth();
    case CommandKind::kPlay:
      return PlayWorth(command.card);
    case CommandKind::kInstall:
      return InstallWorth(command.card, command.arg);
    case CommandKind::kAdvance:
      return AdvanceWorth(command.card, 1, true);
    case CommandKind::kScore:
      return 2 * kWin;
    case CommandKind::kRez:
      return RezWorth(command.card);
    case CommandKind::kAbility:
      return AbilityWorth(command.card, command.arg);
    default:
      return 0;
  }
}

Inst CorpRater::MainCard(Server server) const {
  for (const Inst inst : s_.corp().installed) {
    const CardType type = s_.Def(inst).type;
    if (s_[inst].server == server && (type == CardType::kAgenda || type == CardType::kAsset)) return inst;
  }
  return kNoInst;
}

// The remote server where an agenda would be safest: the one with the most ice.
Server CorpRater::BestRemote() const {
  Server best = kNoServer;
  int most = 0;
  for (Server server = kFirstRemote; server < s_.next_remote; ++server) {
    const int ice = IceCount(s_, server);
    if (ice > most) {
      most = ice;
      best = server;
    }
  }
  return best;
}

float CorpRater::HiddenPoints() const {
  int points = 0;
  for (const Inst inst : s_.corp().hand) points = std::max(points, s_.Def(inst).points);
  return PointsWorth(s_, Side::kCorp, points);
}

float CorpRater::Threat(Server server) const {
  float lost = 0;
  for (const Inst inst : s_.corp().installed) {
    if (s_[inst].server != server || IsIce(s_, inst)) continue;
    const CardDef& def = s_.Def(inst);
    const CardFacts& facts = FactsOf(s_[inst].card);
    if (def.type == CardType::kAgenda) {
      lost += PointsWorth(s_, Side::kRunner, def.points) + 0.6F * PointsWorth(s_, Side::kCorp, def.points);
    } else if (facts.trap_damage > 0) {
      lost -= 3;
    } else {
      lost += std::min(4.F, 0.4F * facts.upkeep);
    }
  }
  const auto share_of = [&](const CardList& cards) {
    float points = 0;
    for (const Inst inst : cards) points += PointsWorth(s_, Side::kRunner, s_.Def(inst).points);
    return cards.empty() ? 0 : points / static_cast<float>(cards.size());
  };
  if (server == kHqServer) lost += 0.5F + share_of(s_.corp().hand);
  if (server == kRndServer) lost += 0.5F + share_of(s_.corp().deck);
  if (server == kArchivesServer) lost += share_of(s_.corp().discard) * static_cast<float>(s_.corp().discard.size());
  return lost;
}

float CorpRater::Entering(Server server, Inst more_ice) const {
  RunTerms terms = calculator_.UsualTerms();
  terms.more_ice = more_ice;
  const Forecast run = calculator_.Run(server, terms);
  // A run that costs more than it brings is not made.
  return run.enters * (run.deadly > 0.5F ? 0.3F : 1.F);
}

float CorpRater::DrawWorth() const {
  const PlayerState& corp = s_.corp();
  if (corp.deck.size() <= 3) return -5;
  if (corp.deck.size() <= 9) return 0.2F;
  const auto hand = static_cast<int>(corp.hand.size());
  const int room = MaxHandSize(s_, Side::kCorp) - hand;
  if (room <= 0) return 0.1F;
  bool ice = false;
  bool agenda = false;
  for (const Inst inst : corp.hand) {
    ice |= IsIce(s_, inst);
    agenda |= s_.Def(inst).type == CardType::kAgenda;
  }
  float worth = hand <= 1 ? 1.5F : hand == 2 ? 1.25F : 0.95F;
  if (!ice && (IceCount(s_, kHqServer) == 0 || IceCount(s_, kRndServer) == 0)) worth += 0.5F;
  if (!agenda && BestRemote() != kNoServer && corp.credits >= 5) worth += 0.4F;
  return worth;
}

float CorpRater::PlayWorth(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  if (def.type != CardType::kOperation) return kNever;  // installs name their server
  Yield yield = YieldOf(s_, def.play, 0, inst, &WorthOf);
  if (yield.damage > static_cast<float>(s_.runner().hand.size())) return kWin;
  yield.credits[At(Side::kCorp)] -= static_cast<float>(def.cost);
  // The first card drawn replaces this one.
  float worth = WorthOf(s_, yield, Side::kCorp) - 0.4F;
  if (yield.advances > 0) {
    float best = kNever;
    for (const Inst card : s_.corp().installed) {
      if (!CanBeAdvanced(s_, card) || s_[card].new_this_turn) continue;
      best = std::max(best, AdvanceWorth(card, static_cast<int>(yield.advances), false));
    }
    worth += best;
  }
  return worth;
}

float CorpRater::AbilityWorth(Inst inst, std::size_t index) const {
  const Ability& ability = s_.Def(inst).abilities[index];
  if (ability.cost.remove_self) {
    int agendas = 0;
    for (const Inst card : s_.corp().discard) agendas += s_.Def(card).type == CardType::kAgenda ? 1 : 0;
    const bool now = s_.run.active && (s_.run.server == kArchivesServer || s_.run.server == s_[inst].server);
    return 2.F * static_cast<float>(std::min(agendas, 2)) - (now ? 0.5F : 2.F);
  }
  return WorthOf(s_, YieldOf(s_, ability.effect, 0, inst, &WorthOf), Side::kCorp);
}

float CorpRater::PurgeWorth() const {
  float worth = 0;
  for (const Inst inst : s_.runner().installed) {
    const int virus = s_[inst].virus;
    if (virus > 0) worth += 0.6F * static_cast<float>(virus);
  }
  return worth - 0.5F;
}

float CorpRater::TrashResourceWorth() const {
  float best = 0;
  for (const Inst inst : s_.runner().installed) {
    if (s_.Def(inst).type == CardType::kResource) best = std::max(best, RigWorthOf(inst));
  }
  return 0.8F * best - 2 * CreditWorth(s_.corp().credits);
}

// --- Installing ---

float CorpRater::InstallWorth(Inst inst, Server server) const {
  switch (s_.Def(inst).type) {
    case CardType::kIce:
      return InstallIce(inst, server);
    case CardType::kAgenda:
      return InstallAgenda(inst, server);
    case CardType::kAsset:
      return InstallAsset(inst, server);
    default:
      return InstallUpgrade(server, FactsOf(s_[inst].card));
  }
}

float CorpRater::InstallIce(Inst inst, Server server) const {
  const CardDef& def = s_.Def(inst);
  const bool fresh = server == kNewRemote;
  const int before = fresh ? 0 : IceCount(s_, server);
  if (before > s_.corp().credits) return kNever;  // ice would have to be trashed
  float at_stake = 0;
  if (fresh || !IsCentral(server)) {
    // A server to score in: one is enough.
    const Server best = BestRemote();
    const bool main = fresh ? best == kNoServer : server == best || best == kNoServer;
    const Inst card = fresh ? kNoInst : MainCard(server);
    const bool free_for_agenda = card == kNoInst || s_.Def(card).type != CardType::kAsset;
    at_stake = main && free_for_agenda ? std::max(5.F, 0.7F * HiddenPoints()) : 0.3F;
    if (card != kNoInst) at_stake = std::max(at_stake, Threat(server));
  } else {
    at_stake = server == kArchivesServer ? Threat(server) : 1.5F + kOftenRun * Threat(server);
  }
  at_stake = std::min(at_stake, 30.F);
  const Forecast now = fresh ? Forecast{} : calculator_.Run(server, calculator_.UsualTerms());
  RunTerms terms = calculator_.UsualTerms();
  terms.more_ice = inst;
  const Forecast then = calculator_.Run(server, terms);
  float worth = at_stake * (now.enters - then.enters);
  // What it costs to pass, in the runs that are made all the same.
  worth += 0.12F * std::min(at_stake, 8.F) * std::max(0.F, then.credits + then.harm - now.credits - now.harm) / 2;
  worth += 0.15F * std::min(at_stake, 8.F) / static_cast<float>(1 + before);
  if (def.cost > s_.corp().credits) worth *= def.cost > s_.corp().credits + 4 ? 0.35F : 0.6F;
  return worth - static_cast<float>(before) * CreditWorth(s_.corp().credits);
}

float CorpRater::InstallAgenda(Inst inst, Server server) const {
  const CardDef& def = s_.Def(inst);
  const bool fresh = server == kNewRemote;
  const Inst old = fresh ? kNoInst : MainCard(server);
  if (old != kNoInst && s_.Def(old).type == CardType::kAgenda) return kNever;
  const float entering = (fresh ? 1.F : Entering(server)) * kRunsOften;
  const int clicks = s_.corp().clicks - 1;
  const int before_next_turn = std::max(0, def.advancement - kClicksATurn);
  // How many turns of the Runner it has to survive.
  const int turns = clicks >= before_next_turn && s_.corp().credits >= before_next_turn ? 1 : 2;
  const float kept = turns == 1 ? 1 - entering : (1 - entering) * (1 - entering);
  const float gain = std::min(PointsWorth(s_, Side::kCorp, def.points), 40.F);
  // Before R&D runs out, waiting loses for certain.
  const float patience = s_.corp().deck.size() > 8 ? 1.F : 0.35F;
  const float loss = patience * std::min(PointsWorth(s_, Side::kRunner, def.points), 60.F);
  const int needed = def.advancement - s_.corp().credits;
  const float paid = needed <= 2 ? 1.F : needed <= 5 ? 0.7F : 0.4F;
  float worth = 0.7F * paid * kept * gain - (1 - kept) * loss;
  // What the Runner would have found in HQ meanwhile.
  const auto hand = static_cast<float>(s_.corp().hand.size());
  if (hand > 0) worth += 0.8F * Entering(kHqServer) * loss / hand;
  if (old != kNoInst) worth -= 0.6F * FactsOf(s_[old].card).upkeep + 1;
  return worth;
}

float CorpRater::InstallAsset(Inst inst, Server server) const {
  const CardDef& def = s_.Def(inst);
  const CardFacts& facts = FactsOf(s_[inst].card);
  const bool fresh = server == kNewRemote;
  const Inst old = fresh ? kNoInst : MainCard(server);
  if (old != kNoInst) return kNever;
  const bool best = !fresh && server == BestRemote();
  const float entering = fresh ? 1.F : Entering(server);
  float worth = 0;
  if (facts.trap_damage > 0 || facts.threat_per_counter > 0) {
    // Where it looks like an agenda.
    worth = (fresh ? 0.6F : 1.4F) + (s_.corp().credits >= 6 ? 0.4F : 0.F);
  } else {
    const float left = 1 - 0.4F * entering;
    const float delay = def.cost > s_.corp().credits ? 0.5F : 1.F;
    worth = 0.6F * delay * left * (facts.upkeep - static_cast<float>(std::max(def.cost, 0)));
    worth += CardsWorth(s_, Side::kCorp, facts.rez_draws) * 0.7F;
  }
  if (best && HiddenPoints() > 0) worth -= 2;
  return worth;
}

float CorpRater::InstallUpgrade(Server server, const CardFacts& facts) const {
  const float use = facts.guards + facts.punishes;
  if (server == kNewRemote) return 0.1F;
  if (server == BestRemote()) return 0.35F * use + 0.7F;
  if (IsCentral(server)) return server == kArchivesServer ? 0.F : 0.12F * use * std::min(2.F, Threat(server) / 2);
  return IceCount(s_, server) > 0 ? 0.2F * use : 0.1F;
}

// --- Advancing ---

float CorpRater::AdvanceWorth(Inst inst, int counters, bool by_click) const {
  const CardDef& def = s_.Def(inst);
  const CardState& card = s_[inst];
  const CardFacts& facts = FactsOf(card.card);
  const auto grip = static_cast<int>(s_.runner().hand.size());
  const float price = by_click ? CreditWorth(s_.corp().credits) : 0;
  if (def.type == CardType::kAgenda) {
    const int missing = def.advancement - card.advancement;
    if (missing <= 0) return -1;
    const int clicks_after = s_.corp().clicks - 1;
    const int credits_after = s_.corp().credits - (by_click ? counters : 0);
    const int after = std::max(0, missing - counters);
    const float gain = PointsWorth(s_, Side::kCorp, def.points);
    if (after <= clicks_after && after <= credits_after && !Lingers(s_, Modifier::kCannotScore)) {
      return gain + 3 - static_cast<float>(std::max(0, counters - missing)) - price;
    }
    const float kept = 1 - kRunsOften * Entering(card.server);
    // As many counters as make it possible to score it next turn, and no more.
    if (missing > kClicksATurn) return 0.35F * kept * std::min(gain, 40.F) - price + 1;
    return 0.9F * kept - price + 0.4F;
  }
  if (facts.threat_per_counter > 0) {
    const int damage = facts.threat_per_counter * (card.advancement + counters);
    return damage > grip ? 8.F : 1.6F - price * 0.6F;
  }
  if (facts.trap_per_counter > 0) {
    // The bluff: two or three counters, as for an agenda, and only where somebody may come.
    if (card.advancement >= 3 || s_.corp().credits < 4) return -1;
    const int damage = facts.trap_damage + facts.trap_per_counter * (card.advancement + counters);
    return (damage > grip ? 2.2F : 1.5F) - 0.5F * price;
  }
  return card.advancement < 3 && card.faceup ? 1.7F - price : -1;
}

// --- Rezzing ---

float CorpRater::RezWorth(Inst inst) const {
  return IsIce(s_, inst) ? RezIce(inst) : RezRoot(inst);
}

float CorpRater::RezIce(Inst inst) const {
  if (!s_.run.active || s_.run.ice != inst) return -1;
  const Passage passage = calculator_.Approach();
  const IceFacts& facts = FactsOf(s_[inst].card).ice;
  const float price = static_cast<float>(RezCost(s_, inst)) * CreditWorth(s_.corp().credits) * 0.75F;
  float worth = passage.stopped * Threat(s_.run.server) + kWin * passage.deadly;
  worth += passage.credits * CreditWorth(s_.runner().credits) + passage.harm;
  worth += kTagWorth * static_cast<float>(facts.tags_on_rez + facts.tags_on_encounter);
  worth += 1.2F;  // it stays
  return worth - price;
}

float CorpRater::RezRoot(Inst inst) const {
  const CardDef& def = s_.Def(inst);
  const CardState& card = s_[inst];
  const CardFacts& facts = FactsOf(card.card);
  const bool own_turn = s_.active == Side::kCorp || s_.prompt.kind == PromptKind::kStartTurn;
  const float price = static_cast<float>(def.cost) * CreditWorth(s_.corp().credits);
  if (facts.threat_per_counter > 0) {
    if (s_.prompt.kind != PromptKind::kStartTurn) return kTooSoon;
    return card.advancement > static_cast<int>(s_.runner().hand.size()) ? kWin : kTooSoon;
  }
  if (facts.guards + facts.punishes > 0) {
    const bool here = s_.run.active && s_.run.server == card.server && s_.run.position == 0;
    const float at_stake = Threat(card.server);
    return here ? std::min(0.4F * facts.guards, 2.5F) * at_stake / 5 + 0.2F * facts.punishes * at_stake / 5 -
                      price * 0.6F
                : kTooSoon;
  }
  if (facts.rez_draws > 0 && facts.upkeep <= 0) {
    return own_turn ? CardsWorth(s_, Side::kCorp, facts.rez_draws) - price - 0.5F : kTooSoon;
  }
  if (!own_turn || facts.upkeep <= 0) return kTooSoon;
  // What gives something when the turn begins, just before it; what takes clicks, when there are some.
  const bool moment = s_.prompt.kind == PromptKind::kStartTurn ||
                      (s_.prompt.kind == PromptKind::kAction && !facts.drips && s_.corp().clicks > 0);
  return moment ? 0.6F * facts.upkeep - price : kTooSoon;
}

}  // namespace openseat::games::netrunner::mind
