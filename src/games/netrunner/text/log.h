// The sentences of the game's log, as seen by a viewer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "games/netrunner/engine/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// "HQ", "Server 1", "New remote".
std::string ServerName(Server server);
// "1 card", "3 cards".
std::string Counted(int n, std::string_view thing);
// In words alone: "Pay 1 [Credits]" is "Pay 1 credit", and "spends [Click][Click]" is "spends 2 clicks".
std::string PlainWords(std::string_view sentence);
// Whether the viewer may know which card a line is about; nullopt is a spectator.
bool KnowsCard(const LogEntry& entry, std::optional<Side> viewer);
// `viewer`: nullopt for spectators.
std::string LogSentence(const LogEntry& entry, std::optional<Side> viewer);

}  // namespace openseat::games::netrunner
