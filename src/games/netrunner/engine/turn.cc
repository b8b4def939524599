// GameSetup, turns and the discard phase.
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {
namespace {

constexpr int kCorpClicks = 3;
constexpr int kRunnerClicks = 4;
constexpr std::string_view kClearinghouse = "30061";

bool RezzedClearinghouse(const State& state) {
  for (const Inst inst : state.corp().installed) {
    if (state[inst].faceup && state.Def(inst).code == kClearinghouse) return true;
  }
  return false;
}

}  // namespace

void Engine::Resolve(GameStep& step) {
  using enum GameStep::Phase;
  const bool corp = step.phase == kAskCorp || step.phase == kCorpAnswered;
  const Side side = corp ? Side::kCorp : Side::kRunner;
  switch (step.phase) {
    case kAskCorp:
    case kAskRunner:
      step.phase = corp ? kCorpAnswered : kRunnerAnswered;
      Ask(PromptKind::kMulligan, side, Message::kKeepHand);
      AddOption(OptionText::kKeep);
      AddOption(OptionText::kMulligan);
      return;
    case kCorpAnswered:
    case kRunnerAnswered: {
      step.phase = corp ? kAskRunner : kTurns;
      PlayerState& player = s_.Of(side);
      player.kept = true;
      player.mulliganed = s_.answer == 1;
      Log(player.mulliganed ? LogKind::kMulligan : LogKind::kKeep, side);
      if (!player.mulliganed) return;
      while (!player.hand.empty()) IntoDeck(player.hand.back());
      Shuffle(side);
      for (int i = 0; i < 5 && !player.deck.empty(); ++i) Move(player.deck.back(), Zone::kHand, false);
      return;
    }
    case kTurns:
      s_.active = Other(s_.active);
      Push(TurnStep{.side = s_.active});
  }
}

void Engine::BeginTurn(Side side) {
  if (side == Side::kCorp) ++s_.turn;
  s_.in_turn = true;
  s_.corp_skips_windows = false;
  s_.undo = {};
  PlayerState& player = s_.Of(side);
  // Actions since the last turn ended, such as scoring, may have given some already.
  player.clicks = static_cast<std::int8_t>(player.clicks + (side == Side::kCorp ? kCorpClicks : kRunnerClicks));
  Log(LogKind::kStartTurn, side, kNoInst, player.credits);
  LastLog().m = static_cast<std::uint8_t>(player.hand.size());
}

void Engine::FinishTurn(Side side) {
  ExpireLingering(Until::kTurnEnds);
  if (side == Side::kRunner) s_.ran_last_turn = s_.log_of_turn.successful_run;
  s_.in_turn = false;
  s_.corp_skips_windows = false;
  s_.log_of_turn = {};
  for (std::size_t i = 0; i < s_.card_count; ++i) {
    CardState& card = s_.cards[i];
    card.new_this_turn = false;
    card.rezzed_this_turn = false;
    card.used = 0;
  }
}

void Engine::Resolve(TurnStep& step) {
  using enum TurnStep::Phase;
  const Side side = step.side;
  switch (step.phase) {
    case kBeforeTurn:
      Ask(PromptKind::kStartTurn, side);
      return;
    case kBegins:
      BeginTurn(side);
      step.phase = s_.all_windows || (side == Side::kCorp && RezzedClearinghouse(s_)) ? kPhase12 : kTriggers;
      return;
    case kPhase12:
      Ask(PromptKind::kPhase12, side);
      return;
    case kTriggers:
      step.phase = kDraw;
      Emit(Event::kTurnBegins, side);
      return;
    case kDraw:
      step.phase = kOpponentsWindow;
      s_.main_phase = true;
      if (side == Side::kRunner) return;
      Log(LogKind::kMandatoryDraw, side);
      Draw(side, 1);
      return;
    case kOpponentsWindow:
      step.phase = kAction;
      if (s_.Of(side).clicks > 0 && !(s_.corp_skips_windows && side == Side::kRunner)) {
        // The active player's own window is part of choosing an action.
        Push(WindowStep{.window = WindowKind::kBeforeAction, .priority = Other(side), .other_passed = true});
      }
      return;
    case kAction:
      step.phase = kOpponentsWindow;
      Ask(PromptKind::kAction, side);
      return;
    case kDiscard:
      s_.main_phase = false;
      step.phase = kDiscarded;
      Push(DiscardHandStep{.side = side});
      return;
    case kDiscarded:
      step.phase = s_.all_windows ? kPostDiscard : kEnds;
      return;
    case kPostDiscard:
      Ask(PromptKind::kPostDiscard, side);
      return;
    case kEnds:
      step.phase = kOver;
      s_.Of(side).clicks = 0;
      Log(LogKind::kEndTurn, side, kNoInst, s_.Of(side).credits);
      LastLog().m = static_cast<std::uint8_t>(s_.Of(side).hand.size());
      Emit(Event::kTurnEnds, side);
      return;
    case kOver:
      FinishTurn(side);
      Pop();
  }
}

void Engine::Resolve(DiscardHandStep& step) {
  const Side side = step.side;
  if (!step.asked) {
    const int limit = MaxHandSize(s_, side);
    if (side == Side::kRunner && limit < 0) {
      End(Ending::kFlatline, 0);
      return;
    }
    const int excess = static_cast<int>(s_.Of(side).hand.size()) - limit;
    if (excess <= 0) {
      Pop();
      return;
    }
    step.asked = true;
    const std::size_t count = static_cast<std::size_t>(excess);
    AskSelect(side, Message::kDiscardDown, kNoInst, s_.Of(side).hand, count, count);
    s_.prompt.n = static_cast<std::int16_t>(limit);
    return;
  }
  const CardList chosen = s_.selected;
  Log(LogKind::kDiscard, side, kNoInst, static_cast<int>(chosen.size()));
  for (const Inst inst : chosen) {
    Move(inst, Zone::kDiscard, side == Side::kRunner);
    if (side == Side::kRunner) Log(LogKind::kDiscarded, side, inst);
  }
  Pop();
}

}  // namespace openseat::games::netrunner
