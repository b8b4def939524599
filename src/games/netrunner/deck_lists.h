// Netrunner decks as people keep and exchange them: texts as jinteki.net and NetrunnerDB write them, NetrunnerDB's
// JSON, what is wrong with a deck, and the card pool for those who build one. docs/netrunner.md describes the forms.
#pragma once

#include "core/deck.h"

namespace openseat::games {

const DeckRules& NetrunnerDecks();

}  // namespace openseat::games
