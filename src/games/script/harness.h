// Texts that are compiled into the program.
#pragma once

#include <string_view>

namespace openseat::games {

std::string_view HarnessText();    // engine/harness.js
std::string_view GameTypesText();  // games/openseat-game.d.ts

}  // namespace openseat::games
