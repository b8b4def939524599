// Asking, and receiving the answer.
#include <algorithm>

#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

void Engine::Ask(PromptKind kind, Side side, Message message, Inst card, int n) {
  if (kind != PromptKind::kAction) CannotUndo();
  Prompt& prompt = s_.prompt;
  prompt.kind = kind;
  prompt.side = side;
  prompt.message = message;
  prompt.card = card;
  prompt.n = static_cast<std::int16_t>(n);
}

void Engine::AskSelect(Side side, Message message, Inst card, const CardList& candidates, std::size_t min,
                       std::size_t max) {
  Ask(PromptKind::kSelect, side, message, card);
  for (const Inst inst : candidates) s_.prompt.candidates.Insert(inst);
  s_.prompt.min = static_cast<std::uint8_t>(std::min(min, candidates.size()));
  s_.prompt.max = static_cast<std::uint8_t>(std::min(max, candidates.size()));
}

void Engine::AskAgain() {
  ProgramStep* program = std::get_if<ProgramStep>(&s_.stack.back());
  AccessStep* access = std::get_if<AccessStep>(&s_.stack.back());
  if (program != nullptr && s_.prompt.message == Message::kOfProgram) {
    for (const Inst inst : s_.Of(s_.prompt.side).deck) {
      if (s_[inst].id >= kFirstSearchId) s_[inst].id = 0;
    }
    program->asked = false;
    --program->next;  // the instruction that asks
  } else if (access != nullptr && s_.prompt.message == Message::kAccessed) {
    access->phase = AccessStep::Phase::kOffer;
  } else {
    return;
  }
  s_.prompt = {};
  Settle();
}

void Engine::Answer(const Command& command) {
  if (command.kind == CommandKind::kSelect) {
    s_.prompt.selected.push_back(command.card);
    if (s_.prompt.selected.size() < s_.prompt.max) return;
  }
  if (s_.prompt.kind == PromptKind::kSelect) {
    s_.selected = s_.prompt.selected;
  } else {
    s_.answer = command.arg;
  }
  // The step that asked interprets the option.
  s_.answered = s_.prompt.kind == PromptKind::kSelect ? PromptOption{} : s_.prompt.options[command.arg];
  s_.prompt = {};
}

}  // namespace openseat::games::netrunner
