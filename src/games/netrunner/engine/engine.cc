#include "games/netrunner/engine/engine.h"

#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner {

void Engine::Begin(bool shuffle) {
  Push(GameStep{});
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    if (shuffle) Shuffle(side);
    PlayerState& player = s_.Of(side);
    for (int i = 0; i < 5 && !player.deck.empty(); ++i) Move(player.deck.back(), Zone::kHand, false);
  }
  Settle();
}

void Engine::Apply(const Command& command, Side side) {
  if (command.kind == CommandKind::kConcede) {
    Log(LogKind::kConcede, side);
    End(Ending::kConcede, static_cast<std::uint8_t>(Other(side)));
    return;
  }
  if (s_.prompt.kind == PromptKind::kMulligan || s_.prompt.kind == PromptKind::kChoice ||
      s_.prompt.kind == PromptKind::kSelect) {
    Answer(command);
  } else {
    s_.prompt = {};
    Act(command, side);
  }
  Settle();
}

void Engine::Settle() {
  while (!s_.over() && s_.prompt.kind == PromptKind::kNone) {
    if (s_.dirty && Checkpoint()) continue;
    OPENSEAT_CHECK(!s_.stack.empty(), "the game's own step stays at the bottom");
    std::visit([this](auto& step) { Resolve(step); }, s_.stack.back());
  }
}

void Engine::End(Ending ending, std::uint8_t winner) {
  if (s_.run.active) {
    s_.run.active = false;
    s_.run.breaching = false;
    s_.run.accessing = kNoInst;
    Log(LogKind::kRunEnds, Side::kRunner, kNoInst, s_.run.successful ? 1 : 0);
    LastLog().server = s_.run.server;
  }
  s_.ending = ending;
  s_.winner = winner;
  s_.prompt = {};
  s_.stack.clear();
  s_.waiting.clear();
  s_.targets.clear();
  s_.dirty = false;
  Log(LogKind::kWin, winner == 1 ? Side::kRunner : Side::kCorp, kNoInst, static_cast<int>(ending));
}

// After every step that changed the board: checks who has won, what must be trashed, which run has lost its server.
bool Engine::Checkpoint() {
  s_.dirty = false;
  const bool corp = Points(s_, Side::kCorp) >= s_.points_to_win;
  const bool runner = Points(s_, Side::kRunner) >= s_.points_to_win;
  if (corp || runner) {
    End(corp && runner ? Ending::kTie : Ending::kAgenda, corp && runner ? 2 : corp ? 0 : 1);
    return true;
  }
  if (CheckUnique(Side::kCorp) || CheckUnique(Side::kRunner)) return true;
  for (const Inst inst : s_.runner().installed) {
    const Inst host = s_[inst].host;
    if (host != kNoInst && s_[host].zone != Zone::kInstalled) {
      Trash(inst, TrashReason::kHostGone);
      return true;
    }
  }
  const auto installing = [&](const Step& step) {
    const auto* install = std::get_if<InstallCorpStep>(&step);
    return install != nullptr && install->server == s_.run.server;
  };
  if (s_.run.active && !s_.run.ended && !s_.run.successful && !ServerExists(s_, s_.run.server) &&
      std::none_of(s_.stack.begin(), s_.stack.end(), installing)) {
    s_.run.ended = true;
    s_.run.vanished = true;
  }
  const int over = MemoryUsed(s_) - MemoryLimit(s_);
  if (over > 0 && !std::holds_alternative<TrimMemoryStep>(s_.stack.back())) {
    Push(TrimMemoryStep{});
    return true;
  }
  return false;
}

// Trashes the older of two active unique cards with the same title, or of two consoles.
bool Engine::CheckUnique(Side side) {
  const CardList& installed = s_.Of(side).installed;
  for (std::size_t i = 0; i < installed.size(); ++i) {
    const Inst one = installed[i];
    if (!s_[one].faceup || !s_.Def(one).unique) continue;
    for (std::size_t j = i + 1; j < installed.size(); ++j) {
      const Inst other = installed[j];
      if (!s_[other].faceup || !s_.Def(other).unique) continue;
      const bool consoles = s_.Def(one).Has(Subtype::kConsole) && s_.Def(other).Has(Subtype::kConsole);
      if (s_[one].card != s_[other].card && !consoles) continue;
      Trash(s_[one].since < s_[other].since ? one : other, TrashReason::kUnique);
      return true;
    }
  }
  return false;
}

void Engine::Log(LogKind kind, Side side, Inst card, int n) {
  s_.log.Add({.kind = kind,
              .side = side,
              .card = card == kNoInst ? kNoCard : s_[card].card,
              .n = static_cast<std::int16_t>(n),
              .by = Cause()});
}

CardId Engine::Cause() const {
  for (std::size_t i = s_.stack.size(); i-- > 0;) {
    const Step& step = s_.stack[i];
    if (const auto* program = std::get_if<ProgramStep>(&step)) return s_[program->source].card;
    const auto* runner = std::get_if<InstallRunnerStep>(&step);
    const auto* corp = std::get_if<InstallCorpStep>(&step);
    const bool of_text = (runner != nullptr && !runner->is_action) || (corp != nullptr && !corp->is_action) ||
                         std::holds_alternative<PayStep>(step);
    if (!of_text) break;
  }
  return kNoCard;
}

void Engine::LogAdvanced(LogKind kind, Side side, Inst inst, int counters) {
  s_.log.Add({.kind = kind,
              .side = side,
              .card = s_[inst].card,
              .server = s_[inst].server,
              .seen_by = static_cast<std::uint8_t>(s_[inst].faceup ? 3 : 1),
              .ice = IsIce(s_, inst),
              .n = static_cast<std::int16_t>(counters),
              .by = Cause()});
}

}  // namespace openseat::games::netrunner
