// GameRecord: one game of a run as the run's files keep it: how it ended (GameLine), what was decided, and its journal.
// docs/formats/run.md describes the lines. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arena/decision_log.h"
#include "arena/game_line.h"
#include "arena/schedule.h"
#include "base/json.h"
#include "base/result.h"
#include "core/game.h"
#include "core/journal.h"
#include "match/match.h"

namespace openseat::arena {

// Why the run itself ended a match: nothing that a player did.
struct Interruption {
  std::string code;   // "cap", "interrupted", "too-large" …
  std::string cause;  // a sentence
};

// How a match ended, as a run counts it (docs/runs.md).
struct GameEnd {
  GameResult result = GameResult::kVoid;
  std::vector<SeatIndex> winners;
  bool forfeit = false;
  std::optional<std::string> cause;
  std::optional<std::string> code;
  std::string reason;
  std::optional<SeatIndex> culprit;  // the seat that a forfeit or a void game is due to, if one is
  bool permanent = false;            // playing again would end the same way
};
// `interruption` is set if the run ended the match. REQUIRES that the match is over.
GameEnd EndOf(const Match& match, const std::optional<Interruption>& interruption);

// A game that was played.
struct PlayedGame {
  const Game* game = nullptr;
  PlannedGame planned;
  std::vector<std::string> agents;  // their names, by seat
  TableId table;
  GameEnd end;
  Time started;
  double seconds = 0;
};

// The line of games.jsonl without what the events say.
GameLine LineOf(const PlayedGame& played);

struct GameRecord {
  GameLine line;
  std::vector<DecisionRecord> decisions;
  json::Object replay;
  std::vector<json::Object> training;
};
// What the events of the match's journal say. Without `observe` no rules are applied: there are no observations and
// choices, and no replay. Errors: kParse for events that no match of this game wrote.
Result<GameRecord> MakeRecord(const PlayedGame& played, const std::vector<StoredEvent>& events, bool observe);

// What a model's event says that it used; nullopt for another step.
struct ModelUse {
  std::uint64_t tokens = 0;
  double cost = 0;
};
std::optional<ModelUse> UseOf(const Event& event);

// A line of replays.jsonl.
struct RecordedGame {
  TableId table;
  std::string game_id;
  std::vector<StoredEvent> events;
};
Result<RecordedGame> ParseReplay(const json::Value& line);

}  // namespace openseat::arena
