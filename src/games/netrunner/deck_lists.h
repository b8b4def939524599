// Netrunner decks in the formats people use: texts from jinteki.net and NetrunnerDB, NetrunnerDB's
// JSON, a deck's problems, and the card pool for deck builders. docs/netrunner.md describes the formats.
#pragma once

#include "core/deck.h"

namespace openseat::games {

const DeckRules& NetrunnerDecks();

}  // namespace openseat::games
