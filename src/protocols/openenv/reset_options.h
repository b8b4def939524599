// What a client asks for in `reset` (docs/protocols/openenv.md#reset). Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/kinds.h"
#include "base/budget.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/game.h"

namespace openseat::openenv {

enum class Reward : std::uint8_t { kTerminal, kScore, kShaped, kJudge };

// Which parts of an observation are wanted.
struct Fields {
  bool state = true;
  bool text = true;
  bool choices = true;
  bool mask = true;
};

// What concerns one player: a socket with its seats.
struct PlayerTerms {
  std::vector<SeatIndex> seats;  // ascending, at least one
  Reward reward = Reward::kTerminal;
  double illegal_reward = -0.1;
  std::uint64_t illegal_attempts = 0;  // 0: any number
  Fields fields{};
  Duration wait = std::chrono::seconds(30);
  std::shared_ptr<Payer> payer{};  // of the player's address; null: not known. Not of the client's message
};

struct ResetOptions {
  std::optional<std::uint64_t> seed;
  std::string episode_id;  // "": a fresh one
  PlayerTerms player;
  bool seat_named = false;
  std::size_t players = 0;  // how many seats there are
  bool players_named = false;
  // By seat; nullopt for the player's own seats and for those that are open.
  std::vector<std::optional<AgentSpec>> opponents;
  bool opponents_named = false;
  bool open = false;  // some seat is for another socket
  json::Value options;
  bool record = false;
  bool autoreset = false;
};

inline constexpr std::size_t kMaxEpisodeId = 255;
inline constexpr Duration kMaxWait = std::chrono::seconds(50);  // clients give up after 60

// `namer`: whom the caller counts as, for the agents that it names. Errors: kInvalid with the argument as path; the
// kinds' errors for an agent.
Result<ResetOptions> ReadReset(const json::Object& arguments, const Game& game, const AgentKinds& kinds, Namer namer);

}  // namespace openseat::openenv
