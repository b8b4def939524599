#include "games/netrunner/text/prompt_text.h"

#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/program.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/log.h"

namespace openseat::games::netrunner {
namespace {

const Instruction& Asking(const State& state) {
  const Prompt& prompt = state.prompt;
  return ProgramOfCard(state.Def(prompt.card), prompt.program)[prompt.instruction];
}

// A player who searches their deck sees all of it.
bool Searches(const State& state, Side side) {
  return state.prompt.side == side && state.prompt.kind == PromptKind::kChoice &&
         state.prompt.message == Message::kOfProgram && Asking(state).op == Op::kSearch;
}

// Whether a card in a deck was found by the current search.
bool Revealed(const State& state, Inst inst) {
  return state.targets.Contains(inst) || std::any_of(state.stack.begin(), state.stack.end(), [&](const Step& step) {
           const auto* install = std::get_if<InstallRunnerStep>(&step);
           return install != nullptr && install->card == inst;
         });
}

bool SideSees(const State& state, Inst inst, Side viewer) {
  const CardState& card = state[inst];
  switch (card.zone) {
    case Zone::kIdentity:
    case Zone::kScore:
    case Zone::kPlay:
    case Zone::kRemoved:
      return true;
    case Zone::kDeck:
      return (viewer == Side::kRunner && inst == state.run.accessing) ||
             (viewer == card.side && Searches(state, viewer)) || Revealed(state, inst);
    case Zone::kHand:
      return viewer == card.side || inst == state.run.accessing;
    default:
      return card.faceup || viewer == card.side || inst == state.run.accessing;
  }
}

std::string Title(const State& state, Inst inst) {
  return std::string(state.Def(inst).title);
}

std::string Label(const State& state, const PromptOption& option) {
  switch (option.text) {
    case OptionText::kLabel:
      return std::string(Asking(state).options[option.n].label);
    case OptionText::kKeep:
      return "Keep";
    case OptionText::kMulligan:
      return "Mulligan";
    case OptionText::kYes:
      return "Yes";
    case OptionText::kNo:
      return "No";
    case OptionText::kDone:
      return "Done";
    case OptionText::kCard:
      return Title(state, option.card());
    case OptionText::kWaiting:
      return Title(state, state.waiting[option.n].source);
    case OptionText::kServer:
      return ServerName(option.n);
    case OptionText::kSubroutine:
      return std::string(state.Def(state.run.ice).subroutines[option.n].label);
    case OptionText::kCredits:
      return std::to_string(option.n);
    case OptionText::kPayToTrash:
      return "Pay " + std::to_string(option.n) + " [Credits] to trash";
    case OptionText::kAccessAbility: {
      for (const Ability& ability : state.Def(option.card()).abilities) {
        if (ability.use == Use::kAccess) return "[" + Title(state, option.card()) + "] " + std::string(ability.label);
      }
      return Title(state, option.card());
    }
    case OptionText::kSteal:
      return "Steal";
    case OptionText::kNoAction:
      return "No action";
    case OptionText::kCardFromHand:
      return "Card from hand";
    case OptionText::kCardFromDeck:
      return "Card from deck";
    case OptionText::kUnrezzedUpgrade:
      return "Unrezzed upgrade";
    case OptionText::kEverythingElse:
      return "Everything else";
    case OptionText::kNothing:
      return "Cancel";
  }
  return "";
}

std::string Protected(Server server) {
  return (IsCentral(server) ? "the root of " : "") + ServerName(server);
}

// The text of the asking instruction; "{}" in it is the title of its first target.
std::string OfProgram(const State& state) {
  std::string text(Asking(state).text);
  const std::size_t at = text.find("{}");
  const std::size_t first = std::get<ProgramStep>(state.stack.back()).first_target;
  if (at != std::string::npos && first < state.targets.size()) text.replace(at, 2, Title(state, state.targets[first]));
  return text;
}

// How many subroutines one use of the ability may break.
int MostBroken(const State& state, const BreakStep& step) {
  return step.by_clicks ? 1 : state.Def(step.card).abilities[step.ability].breaks;
}

std::string Place(const State& state, Inst inst) {
  return ServerName(state[inst].server);
}

}  // namespace

bool CanSee(const State& state, Inst inst, std::optional<Side> viewer) {
  if (viewer) return SideSees(state, inst, *viewer);
  return SideSees(state, inst, Side::kCorp) && SideSees(state, inst, Side::kRunner);
}

std::string CidOf(const State& state, Inst inst) {
  return state[inst].id == 0 ? "" : "c" + std::to_string(state[inst].id);
}

std::string CardName(const State& state, Inst inst, std::optional<Side> viewer) {
  const CardState& card = state[inst];
  const bool known = CanSee(state, inst, viewer);
  std::string name = known ? Title(state, inst) : "";
  if (card.zone != Zone::kInstalled || card.side != Side::kCorp) {
    return known ? name : "a facedown card";
  }
  const bool ice = IsIce(state, inst);
  if (!known) name = ice ? "unrezzed ice" : "an unrezzed card";
  return name + (ice ? " protecting " : IsCentral(card.server) ? " in the root of " : " in ") + Place(state, inst);
}

std::string AbilityCost(const State& state, Inst inst, std::size_t index) {
  const Cost& cost = state.Def(inst).abilities[index].cost;
  std::string text;
  const auto part = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (cost.clicks > 0) part(std::to_string(cost.clicks) + " [Click]");
  const int credits = Evaluate(state, cost.credits, {.source = inst});
  if (credits > 0) part(std::to_string(credits) + " [Credits]");
  if (cost.virus > 0) part(std::to_string(cost.virus) + " virus counter");
  if (cost.remove_self) part("remove this card from the game");
  return text;
}

namespace {

// Of a prompt of a card's text: what the text does with the choice.
std::string_view ProgramPurpose(const State& state) {
  const Program& program = ProgramOfCard(state.Def(state.prompt.card), state.prompt.program);
  switch (program[state.prompt.instruction].op) {
    case Op::kMay:
      return "may";
    case Op::kChoose:
      return "choose";
    case Op::kSearch:
      return "search";
    default:
      break;
  }
  for (std::size_t i = state.prompt.instruction + 1u; i < program.size(); ++i) {
    switch (program[i].op) {
      case Op::kTrashTargets:
        return "trash";
      case Op::kTargetsToHand:
        return "to-hand";
      case Op::kShuffleTargetsIntoDeck:
        return "to-deck";
      case Op::kAdvanceTargets:
        return "advance";
      case Op::kRezTargets:
        return "rez";
      case Op::kInstallTargets:
      case Op::kInstallTargetsInward:
        return "install";
      case Op::kSwapTargets:
        return "swap";
      default:
        break;
    }
  }
  return "target";
}

}  // namespace

std::string_view PromptPurpose(const State& state) {
  switch (state.prompt.message) {
    case Message::kNone:
      return "";
    case Message::kKeepHand:
      return "mulligan";
    case Message::kOfProgram:
      return ProgramPurpose(state);
    case Message::kChooseServer:
      return "server";
    case Message::kInstallWhere:
      return "install-where";
    case Message::kChooseHost:
      return "host";
    case Message::kTrashForMemory:
    case Message::kTrashPrograms:
      return "memory-to-install";
    case Message::kTrimMemory:
      return "memory";
    case Message::kTrashIceToInstall:
      return "ice-to-install";
    case Message::kDiscardDown:
      return "discard";
    case Message::kBreakSubroutine:
      return "break";
    case Message::kPayFrom:
      return "pay";
    case Message::kAccessed:
      return "accessed";
    case Message::kChooseAccess:
    case Message::kChooseAccessInRemote:
    case Message::kChooseAccessInArchives:
      return "access";
    case Message::kChooseTrigger:
      return "trigger";
    case Message::kTrashResource:
      return "trash";
  }
  return "";
}

std::string_view PromptType(const State& state) {
  switch (state.prompt.kind) {
    case PromptKind::kMulligan:
      return "mulligan";
    case PromptKind::kChoice:
      return "choice";
    case PromptKind::kSelect:
      return "select";
    default:
      return "";
  }
}

std::string PromptMessage(const State& state) {
  const Prompt& prompt = state.prompt;
  const std::string n = std::to_string(prompt.n);
  const auto title = [&] {
    return CanSee(state, prompt.card, prompt.side) ? Title(state, prompt.card)
                                                   : CardName(state, prompt.card, prompt.side);
  };
  switch (prompt.message) {
    case Message::kNone:
      break;
    case Message::kKeepHand:
      return "Keep hand?";
    case Message::kOfProgram:
      return OfProgram(state);
    case Message::kChooseServer:
      return "Choose a server";
    case Message::kInstallWhere:
      return "Choose a location to install " + Title(state, prompt.card);
    case Message::kChooseHost:
      return "Choose a card to host " + title() + " on";
    case Message::kTrashForMemory:
      return "Insufficient MU to install " + title() + ". Trash installed programs?";
    case Message::kTrashPrograms:
      return "Trash installed programs before installing " + title() + "?";
    case Message::kTrimMemory:
      return "Insufficient MU. Trash " + n + " MU of installed programs.";
    case Message::kTrashIceToInstall:
      return "Trash ice protecting " + Protected(std::get<InstallCorpStep>(state.stack.back()).server) + " (minimum " +
             n + ")";
    case Message::kDiscardDown:
      return "Discard down to " + n + " cards";
    case Message::kBreakSubroutine: {
      const int most = MostBroken(state, std::get<BreakStep>(state.stack.back()));
      return most == 1 ? "Break a subroutine" : "Break a subroutine (" + n + " of " + std::to_string(most) + ")";
    }
    case Message::kPayFrom:
      return "Choose how many of the " + n + " [Credits] to take from " + title();
    case Message::kAccessed:
      return "You accessed " + title() + ".";
    case Message::kChooseAccess:
      return "Choose a card to access";
    case Message::kChooseAccessInRemote:
      return "Click a card to access it. You must access all cards in this server.";
    case Message::kChooseAccessInArchives:
      return "Choose a card to access. You must access all cards";
    case Message::kChooseTrigger:
      return "Choose a trigger to resolve";
    case Message::kTrashResource:
      return "Choose a resource to trash";
  }
  switch (prompt.kind) {
    case PromptKind::kStartTurn:
      return "Start your turn";
    case PromptKind::kPhase12:
      return "Your turn is about to begin";
    case PromptKind::kPostDiscard:
      return "Your turn is about to end";
    case PromptKind::kAction:
      return state.Of(prompt.side).clicks > 0 ? "Take an action" : "You have no clicks left: end your turn";
    case PromptKind::kJackOut:
      return "Continue the run, or jack out?";
    case PromptKind::kWindow:
      return state.run.active ? "The run goes on when you continue" : "The Runner is about to act";
    default:
      return "";
  }
}

std::vector<std::string> OptionValues(const State& state) {
  if (state.prompt.kind == PromptKind::kSelect) return {"Done"};
  std::vector<std::string> values;
  for (const PromptOption& option : state.prompt.options) values.push_back(Label(state, option));
  return values;
}

std::vector<std::string> OptionLabels(const State& state) {
  const std::vector<std::string> values = OptionValues(state);
  std::vector<std::string> labels;
  for (auto value = values.begin(); value != values.end(); ++value) {
    const auto same = std::count(values.begin(), value, *value);
    labels.push_back(same == 0 ? *value : *value + " (" + std::to_string(same + 1) + ")");
  }
  return labels;
}

}  // namespace openseat::games::netrunner
