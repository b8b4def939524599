// CrashMatch: what the clients of one match know about it across the server's deaths: what they requested, what was
// acknowledged, and therefore what the state of the game must be.
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
  bool hosted = false;  // a random agent of the server plays it
  // For a client: the actions that were acknowledged. For a hosted agent: those that a client was told about.
  std::vector<std::string> known;
  std::optional<PlayedChoice> in_flight;  // requested, and not answered yet
  bool seated = false;                    // joined or resumed on the present connection
  std::optional<json::Value> told;        // the last notification on the present connection
};

class CrashMatch {
 public:
  // A match between two clients, or (`hosted`: that seat) a client and an agent. The client at the other seat is called
  // `name`; the other client has that name with a number appended.
  CrashMatch(const Game& game, std::string name, std::optional<SeatIndex> hosted);

  const Game& game() const { return game_; }
  bool begun() const { return model_ != nullptr; }
  const GameState& model() const { return *model_; }
  bool over() const { return model_ != nullptr && model_->GetOutcome().has_value(); }
  bool clients_seated() const;

  // Both players have joined: the game as it must be now.
  void Begin();
  // A random legal choice of this seat.
  PlayedChoice Draw(SeatIndex seat, Rng& rng) const;
  // The seat's action in flight was acknowledged.
  void Acknowledge(SeatIndex seat);
  // Checks the state that the client at `seat` was told; if the agent has moved meanwhile, follows the move. An empty
  // text, or what is wrong with the state.
  std::string Follow(SeatIndex seat);
  // After a restart, once every client is seated again and was told the current state: compares the match's recorded
  // events ({"events": […]}, the whole record) and what the clients were told with what they know. Actions that were in
  // flight count from then on as acknowledged if they were recorded. An empty text, or what was lost or made up.
  std::string CheckAgainst(const json::Value& transcript);
  // Compares the last notifications of a finished match with the model.
  std::string CheckEnd() const;
  // Checks a finished match's record again: it must be exactly what was known.
  std::string CheckRecord(const json::Value& transcript) const;

  std::string id;
  std::array<CrashSeat, 2> seats;
  bool finished = false;  // over, and all clients were told
  bool given_up = false;  // a join was not acknowledged before the server died, so its token is lost
  // Results of the last CheckAgainst: the actions in flight that were recorded, and those that were not.
  std::size_t found = 0;
  std::size_t forgotten = 0;

 private:
  std::unique_ptr<GameState> NewGame() const;

  const Game& game_;
  std::unique_ptr<GameState> model_;
};

}  // namespace openseat::tests
