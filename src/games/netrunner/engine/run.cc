// Runs: their phases, encounters and breaking.
#include <algorithm>
#include <bit>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {
void Engine::StartRun(Server server, Inst source) {
  CannotUndo();
  RunState& run = s_.run;
  run = {};
  run.active = true;
  run.server = server;
  run.source = source;
  run.position = static_cast<std::uint8_t>(IceCount(s_, server));
  run.bad_publicity_credits = s_.bad_publicity;
  s_.log_of_turn.made_run = true;
  if (IsCentral(server)) {
    s_.log_of_turn.centrals_run = static_cast<std::uint8_t>(s_.log_of_turn.centrals_run | 1u << server);
  }
  Log(LogKind::kRun, Side::kRunner, source);
  LastLog().server = server;
  Push(RunStep{});
}

void Engine::EndTheRun() {
  if (s_.run.active) s_.run.ended = true;
}

void Engine::Resolve(RunStep& step) {
  using enum RunStep::Phase;
  RunState& run = s_.run;
  if (run.ended && step.phase < kOver) step.phase = kOver;
  const auto window = [&](WindowKind kind, RunStep::Phase next) {
    step.phase = next;
    Push(WindowStep{.window = kind, .priority = Side::kRunner});
  };
  switch (step.phase) {
    case kInitiation:
      return window(WindowKind::kInitiation, kNextIce);
    case kNextIce:
      run.ice = kNoInst;
      if (run.position == 0) {
        step.phase = kBeforeJackOut;
        return;
      }
      run.phase = RunPhase::kApproachIce;
      run.ice = IceOn(s_, run.server)[run.position - 1u];
      run.ice_id = s_[run.ice].id;
      Log(LogKind::kApproach, Side::kRunner, run.ice, run.position - 1);
      LastLog().seen_by = s_[run.ice].faceup ? 3 : 1;
      LastLog().server = run.server;
      return window(WindowKind::kApproach, kApproached);
    case kApproached:
      step.phase = kPassed;
      if (!EncounterOver(run.ice)) Push(EncounterStep{.ice = run.ice});
      return;
    case kPassed:
      step.phase = kBeforeJackOut;
      if (s_[run.ice].id == run.ice_id) {
        Log(LogKind::kPass, Side::kRunner, run.ice);
        LastLog().seen_by = s_[run.ice].faceup ? 3 : 1;
      }
      return;
    case kBeforeJackOut: {
      run.phase = RunPhase::kMovement;
      // Ice that was added or removed meanwhile has already changed the position; an ice still there is passed.
      const CardList ice = IceOn(s_, run.server);
      if (run.ice != kNoInst && s_[run.ice].id == run.ice_id && ice.Contains(run.ice)) {
        run.position = static_cast<std::uint8_t>(ice.IndexOf(run.ice));
      }
      return window(WindowKind::kBeforeJackOut, kOfferJackOut);
    }
    case kOfferJackOut:
      step.phase = kMoveOn;
      Ask(PromptKind::kJackOut, Side::kRunner);
      return;
    case kMoveOn:
      return window(WindowKind::kMovement, kAfterMovement);
    case kAfterMovement:
      if (run.position > 0) {
        step.phase = kNextIce;
        return;
      }
      step.phase = kSuccess;
      Log(LogKind::kApproachServer, Side::kRunner);
      LastLog().server = run.server;
      Emit(Event::kApproachServer, Side::kRunner);
      return;
    case kSuccess:
      step.phase = kBreach;
      run.successful = true;
      run.phase = RunPhase::kSuccess;
      s_.log_of_turn.successful_run = true;
      Emit(Event::kRunSuccessful, Side::kRunner);
      return;
    case kBreach:
      step.phase = kOver;
      Push(BreachStep{});
      return;
    case kOver:
    case kAfterRun:
      return FinishRun(step);
  }
}

void Engine::FinishRun(RunStep& step) {
  RunState& run = s_.run;
  if (step.phase == RunStep::Phase::kOver) {
    step.phase = RunStep::Phase::kAfterRun;
    run.active = false;
    run.bad_publicity_credits = 0;
    run.breaching = false;
    run.accessing = kNoInst;
    Log(LogKind::kRunEnds, Side::kRunner, kNoInst, run.successful ? 1 : 0);
    LastLog().server = run.server;
    ExpireLingering(Until::kEncounterEnds);
    Emit(Event::kRunEnds, Side::kRunner);
    return;
  }
  ExpireLingering(Until::kRunEnds);
  Pop();
}

