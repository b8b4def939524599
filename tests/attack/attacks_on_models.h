// What strangers try as Neuro games that a language model plays: questions of the greatest length. A model with a large
// context refuses none of them for its length. Each function makes one round of an attack; none has expectations.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "attack/attackers.h"
#include "net/test_client.h"

namespace openseat::tests {

// Stands in for the provider of a model that always chooses the action "rest".
class ModelStandIn {
 public:
  ModelStandIn() = default;
  ~ModelStandIn();
  ModelStandIn(const ModelStandIn&) = delete;
  ModelStandIn& operator=(const ModelStandIn&) = delete;

  // The sections of a config file that have the model, with a context of a million tokens, play these games.
  static constexpr std::size_t kGames = 8;
  std::string Config() const;
  static std::string Game(std::size_t number);

  // Answers from now on, on a thread. Called once. Until then, requests wait.
  void Serve();
  // The number of whole requests so far.
  std::size_t asked() const { return asked_; }

 private:
  void Run();
  void Answer(net::TestClient& client);

  net::TestListener listener_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> asked_ = 0;
  std::thread thread_;
};

// Registers as many actions as a stranger may, whose names fill max_schema_bytes, and forces one of them.
void ForceLargeNames(WireGame& game);
// Registers actions whose schemas fill max_schema_bytes; their names.
std::vector<std::string> RegisterLargeSchemas(WireGame& game);
// Forces one of the actions, with a state of this many bytes.
void ForceWithState(WireGame& game, const std::vector<std::string>& names, std::size_t bytes);
// Registers "rest" and "go", of which the model chooses the first; their names.
std::vector<std::string> RegisterRest(WireGame& game);

// Two sizes of a state: with large schemas, what a million tokens hold, and about as much as a message may have.
inline constexpr std::size_t kLargeStates[] = {2'900'000, 3'900'000};

}  // namespace openseat::tests
