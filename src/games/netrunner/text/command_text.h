// What a legal command is to the side that is asked, in words.
#pragma once

#include <string>

#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// "Play Sure Gamble (1 click, 5 credits)", "Install Palisade on HQ (1 click)", "Cleaver: Break up to 2 Barrier
// subroutines (1 credit)". A card's number is added where two installed cards have the same name. REQUIRES a legal
// command.
std::string CommandLabel(const State& state, const Command& command);

// Whether a list of choices should have it. False for all but one of the cards in a hand, a deck or a discard pile that
// are the same to the player, and for a Corp's install that asks for the server: there is one for each server. REQUIRES
// a legal command.
bool IsOffered(const State& state, const Command& command);

}  // namespace openseat::games::netrunner
