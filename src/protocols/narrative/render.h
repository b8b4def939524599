// Stories as the narrative protocol shows them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "core/ids.h"
#include "games/narrative/story.h"
#include "match/match.h"
#include "match/match_fold.h"
#include "protocols/narrative/replies.h"

namespace openseat::narrative {

// A game as it is looked at; `story` is borrowed.
struct GameView {
  TableId id;
  std::string invite;  // "" where it is public
  const games::narrative::Story* story = nullptr;
  std::vector<std::string> names;  // by seat
  std::string narrator;            // the kind of agent
  Time opened;
  bool narrating = false;  // a turn is under way
  bool over = false;
  std::string reason;  // why it is over
};

// REQUIRES a match of a narrative game that has started.
GameView ViewOf(const Match& match);
GameView ViewOf(const TableId& id, const MatchFold& fold);

// {"turnNumber", "input"?: {"by", "choiceId"?, "text"}, "turn": the narration, "state": how it stood afterwards}.
// `number` counts from 1. REQUIRES that there is such a turn.
json::Object RenderTurn(const GameView& game, std::size_t number);
// All of it but its turns: {"id", "scenario", "title", "player", "narrator", "schemaVersion", "status", "opened", …},
// with the latest turn, where there is one. `version` is that of the answer.
json::Object RenderGame(const GameView& game, int version);
// Why the turn that was undone last was. REQUIRES match.undone().
Failure UndoneFailure(Match& match);
// A line of the list of games.
json::Object RenderSummary(const GameView& game);
// {"id", "title", "summary", "turns", "characters"}.
json::Array RenderScenarios();

}  // namespace openseat::narrative
