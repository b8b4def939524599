// Roll call: a game for two to four players, for tests of what depends on the number of players. In turn each says
// "here"; when all have, it is a draw.
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::testing {

std::unique_ptr<Game> MakeRollCall();

}  // namespace openseat::testing
