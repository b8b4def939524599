// Netrunner: the complete rules for System Gateway, all 77 cards. The Corp sits at seat 0, the Runner at seat 1.
//
//   actions  credit, draw, play, run, rez, continue, choice, select …, named as in the agents' API, with cards by
//            their public numbers ("c12"); docs/netrunner.md has the list
//   state    what the viewer may see, in the keys of the published clients
//   options  format: system-gateway-beginner (6 points; the default), system-gateway-intermediate, or system-gateway
//            with "decks"; decks {"corp": {"identity", "cards"}, "runner": …} by code or title, the top of a deck
//            first; shuffle, validate (both true), points, all-windows (false)
//   moves    command << 24 | public number of the card << 8 | server, option or ability. Conceding is not a move
#pragma once

#include <memory>

#include "base/json.h"
#include "core/game.h"

namespace openseat::games {

namespace netrunner {
struct State;
// The rules' own state of a game of Netrunner, with everything hidden. REQUIRES a state of this game.
const State& StateOf(const GameState& state);
}  // namespace netrunner

std::unique_ptr<Game> MakeNetrunner();

// Whether the options ask for an unfair game, for puzzles and tests: decks in a given order, unchecked
// decks, a different number of points. A server accepts them only if configured to.
bool IsNetrunnerFixture(const json::Value& options);

}  // namespace openseat::games
