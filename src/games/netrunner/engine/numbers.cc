// Credits, cards drawn, damage, tags, and lingering effects.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

void Engine::GainCredits(Side side, int credits) {
  if (credits == 0) return;
  s_.Of(side).credits = static_cast<std::int16_t>(s_.Of(side).credits + credits);
  Log(LogKind::kCredits, side, kNoInst, credits);
}

void Engine::PayCredits(Side side, int credits) {
  if (credits <= 0) return;
  if (side == Side::kCorp || (s_.run.bad_publicity_credits == 0 && SpendableCard(s_) == kNoInst)) {
    s_.Of(side).credits = static_cast<std::int16_t>(s_.Of(side).credits - credits);
    return;
  }
  Push(PayStep{.credits = static_cast<std::int16_t>(credits)});
}

// The Runner pays during a run. Bad publicity credits are lost with the run, so they are spent first; the Runner
// chooses how many of the rest come from the card that lends credits.
void Engine::Resolve(PayStep& step) {
  using enum PayStep::Phase;
  RunState& run = s_.run;
  PlayerState& runner = s_.runner();
  if (step.phase == kStart) {
    const std::int16_t free = std::min(run.bad_publicity_credits, step.credits);
    run.bad_publicity_credits = static_cast<std::int16_t>(run.bad_publicity_credits - free);
    step.credits = static_cast<std::int16_t>(step.credits - free);
    const Inst card = SpendableCard(s_);
    const int hosted = card == kNoInst ? 0 : s_[card].credits;
    const int least = std::max(0, step.credits - runner.credits);
    const int most = std::min<int>(hosted, step.credits);
    step.from_card = static_cast<std::uint8_t>(least);
    step.phase = kDecided;
    if (least < most) {
      Ask(PromptKind::kChoice, Side::kRunner, Message::kPayFrom, card, step.credits);
      for (int credits = least; credits <= most; ++credits) {
        AddOption(OptionText::kCredits, static_cast<std::uint8_t>(credits));
      }
      step.phase = kAsked;
    }
    return;
  }
  const int from_card = step.phase == kAsked ? s_.answered.n : step.from_card;
  if (from_card > 0) {
    CardState& card = s_[SpendableCard(s_)];
    card.credits = static_cast<std::uint16_t>(card.credits - from_card);
  }
  runner.credits = static_cast<std::int16_t>(runner.credits - (step.credits - from_card));
  Pop();
}

void Engine::Draw(Side side, int cards) {
  CannotUndo();
  PlayerState& player = s_.Of(side);
  if (side == Side::kCorp && cards > static_cast<int>(player.deck.size())) {
    End(Ending::kDecked, 1);
    return;
  }
  const int drawn = std::min<int>(cards, static_cast<int>(player.deck.size()));
  for (int i = 0; i < drawn; ++i) Move(player.deck.back(), Zone::kHand, false);
}

void Engine::DoDamage(DamageKind kind, int amount) {
  if (amount <= 0) return;
  Log(LogKind::kDamage, Side::kCorp, kNoInst, amount);
  LastLog().m = static_cast<std::uint8_t>(kind);
  PlayerState& runner = s_.runner();
  if (kind == DamageKind::kCore) ++s_.core_damage;
  if (amount > static_cast<int>(runner.hand.size())) {
    End(Ending::kFlatline, 0);
    return;
  }
  for (int i = 0; i < amount; ++i) {
    const Inst inst = runner.hand[s_.rng.Below(runner.hand.size())];
    Move(inst, Zone::kDiscard, true);
    Log(LogKind::kDamaged, Side::kRunner, inst);
    s_.targets.push_back(inst);
  }
}

void Engine::GiveTags(int tags) {
  s_.tags = static_cast<std::uint8_t>(s_.tags + tags);
  Log(LogKind::kTags, Side::kRunner, kNoInst, tags);
  Emit(Event::kTagsTaken, Side::kRunner, kNoInst, tags);
}

void Engine::ExpireLingering(Until until) {
  for (std::size_t i = s_.lingering.size(); i-- > 0;) {
    if (s_.lingering[i].until == until) s_.lingering.erase(i);
  }
}

}  // namespace openseat::games::netrunner
