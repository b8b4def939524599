#include "games/netrunner/text/command_text.h"

#include <algorithm>
#include <string_view>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/auto_break.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/consequence.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

std::string WithCost(std::string_view label, std::string_view cost) {
  return PlainWords(label) + (cost.empty() ? "" : " (" + PlainWords(cost) + ")");
}

// "1 click, 3 credits".
std::string ClickAnd(int credits) {
  return credits > 0 ? "1 click, " + Counted(credits, "credit") : "1 click";
}

bool IsPlayed(const CardDef& def) {
  return def.type == CardType::kEvent || def.type == CardType::kOperation;
}

// The card's name to the side that is asked, with its place, and with its number if that is not enough.
std::string NameOf(const State& state, Inst inst) {
  const Side viewer = state.prompt.side;
  std::string name = CardName(state, inst, viewer);
  if (state[inst].zone != Zone::kInstalled) return name;
  for (std::size_t i = 0; i < state.card_count; ++i) {
    const Inst other{static_cast<std::uint8_t>(i)};
    if (other == inst || state[other].zone != Zone::kInstalled) continue;
    if (CardName(state, other, viewer) == name) return name + " (" + CidOf(state, inst) + ")";
  }
  return name;
}

std::string PlayLabel(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  if (IsPlayed(def)) return "Play " + NameOf(state, inst) + " (" + ClickAnd(def.cost) + ")";
  // The Corp pays to rez, not to install.
  const int cost = def.side == Side::kRunner ? InstallCost(state, inst) : 0;
  return "Install " + NameOf(state, inst) + " (" + ClickAnd(cost) + ")";
}

std::string InstallLabel(const State& state, const Command& command) {
  const bool fresh = command.arg == kNewRemote;
  const bool ice = IsIce(state, command.card);
  const std::string_view how = ice ? " on " : IsCentral(command.arg) ? " in the root of " : " in ";
  const int cost = ice && !fresh ? static_cast<int>(IceOn(state, command.arg).size()) : 0;
  return "Install " + NameOf(state, command.card) + std::string(how) +
         (fresh ? "a new remote" : ServerName(command.arg)) + " (" + ClickAnd(cost) + ")";
}

// Whether the other card is the same to the player as this one, and comes first.
bool Stands(const State& state, Inst other, Inst inst) {
  const CardState& one = state[inst];
  const CardState& two = state[other];
  if (one.zone == Zone::kInstalled || two.zone != one.zone || two.side != one.side || two.id >= one.id) return false;
  const bool known = CanSee(state, inst, state.prompt.side);
  return CanSee(state, other, state.prompt.side) == known &&
         (!known || (two.card == one.card && two.faceup == one.faceup));
}

bool IsSearched(const State& state, const PromptOption& option) {
  return option.text == OptionText::kCard && state[option.card()].zone == Zone::kDeck;
}

// Whether an earlier option of the prompt is a card of a deck with the same title.
bool IsRepeated(const State& state, std::uint8_t option) {
  const Prompt& prompt = state.prompt;
  if (prompt.kind == PromptKind::kSelect || !IsSearched(state, prompt.options[option])) return false;
  const CardId card = state[prompt.options[option].card()].card;
  for (std::uint8_t i = 0; i < option; ++i) {
    if (IsSearched(state, prompt.options[i]) && state[prompt.options[i].card()].card == card) return true;
  }
  return false;
}

}  // namespace

std::string CommandLabel(const State& state, const Command& command) {
  switch (command.kind) {
    case CommandKind::kContinue:
      return PlainWords(OfPassing(state).label);
    case CommandKind::kContinueTurn:
      return "Pass for the rest of this turn";
    case CommandKind::kJackOut:
      return OfJackingOut(state).label;
    case CommandKind::kStartTurn:
      return "Start your turn";
    case CommandKind::kEndPhase12:
      return "Begin the turn";
    case CommandKind::kEndPostDiscard:
      return "End your turn for good";
    case CommandKind::kEndTurn:
      return "End your turn";
    case CommandKind::kCredit:
      return "Gain 1 credit (1 click)";
    case CommandKind::kDraw:
      return "Draw a card (1 click)";
    case CommandKind::kPurge:
      return "Purge virus counters (3 clicks)";
    case CommandKind::kRemoveTag:
      return "Remove a tag (1 click, 2 credits)";
    case CommandKind::kTrashResource:
      return "Trash a resource (1 click, 2 credits)";
    case CommandKind::kPlay:
      return PlayLabel(state, command.card);
    case CommandKind::kInstall:
      return InstallLabel(state, command);
    case CommandKind::kAdvance:
      return "Advance " + NameOf(state, command.card) + " (1 click, 1 credit)";
    case CommandKind::kScore:
      return "Score " + NameOf(state, command.card) + " (" + Counted(state.Def(command.card).points, "agenda point") +
             ")";
    case CommandKind::kRez:
      return "Rez " + NameOf(state, command.card) + " (" + Counted(RezCost(state, command.card), "credit") + ")";
    case CommandKind::kAbility:
      return NameOf(state, command.card) + ": " +
             WithCost(state.Def(command.card).abilities[command.arg].label,
                      AbilityCost(state, command.card, command.arg));
    case CommandKind::kRunnerAbility:
      return NameOf(state, command.card) + ": " + WithCost(kRunnerAbilityLabel, kRunnerAbilityCost);
    case CommandKind::kRun:
      return "Run " + ServerName(command.arg) + " (1 click)";
    case CommandKind::kChoice:
      return PlainWords(OfOption(state, command.arg).label);
    case CommandKind::kAutoBreak: {
      const std::optional<BreakPlan> plan = PlanBreak(state, command.card);
      return plan ? PlainWords(OfAutoBreak(state, command.card, *plan) + " (" + CostOf(*plan) + ")") : "";
    }
    case CommandKind::kUndo:
      return "Take back the last click";
    case CommandKind::kSelect:
      return "Select " + NameOf(state, command.card);
    case CommandKind::kConcede:
      break;
  }
  return "Concede";
}

bool IsOffered(const State& state, const Command& command) {
  const Prompt& prompt = state.prompt;
  const auto stands = [&](Inst other) { return Stands(state, other, command.card); };
  switch (command.kind) {
    case CommandKind::kPlay:
    case CommandKind::kInstall:
      if (command.kind == CommandKind::kPlay && prompt.side == Side::kCorp && !IsPlayed(state.Def(command.card)) &&
          CanInstallCorp(state, command.card, kNewRemote)) {
        return false;
      }
      return std::ranges::none_of(state.Of(prompt.side).hand, stands);
    case CommandKind::kSelect:
      for (std::size_t i = 0; i < state.card_count; ++i) {
        const Inst other{static_cast<std::uint8_t>(i)};
        if (prompt.candidates.Contains(other) && !prompt.selected.Contains(other) && stands(other)) return false;
      }
      return true;
    case CommandKind::kChoice:
      return !IsRepeated(state, command.arg);
    default:
      return true;
  }
}

}  // namespace openseat::games::netrunner
