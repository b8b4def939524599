// What a person at a terminal reads of a game, and how a choice is typed there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/game_base.h"

namespace openseat::app {

// Markdown without the signs of emphasis and code, in lines of at most `columns` characters that end between words; a
// word that is longer is not cut. 0: lines stay as they are. What is indented, or a list's item, goes on indented.
std::string ForTerminal(std::string_view markdown, std::size_t columns);

// Which of the choices a person means: by its words, or by its number, from 1; nullopt: none.
std::optional<std::size_t> ChosenBy(std::string_view typed, const std::vector<LegalChoice>& choices);

// Whether the action's data has a member that is free: a text of one's own.
bool IsFree(const ActionSpec& action);
// What a person typed for a member of that schema: one of the listed values by its words, a text, or JSON.
json::Value TypedValue(std::string_view typed, const json::Value& schema);

}  // namespace openseat::app
