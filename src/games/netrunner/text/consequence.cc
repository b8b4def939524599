#include "games/netrunner/text/consequence.h"

#include <algorithm>
#include <vector>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/program.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

std::string TitleOf(const State& state, Inst inst) {
  return std::string(state.Def(inst).title);
}

// "2 subroutines of Karunā resolve: do 2 net damage; do 2 net damage"; empty where all are broken or have resolved.
std::string Unbroken(const State& state, std::string_view verb, std::string_view verbs) {
  const std::vector<Subroutine>& subroutines = state.Def(state.run.ice).subroutines;
  std::string list;
  int count = 0;
  for (std::size_t i = 0; i < subroutines.size(); ++i) {
    if (((state.run.broken | state.run.fired) >> i & 1) != 0) continue;
    list += (list.empty() ? "" : "; ") + Decapitalized(subroutines[i].label);
    ++count;
  }
  if (count == 0) return "";
  return Counted(count, "subroutine") + " of " + TitleOf(state, state.run.ice) + " " +
         std::string(count == 1 ? verbs : verb) + ": " + list;
}

Consequence OfWindow(const State& state) {
  const Side side = state.prompt.side;
  const WindowKind window = std::get<WindowStep>(state.stack.back()).window;
  if (window == WindowKind::kEncounter && Encountering(state)) {
    const std::string fires = Unbroken(state, "resolve", "resolves");
    if (fires.empty()) return {"Pass " + TitleOf(state, state.run.ice)};
    if (side == Side::kCorp) return {"Continue: " + fires};
    return {"Let " + Unbroken(state, "resolve", "resolve"), true};
  }
  if (side == Side::kRunner) return {"Continue"};
  if (window == WindowKind::kBeforeAction) return {"Let the Runner act"};
  const bool approaches = state.run.active && state.run.phase == RunPhase::kApproachIce;
  if (approaches && !state[state.run.ice].faceup) {
    const std::string ice = TitleOf(state, state.run.ice);
    const int cost = RezCost(state, state.run.ice);
    if (cost > state.corp().credits) return {"Continue: rezzing " + ice + " costs " + Counted(cost, "credit")};
    return {"Do not rez " + ice};
  }
  const bool may_rez = AnyLegal(state, [](const Command& command) { return command.kind == CommandKind::kRez; });
  return {may_rez ? "Continue without rezzing" : "Continue"};
}

// Whether a subroutine asks the Runner to jack out.
bool OffersToJackOut(const State& state) {
  const Prompt& prompt = state.prompt;
  if (prompt.options.empty() || prompt.options[0].text != OptionText::kYes || !Encountering(state)) return false;
  const Program& program = ProgramOfCard(state.Def(prompt.card), prompt.program);
  return prompt.instruction + 1u < program.size() && program[prompt.instruction + 1u].op == Op::kEndRun;
}

Consequence OfStaying(const State& state) {
  const std::string fires = Unbroken(state, "resolve", "resolves");
  return {fires.empty() ? "Stay in the run" : "Stay: " + fires, !fires.empty()};
}

