// JSON files that people write: read whole, and refused with the place of the mistake. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace openseat::json {

// The bytes of a file; an empty one is "". kIo where it cannot be read.
Result<std::string> ReadFile(const std::string& path);

// As Parse, for what people write: a byte order mark is passed over, and an error begins with its place, where that can
// be told ("line 3, column 7: not valid JSON: …"; both count from 1, columns in characters).
Result<Value> ParseDocument(std::string_view text);

}  // namespace openseat::json
