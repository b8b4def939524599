#include "games/netrunner/engine/command.h"

#include "base/check.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/auto_break.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner {
namespace {

bool HasCost(const State& state, Inst inst, const Ability& ability) {
  const CardState& card = state[inst];
  const Context context{.source = inst};
  return state.Of(card.side).clicks >= ability.cost.clicks && card.virus >= ability.cost.virus &&
         Spendable(state, card.side) >= Evaluate(state, ability.cost.credits, context);
}

bool HasUnbroken(const State& state) {
  const std::size_t subroutines = state.Def(state.run.ice).subroutines.size();
  return state.run.broken != (1u << subroutines) - 1;
}

bool CanBreak(const State& state, Inst inst, const Ability& ability) {
  if (!Encountering(state) || !HasUnbroken(state)) return false;
  if (ability.subtypes != 0 && (ability.subtypes & state.Def(state.run.ice).subtypes) == 0) return false;
  return !ability.interface || Strength(state, inst) >= Strength(state, state.run.ice);
}

// What a window allows besides passing.
struct Permissions {
  bool paid = true;
  bool rez = false;    // assets and upgrades
  Inst ice = kNoInst;  // may be rezzed
  bool score = false;
  bool actions = false;
};

Inst ApproachedIce(const State& state) {
  return state.run.active && state.run.phase == RunPhase::kApproachIce ? state.run.ice : kNoInst;
}

Permissions In(const State& state, WindowKind window) {
  switch (window) {
    case WindowKind::kEncounter:
    case WindowKind::kBeforeJackOut:
      return {};
    case WindowKind::kApproach:
      return {.rez = true, .ice = ApproachedIce(state)};
    default:
      return {.rez = true};
  }
}

void AddAbilities(const State& state, Side side, const Permissions& permissions, CommandList& out) {
  ForEachActive(state, side, [&](Inst inst) {
    if (state[inst].zone != Zone::kInstalled && state[inst].zone != Zone::kIdentity) return;
    const std::vector<Ability>& abilities = state.Def(inst).abilities;
    for (std::size_t i = 0; i < abilities.size(); ++i) {
      const bool action = abilities[i].cost.clicks > 0;
      if (abilities[i].use == Use::kAccess || (action ? !permissions.actions : !permissions.paid)) continue;
      if (CanUse(state, inst, i)) out.Add(CommandKind::kAbility, inst, static_cast<std::uint8_t>(i));
    }
  });
}

bool IsAssetOrUpgrade(const State& state, Inst inst) {
  const CardType type = state.Def(inst).type;
  return type == CardType::kAsset || type == CardType::kUpgrade;
}

void AddFree(const State& state, Side side, const Permissions& permissions, CommandList& out) {
  AddAbilities(state, side, permissions, out);
  if (side == Side::kRunner) {
    if (state.rules >= 2 && Encountering(state)) {
      for (const Inst inst : state.runner().installed) {
        if (const std::optional<BreakPlan> plan = PlanBreak(state, inst); plan && plan->steps() > 1) {
          out.Add(CommandKind::kAutoBreak, inst);
        }
      }
    }
    if (CanBreakByClicks(state)) out.Add(CommandKind::kRunnerAbility, state.run.ice);
    return;
  }
  const bool may_score = permissions.score && !Lingers(state, Modifier::kCannotScore);
  for (const Inst inst : state.corp().installed) {
    const CardState& card = state[inst];
    if (!card.faceup && ((permissions.rez && IsAssetOrUpgrade(state, inst)) || inst == permissions.ice) &&
        RezCost(state, inst) <= state.corp().credits) {
      out.Add(CommandKind::kRez, inst);
    }
    const CardDef& def = state.Def(inst);
    if (may_score && def.type == CardType::kAgenda && card.advancement >= def.advancement) {
      out.Add(CommandKind::kScore, inst);
    }
  }
}

void AddServers(const State& state, CommandKind kind, Inst inst, CommandList& out) {
  for (Server server = kHqServer; server < state.next_remote; ++server) {
    if (ServerExists(state, server) && (kind != CommandKind::kInstall || CanInstallCorp(state, inst, server))) {
      out.Add(kind, inst, server);
    }
  }
  if (kind == CommandKind::kInstall && CanInstallCorp(state, inst, kNewRemote)) out.Add(kind, inst, kNewRemote);
}

void AddFromHand(const State& state, Side side, CommandList& out) {
  const PlayerState& player = state.Of(side);
  for (const Inst inst : player.hand) {
    const CardDef& def = state.Def(inst);
    if (def.type == CardType::kEvent || def.type == CardType::kOperation) {
      if (def.cost <= Spendable(state, side) && AllHold(state, def.play_when, {.source = inst})) {
        out.Add(CommandKind::kPlay, inst);
      }
    } else if (side == Side::kRunner) {
      if (CanInstallRunner(state, inst)) out.Add(CommandKind::kPlay, inst);
    } else {
      out.Add(CommandKind::kPlay, inst);
      AddServers(state, CommandKind::kInstall, inst, out);
    }
  }
}

void AddCorpActions(const State& state, CommandList& out) {
  const PlayerState& corp = state.corp();
  if (corp.clicks >= 3) out.Add(CommandKind::kPurge);
  if (corp.credits >= 1) {
    for (const Inst inst : corp.installed) {
      if (CanBeAdvanced(state, inst)) out.Add(CommandKind::kAdvance, inst);
    }
  }
  if (state.tags == 0 || corp.credits < 2) return;
  for (const Inst inst : state.runner().installed) {
    if (state.Def(inst).type == CardType::kResource) {
      out.Add(CommandKind::kTrashResource);
      return;
    }
  }
}

void AddActions(const State& state, Side side, CommandList& out) {
  const PlayerState& player = state.Of(side);
  if (player.clicks == 0) {
    out.Add(CommandKind::kEndTurn);
    return;
  }
  out.Add(CommandKind::kCredit);
  if (!player.deck.empty()) out.Add(CommandKind::kDraw);
  AddFromHand(state, side, out);
  if (side == Side::kCorp) {
    AddCorpActions(state, out);
    return;
  }
  if (state.tags > 0 && Spendable(state, side) >= 2) out.Add(CommandKind::kRemoveTag);
  AddServers(state, CommandKind::kRun, kNoInst, out);
}

void AddSelect(const State& state, CommandList& out) {
  const Prompt& prompt = state.prompt;
  for (const Inst card : CandidatesByNumber(state)) {
    if (!prompt.selected.Contains(card)) out.Add(CommandKind::kSelect, card);
  }
  // Done is the only option in a select prompt.
  if (SelectedEnough(state)) out.Add(CommandKind::kChoice);
}

}  // namespace

