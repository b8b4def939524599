// Triggered abilities: collects them on events, and resolves them in their controllers' order.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

// Counts the event, and pushes a step for the abilities that it triggers.
void Engine::Emit(Event event, Side side, Inst card, int n) {
  std::uint8_t& count = s_.log_of_turn.events[static_cast<std::size_t>(event)];
  if (count < 255) ++count;
  const std::size_t first = s_.waiting.size();
  const std::uint32_t bit = 1u << static_cast<unsigned>(event);
  const auto consider = [&](Inst source) {
    const CardDef& def = s_.Def(source);
    if ((def.events & bit) == 0) return;
    for (std::size_t i = 0; i < def.triggers.size(); ++i) {
      const Trigger& trigger = def.triggers[i];
      if (trigger.on != event || trigger.delayed) continue;
      if (trigger.once_per_turn && (s_[source].used & UsedBit(ProgramRef::Trigger(i))) != 0) continue;
      const Context context{.source = source, .it = card, .event = event, .side = side, .n = n};
      if (!AllHold(s_, trigger.when, context)) continue;
      s_.waiting.push_back({source, static_cast<std::uint8_t>(i), card, event, static_cast<std::int16_t>(n)});
    }
  };
  ForEachActive(s_, Side::kCorp, consider);
  ForEachActive(s_, Side::kRunner, consider);
  // Some cards react to what happens to themselves while inactive: accessed unrezzed, or stolen.
  const bool inactive = card != kNoInst && ((event == Event::kAccessed && !s_[card].faceup) || event == Event::kStolen);
  if (inactive) consider(card);
  CollectDelayed(event, card, n);
  if (s_.waiting.size() > first) Push(TriggersStep{.first = static_cast<std::uint8_t>(first)});
}

// Triggers that have waited for the event since kDelay. Each triggers once.
void Engine::CollectDelayed(Event event, Inst card, int n) {
  for (std::size_t i = 0; i < s_.lingering.size();) {
    const Lingering effect = s_.lingering[i];
    if (!effect.delayed || s_.Def(effect.source).triggers[effect.trigger].on != event) {
      ++i;
      continue;
    }
    s_.lingering.erase(i);
    const Trigger& trigger = s_.Def(effect.source).triggers[effect.trigger];
    if (trigger.persistent && !Holds(s_, If::kStoleThisRun, {.source = effect.source})) continue;
    if (effect.id != 0 && effect.id != s_[effect.source].id) continue;
    s_.waiting.push_back({effect.source, effect.trigger, card, event, static_cast<std::int16_t>(n)});
  }
}

// The active player resolves all of theirs in the order they choose, then the opponent.
void Engine::Resolve(TriggersStep& step) {
  const std::size_t first = step.first;
  if (s_.waiting.size() == first) {
    Pop();
    return;
  }
  const auto trigger_of = [&](const Waiting& waiting) -> const Trigger& {
    return s_.Def(waiting.source).triggers[waiting.trigger];
  };
  std::size_t chosen = s_.waiting.size();
  if (step.asked) {
    step.asked = false;
    chosen = s_.answered.n;
  } else {
    for (const Side side : {s_.active, Other(s_.active)}) {
      std::size_t count = 0;
      bool interactive = false;
      for (std::size_t i = first; i < s_.waiting.size(); ++i) {
        if (s_[s_.waiting[i].source].side != side) continue;
        if (count++ == 0) chosen = i;
        interactive = interactive || trigger_of(s_.waiting[i]).interactive;
      }
      if (count > 1 && interactive) {
        step.asked = true;
        Ask(PromptKind::kChoice, side, Message::kChooseTrigger);
        for (std::size_t i = first; i < s_.waiting.size(); ++i) {
          if (s_[s_.waiting[i].source].side == side) {
            AddOption(OptionText::kWaiting, static_cast<std::uint8_t>(i));
          }
        }
        return;
      }
      if (count > 0) break;
    }
  }
  const Waiting waiting = s_.waiting[chosen];
  s_.waiting.erase(chosen);
  // Another trigger has ended its run.
  const bool of_run = waiting.event == Event::kApproachServer || waiting.event == Event::kEncounter ||
                      waiting.event == Event::kRunSuccessful;
  if (of_run && s_.run.ended) return;
  StartProgram(waiting.source, ProgramRef::Trigger(waiting.trigger), waiting.card, waiting.event);
}

}  // namespace openseat::games::netrunner
