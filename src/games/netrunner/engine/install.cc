// Installing, and staying within the memory limit.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

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

}  // namespace

// Inserts a card into its side's installed list, at position `at`.
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

// First the program's host, then memory, then payment: until then, it can be canceled at no cost.
void Engine::Resolve(InstallRunnerStep& step) {
  using enum InstallRunnerStep::Phase;
  const Inst inst = step.card;
  switch (step.phase) {
    case kRoomChosen: {
      const CardList chosen = s_.selected;
      int freed = 0;
      for (const Inst program : chosen) freed += s_.Def(program).memory;
      if (MemoryUsed(s_) - freed + s_.Def(inst).memory > MemoryLimit(s_)) return CancelInstall(inst);
      step.phase = kStart;
      step.has_room = true;
      for (const Inst program : chosen) Trash(program, TrashReason::kToInstall);
      return;
    }
    case kHostChosen:
      if (s_.selected.empty()) return CancelInstall(inst);
      step.host = s_.selected[0];
      step.phase = kStart;
      return;
    case kStart: {
      if (AskHostOrMemory(step)) return;
      step.phase = kPaid;
      if (step.is_action) --s_.runner().clicks;
      const int cost = InstallCost(s_, inst);
      Log(LogKind::kInstall, Side::kRunner, inst, cost);
      LastLog().clicks = step.is_action ? 1 : 0;
      step.cost = static_cast<std::int16_t>(cost);
      PayCredits(Side::kRunner, cost);
      return;
    }
    case kPaid:
      PlaceInstalled(inst, kNoServer, s_.runner().installed.size());
      if (s_.Def(inst).only_on_ice) s_[inst].host = step.host;
      if (step.is_action && !step.has_room) MayUndo(UndoState::What::kInstall, inst, step.cost);
      Pop();
      if (s_.Def(inst).type == CardType::kProgram) Emit(Event::kProgramInstalled, Side::kRunner, inst);
      Emit(Event::kInstalled, Side::kRunner, inst);
  }
}

// Nothing was paid or trashed. A card being installed from the deck was revealed, and goes to the hand.
void Engine::CancelInstall(Inst inst) {
  Pop();
  if (s_[inst].zone != Zone::kDeck) return;
  Log(LogKind::kToHand, s_[inst].side, inst);
  Move(inst, Zone::kHand, false);
}

// Programs may be trashed when installing one; if there is room, this is offered only with `all_windows`.
bool Engine::AskHostOrMemory(InstallRunnerStep& step) {
  using enum InstallRunnerStep::Phase;
  const Inst inst = step.card;
  const CardDef& def = s_.Def(inst);
  if (def.only_on_ice && step.host == kNoInst) {
    step.phase = kHostChosen;
    AskSelect(Side::kRunner, Message::kChooseHost, inst, InstalledIce(s_), 0, 1);
    return true;
  }
  if (def.memory > 0 && !step.has_room) {
    const CardList programs = InstalledPrograms(s_);
    const bool full = MemoryUsed(s_) + def.memory > MemoryLimit(s_);
    if (full || (s_.all_windows && !programs.empty())) {
      step.phase = kRoomChosen;
      AskSelect(Side::kRunner, full ? Message::kTrashForMemory : Message::kTrashPrograms, inst, programs,
                full && s_.rules >= 2 ? 1 : 0, programs.size());
      return true;
    }
  }
  return false;
}

void Engine::AskServer(Side side, Inst card, Message message) {
  Ask(PromptKind::kChoice, side, message, card);
  for (Server server = kHqServer; server < s_.next_remote; ++server) {
    if (ServerExists(s_, server) && (message == Message::kChooseServer || CanInstallCorp(s_, card, server))) {
      AddOption(OptionText::kServer, server);
    }
  }
}

// The agenda or asset that a new one replaces in its server.
void Engine::TrashLike(Inst inst, Server server) {
  const CardType type = s_.Def(inst).type;
  if (type != CardType::kAgenda && type != CardType::kAsset) return;
  for (const Inst other : RootOf(s_, server)) {
    const CardType its = s_.Def(other).type;
    if (its == CardType::kAgenda || its == CardType::kAsset) Trash(other, TrashReason::kReplaced);
  }
}

