// CrashMatch: what the clients of one match know of it across the server's deaths: what they asked, what was
// acknowledged, and so how the game must stand.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "core/game.h"

namespace openseat::tests {

struct CrashSeat {
  std::string name;
  std::string token;    // came with the acknowledged join; "" before
  bool hosted = false;  // a random agent of the server's plays it
  // Of a client: the actions that were acknowledged. Of a hosted agent: those that a client was told of.
  std::vector<std::string> known;
  std::optional<PlayedChoice> in_flight;  // asked, and not answered yet
  bool seated = false;                    // joined or resumed on the present connection
  std::optional<json::Value> told;        // the last notification on the present connection
};

class CrashMatch {
 public:
  // A match between two clients, or (`hosted`: that seat) a client and an agent. The client at the other seat has
  // `name`; the other client has it with a number behind.
  CrashMatch(const Game& game, std::string name, std::optional<SeatIndex> hosted);

  const Game& game() const { return game_; }
  bool begun() const { return model_ != nullptr; }
  const GameState& model() const { return *model_; }
  bool over() const { return model_ != nullptr && model_->GetOutcome().has_value(); }
  bool clients_seated() const;

  // Both players are in: the game as it must be now.
  void Begin();
  // A legal choice of this seat, at random.
  PlayedChoice Draw(SeatIndex seat, Rng& rng) const;
  // The seat's action in flight was acknowledged.
  void Acknowledge(SeatIndex seat);
  // What the client at `seat` was told of the state: where the agent has moved meanwhile, follows it. An empty text, or
  // what is wrong with it.
  std::string Follow(SeatIndex seat);
  // After a restart, with every client seated again and told where the game stands: holds the match's recorded events
  // ({"events": […]}, the whole record) and what the clients were told against what they know. Actions that were in
  // flight count from then on as acknowledged if they were recorded. An empty text, or what was lost or made up.
  std::string CheckAgainst(const json::Value& transcript);
  // The last notifications of a match that is over, against the model.
  std::string CheckEnd() const;
  // A finished match's record once more: exactly what was known.
  std::string CheckRecord(const json::Value& transcript) const;

  std::string id;
  std::array<CrashSeat, 2> seats;
  bool finished = false;  // over, and all clients were told
  bool given_up = false;  // a join was not acknowledged before the server died, so its token is lost
  // Of the last CheckAgainst: actions in flight that turned out to be recorded, and that did not.
  std::size_t found = 0;
  std::size_t forgotten = 0;

 private:
  std::unique_ptr<GameState> NewGame() const;

  const Game& game_;
  std::unique_ptr<GameState> model_;
};

}  // namespace openseat::tests
