// Resolving a program: its instructions one after another, including those that ask.
#include "games/netrunner/engine/program.h"

#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

const Program& ProgramOfCard(const CardDef& def, ProgramRef ref) {
  switch (ref.list) {
    case ProgramRef::List::kPlay:
      return def.play;
    case ProgramRef::List::kAbility:
      return def.abilities[ref.index].effect;
    case ProgramRef::List::kTrigger:
      return def.triggers[ref.index].effect;
    case ProgramRef::List::kSubroutine:
      break;
  }
  return def.subroutines[ref.index].effect;
}

void Engine::StartProgram(Inst source, ProgramRef program, Inst it, Event event) {
  CannotUndo();
  Push(ProgramStep{.source = source,
                   .program = program,
                   .first_target = static_cast<std::uint8_t>(s_.targets.size()),
                   .it = it,
                   .event = event});
}

const Program& Engine::ProgramAt(const ProgramStep& step) const {
  return ProgramOfCard(s_.Def(step.source), step.program);
}

Context Engine::ContextOf(const ProgramStep& step) const {
  return {.source = step.source,
          .it = step.it,
          .event = step.event,
          .side = s_[step.source].side,
          .noted = step.noted,
          .target = s_.targets.size() > step.first_target ? s_.targets[step.first_target] : kNoInst};
}

Side Engine::Whom(const ProgramStep& step, Who who) const {
  switch (who) {
    case Who::kCorp:
      return Side::kCorp;
    case Who::kRunner:
      return Side::kRunner;
    case Who::kController:
      break;
  }
  return s_[step.source].side;
}

// One instruction. One that pushes a step continues with the next when that step is done.
void Engine::Resolve(ProgramStep& step) {
  const Program& program = ProgramAt(step);
  if (!step.asked && step.next++ >= program.size()) {
    s_.targets.resize(step.first_target);
    Pop();
    return;
  }
  // One that asks is executed again with the answer.
  if (!Execute(step, program[step.next - 1u])) step.asked = true;
}

bool Engine::Execute(ProgramStep& step, const Instruction& instruction) {
  const Context context = ContextOf(step);
  const Side side = Whom(step, instruction.who);
  const auto amount = [&] { return Evaluate(s_, instruction.amount, context); };
  CardState& source = s_[step.source];
  switch (instruction.op) {
    case Op::kGainCredits:
      GainCredits(side, amount());
      return true;
    case Op::kLoseCredits: {
      const int lost = std::min<int>(amount(), s_.Of(side).credits);
      GainCredits(side, -lost);
      return true;
    }
    case Op::kPayCredits:
      if (amount() > 0) Log(LogKind::kPaid, side, kNoInst, amount());
      PayCredits(side, amount());
      return true;
    case Op::kGainClicks:
      return ChangeClicks(side, amount());
    case Op::kLoseClicks:
      return ChangeClicks(side, -std::min<int>(amount(), s_.Of(side).clicks));
    case Op::kDraw:
      Log(LogKind::kDrawn, side, kNoInst, amount());
      Draw(side, amount());
      return true;
    case Op::kDamage:
      s_.targets.resize(step.first_target);
      DoDamage(instruction.damage, amount());
      return true;
    case Op::kGiveTags:
      GiveTags(amount());
      return true;
    case Op::kEndRun:
      LogEndRun(step);
      EndTheRun();
      return true;
    case Op::kPlaceVirus:
      return PlaceVirusOn(step.source, amount());
    case Op::kPlaceVirusOnIt:
      return PlaceVirusOn(step.it, amount());
    case Op::kPlaceCredits:
      source.credits = static_cast<std::uint16_t>(source.credits + amount());
      Log(LogKind::kPlacedCredits, source.side, step.source, amount());
      return true;
    case Op::kTakeCredits: {
      const int taken = std::min<int>(amount(), source.credits);
      source.credits = static_cast<std::uint16_t>(source.credits - taken);
      s_.Of(source.side).credits = static_cast<std::int16_t>(s_.Of(source.side).credits + taken);
      if (taken > 0) Log(LogKind::kTakeCredits, source.side, step.source, taken);
      if (s_.Def(step.source).trashed_when_empty && source.credits == 0) Trash(step.source);
      return true;
    }
    case Op::kNote:
      step.noted = static_cast<std::int16_t>(amount());
      return true;
    case Op::kTrashSelf:
      if (source.zone == Zone::kInstalled) Trash(step.source);
      return true;
    case Op::kTrashIt:
      Log(LogKind::kTrash, source.side, step.it);
      TrashAccessed(step.it);
      return true;
    case Op::kMay:
      return AskChoice(step, instruction);
    case Op::kChoose:
      return AskChoice(step, instruction);
    case Op::kTarget:
      return AskTargets(step, instruction);
    case Op::kSearch:
      return AskSearch(step, instruction);
    case Op::kShuffleDeck:
      Shuffle(side);
      return true;
    case Op::kDerezHost:
      if (source.host != kNoInst && s_[source.host].faceup) {
        s_[source.host].faceup = false;
        s_[source.host].rezzed_this_turn = false;
        Log(LogKind::kDerez, source.side, source.host);
      }
      return true;
    case Op::kLinger:
      AddLingering(step, instruction);
      return true;
    case Op::kDelay:
      ArmTrigger(step, instruction);
      return true;
    case Op::kRun:
      return ExecuteRun(step, instruction);
    case Op::kSkipUnless:
      if (!AllHold(s_, instruction.when, context)) step.next = static_cast<std::uint8_t>(step.next + instruction.to);
      return true;
    case Op::kJump:
      step.next = static_cast<std::uint8_t>(step.next + instruction.to);
      return true;
    case Op::kCannotStealOrTrash:
      s_.run.cannot_steal_or_trash = true;
      return true;
    default:
      return ExecuteOnTargets(step, instruction);
  }
}

