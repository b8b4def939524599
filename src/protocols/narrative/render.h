// Stories in the form of the narrative protocol. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "core/seat_view.h"
#include "games/narrative/story.h"
#include "match/match.h"
#include "match/match_fold.h"
#include "protocols/narrative/replies.h"

namespace openseat::narrative {

// A game as it is shown; `story` is borrowed.
struct GameView {
  SeatView seen;                                   // by spectators
  const games::narrative::Story* story = nullptr;  // borrowed; without the half of a turn that is under way
  std::string narrator;                            // the kind of agent; "" for a client
  bool narrating = false;                          // a turn is under way
  std::size_t begun = 0;                           // how many turns of another story it began with
};

// REQUIRES a match of a narrative game that has started.
GameView ViewOf(const Match& match);
GameView ViewOf(const MatchFold& fold);

// {"turnNumber", "input"?: {"by", "choiceId"?, "text"}, "turn": the narration, "state": the state afterwards}. `number`
// counts from 1. REQUIRES that there is such a turn.
json::Object RenderTurn(const GameView& game, std::size_t number);
// Everything but its turns: {"id", "scenario", "title", "player", "narrator", "schemaVersion", "status", "opened", …},
// with the latest turn, if there is one. `version` is that of the answer.
json::Object RenderGame(const GameView& game, int version);
// Why the last turn was undone. REQUIRES match.undone().
Failure UndoneFailure(Match& match);
// A line of the list of games.
json::Object RenderSummary(const GameView& game);
// {"id", "title", "summary", "turns", "characters"}.
json::Array RenderScenarios();

}  // namespace openseat::narrative
