// What players do when asked in a turn or a window, and the windows themselves.
#include <optional>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/auto_break.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

namespace {

// An action that can still be undone, by choosing nothing, is paid for when it is done.
bool PaysClickAtOnce(const State& state, const Command& command) {
  switch (command.kind) {
    case CommandKind::kCredit:
    case CommandKind::kDraw:
    case CommandKind::kPurge:
    case CommandKind::kRemoveTag:
    case CommandKind::kAdvance:
    case CommandKind::kRun:
      return true;
    case CommandKind::kPlay: {
      const CardType type = state.Def(command.card).type;
      return type == CardType::kEvent || type == CardType::kOperation;
    }
    default:
      return false;
  }
}

}  // namespace

// The top step is the one that asked: a turn, a window, or a run that offers to jack out.
void Engine::Act(const Command& command, Side side) {
  if (command.kind == CommandKind::kUndo) return Undo(side);
  CannotUndo();
  WindowStep* window = std::get_if<WindowStep>(&s_.stack.back());
  if (PaysClickAtOnce(s_, command)) --s_.Of(side).clicks;
  if (window != nullptr && command.kind != CommandKind::kContinue && command.kind != CommandKind::kContinueTurn) {
    window->other_passed = false;  // a player who passed before gets priority again
  }
  switch (command.kind) {
    case CommandKind::kContinueTurn:
      s_.corp_skips_windows = true;
      return PassWindow(Top<WindowStep>());
    case CommandKind::kContinue:
      if (window != nullptr) PassWindow(*window);
      return;
    case CommandKind::kJackOut:
      Log(LogKind::kJackOut, side);
      s_.run.jacked_out = true;
      return EndTheRun();
    case CommandKind::kStartTurn:
      Top<TurnStep>().phase = TurnStep::Phase::kBegins;
      return;
    case CommandKind::kEndPhase12:
      Top<TurnStep>().phase = TurnStep::Phase::kTriggers;
      return;
    case CommandKind::kEndPostDiscard:
      Top<TurnStep>().phase = TurnStep::Phase::kEnds;
      return;
    case CommandKind::kEndTurn:
      Top<TurnStep>().phase = TurnStep::Phase::kDiscard;
      return;
    case CommandKind::kCredit:
      s_.Of(side).credits += 1;
      Log(LogKind::kGainCredit, side);
      return MayUndo(UndoState::What::kCredit);
    case CommandKind::kDraw:
      return BasicDraw(side);
    case CommandKind::kPurge:
      s_.Of(side).clicks -= 2;  // three in total
      for (std::size_t i = 0; i < s_.card_count; ++i) s_.cards[i].virus = 0;
      Log(LogKind::kPurge, side);
      return;
    case CommandKind::kRemoveTag:
      --s_.tags;
      Log(LogKind::kRemoveTag, side);
      MayUndo(UndoState::What::kRemoveTag, kNoInst, 2);
      return PayCredits(side, 2);
    case CommandKind::kTrashResource:
      Push(TrashResourceStep{});
      return;
    case CommandKind::kPlay:
    case CommandKind::kInstall: {
      const CardType type = s_.Def(command.card).type;
      if (type == CardType::kEvent || type == CardType::kOperation) {
        Push(PlayCardStep{.card = command.card});
      } else if (side == Side::kRunner) {
        Push(InstallRunnerStep{.card = command.card, .is_action = true});
      } else {
        Push(InstallCorpStep{.card = command.card,
                             .server = command.kind == CommandKind::kInstall ? command.arg : kNoServer,
                             .is_action = true});
      }
      return;
    }
    case CommandKind::kAdvance:
      return Advance(command.card);
    case CommandKind::kScore:
      return Score(command.card);
    case CommandKind::kRez:
      return Rez(command.card, false);
    case CommandKind::kAbility:
      return Use(command.card, command.arg);
    case CommandKind::kRunnerAbility:
      Push(BreakStep{.card = command.card, .by_clicks = true});
      return;
    case CommandKind::kAutoBreak:
      Push(AutoBreakStep{.card = command.card});
      return;
    case CommandKind::kRun:
      StartRun(command.arg, kNoInst);
      LastLog().clicks = 1;
      return;
    case CommandKind::kChoice:
    case CommandKind::kSelect:
    case CommandKind::kConcede:
    case CommandKind::kUndo:
      return;  // answers, the end, and what is done already
  }
}

void Engine::BasicDraw(Side side) {
  const int cards = 1 + Total(s_, Modifier::kBasicDraw, side);
  Log(LogKind::kDrawCard, side, kNoInst, cards);
  Draw(side, cards);
  if (!s_.over()) Emit(Event::kBasicDraw, side);
}

void Engine::Resolve(PlayCardStep& step) {
  using enum PlayCardStep::Phase;
  const Inst inst = step.card;
  const CardDef& def = s_.Def(inst);
  const Side side = s_[inst].side;
  switch (step.phase) {
    case kPay:
      step.phase = kResolve;
      Move(inst, Zone::kPlay, true);
      Log(LogKind::kPlay, side, inst, def.cost);
      PayCredits(side, def.cost);
      return;
    case kResolve:
      step.phase = kResolved;
      return StartProgram(inst, ProgramRef::Play());
    case kResolved:
      if (s_[inst].zone == Zone::kPlay) Move(inst, Zone::kDiscard, true);
      Pop();
  }
}

