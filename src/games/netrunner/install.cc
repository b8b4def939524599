// Installing, and keeping within the memory limit.
#include <algorithm>

#include "games/netrunner/card_table.h"
#include "games/netrunner/engine.h"

namespace openseat::games::netrunner {
namespace {

CardList InstalledPrograms(const State& state) {
  CardList programs;
  for (const Inst inst : state.runner().installed) {
    if (state.Def(inst).memory > 0) programs.push_back(inst);
  }
  return programs;
}

CardList InstalledIce(const State& state) {
  CardList ice;
  for (const Inst inst : state.corp().installed) {
    if (IsIce(state, inst)) ice.push_back(inst);
  }
  return ice;
}

// A step's phases: what it does, then what follows the answer or payment it waits for.
enum Phase : std::uint8_t { kStart, kMadeRoom, kHostChosen, kPaid, kServerChosen, kIceTrashed };

}  // namespace

// Puts a card among its side's installed ones, at the place `at` of that list.
void Engine::PlaceInstalled(Inst inst, Server server, std::size_t at) {
  const Side side = s_[inst].side;
  Move(inst, Zone::kInstalled, side == Side::kRunner);
  CardList& installed = s_.Of(side).installed;
  installed.pop_back();
  installed.insert(at, inst);
  CardState& card = s_[inst];
  card.server = server;
  card.new_this_turn = true;
  card.since = s_.next_since++;
}

// Room for the program first, then its host, then the payment.
void Engine::StepInstallRunner(Step& step) {
  const Inst inst = step.a;
  switch (step.phase) {
    case kMadeRoom:
      step.phase = kStart;
      Trash(s_.selected[0]);
      return;
    case kHostChosen:
      step.b = s_.selected[0];
      step.phase = kStart;
      step.c = 1;
      return;
    case kStart: {
      if (AskHostOrMemory(step, inst)) return;
      step.phase = kPaid;
      const int cost = InstallCost(s_, inst);
      Log(LogKind::kInstall, Side::kRunner, inst, cost);
      PayCredits(Side::kRunner, cost);
      return;
    }
    default:
      PlaceInstalled(inst, kNoServer, s_.runner().installed.size());
      if (s_.Def(inst).only_on_ice) s_[inst].host = step.b;
      Pop();
      if (s_.Def(inst).type == CardType::kProgram) Emit(Event::kProgramInstalled, Side::kRunner, inst);
      Emit(Event::kInstalled, Side::kRunner, inst);
  }
}

bool Engine::AskHostOrMemory(Step& step, Inst inst) {
  const CardDef& def = s_.Def(inst);
  if (def.memory > 0 && MemoryUsed(s_) + def.memory > MemoryLimit(s_)) {
    step.phase = kMadeRoom;
    AskSelect(Side::kRunner, Message::kTrashForMemory, inst, InstalledPrograms(s_), 1, 1);
    return true;
  }
  if (!def.only_on_ice || step.c != 0) return false;
  step.phase = kHostChosen;
  AskSelect(Side::kRunner, Message::kChooseHost, inst, InstalledIce(s_), 1, 1);
  return true;
}

void Engine::AskServer(Side side, Inst card, Message message) {
  Ask(PromptKind::kChoice, side, message, card);
  for (Server server = kHqServer; server < s_.next_remote; ++server) {
    if (ServerExists(s_, server) && (message == Message::kChooseServer || CanInstallCorp(s_, card, server))) {
      AddOption(OptionText::kServer, server);
    }
  }
}

// The agenda or asset that makes way for another one in its server.
void Engine::TrashLike(Inst inst, Server server) {
  const CardType type = s_.Def(inst).type;
  if (type != CardType::kAgenda && type != CardType::kAsset) return;
  for (const Inst other : RootOf(s_, server)) {
    const CardType its = s_.Def(other).type;
    if (its == CardType::kAgenda || its == CardType::kAsset) Trash(other);
  }
}

// b: the server; c: whether the installer ignores costs; d: the ice that it goes inward of.
void Engine::StepInstallCorp(Step& step) {
  const Inst inst = step.a;
  const bool ice = IsIce(s_, inst);
  switch (step.phase) {
    case kServerChosen:
      step.b = s_.answered.n;
      step.phase = kStart;
      return;
    case kIceTrashed:
      step.phase = kStart;
      for (const Inst trashed : CardList(s_.selected)) Trash(trashed);
      return;
    default:
      break;
  }
  if (step.b == kNoServer) {
    step.phase = kServerChosen;
    AskServer(Side::kCorp, inst, Message::kInstallWhere);
    AddOption(OptionText::kServer, kNewRemote);
    return;
  }
  int cost = 0;
  if (ice && step.c == 0 && step.b != kNewRemote) {
    cost = IceCount(s_, step.b);
    const int missing = cost - s_.corp().credits;
    if (missing > 0) {
      step.phase = kIceTrashed;
      AskSelect(Side::kCorp, Message::kTrashIceToInstall, inst, IceOn(s_, step.b), static_cast<std::size_t>(missing),
                static_cast<std::size_t>(missing));
      return;
    }
    s_.corp().credits = static_cast<std::int16_t>(s_.corp().credits - cost);
  }
  const bool is_new = step.b == kNewRemote;
  const Server server = is_new ? s_.next_remote++ : step.b;
  CardList& installed = s_.corp().installed;
  // What is trashed keeps the run's server alive only because the new card comes before the next checkpoint.
  TrashLike(inst, server);
  std::size_t at = installed.size();
  if (step.c != 0) {
    at = installed.IndexOf(step.d);
    const CardList on = IceOn(s_, server);
    if (s_.run.active && s_.run.server == server && on.IndexOf(step.d) < s_.run.position) ++s_.run.position;
  }
  Log(LogKind::kInstall, Side::kCorp, inst, cost);
  LastLog().server = server;
  LastLog().ice = ice;
  LastLog().m = is_new ? 1 : 0;
  // Where a faceup card of Archives is installed, both know which one it is.
  LastLog().seen_by = s_[inst].zone == Zone::kDiscard && s_[inst].faceup ? 3 : 1;
  PlaceInstalled(inst, server, at);
  Pop();
  Emit(Event::kInstalled, Side::kCorp, inst);
}

void Engine::StepTrimMemory(Step& step) {
  if (step.phase == 1) {
    step.phase = 0;
    Trash(s_.selected[0]);
    return;
  }
  if (MemoryUsed(s_) <= MemoryLimit(s_)) {
    Pop();
    return;
  }
  step.phase = 1;
  AskSelect(Side::kRunner, Message::kTrimMemory, kNoInst, InstalledPrograms(s_), 1, 1);
  s_.prompt.n = static_cast<std::int16_t>(MemoryUsed(s_) - MemoryLimit(s_));
}

}  // namespace openseat::games::netrunner
