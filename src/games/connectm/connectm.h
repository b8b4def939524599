// Connect-M: drop discs into columns until M of one color are in a line. Connect Four by default.
//
//   action   drop {"column": n} -> {"column": n}
//            drop_info {} -> {"can_drop": [bool …], "drop_wins": {"Y": [bool …], "R": [bool …]}}, a bool a column; at
//            any time, by either player
//   state    {"turn": name, "players": {name: "R", name: "Y"}, "board": rows of " ", "R", "Y", the top row first},
//   the
//            same for everyone; the first player is red
//   options  rows (6), columns (7), 1 to 20; m (4), 2 to the longer side
//   moves    the column
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakeConnectM();

}  // namespace openseat::games
