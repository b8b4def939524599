// Chicken, repeated: swerve or go straight, both at once, until neither swerves.
//
//   action   move {"swerve": bool} -> {"swerve": bool}
//   state    {"p1_points", "p2_points", "rounds": [{"p1_swerve", "p2_swerve", "p1_points", "p2_points"}]}, the same for
//            everyone; a round shows when both have chosen
//   options  max_rounds, 1 to 1000 (1000): the match ends after that many, so that none goes on forever
//   moves    0 straight, 1 swerve
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakeChicken();

}  // namespace openseat::games
