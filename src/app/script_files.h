// Games written as scripts, in files: a folder of them (`openseat serve --games`), and the copies that the data
// directory keeps, because a match is played to its end, and replayed, by the files with which it began.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/game.h"
#include "games/script/script.h"

namespace openseat::app {

// The script at `path`: a file (nim.js), or a folder that contains game.js. Together with the .js files next to it that
// it imports. Errors: kNotFound, kIo, kTooLarge; the path in the message.
Result<std::vector<games::ScriptFile>> ReadScript(const std::string& path);

// A copy of each version is written below `kept` (DATA_DIR/games), unless that is "". Errors: the first script that is
// wrong, with its path in the message.
Result<std::vector<std::unique_ptr<Game>>> ReadScriptGames(const std::string& folder, const std::string& kept);

// "nim.js:12:5: message", as compilers write it.
std::string PlaceAndMessage(const Error& error);

}  // namespace openseat::app
