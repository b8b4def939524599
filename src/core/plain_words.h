// A choice in words that are made of its names: what it is called where the game has no words of its own.
#pragma once

#include <string>

#include "core/game.h"

namespace openseat {

// The action and its data: "say: Hello".
std::string InPlainWords(const PlayedChoice& choice);

}  // namespace openseat
