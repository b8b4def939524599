// A game written in JavaScript as a Game like any other. docs/writing_games.md is for those who write scripts,
// docs/scripts.md says how they run.
//
// A state holds all that the script says about it (position.h), asked in one call of the script when the state is made;
// so looking at a state runs nothing. If the script fails after a choice, the game is over: the state stays as it was,
// nobody wins, and the outcome's reason says what failed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/game.h"
#include "games/script/script.h"

namespace openseat::games {

// files[0] is the script. `older` are games of the same id that earlier matches began with: Game::OfVersion finds them.
// Errors: the script's faults, with the file and line as path.
Result<std::unique_ptr<Game>> MakeScriptGame(std::vector<ScriptFile> files,
                                             std::vector<std::unique_ptr<const Game>> older = {});

// Whether the game is one of MakeScriptGame.
bool IsScript(const Game& game);
// Why the script failed at this state; "" if it did not. REQUIRES a state of a game of MakeScriptGame.
const std::string& FaultOf(const GameState& state);

}  // namespace openseat::games
