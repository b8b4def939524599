// Games written as scripts, in files: a folder of them (`openseat serve --games`), and the copies that the data
// directory keeps, because a match is played to its end, and replayed, by the files with which it began.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "games/script/script.h"

namespace openseat::app {

// The script at `path`: a file (nim.js, nim.ts), or a folder that contains game.js or game.ts. Together with the files
// next to it that it imports. Errors: kNotFound, kIo, kTooLarge; the path in the message.
Result<std::vector<games::ScriptFile>> ReadScript(const std::string& path);

// The scripts in a folder, in order of their names: files that end in .js or .ts, and folders with a game.js or
// game.ts. Errors: kNotFound, kTooLarge.
Result<std::vector<std::string>> ScriptsIn(const std::string& folder);
// Changes when a script in the folder, or a file that one may import, is written, added or removed: their names, times
// and sizes, down to four folders deep.
std::string StampOf(const std::string& folder);

// The copies of each version below `kept` (DATA_DIR/games): ID/VERSION/files/…, and ID/VERSION/script, the
// names of its files, a line each, the script's first. Errors: kInvalid for a file that would not be below it, kIo.
Result<void> KeepVersion(const std::string& kept, const std::string& id, int version,
                         const std::vector<games::ScriptFile>& files);
bool IsKept(const std::string& kept, const std::string& id, int version);
// Errors: kNotFound, and those of ReadScript.
Result<std::vector<games::ScriptFile>> ReadKept(const std::string& kept, const std::string& id, int version);
// The versions of that game that were kept, the newest first.
std::vector<int> KeptVersions(const std::string& kept, const std::string& id);
// The ids of all games of which there are any.
std::vector<std::string> KeptGames(const std::string& kept);

// "nim.js:12:5: message", as compilers write it.
std::string PlaceAndMessage(const Error& error);

}  // namespace openseat::app