bool Engine::ChangeClicks(Side side, int clicks) {
  s_.Of(side).clicks = static_cast<std::int8_t>(s_.Of(side).clicks + clicks);
  if (clicks != 0) Log(LogKind::kClicks, side, kNoInst, clicks);
  return true;
}

bool Engine::PlaceVirusOn(Inst inst, int counters) {
  s_[inst].virus = static_cast<std::uint8_t>(s_[inst].virus + counters);
  Log(LogKind::kVirus, s_[inst].side, inst, counters);
  return true;
}

// Where the text asked the Runner whether to, they jack out.
void Engine::LogEndRun(const ProgramStep& step) {
  if (!s_.run.active || s_.run.ended) return;
  const Program& program = ProgramAt(step);
  const auto asks = [](const Instruction& each) { return each.op == Op::kMay && each.who == Who::kRunner; };
  const bool jacks_out = std::any_of(program.begin(), program.begin() + step.next, asks);
  Log(jacks_out ? LogKind::kJackOut : LogKind::kEndRun, jacks_out ? Side::kRunner : s_[step.source].side);
}

void Engine::NameInPrompt(const ProgramStep& step) {
  s_.prompt.program = step.program;
  s_.prompt.instruction = static_cast<std::uint8_t>(step.next - 1);
}

// kMay and kChoose.
bool Engine::AskChoice(ProgramStep& step, const Instruction& instruction) {
  const Side side = Whom(step, instruction.who);
  const bool may = instruction.op == Op::kMay;
  const std::uint8_t next = step.next;
  const auto take = [&](std::size_t option) {
    step.next = static_cast<std::uint8_t>(next + instruction.options[option].to);
  };
  if (step.asked) {
    step.asked = false;
    if (!may) {
      take(s_.answered.n);
    } else if (s_.answered.text == OptionText::kNo) {
      step.next = static_cast<std::uint8_t>(ProgramAt(step).size());
    } else if (step.program.list == ProgramRef::List::kTrigger &&
               s_.Def(step.source).triggers[step.program.index].once_per_turn) {
      s_[step.source].used = static_cast<std::uint8_t>(s_[step.source].used | UsedBit(step.program));
    }
    return true;
  }
  const Context context = ContextOf(step);
  FixedVector<PromptOption, 8> options;
  if (may) {
    options.push_back(PromptOption(OptionText::kYes));
    options.push_back(PromptOption(OptionText::kNo));
  }
  for (std::size_t i = 0; i < instruction.options.size(); ++i) {
    if (AllHold(s_, instruction.options[i].when, context)) {
      options.push_back(PromptOption(OptionText::kLabel, static_cast<std::uint8_t>(i)));
    }
  }
  if (options.size() == 1) {
    take(options[0].n);
    return true;
  }
  Ask(PromptKind::kChoice, side, Message::kOfProgram, step.source);
  NameInPrompt(step);
  for (const PromptOption& option : options) AddOption(option.text, option.n);
  return false;
}

bool Engine::AskTargets(ProgramStep& step, const Instruction& instruction) {
  if (step.asked) {
    step.asked = false;
    for (const Inst inst : s_.selected) s_.targets.push_back(inst);
    return true;
  }
  const Side side = Whom(step, instruction.who);
  const CardList candidates = Candidates(s_, instruction.filter, side);
  if (candidates.size() <= instruction.min) {
    for (const Inst inst : candidates) s_.targets.push_back(inst);
    return true;
  }
  AskSelect(side, Message::kOfProgram, step.source, candidates, instruction.min, instruction.max);
  NameInPrompt(step);
  return false;
}

// Cards with the same title count once, ordered by title.
bool Engine::AskSearch(ProgramStep& step, const Instruction& instruction) {
  const Side side = Whom(step, instruction.who);
  if (step.asked) {
    step.asked = false;
    for (const Inst inst : s_.Of(side).deck) {
      if (s_[inst].id >= kFirstSearchId) s_[inst].id = 0;
    }
    if (s_.answered.text != OptionText::kCard) return true;
    const Inst found = s_.answered.card();
    FreshId(found);  // everyone sees it
    s_.targets.push_back(found);
    Log(LogKind::kReveal, side, found);
    return true;
  }
  CardList found = Candidates(s_, instruction.filter, side);
  std::ranges::stable_sort(found, {}, [&](Inst inst) { return s_.Def(inst).title; });
  Ask(PromptKind::kChoice, side, Message::kOfProgram, step.source);
  NameInPrompt(step);
  std::uint16_t id = kFirstSearchId;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i != 0 && s_[found[i]].card == s_[found[i - 1]].card) continue;
    s_[found[i]].id = id++;
    AddOption(OptionText::kCard, found[i]);
  }
  AddOption(OptionText::kNothing);
  return false;
}

}  // namespace openseat::games::netrunner