// If the Corp chooses no resource, nothing is paid.
void Engine::Resolve(TrashResourceStep& step) {
  if (!step.asked) {
    step.asked = true;
    CardList resources;
    for (const Inst inst : s_.runner().installed) {
      if (s_.Def(inst).type == CardType::kResource) resources.push_back(inst);
    }
    AskSelect(Side::kCorp, Message::kTrashResource, kNoInst, resources, 0, 1);
    return;
  }
  Pop();
  if (s_.selected.empty()) return;
  --s_.corp().clicks;
  s_.corp().credits -= 2;
  Log(LogKind::kTrashResource, Side::kCorp, s_.selected[0]);
  Trash(s_.selected[0]);
}

// One ability at a time; each may change what the rest would cost.
void Engine::Resolve(AutoBreakStep& step) {
  const Inst breaker = step.card;
  const std::optional<BreakPlan> plan =
      Encountering(s_) && !EncounterOver(s_.run.ice) ? PlanBreak(s_, breaker) : std::nullopt;
  if (!plan) return Pop();
  if (plan->boosts > 0) return Use(breaker, plan->boost);
  std::uint8_t chosen = 0;
  int left = s_.Def(breaker).abilities[plan->ability].breaks;
  for (std::size_t i = 0; i < s_.Def(s_.run.ice).subroutines.size() && left > 0; ++i) {
    if ((s_.run.broken >> i & 1) != 0) continue;
    chosen = static_cast<std::uint8_t>(chosen | 1u << i);
    --left;
  }
  Push(BreakStep{.card = breaker, .ability = plan->ability, .chosen = chosen, .done = true});
}

void Engine::Use(Inst inst, std::size_t index) {
  const Ability& ability = s_.Def(inst).abilities[index];
  if (ability.use == Use::kBreak) {
    Push(BreakStep{.card = inst, .ability = static_cast<std::uint8_t>(index)});
    return;
  }
  Log(LogKind::kUse, s_[inst].side, inst, static_cast<int>(index));
  LastLog().clicks = ability.cost.clicks;
  LastLog().cost = static_cast<std::int16_t>(Evaluate(s_, ability.cost.credits, {.source = inst}));
  StartProgram(inst, ProgramRef::Ability(index), ability.use == Use::kAccess ? s_.run.accessing : kNoInst);
  PayFor(inst, index);
}

void Engine::PayFor(Inst inst, std::size_t index) {
  const Ability& ability = s_.Def(inst).abilities[index];
  const Cost& cost = ability.cost;
  const Side side = s_[inst].side;
  const int credits = Evaluate(s_, cost.credits, {.source = inst});
  s_.Of(side).clicks = static_cast<std::int8_t>(s_.Of(side).clicks - cost.clicks);
  s_[inst].virus = static_cast<std::uint8_t>(s_[inst].virus - cost.virus);
  if (ability.once_per_turn)
    s_[inst].used = static_cast<std::uint8_t>(s_[inst].used | UsedBit(ProgramRef::Ability(index)));
  if (cost.remove_self) RemoveFromGame(inst);
  PayCredits(side, credits);
}

void Engine::Rez(Inst inst, bool free) {
  const int cost = free ? 0 : RezCost(s_, inst);
  s_.corp().credits = static_cast<std::int16_t>(s_.corp().credits - cost);
  s_[inst].faceup = true;
  s_[inst].rezzed_this_turn = true;
  s_[inst].known = true;
  s_[inst].since = s_.next_since++;
  s_.dirty = true;
  Log(free ? LogKind::kRezFree : LogKind::kRez, Side::kCorp, inst, cost);
  Emit(Event::kRezzed, Side::kCorp, inst);
}

void Engine::Advance(Inst inst) {
  s_.corp().credits -= 1;
  const int before = s_[inst].advancement++;
  LogAdvanced(LogKind::kAdvance, Side::kCorp, inst, 1);
  MayUndo(UndoState::What::kAdvance, inst, 1);
  Emit(Event::kAdvanced, Side::kCorp, inst, before);
}

void Engine::Score(Inst inst) {
  const Server server = s_[inst].server;
  const int points = s_.Def(inst).points;
  s_.log_of_turn.points_scored = static_cast<std::uint8_t>(s_.log_of_turn.points_scored + points);
  Move(inst, Zone::kScore, true);
  Log(LogKind::kScore, Side::kCorp, inst, points);
  Emit(Event::kScored, Side::kCorp, inst, server);
}

// Asks the side with priority, if it can act; one that acts is asked again.
void Engine::Resolve(WindowStep& step) {
  const WindowKind kind = step.window;
  const bool of_run = kind != WindowKind::kBeforeAction && kind != WindowKind::kPostDiscard;
  if (of_run && (s_.run.ended || (kind == WindowKind::kEncounter && EncounterOver(s_.run.ice)))) {
    Pop();
    return;
  }
  const Side side = step.priority;
  if (!MustAskInWindow(s_, side, kind)) {
    PassWindow(step);
    return;
  }
  Ask(PromptKind::kWindow, side);
}

void Engine::PassWindow(WindowStep& step) {
  if (step.other_passed) {
    Pop();
    return;
  }
  step.other_passed = true;
  step.priority = Other(step.priority);
}

}  // namespace openseat::games::netrunner
