// Finds the program that a step or a prompt refers to.
#pragma once

#include <cstdint>

#include "games/netrunner/card_def.h"

namespace openseat::games::netrunner {

// `ref` is a value from ProgramRef.
const Program& ProgramOfCard(const CardDef& def, std::uint8_t ref);

}  // namespace openseat::games::netrunner
