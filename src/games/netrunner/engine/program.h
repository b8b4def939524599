// Finds the program that a step or a prompt refers to.
#pragma once

#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/engine/steps.h"

namespace openseat::games::netrunner {

const Program& ProgramOfCard(const CardDef& def, ProgramRef ref);

}  // namespace openseat::games::netrunner
