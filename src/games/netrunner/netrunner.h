// Netrunner: the complete rules for System Gateway, all 77 cards. The Corp sits at seat 0, the Runner at seat 1.
//
//   actions  credit, draw, play, run, rez, continue, choice, select … as the API for agents names them, with cards by
//            their public numbers ("c12"); docs/netrunner.md has the list
//   state    what the viewer may see, in the keys of the published clients
//   options  format: system-gateway-beginner (6 points; the default), system-gateway-intermediate, or system-gateway
//            with "decks"; decks {"corp": {"identity", "cards"}, "runner": …} by code or title, the top of a deck
//            first; shuffle, validate (both true), points, all-windows (false)
//   moves    command << 24 | public number of the card << 8 | server, option or ability. Conceding is no move
#pragma once

#include <memory>

#include "base/json.h"
#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakeNetrunner();

// Whether options ask for something that is not a fair game, as puzzles and tests do: decks in a given order, decks
// that were not checked, another number of points. A server takes them only where it was told to.
bool IsNetrunnerFixture(const json::Value& options);

}  // namespace openseat::games
