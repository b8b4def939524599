// Roll call: a game for two to four, for tests of what depends on how many players there are. In turn each says "here";
// when all have, it is a draw.
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::testing {

std::unique_ptr<Game> MakeRollCall();

}  // namespace openseat::testing
