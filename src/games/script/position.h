// Position: all that a script says about a state of its game, read once from what the harness returned and checked as a
// stranger's. Afterwards nothing needs to be asked, so that several threads may look at the same position.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/lazy.h"
#include "base/result.h"
#include "base/rng.h"
#include "core/game.h"
#include "games/script/script_info.h"
#include "games/script/view.h"

namespace openseat::games {

struct LogLine {
  std::string text;
  std::optional<SeatSet> to;  // who may read it; nullopt: everyone

  bool operator==(const LogLine&) const = default;
};

// What happened so far, as lines; the oldest are dropped.
struct ScriptLog {
  static constexpr std::size_t kMostLines = 300;

  std::size_t dropped = 0;
  std::vector<LogLine> lines;

  void Add(LogLine line);
  bool operator==(const ScriptLog&) const = default;
};

struct ScriptChoice {
  Move move = 0;
  PlayedChoice choice;  // without an action, if the number says all (ChoiceOf)
  std::string label;    // empty: the default
};
PlayedChoice ChoiceOf(const ScriptInfo& info, const ScriptChoice& choice);

// What an awaited seat may do.
struct SeatChoices {
  SeatIndex seat = 0;
  std::vector<ActionSpec> actions;
  std::vector<ScriptChoice> choices;  // in ascending order of moves
};

struct Position {
  using Words = std::array<std::uint32_t, 4>;  // the state of the script's random numbers

  json::Value state;
  std::string state_text;  // its JSON
  Words random{};
  ScriptLog log;
  // Why the script failed at this state, if it did: then the game is over, and `state` is the last one that was good.
  std::string fault;

  SeatSet awaited;
  std::optional<Outcome> outcome;
  std::size_t viewers = 1;                // spectators, and each seat if anything is hidden
  std::shared_ptr<ScriptViews> views;     // of each viewer; never null
  std::vector<SeatChoices> choices;       // of the awaited seats; in a brief position without actions and labels
  std::shared_ptr<Lazy<Position>> later;  // of a brief position: all of it, once somebody asks

  // Not in a brief position:
  std::vector<json::Value> observed;   // by each viewer
  std::vector<std::string> described;  // by each seat; empty: by the default

  const SeatChoices* Of(SeatIndex seat) const;
  const json::Value& Seen(Viewer viewer) const { return observed[PlaceOf(viewer)]; }
  // The viewer's place among `observed`.
  std::size_t PlaceOf(Viewer viewer) const { return viewer.seat() && viewers > 1 ? *viewer.seat() + 1u : 0u; }
};

inline constexpr std::size_t kMostStateBytes = 64u << 10;
inline constexpr std::size_t kMostChoiceBytes = 1u << 20;  // of the choices of all seats, as JSON with their names

// From what an operation of the harness returned: "state", "random" (by default `random`), "outcome", "awaited",
// "actions", "observed", "described"; not the log. Without "observed", the position is brief. Errors: kInvalid or
// kTooLarge.
Result<Position> ReadPosition(const ScriptInfo& info, const json::Value& answer, std::size_t seats,
                              const Position::Words& random);
// Adds the "log" of an answer, each line a text or {"text", "to"?}, at most 50 lines of 1000 bytes. Errors: kInvalid or
// kTooLarge.
Result<void> ReadLog(const json::Value& lines, std::size_t seats, ScriptLog& log);

// What a script calls a choice, as one line; "" if it says nothing.
std::string LabelOf(std::string_view text);
// A line of the log, as one line that is not too long.
std::string LineOf(std::string_view text);

Position::Words WordsFrom(Rng& rng);
json::Array ToJson(const Position::Words& words);
std::optional<Position::Words> WordsOf(const json::Value* value);

}  // namespace openseat::games
