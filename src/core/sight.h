// Sight: what a seat sees at the moment it is asked, for agents to read. Each part is made once, when it is first
// requested, and shared by all who hold the decision: a question that nobody reads costs nothing.
//
// Immutable to those who hold it. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/lazy.h"
#include "base/rng.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

class Sight {
 public:
  // Of a hosted game. `game` outlives it. REQUIRES state, and that a viewer's seat < state->names().size().
  // `same`, if given, is of the same state and observes the same (GameInfo::hides): that is not made twice.
  Sight(const Game& game, std::shared_ptr<const GameState> state, Viewer viewer,
        std::shared_ptr<const Sight> same = nullptr);
  // Of a game elsewhere: what it says of itself, any text.
  explicit Sight(std::string text);
  Sight(const Sight&) = delete;
  Sight& operator=(const Sight&) = delete;

  // Nothing is seen: one object for all.
  static const std::shared_ptr<const Sight>& None();

  // What the table looks like; Markdown from hosted games (GameState::Describe); may be empty.
  const std::string& text() const;
  // The same in at most about `tokens` tokens (base/tokens.h); "" if there is no shorter form. Made on every call.
  std::string TextWithin(std::size_t tokens) const;
  // GameState::Observe for this seat; null for a game elsewhere.
  const json::Value& observation() const;
  // The same as one line of JSON.
  const std::string& observation_text() const;
  // The same, made on each call: for the only reader, who keeps it.
  json::Value Observe() const;
  // GameState::View, made on each call; "" of a game elsewhere.
  std::string View() const;
  // GameState::Log, made on each call; empty of a game elsewhere.
  std::vector<std::string> Log() const;
  // GameState::News since `before`, an earlier sight of the same viewer; made on each call.
  std::vector<std::string> News(const Sight& before) const;
  // What the seat is offered now (OfferedTo), in the order of its moves; examples where the game's moves are not
  // complete. Empty of a game elsewhere, and for a spectator.
  const std::vector<LegalChoice>& choices() const;
  // What the seat may do now (GameState::Actions without the any_time ones), offered or not; made on each call.
  std::vector<ActionSpec> Actions() const;
  // The seat's moves (GameState::Moves), offered or not; made on each call. Empty of a game elsewhere, and for a
  // spectator.
  std::vector<Move> Moves() const;
  // GameState::ToChoice. REQUIRES one of Moves().
  PlayedChoice ChoiceOf(Move move) const;
  // A state for the seat to play ahead from (GameState::Sample), a new one on each call; nullptr if there is none, of a
  // game elsewhere, and for a spectator. A script may take 25 ms for it: not on an event loop.
  std::unique_ptr<GameState> Sample(Rng& rng) const;
  // Whether it is of this very state.
  bool Shows(const GameState& state) const { return state_.get() == &state; }
  // Null of a game elsewhere.
  const Game* game() const { return game_; }

 private:
  const Game* const game_ = nullptr;
  const std::shared_ptr<const GameState> state_;  // null of a game elsewhere
  const Viewer viewer_ = Viewer::Spectator();
  const std::shared_ptr<const Sight> same_;
  const Lazy<std::string> text_;  // of a game elsewhere: what it said
  const Lazy<json::Value> observation_;
  const Lazy<std::string> observation_text_;
  const Lazy<std::vector<LegalChoice>> choices_;
};

}  // namespace openseat
