// The sentences of the game's log, as seen by a viewer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/netrunner/engine/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// "HQ", "Server 1", "New remote".
std::string ServerName(Server server);
// "1 card", "3 cards".
std::string Counted(int n, std::string_view thing);
// With a small first letter, to follow a colon; not an abbreviation.
std::string Decapitalized(std::string_view text);
// In words alone: "Pay 1 [Credits]" is "Pay 1 credit", and "spends [Click][Click]" is "spends 2 clicks".
std::string PlainWords(std::string_view sentence);
// Whether the viewer may know which card a line is about; nullopt is a spectator.
bool KnowsCard(const LogEntry& entry, std::optional<Side> viewer);
// `viewer`: nullopt for spectators. The sentences of the lines from number `from` on. The line that ends a run says
// what the run cost and brought, added up from the lines since it began.
std::vector<std::string> LogSentences(std::span<const LogEntry> lines, std::optional<Side> viewer,
                                      std::size_t from = 0);

}  // namespace openseat::games::netrunner