void Engine::Resolve(InstallCorpStep& step) {
  using enum InstallCorpStep::Phase;
  const Inst inst = step.card;
  const bool ice = IsIce(s_, inst);
  switch (step.phase) {
    case kServerChosen:
      step.server = s_.answered.n;
      step.phase = kStart;
      return;
    case kIceChosen:
      if (s_.selected.size() < step.must_trash) return CancelInstall(inst);
      step.phase = kStart;
      for (const Inst trashed : CardList(s_.selected)) Trash(trashed, TrashReason::kToInstall);
      return;
    case kStart:
      break;
  }
  if (step.server == kNoServer) {
    step.phase = kServerChosen;
    AskServer(Side::kCorp, inst, Message::kInstallWhere);
    AddOption(OptionText::kServer, kNewRemote);
    return;
  }
  int cost = 0;
  if (ice && step.inward_of == kNoInst && step.server != kNewRemote) {
    cost = IceCount(s_, step.server);
    const int missing = cost - s_.corp().credits;
    if (missing > 0) {
      step.phase = kIceChosen;
      step.must_trash = static_cast<std::uint8_t>(missing);
      const CardList on = IceOn(s_, step.server);
      const std::size_t least = s_.rules >= 2 ? step.must_trash : 0;
      AskSelect(Side::kCorp, Message::kTrashIceToInstall, inst, on, least, on.size());
      s_.prompt.n = static_cast<std::int16_t>(missing);
      return;
    }
    s_.corp().credits = static_cast<std::int16_t>(s_.corp().credits - cost);
  }
  if (step.is_action) --s_.corp().clicks;
  const bool is_new = step.server == kNewRemote;
  const Server server = is_new ? s_.next_remote++ : step.server;
  CardList& installed = s_.corp().installed;
  const std::uint32_t logged = s_.log.count;
  // Trashing keeps the run's server alive here only because the new card arrives before the next checkpoint.
  TrashLike(inst, server);
  std::size_t at = installed.size();
  if (step.inward_of != kNoInst) {
    at = installed.IndexOf(step.inward_of);
    const CardList on = IceOn(s_, server);
    if (s_.run.active && s_.run.server == server && on.IndexOf(step.inward_of) < s_.run.position) ++s_.run.position;
  }
  Log(LogKind::kInstall, Side::kCorp, inst, cost);
  LastLog().server = server;
  LastLog().ice = ice;
  LastLog().m = is_new ? 1 : 0;
  LastLog().clicks = step.is_action ? 1 : 0;
  // If a faceup card from Archives is installed, both sides know it.
  LastLog().seen_by = s_[inst].zone == Zone::kDiscard && s_[inst].faceup ? 3 : 1;
  const bool alone = step.is_action && step.must_trash == 0 && s_.log.count == logged + 1;
  const InstSet known = KnownInHq();
  const std::uint16_t id = s_[inst].id;
  PlaceInstalled(inst, server, at);
  if (alone) MayUndo(UndoState::What::kInstall, inst, cost, is_new);
  if (s_.undo.what == UndoState::What::kInstall && known != InstSet{}) {
    s_.undo.known = known;
    s_.undo.id = id;
  }
  Pop();
  Emit(Event::kInstalled, Side::kCorp, inst);
}

void Engine::Resolve(TrimMemoryStep& step) {
  if (step.asked) {
    step.asked = false;
    Trash(s_.selected[0], TrashReason::kMemory);
    return;
  }
  if (MemoryUsed(s_) <= MemoryLimit(s_)) {
    Pop();
    return;
  }
  step.asked = true;
  AskSelect(Side::kRunner, Message::kTrimMemory, kNoInst, InstalledPrograms(s_), 1, 1);
  s_.prompt.n = static_cast<std::int16_t>(MemoryUsed(s_) - MemoryLimit(s_));
}

}  // namespace openseat::games::netrunner
