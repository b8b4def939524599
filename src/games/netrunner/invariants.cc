#include "games/netrunner/invariants.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

std::string CheckZones(const State& state) {
  std::array<int, kMaxCards> seen{};
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    const PlayerState& player = state.Of(side);
    const std::array<std::pair<const CardList*, Zone>, 7> lists = {{{&player.deck, Zone::kDeck},
                                                                    {&player.hand, Zone::kHand},
                                                                    {&player.discard, Zone::kDiscard},
                                                                    {&player.score, Zone::kScore},
                                                                    {&player.play, Zone::kPlay},
                                                                    {&player.removed, Zone::kRemoved},
                                                                    {&player.installed, Zone::kInstalled}}};
    for (const auto& [list, zone] : lists) {
      for (const Inst inst : *list) {
        ++seen[At(inst)];
        if (state[inst].zone != zone) return "a card is in another zone than it says";
        if (state[inst].side != side && zone != Zone::kScore) return "a card is among the opponent's";
      }
    }
    ++seen[At(player.identity)];
  }
  for (std::size_t i = 0; i < state.card_count; ++i) {
    if (seen[i] != 1) return "a card is in " + std::to_string(seen[i]) + " zones";
  }
  return "";
}

std::string CheckIds(const State& state) {
  std::set<std::uint16_t> ids;
  for (std::size_t i = 0; i < state.card_count; ++i) {
    const CardState& card = state.cards[i];
    if (card.id == 0 && card.zone != Zone::kDeck) return "a card has no number";
    if (card.id != 0 && !ids.insert(card.id).second) return "two cards have the same number";
  }
  return "";
}

std::string CheckServers(const State& state) {
  for (Server server = kHqServer; server < state.next_remote; ++server) {
    int main_cards = 0;
    for (const Inst inst : RootOf(state, server)) {
      const CardType type = state.Def(inst).type;
      if (type == CardType::kAgenda || type == CardType::kAsset) ++main_cards;
      if (type == CardType::kAgenda && state[inst].faceup) return "an agenda is rezzed";
    }
    if (main_cards > (IsCentral(server) ? 0 : 1)) return "a server has too many agendas and assets";
  }
  for (const Inst inst : state.corp().installed) {
    if (state[inst].server >= state.next_remote) return "an installed card is in no server";
  }
  for (const Inst inst : state.runner().installed) {
    const Inst host = state[inst].host;
    if (state.Def(inst).only_on_ice != (host != kNoInst)) return "a host is wrong";
    if (host != kNoInst && (state[host].zone != Zone::kInstalled || !IsIce(state, host))) return "a host is gone";
  }
  return "";
}

std::string CheckUnique(const State& state, Side side) {
  std::set<CardId> unique;
  int consoles = 0;
  for (const Inst inst : state.Of(side).installed) {
    if (!state[inst].faceup || !state.Def(inst).unique) continue;
    if (!unique.insert(state[inst].card).second) return "two unique cards are active";
    if (state.Def(inst).Has(Subtype::kConsole) && ++consoles > 1) return "there are two consoles";
  }
  return "";
}

std::string CheckNumbers(const State& state) {
  for (const PlayerState& player : state.players) {
    if (player.credits < 0 || player.clicks < 0) return "a pool is negative";
  }
  if (state.prompt.message != Message::kTrimMemory && MemoryUsed(state) > MemoryLimit(state)) {
    return "there is too little memory";
  }
  if (state.run.active && state.run.position > IceCount(state, state.run.server)) return "a run is beyond the ice";
  if (!state.run.active && state.prompt.kind == PromptKind::kAction &&
      (!state.targets.empty() || !state.waiting.empty() || state.stack.size() != 2)) {
    return "something is left of what was resolved";
  }
  return "";
}

}  // namespace

std::string BrokenInvariant(const State& state) {
  for (std::string broken : {CheckZones(state), CheckIds(state), CheckServers(state), CheckUnique(state, Side::kCorp),
                             CheckUnique(state, Side::kRunner)}) {
    if (!broken.empty() && !state.over()) return broken;
  }
  if (state.over() != (state.prompt.kind == PromptKind::kNone))
    return "somebody owes a choice exactly while it is not over";
  if (state.over()) return "";
  CommandList commands;
  ListCommands(state, commands);
  if (commands.all().empty()) return "the one who is asked can do nothing";
  return CheckNumbers(state);
}

State Permuted(const State& state, std::optional<Side> viewer, Rng& rng) {
  // Indistinguishable cards: those not on the board, and facedown ones that look the same on the board.
  std::array<std::vector<Inst>, 3> groups;
  enum : std::size_t { kCorpCards, kIce, kRunnerCards };
  for (std::size_t i = 0; i < state.card_count; ++i) {
    const Inst inst = static_cast<Inst>(i);
    if (CanSee(state, inst, viewer)) continue;
    if (state[inst].side == Side::kRunner) {
      groups[kRunnerCards].push_back(inst);
    } else if (IsIce(state, inst)) {
      groups[kIce].push_back(inst);
    } else {
      groups[kCorpCards].push_back(inst);
    }
  }
  State other = state;
  for (const std::vector<Inst>& group : groups) {
    for (std::size_t left = group.size(); left > 1; --left) {
      std::swap(other[group[left - 1]].card, other[group[rng.Below(left)]].card);
    }
  }
  return other;
}

}  // namespace openseat::games::netrunner
