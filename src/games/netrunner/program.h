// Finding the program that a step or a prompt refers to.
#pragma once

#include <cstdint>

#include "games/netrunner/card_def.h"

namespace openseat::games::netrunner {

// `ref` as ProgramRef makes it.
const Program& ProgramOfCard(const CardDef& def, std::uint8_t ref);

}  // namespace openseat::games::netrunner
