// Recording: what passed between a game and its server, as the journal has it, for replaying it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"

namespace openseat::relay {

// One event of a recorded table that a replay follows.
struct Cue {
  enum class Kind : std::uint8_t { kConnected, kDisconnected, kFromGame, kToGame, kGap };
  Kind kind{};
  Seq seq = 0;
  Time time{};
  std::string text{};  // of a message, exactly; of a gap, the reason
};

struct Recording {
  std::string game;  // its name
  std::vector<Cue> cues;
  std::size_t from_game = 0;  // messages
  std::size_t to_game = 0;
};

// Reads a table. Errors: kNotFound; kInvalid if it is not a remote game's or is too long to be kept in memory; the
// journal's.
Result<Recording> ReadRecording(Journal& journal, const TableId& table);

}  // namespace openseat::relay
