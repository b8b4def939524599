// Sight: what a seat sees at the moment it is asked, for agents to read. Each part is made when it is first asked for,
// once, and shared by all who hold the decision: a question that nobody reads costs nothing.
//
// Immutable to those who hold it. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

class Sight {
 public:
  // Of a hosted game. `game` outlives it. REQUIRES state, and seat < state->names().size().
  Sight(const Game& game, std::shared_ptr<const GameState> state, SeatIndex seat);
  // Of a game elsewhere: what it says of itself, any text.
  explicit Sight(std::string text);
  Sight(const Sight&) = delete;
  Sight& operator=(const Sight&) = delete;

  // Nothing is seen: one object for all.
  static const std::shared_ptr<const Sight>& None();

  // What the table looks like, Markdown from hosted games (GameState::Describe); may be empty.
  const std::string& text() const;
  // The same in at most about `tokens` tokens (base/tokens.h); "" where it cannot be said shorter. Made anew each time.
  std::string TextWithin(std::size_t tokens) const;
  // GameState::Observe of this seat; null of a game elsewhere.
  const json::Value& observation() const;
  // What the seat may choose now, in the order of its moves; examples where the game's moves are not complete. Empty of
  // a game elsewhere.
  const std::vector<LegalChoice>& choices() const;
  // Null of a game elsewhere.
  const Game* game() const { return game_; }

 private:
  const Game* const game_ = nullptr;
  const std::shared_ptr<const GameState> state_;  // null of a game elsewhere
  const SeatIndex seat_ = 0;
  mutable std::once_flag text_made_;
  mutable std::string text_;
  mutable std::once_flag observation_made_;
  mutable json::Value observation_;
  mutable std::once_flag choices_made_;
  mutable std::vector<LegalChoice> choices_;
};

}  // namespace openseat
