// What a complaint of the checks for all games (testing/game_conformance.h) means to somebody who writes a script.
#pragma once

#include <string>

#include "core/game.h"

namespace openseat::app {

// "seed 1, after 3 choices: a sample differs …", with the words of docs/writing_games.md, the place first. REQUIRES a
// game of MakeScriptGame.
std::string InWords(const Game& game, const std::string& complaint);

}  // namespace openseat::app
