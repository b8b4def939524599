// Taking back a click: what was done is kept as data, and undone by its inverse (docs/netrunner.md).
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

InstSet Engine::KnownInHq() const {
  InstSet known;
  for (const Inst inst : s_.corp().hand) {
    if (s_[inst].known) known.Insert(inst);
  }
  return known;
}

// What is done next, triggers included, clears it where more than this has happened.
void Engine::MayUndo(UndoState::What what, Inst card, int cost, bool new_remote) {
  if (s_.rules < 2 || s_.undo.this_turn >= kMostUndone) return;
  s_.undo.what = what;
  s_.undo.card = card;
  s_.undo.cost = static_cast<std::int16_t>(cost);
  s_.undo.new_remote = new_remote;
}

// What the Runner knew of HQ before the card left it (ForgetHq) is true again.
void Engine::RememberHq(const UndoState& undo) {
  for (const Inst inst : s_.corp().hand) {
    if (undo.known.Contains(inst)) s_[inst].known = true;
  }
  if (undo.known.Contains(undo.card)) s_[undo.card].id = undo.id;
}

void Engine::Undo(Side side) {
  const UndoState undo = s_.undo;
  s_.undo = {.this_turn = static_cast<std::uint8_t>(undo.this_turn + 1)};
  PlayerState& player = s_.Of(side);
  ++player.clicks;
  player.credits = static_cast<std::int16_t>(player.credits + undo.cost);
  const auto uncount = [&](Event event) {
    std::uint8_t& count = s_.log_of_turn.events[static_cast<std::size_t>(event)];
    if (count > 0) --count;
  };
  Log(LogKind::kUndo, side, undo.card, static_cast<int>(undo.what));
  switch (undo.what) {
    case UndoState::What::kNothing:
      break;
    case UndoState::What::kCredit:
      --player.credits;
      break;
    case UndoState::What::kRemoveTag:
      ++s_.tags;
      break;
    case UndoState::What::kAdvance:
      LastLog().server = s_[undo.card].server;
      LastLog().seen_by = s_[undo.card].faceup ? 3 : 1;
      LastLog().ice = IsIce(s_, undo.card);
      --s_[undo.card].advancement;
      uncount(Event::kAdvanced);
      break;
    case UndoState::What::kInstall:
      LastLog().server = s_[undo.card].server;
      LastLog().seen_by = s_[undo.card].faceup ? 3 : 1;
      LastLog().ice = side == Side::kCorp && IsIce(s_, undo.card);
      uncount(Event::kInstalled);
      if (s_.Def(undo.card).type == CardType::kProgram) uncount(Event::kProgramInstalled);
      Move(undo.card, Zone::kHand, false);
      RememberHq(undo);
      if (undo.new_remote) --s_.next_remote;
      break;
  }
}

}  // namespace openseat::games::netrunner
