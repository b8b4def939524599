// GameClient: plays a hosted game as a game that speaks the Neuro API: it connects to any Neuro server, registers the
// actions of its turns, forces, judges the answers by the rules, and moves the other seats itself at random. One
// connection, one thread; docs/protocols/neuro.md says what it sends when.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "base/scheduler.h"
#include "core/game.h"
#include "net/websocket.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

struct GameClientOptions {
  std::string agent_name = "Agent";  // for the seat that the server plays
  std::string house_name = "House";  // for the other seats
  std::size_t games = 1;             // games to play; 0: until the server goes away
  Duration pace{0};                  // between two moves
  std::uint64_t seed = 0;
  // For tests of servers: replaces each packet by those that are really sent, so that a game can be broken on purpose.
  std::function<std::vector<std::string>(std::string packet)> tamper = nullptr;
};

// Events, for an observer that draws them.
class GameClientObserver {
 public:
  virtual ~GameClientObserver() = default;
  virtual void OnMove(const GameState& state, SeatIndex mover, const PlayedChoice& choice) = 0;
  virtual void OnRefused(std::string_view action, std::string_view reason) = 0;
  virtual void OnOutcome(const GameState& state, const Outcome& outcome, SeatIndex agent_seat) = 0;
  // All games are played and the connection is closed (`error` empty), or why it ended earlier.
  virtual void OnEnd(std::string error) = 0;
};

class GameClient final : public net::WebSocketSession {
 public:
  // `game` and `observer` outlive it. REQUIRES a game of exactly two seats at least.
  GameClient(const Game& game, GameClientOptions options, GameClientObserver& observer);

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override;
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing& closing) override;

 private:
  void NewGame();
  void Continue();  // after the pace
  void Step();
  void MoveHouse(SeatIndex seat);
  void AskAgent();
  void Unregister();
  void OnAction(const ActionMessage& action);
  void Finish(const Outcome& outcome);
  void Leave();

  void SendContext(std::string message, bool silent);
  void SendRegistered();
  void SendResult(const std::string& id, bool success, std::string message);
  void SendOut();

  const Game& game_;
  const GameClientOptions options_;
  GameClientObserver& observer_;
  const std::string title_;
  std::shared_ptr<net::WebSocket> socket_;
  std::unique_ptr<GameState> state_;
  Rng rng_;
  SeatIndex agent_seat_ = 0;
  std::size_t played_ = 0;
  bool waiting_ = false;  // of the agent's action
  bool leaving_ = false;
  std::vector<ActionDefinition> registered_;
  ScopedTimer pace_timer_;
  std::vector<Move> moves_;
  std::string out_;
};

}  // namespace openseat::neuro
