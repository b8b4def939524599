#include "games/netrunner/engine.h"

#include <algorithm>

#include "base/check.h"
#include "games/netrunner/card_table.h"

namespace openseat::games::netrunner {

Step& Engine::Push(StepKind kind, std::uint8_t a, std::uint8_t b) {
  s_.stack.push_back({.kind = kind, .a = a, .b = b});
  return s_.stack.back();
}

void Engine::Begin(bool shuffle) {
  Push(StepKind::kGame);
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    if (shuffle) Shuffle(side);
    PlayerState& player = s_.Of(side);
    for (int i = 0; i < 5 && !player.deck.empty(); ++i) Move(player.deck.back(), Zone::kHand, false);
  }
  Settle();
}

void Engine::Apply(const Command& command, Side side) {
  if (command.kind == CommandKind::kConcede) {
    Log(LogKind::kConcede, side);
    End(Ending::kConcede, static_cast<std::uint8_t>(Other(side)));
    return;
  }
  if (s_.prompt.kind == PromptKind::kMulligan || s_.prompt.kind == PromptKind::kChoice ||
      s_.prompt.kind == PromptKind::kSelect) {
    Answer(command);
  } else {
    s_.prompt = {};
    Act(command, side);
  }
  Settle();
}

// Resolves step after step. Every step continues, pushes another one, asks, or leaves the stack.
void Engine::Settle() {
  while (!s_.over() && s_.prompt.kind == PromptKind::kNone) {
    if (s_.dirty && Checkpoint()) continue;
    OPENSEAT_CHECK(!s_.stack.empty(), "the game's own step stays at the bottom");
    RunStep(s_.stack.back());
  }
}

void Engine::RunStep(Step& step) {
  switch (step.kind) {
    case StepKind::kGame:
      return StepGame(step);
    case StepKind::kTurn:
      return StepTurn(step);
    case StepKind::kDiscardHand:
      return StepDiscardHand(step);
    case StepKind::kWindow:
      return StepWindow(step);
    case StepKind::kPlayCard:
      return StepPlayCard(step);
    case StepKind::kTrashResource:
      return StepTrashResource(step);
    case StepKind::kInstallRunner:
      return StepInstallRunner(step);
    case StepKind::kInstallCorp:
      return StepInstallCorp(step);
    case StepKind::kPay:
      return StepPay(step);
    case StepKind::kTrimMemory:
      return StepTrimMemory(step);
    case StepKind::kProgram:
      return StepProgram(step);
    case StepKind::kTriggers:
      return StepTriggers(step);
    case StepKind::kBreak:
      return StepBreak(step);
    case StepKind::kRun:
      return StepRun(step);
    case StepKind::kEncounter:
      return StepEncounter(step);
    case StepKind::kBreach:
      return StepBreach(step);
    case StepKind::kAccess:
      return StepAccess(step);
  }
}

void Engine::End(Ending ending, std::uint8_t winner) {
  if (s_.run.active) {
    s_.run.active = false;
    s_.run.breaching = false;
    s_.run.accessing = kNoInst;
    Log(LogKind::kRunEnds, Side::kRunner, kNoInst, s_.run.successful ? 1 : 0);
    LastLog().server = s_.run.server;
  }
  s_.ending = ending;
  s_.winner = winner;
  s_.prompt = {};
  s_.stack.clear();
  s_.waiting.clear();
  s_.targets.clear();
  s_.dirty = false;
  Log(LogKind::kWin, winner == 1 ? Side::kRunner : Side::kCorp, kNoInst, static_cast<int>(ending));
}

// After every step that changed the board: checks who has won, what must be trashed, which run has lost its server.
bool Engine::Checkpoint() {
  s_.dirty = false;
  const bool corp = Points(s_, Side::kCorp) >= s_.points_to_win;
  const bool runner = Points(s_, Side::kRunner) >= s_.points_to_win;
  if (corp || runner) {
    End(corp && runner ? Ending::kTie : Ending::kAgenda, corp && runner ? 2 : corp ? 0 : 1);
    return true;
  }
  if (CheckUnique(Side::kCorp) || CheckUnique(Side::kRunner)) return true;
  for (const Inst inst : s_.runner().installed) {
    const Inst host = s_[inst].host;
    if (host != kNoInst && s_[host].zone != Zone::kInstalled) {
      Trash(inst);
      return true;
    }
  }
  const auto installing = [&](const Step& step) {
    return step.kind == StepKind::kInstallCorp && step.b == s_.run.server;
  };
  if (s_.run.active && !s_.run.ended && !s_.run.successful && !ServerExists(s_, s_.run.server) &&
      std::none_of(s_.stack.begin(), s_.stack.end(), installing)) {
    s_.run.ended = true;
    s_.run.vanished = true;
  }
  const int over = MemoryUsed(s_) - MemoryLimit(s_);
  if (over > 0 && s_.stack.back().kind != StepKind::kTrimMemory) {
    Push(StepKind::kTrimMemory);
    return true;
  }
  return false;
}

// Trashes the older of two active unique cards with the same title, or of two consoles.
bool Engine::CheckUnique(Side side) {
  const CardList& installed = s_.Of(side).installed;
  for (std::size_t i = 0; i < installed.size(); ++i) {
    const Inst one = installed[i];
    if (!s_[one].faceup || !s_.Def(one).unique) continue;
    for (std::size_t j = i + 1; j < installed.size(); ++j) {
      const Inst other = installed[j];
      if (!s_[other].faceup || !s_.Def(other).unique) continue;
      const bool consoles = s_.Def(one).Has(Subtype::kConsole) && s_.Def(other).Has(Subtype::kConsole);
      if (s_[one].card != s_[other].card && !consoles) continue;
      Trash(s_[one].since < s_[other].since ? one : other);
      return true;
    }
  }
  return false;
}

}  // namespace openseat::games::netrunner
