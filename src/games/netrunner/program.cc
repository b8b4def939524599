// Resolving a program: its instructions one after another, including those that ask.
#include "games/netrunner/program.h"

#include <algorithm>

#include "games/netrunner/card_table.h"
#include "games/netrunner/engine.h"

namespace openseat::games::netrunner {
namespace {

// The state of an instruction that asks, in Step::phase.
enum ProgramPhase : std::uint8_t { kBegin, kAnswered };

}  // namespace

const Program& ProgramOfCard(const CardDef& def, std::uint8_t ref) {
  switch (ProgramListOf(ref)) {
    case ProgramOf::kPlay:
      return def.play;
    case ProgramOf::kAbility:
      return def.abilities[ProgramIndexOf(ref)].effect;
    case ProgramOf::kTrigger:
      return def.triggers[ProgramIndexOf(ref)].effect;
    case ProgramOf::kSubroutine:
      break;
  }
  return def.subroutines[ProgramIndexOf(ref)].effect;
}

const Program& Engine::ProgramAt(const Step& step) const {
  return ProgramOfCard(s_.Def(step.a), step.b);
}

Context Engine::ContextOf(const Step& step) const {
  return {.source = step.a,
          .it = step.e,
          .event = static_cast<Event>(step.f),
          .side = s_[step.a].side,
          .noted = step.n,
          .target = s_.targets.size() > step.d ? s_.targets[step.d] : kNoInst};
}

Side Engine::Whom(const Step& step, Who who) const {
  switch (who) {
    case Who::kCorp:
      return Side::kCorp;
    case Who::kRunner:
      return Side::kRunner;
    case Who::kController:
      break;
  }
  return s_[step.a].side;
}

// One instruction. One that pushes a step continues with the next when that step is done.
void Engine::StepProgram(Step& step) {
  const Program& program = ProgramAt(step);
  if (step.phase == kBegin && step.c++ >= program.size()) {
    s_.targets.resize(step.d);
    Pop();
    return;
  }
  if (Execute(step, program[step.c - 1u])) return;
  // It asked: it is executed again with the answer.
  step.phase = kAnswered;
}

bool Engine::Execute(Step& step, const Instruction& instruction) {
  const Context context = ContextOf(step);
  const Side side = Whom(step, instruction.who);
  const auto amount = [&] { return Evaluate(s_, instruction.amount, context); };
  CardState& source = s_[step.a];
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
      PayCredits(side, amount());
      return true;
    case Op::kGainClicks:
      s_.Of(side).clicks = static_cast<std::int8_t>(s_.Of(side).clicks + amount());
      return true;
    case Op::kLoseClicks:
      s_.Of(side).clicks = static_cast<std::int8_t>(s_.Of(side).clicks - std::min<int>(amount(), s_.Of(side).clicks));
      return true;
    case Op::kDraw:
      Log(LogKind::kDrawn, side, kNoInst, amount());
      Draw(side, amount());
      return true;
    case Op::kDamage:
      s_.targets.resize(step.d);
      DoDamage(instruction.damage, amount());
      return true;
    case Op::kGiveTags:
      GiveTags(amount());
      return true;
    case Op::kEndRun:
      EndTheRun();
      return true;
    case Op::kPlaceVirus:
      source.virus = static_cast<std::uint8_t>(source.virus + amount());
      return true;
    case Op::kPlaceVirusOnIt:
      s_[step.e].virus = static_cast<std::uint8_t>(s_[step.e].virus + amount());
      return true;
    case Op::kPlaceCredits:
      source.credits = static_cast<std::uint16_t>(source.credits + amount());
      return true;
    case Op::kTakeCredits: {
      const int taken = std::min<int>(amount(), source.credits);
      source.credits = static_cast<std::uint16_t>(source.credits - taken);
      s_.Of(source.side).credits = static_cast<std::int16_t>(s_.Of(source.side).credits + taken);
      if (taken > 0) Log(LogKind::kTakeCredits, source.side, step.a, taken);
      if (s_.Def(step.a).trashed_when_empty && source.credits == 0) Trash(step.a);
      return true;
    }
    case Op::kNote:
      step.n = static_cast<std::int16_t>(amount());
      return true;
    case Op::kTrashSelf:
      if (source.zone == Zone::kInstalled) Trash(step.a);
      return true;
    case Op::kTrashIt:
      TrashAccessed(step.e);
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
    case Op::kDelay: {
      const auto same = [&](const Lingering& effect) {
        return effect.delayed && effect.source == step.a && effect.trigger == instruction.to;
      };
      if (std::none_of(s_.lingering.begin(), s_.lingering.end(), same)) {
        s_.lingering.push_back({.delayed = true,
                                .until = instruction.until,
                                .source = step.a,
                                .trigger = instruction.to,
                                .id = source.id});
      }
      return true;
    }
    case Op::kRun:
      return ExecuteRun(step, instruction);
    case Op::kSkipUnless:
      if (!AllHold(s_, instruction.when, context)) step.c = static_cast<std::uint8_t>(step.c + instruction.to);
      return true;
    case Op::kJump:
      step.c = static_cast<std::uint8_t>(step.c + instruction.to);
      return true;
    case Op::kCannotStealOrTrash:
      s_.run.cannot_steal_or_trash = true;
      return true;
    default:
      return ExecuteOnTargets(step, instruction);
  }
}

