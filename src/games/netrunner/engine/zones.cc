// Moving cards. A card that moves is a new object: it loses its counters and gets a fresh public number.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

CardList* Engine::ListOf(Inst inst) {
  PlayerState& player = s_.Of(s_[inst].side);
  switch (s_[inst].zone) {
    case Zone::kDeck:
      return &player.deck;
    case Zone::kHand:
      return &player.hand;
    case Zone::kDiscard:
      return &player.discard;
    case Zone::kScore:
      // A stolen agenda is in the Runner's score area.
      return s_.runner().score.Contains(inst) ? &s_.runner().score : &s_.corp().score;
    case Zone::kPlay:
      return &player.play;
    case Zone::kRemoved:
      return &player.removed;
    case Zone::kInstalled:
      return &player.installed;
    default:
      return nullptr;
  }
}

void Engine::Move(Inst inst, Zone zone, bool faceup) {
  CardState& card = s_[inst];
  if (CardList* from = ListOf(inst)) {
    const std::size_t at = from->IndexOf(inst);
    // When ice between the Runner and the server is removed, there is less to pass.
    if (card.zone == Zone::kInstalled && s_.run.active && card.server == s_.run.server && IsIce(s_, inst) &&
        IceOn(s_, card.server).IndexOf(inst) < s_.run.position) {
      --s_.run.position;
    }
    from->erase(at);
  }
  if (card.zone == Zone::kHand && card.side == Side::kCorp) ForgetHq(card.card, faceup);
  CardState moved;
  moved.card = card.card;
  moved.side = card.side;
  moved.zone = zone;
  moved.faceup = faceup;
  card = moved;
  if (zone != Zone::kDeck) FreshId(inst);
  ListOf(inst)->push_back(inst);
  s_.dirty = true;
}

// A card has left HQ: where nobody saw which one, it may have been any that the Runner knew there.
void Engine::ForgetHq(CardId left, bool faceup) {
  for (const Inst inst : s_.corp().hand) {
    if (!faceup || s_[inst].card == left) s_[inst].known = false;
  }
}

void Engine::Trash(Inst inst, TrashReason reason) {
  CannotUndo();
  const bool runner = s_[inst].side == Side::kRunner;
  const bool faceup = runner || (s_[inst].faceup && s_[inst].zone != Zone::kHand);
  Log(LogKind::kTrashed, s_[inst].side, inst);
  LastLog().seen_by = faceup ? 3 : 1;
  LastLog().ice = s_[inst].zone == Zone::kInstalled && IsIce(s_, inst);
  if (s_[inst].zone == Zone::kHand && reason == TrashReason::kEffect) reason = TrashReason::kFromHand;
  LastLog().m = static_cast<std::uint8_t>(reason);
  Move(inst, Zone::kDiscard, faceup);
}

// The Runner trashes the accessed card: it is faceup in Archives.
void Engine::TrashAccessed(Inst inst) {
  const CardDef& def = s_.Def(inst);
  for (std::size_t i = 0; i < def.triggers.size(); ++i) {
    if (!def.triggers[i].persistent || s_[inst].zone != Zone::kInstalled || !s_[inst].faceup) continue;
    s_.lingering.push_back(
        {.delayed = true, .until = Until::kRunEnds, .source = inst, .trigger = static_cast<std::uint8_t>(i)});
  }
  Move(inst, Zone::kDiscard, true);
  Emit(Event::kAccessTrashed, Side::kRunner, inst);
}

void Engine::RemoveFromGame(Inst inst) {
  Log(LogKind::kRemoved, s_[inst].side, inst);
  Move(inst, Zone::kRemoved, true);
}

void Engine::IntoDeck(Inst inst) {
  Move(inst, Zone::kDeck, false);
}

void Engine::Shuffle(Side side) {
  CardList& deck = s_.Of(side).deck;
  for (std::size_t left = deck.size(); left > 1; --left) {
    std::swap(deck[left - 1], deck[s_.rng.Below(left)]);
  }
  // Nobody can tell any longer which card was seen where.
  for (const Inst inst : deck) s_[inst].id = 0;
}

// Facedown cards get a separate order, so nobody learns when each was put there.
void Engine::TurnArchivesFaceup() {
  CardList& archives = s_.corp().discard;
  std::array<Inst, CardList::capacity()> facedown{};
  std::size_t count = 0;
  for (const Inst inst : archives) {
    if (!s_[inst].faceup) facedown[count++] = inst;
  }
  std::sort(facedown.begin(), facedown.begin() + count,
            [&](Inst a, Inst b) { return s_[a].card != s_[b].card ? s_[a].card < s_[b].card : a < b; });
  for (std::size_t i = 0; i < count; ++i) Move(facedown[i], Zone::kDiscard, true);
}

void Engine::SwapIce(Inst a, Inst b) {
  CardList& installed = s_.corp().installed;
  std::swap(installed[installed.IndexOf(a)], installed[installed.IndexOf(b)]);
  std::swap(s_[a].server, s_[b].server);
  s_.dirty = true;
}

}  // namespace openseat::games::netrunner
