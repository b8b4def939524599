// What somebody who writes a script should do about a message of the engine, which knows only JavaScript.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "games/script/script.h"

namespace openseat::games {

// The line of that place ("game.js:12:5"), and the column, from 1; "" and 0 if there is none.
std::string_view LineAt(std::string_view place, const std::vector<ScriptFile>& files, std::size_t& column);

// "; …", after the message; "" if there is nothing to say. Of the function that failed ("load": while the script was
// loaded), the error's name ("TypeError"), its message and place; any may be "".
std::string AdviceOn(std::string_view function, std::string_view kind, std::string_view message, std::string_view place,
                     const std::vector<ScriptFile>& files);

}  // namespace openseat::games