bool SelectedEnough(const State& state) {
  const Prompt& prompt = state.prompt;
  if (prompt.message == Message::kTrashForMemory && state.rules >= 2) {
    int used = MemoryUsed(state) + state.Def(prompt.card).memory;
    for (const Inst program : prompt.selected) used -= state.Def(program).memory;
    return used <= MemoryLimit(state);
  }
  return prompt.selected.size() >= prompt.min;
}

bool CanUndo(const State& state) {
  return state.prompt.kind == PromptKind::kAction && state.undo.what != UndoState::What::kNothing;
}

bool CanBreakByClicks(const State& state) {
  return Encountering(state) && state.Def(state.run.ice).breaks_by_clicks && state.runner().clicks > 0 &&
         HasUnbroken(state);
}

bool CanUse(const State& state, Inst inst, std::size_t index) {
  const Ability& ability = state.Def(inst).abilities[index];
  if (ability.once_per_turn && (state[inst].used & UsedBit(ProgramRef::Ability(index))) != 0) return false;
  if (!HasCost(state, inst, ability)) return false;
  if (ability.use == Use::kBreak && !CanBreak(state, inst, ability)) return false;
  return AllHold(state, ability.when, {.source = inst});
}

bool MustAskInWindow(const State& state, Side side, WindowKind window) {
  const Permissions permissions = In(state, window);
  if (side == Side::kRunner || state.all_windows) {
    if (side == Side::kRunner && CanBreakByClicks(state)) return true;
    CommandList list;
    AddAbilities(state, side, permissions, list);
    if (!list.all().empty()) return true;
    if (side == Side::kRunner) return false;
  }
  for (const Inst inst : state.corp().installed) {
    const CardState& card = state[inst];
    if (!card.faceup) {
      if (inst == permissions.ice || (permissions.rez && !IsIce(state, inst))) return true;
      continue;
    }
    const std::vector<Ability>& abilities = state.Def(inst).abilities;
    for (std::size_t i = 0; i < abilities.size(); ++i) {
      if (abilities[i].cost.clicks == 0 && CanUse(state, inst, i)) return true;
    }
  }
  return false;
}

void ListCommands(const State& state, CommandList& out) {
  const Prompt& prompt = state.prompt;
  const Side side = prompt.side;
  switch (prompt.kind) {
    case PromptKind::kNone:
      return;
    case PromptKind::kMulligan:
    case PromptKind::kChoice:
      for (std::size_t i = 0; i < prompt.options.size(); ++i) {
        out.Add(CommandKind::kChoice, kNoInst, static_cast<std::uint8_t>(i));
      }
      return;
    case PromptKind::kSelect:
      AddSelect(state, out);
      return;
    case PromptKind::kStartTurn:
      out.Add(CommandKind::kStartTurn);
      AddFree(state, side, {.rez = true, .score = side == Side::kCorp}, out);
      return;
    case PromptKind::kPhase12:
      out.Add(CommandKind::kEndPhase12);
      AddFree(state, side, {.rez = true, .score = side == Side::kCorp}, out);
      return;
    case PromptKind::kPostDiscard:
      out.Add(CommandKind::kEndPostDiscard);
      AddFree(state, side, {.rez = true}, out);
      return;
    case PromptKind::kAction:
      AddActions(state, side, out);
      AddFree(state, side, {.rez = true, .score = side == Side::kCorp, .actions = true}, out);
      return;
    case PromptKind::kJackOut:
      out.Add(CommandKind::kContinue);
      out.Add(CommandKind::kJackOut);
      return;
    case PromptKind::kWindow: {
      out.Add(CommandKind::kContinue);
      const WindowKind window = std::get<WindowStep>(state.stack.back()).window;
      if (window == WindowKind::kBeforeAction && side == Side::kCorp) out.Add(CommandKind::kContinueTurn);
      AddFree(state, side, In(state, window), out);
      return;
    }
  }
}

Inst FindById(const State& state, std::uint16_t id) {
  if (id == 0) return kNoInst;
  for (std::size_t i = 0; i < state.card_count; ++i) {
    if (state.cards[i].id == id) return static_cast<Inst>(i);
  }
  return kNoInst;
}

Move ToMove(const State& state, const Command& command) {
  const std::uint32_t id = command.card == kNoInst ? 0 : state[command.card].id;
  return static_cast<Move>(command.kind) << 24 | id << 8 | command.arg;
}

Command FromMove(const State& state, Move move) {
  const std::uint16_t id = static_cast<std::uint16_t>(move >> 8);
  return {static_cast<CommandKind>(move >> 24), id == 0 ? kNoInst : FindById(state, id),
          static_cast<std::uint8_t>(move & 255)};
}

}  // namespace openseat::games::netrunner
