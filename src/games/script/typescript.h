// Scripts written in TypeScript: their types are taken out before the engine reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "games/script/script.h"

namespace openseat::games {

// Whether the file is TypeScript, by its name.
bool IsTypeScript(const ScriptFile& file);

// The file as JavaScript, with blanks where types were: every line and column stays the same. It takes `used` steps, at
// most `most`. Errors: kInvalid, with the place as path ("game.ts:3:5"), for what is not TypeScript, and for the parts
// of it that are more than types (enum, namespace); kTooLarge. Any thread. The first call takes about a tenth of a
// second.
Result<std::string> WithoutTypes(const ScriptFile& file, std::int64_t most, std::int64_t& used);

// engine/types.js with what it imports; the build makes it.
std::string_view TypesText();

}  // namespace openseat::games
