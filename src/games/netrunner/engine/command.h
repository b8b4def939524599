// Command: a player's choice in the form the rules use, and the list of legal ones. Everything that asks what
// is legal (Moves, Actions, Validate) uses ListCommands, so they cannot disagree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/game.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

enum class CommandKind : std::uint8_t {
  kContinue,
  kContinueTurn,  // applies to all windows before the Runner's actions this turn
  kJackOut,
  kStartTurn,
  kEndPhase12,
  kEndPostDiscard,
  kEndTurn,
  kCredit,
  kDraw,
  kPurge,
  kRemoveTag,
  kTrashResource,
  kPlay,           // card; an install by the Corp asks for the server
  kInstall,        // card, arg: server
  kAdvance,        // card
  kScore,          // card
  kRez,            // card
  kAbility,        // card, arg: which
  kRunnerAbility,  // card: an ice whose subroutines are broken with clicks
  kRun,            // arg: server
  kChoice,         // arg: option
  kSelect,         // card
  kConcede,
  kAutoBreak,  // card: the icebreaker
  kUndo
};

struct Command {
  CommandKind kind = CommandKind::kContinue;
  Inst card = kNoInst;
  std::uint8_t arg = 0;

  bool operator==(const Command&) const = default;
};

constexpr std::size_t kMaxCommands = 2048;

// The legal commands of the side that is asked, in no particular order. Conceding is always legal and not listed, nor
// is undo.
class CommandList {
 public:
  void Add(CommandKind kind, Inst card = kNoInst, std::uint8_t arg = 0) {
    if (size_ < kMaxCommands) commands_[size_++] = {kind, card, arg};
  }
  std::span<const Command> all() const { return std::span(commands_).first(size_); }

 private:
  std::size_t size_ = 0;
  // Not initialized: only the first size_ are ever read.
  std::array<Command, kMaxCommands> commands_;
};
void ListCommands(const State& state, CommandList& out);
// Whether a legal command of the side that is asked is as `wanted(command)` says.
template <typename Wanted>
bool AnyLegal(const State& state, Wanted wanted) {
  CommandList commands;
  ListCommands(state, commands);
  return std::ranges::any_of(commands.all(), wanted);
}

// Whether a side must be asked in a window. For the Corp, this depends only on what the Runner can see, too: an
// unrezzed card that might be rezzed, an ability of a rezzed card.
bool MustAskInWindow(const State& state, Side side, WindowKind window);
// Whether a side may use this ability of its card now and can pay for it.
bool CanUse(const State& state, Inst inst, std::size_t ability);
// Whether the side that is asked may take back its last click.
bool CanUndo(const State& state);
// Whether enough cards are selected for the open prompt: then Done is legal.
bool SelectedEnough(const State& state);
// Whether the encountered ice has subroutines that this ability could break.
bool CanBreakByClicks(const State& state);

// A command's number: its kind, the card's public number, and arg. It means the same card in every state.
Move ToMove(const State& state, const Command& command);
// REQUIRES a move that is a legal command.
Command FromMove(const State& state, Move move);
// The card with this public number; kNoInst if there is none.
Inst FindById(const State& state, std::uint16_t id);

}  // namespace openseat::games::netrunner