// kMay and kChoose.
bool Engine::AskChoice(Step& step, const Instruction& instruction) {
  const Side side = Whom(step, instruction.who);
  const bool may = instruction.op == Op::kMay;
  const std::uint8_t next = step.c;
  const auto take = [&](std::size_t option) {
    step.c = static_cast<std::uint8_t>(next + instruction.options[option].to);
  };
  if (step.phase == kAnswered) {
    step.phase = kBegin;
    if (!may) {
      take(s_.answered.n);
    } else if (s_.answered.text == OptionText::kNo) {
      step.c = static_cast<std::uint8_t>(ProgramAt(step).size());
    } else if (ProgramListOf(step.b) == ProgramOf::kTrigger &&
               s_.Def(step.a).triggers[ProgramIndexOf(step.b)].once_per_turn) {
      s_[step.a].used = static_cast<std::uint8_t>(s_[step.a].used | 1u << (4 + ProgramIndexOf(step.b)));
    }
    return true;
  }
  const Context context = ContextOf(step);
  FixedVector<PromptOption, 8> options;
  if (may) {
    options.push_back({OptionText::kYes, 0});
    options.push_back({OptionText::kNo, 0});
  }
  for (std::size_t i = 0; i < instruction.options.size(); ++i) {
    if (AllHold(s_, instruction.options[i].when, context)) {
      options.push_back({OptionText::kLabel, static_cast<std::uint8_t>(i)});
    }
  }
  if (options.size() == 1) {
    take(options[0].n);
    return true;
  }
  Ask(PromptKind::kChoice, side, Message::kOfProgram, step.a);
  s_.prompt.program = step.b;
  s_.prompt.instruction = static_cast<std::uint8_t>(next - 1);
  for (const PromptOption& option : options) AddOption(option.text, option.n);
  return false;
}

bool Engine::AskTargets(Step& step, const Instruction& instruction) {
  if (step.phase == kAnswered) {
    step.phase = kBegin;
    for (const Inst inst : s_.selected) s_.targets.push_back(inst);
    return true;
  }
  const Side side = Whom(step, instruction.who);
  const CardList candidates = Candidates(s_, instruction.filter, side);
  if (candidates.size() <= instruction.min) {
    for (const Inst inst : candidates) s_.targets.push_back(inst);
    return true;
  }
  AskSelect(side, Message::kOfProgram, step.a, candidates, instruction.min, instruction.max);
  s_.prompt.program = step.b;
  s_.prompt.instruction = static_cast<std::uint8_t>(step.c - 1);
  return false;
}

// Cards with the same title count once, ordered by title.
bool Engine::AskSearch(Step& step, const Instruction& instruction) {
  const Side side = Whom(step, instruction.who);
  if (step.phase == kAnswered) {
    step.phase = kBegin;
    for (const Inst inst : s_.Of(side).deck) {
      if (s_[inst].id >= kFirstSearchId) s_[inst].id = 0;
    }
    if (s_.answered.text != OptionText::kCard) return true;
    const Inst found = s_.answered.n;
    FreshId(found);  // everyone sees it
    s_.targets.push_back(found);
    Log(LogKind::kReveal, side, found);
    return true;
  }
  CardList found = Candidates(s_, instruction.filter, side);
  std::ranges::stable_sort(found, {}, [&](Inst inst) { return s_.Def(inst).title; });
  Ask(PromptKind::kChoice, side, Message::kOfProgram, step.a);
  s_.prompt.program = step.b;
  s_.prompt.instruction = static_cast<std::uint8_t>(step.c - 1);
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