bool Engine::EncounterOver(Inst ice) const {
  return s_.run.ended || s_[ice].id != s_.run.ice_id || !s_[ice].faceup;
}

void Engine::Resolve(EncounterStep& step) {
  using enum EncounterStep::Phase;
  const Inst ice = step.ice;
  RunState& run = s_.run;
  const std::vector<Subroutine>& subroutines = s_.Def(ice).subroutines;
  if (step.phase == kTriggers) {
    step.phase = kWindow;
    run.phase = RunPhase::kEncounterIce;
    run.broken = 0;
    run.fired = 0;
    Log(LogKind::kEncounter, Side::kRunner, ice);
    Emit(Event::kEncounter, Side::kRunner, ice);
    return;
  }
  if (EncounterOver(ice) || (step.phase == kSubroutines && step.next >= subroutines.size())) {
    Pop();
    ExpireLingering(Until::kEncounterEnds);
    return;
  }
  if (step.phase == kWindow) {
    step.phase = kSubroutines;
    Push(WindowStep{.window = WindowKind::kEncounter, .priority = Side::kRunner});
    return;
  }
  const std::uint8_t number = step.next++;
  if ((run.broken >> number & 1) != 0) return;
  run.fired = static_cast<std::uint8_t>(run.fired | 1u << number);
  Log(LogKind::kFire, Side::kCorp, ice, number);
  StartProgram(ice, ProgramRef::Subroutine(number));
}

// Chooses what to break, then pays once and breaks it; without a choice, nothing is paid.
void Engine::Resolve(BreakStep& step) {
  using enum BreakStep::Phase;
  RunState& run = s_.run;
  const CardDef& def = s_.Def(step.card);
  const int most = step.by_clicks ? 1 : def.abilities[step.ability].breaks;
  if (step.phase == kChosen) {
    step.phase = kChoosing;
    if (s_.answered.text == OptionText::kDone) {
      step.done = true;
    } else {
      step.chosen = static_cast<std::uint8_t>(step.chosen | 1u << s_.answered.n);
    }
  }
  if (step.phase == kChoosing) {
    FixedVector<std::uint8_t, 8> unbroken;
    for (std::size_t i = 0; i < s_.Def(run.ice).subroutines.size(); ++i) {
      if (((run.broken | step.chosen) >> i & 1) == 0) unbroken.push_back(static_cast<std::uint8_t>(i));
    }
    const int chosen = std::popcount(step.chosen);
    if (!step.done && chosen < most && !unbroken.empty()) {
      // A single subroutine needs no question.
      if (chosen == 0 && unbroken.size() == 1) {
        step.chosen = static_cast<std::uint8_t>(1u << unbroken[0]);
        return;
      }
      step.phase = kChosen;
      Ask(PromptKind::kChoice, Side::kRunner, Message::kBreakSubroutine, step.card, chosen);
      for (const std::uint8_t number : unbroken) AddOption(OptionText::kSubroutine, number);
      AddOption(OptionText::kDone);
      return;
    }
    if (chosen == 0) {
      Pop();
      return;
    }
    step.phase = kPaid;
    if (step.by_clicks) {
      --s_.runner().clicks;
    } else {
      PayFor(step.card, step.ability);
    }
    return;
  }
  run.broken = static_cast<std::uint8_t>(run.broken | step.chosen);
  Log(LogKind::kBreak, Side::kRunner, step.card, std::popcount(step.chosen));
  LastLog().other = s_[run.ice].card;
  if (step.by_clicks) {
    LastLog().clicks = 1;
  } else {
    LastLog().cost =
        static_cast<std::int16_t>(Evaluate(s_, def.abilities[step.ability].cost.credits, {.source = step.card}));
  }
  const BreakStep broken = step;
  Pop();
  if (broken.by_clicks || def.abilities[broken.ability].effect.empty()) return;
  StartProgram(broken.card, ProgramRef::Ability(broken.ability));
}

}  // namespace openseat::games::netrunner