// What an option of a card's text does to the side that chooses, up to the jump that ends its branch.
bool Hurts(const State& state, const Program& program, std::size_t at) {
  const Side side = state.prompt.side;
  const Side controller = state[state.prompt.card].side;
  for (; at < program.size() && program[at].op != Op::kJump; ++at) {
    const Instruction& each = program[at];
    const bool own =
        each.who == Who::kController ? controller == side : (each.who == Who::kCorp) == (side == Side::kCorp);
    switch (each.op) {
      case Op::kDamage:
      case Op::kGiveTags:
      case Op::kEndRun:
        if (side == Side::kRunner) return true;
        break;
      case Op::kLoseCredits:
      case Op::kLoseClicks:
        if (own) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

bool IsDangerous(const State& state, const PromptOption& option) {
  if (option.text != OptionText::kLabel) return false;
  const Prompt& prompt = state.prompt;
  const Program& program = ProgramOfCard(state.Def(prompt.card), prompt.program);
  return Hurts(state, program, prompt.instruction + 1u + program[prompt.instruction].options[option.n].to);
}

std::string OfAccess(const State& state, const PromptOption& option) {
  const CardDef& card = state.Def(state.prompt.card);
  const std::string title(card.title);
  if (option.text == OptionText::kSteal) return "Steal " + title + ": " + Counted(card.points, "agenda point");
  if (option.text == OptionText::kPayToTrash) return "Trash " + title + " (" + std::to_string(option.n) + " [Credits])";
  const Zone zone = state[state.prompt.card].zone;
  if (zone == Zone::kDiscard || card.type == CardType::kOperation || zone == Zone::kDeck || zone == Zone::kHand) {
    return "Leave " + title + " where it is";
  }
  return "Do not trash " + title;
}

// "" where the option's own text says it.
std::string Words(const State& state, const PromptOption& option) {
  switch (option.text) {
    case OptionText::kKeep:
      return "Keep this hand";
    case OptionText::kMulligan:
      return "Mulligan: shuffle it away and draw 5 new cards";
    case OptionText::kSteal:
    case OptionText::kPayToTrash:
    case OptionText::kNoAction:
      return state.prompt.message == Message::kAccessed ? OfAccess(state, option) : "";
    case OptionText::kServer:
      return state.prompt.message == Message::kChooseServer ? "Run " + ServerName(option.n) : "";
    case OptionText::kCredits:
      return "Take " + std::to_string(option.n) + " of them from " + TitleOf(state, state.prompt.card);
    case OptionText::kCardFromHand:
      return "Access a card from HQ, at random";
    case OptionText::kCardFromDeck:
      return "Access the next card from R&D";
    case OptionText::kEverythingElse:
      return "Access everything else";
    case OptionText::kNothing:
      return "Take nothing";
    default:
      return "";
  }
}

std::string OfDone(const State& state) {
  const Prompt& prompt = state.prompt;
  if (!prompt.selected.empty()) return "Done: " + Counted(static_cast<int>(prompt.selected.size()), "card") + " chosen";
  switch (prompt.message) {
    case Message::kChooseHost:
    case Message::kTrashForMemory:
    case Message::kTrashIceToInstall:
      return "Do not install it";
    case Message::kTrashResource:
      return "Trash no resource";
    default:
      return "Choose none";
  }
}

}  // namespace

Consequence OfPassing(const State& state) {
  if (state.prompt.kind != PromptKind::kJackOut) return OfWindow(state);
  const RunState& run = state.run;
  if (run.position == 0) return {"Run on: breach " + ServerName(run.server)};
  const Inst next = IceOn(state, run.server)[run.position - 1u];
  return {"Run on: approach " + (state[next].faceup ? TitleOf(state, next) : std::string("the unrezzed ice"))};
}

bool OnlyPasses(const State& state) {
  return !AnyLegal(state, [](const Command& command) {
    return command.kind != CommandKind::kContinue && command.kind != CommandKind::kContinueTurn;
  });
}

Consequence OfJackingOut(const State&) {
  return {"Jack out: end the run"};
}

Consequence OfOption(const State& state, std::size_t option) {
  const Prompt& prompt = state.prompt;
  if (prompt.kind == PromptKind::kSelect) return {OfDone(state)};
  const std::string label = OptionLabels(state)[option];
  const PromptOption& chosen = prompt.options[option];
  if (OffersToJackOut(state)) return chosen.text == OptionText::kYes ? OfJackingOut(state) : OfStaying(state);
  if (prompt.message == Message::kBreakSubroutine) {
    if (chosen.text != OptionText::kDone) return {"Break: " + label};
    return {std::get<BreakStep>(state.stack.back()).chosen == 0 ? "Break nothing" : "Break no more"};
  }
  std::string words = Words(state, chosen);
  if (words.empty()) words = label;
  return {std::move(words), IsDangerous(state, chosen)};
}

std::string OfAutoBreak(const State& state, Inst card, const BreakPlan& plan) {
  return "Break " + (plan.subroutines == 1 ? "the subroutine" : "all " + Counted(plan.subroutines, "subroutine")) +
         " of " + TitleOf(state, state.run.ice) + " with " + TitleOf(state, card);
}

std::string CostOf(const BreakPlan& plan) {
  std::string cost = plan.credits > 0 ? std::to_string(plan.credits) + " [Credits]" : "";
  if (plan.virus > 0) cost += (cost.empty() ? "" : ", ") + Counted(plan.virus, "virus counter");
  return cost.empty() ? "free" : cost;
}

}  // namespace openseat::games::netrunner
