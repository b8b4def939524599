// JSON files that people write: read completely, and rejected with the position of the mistake. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace openseat::json {

// The bytes of a file; "" for an empty one. kIo if it cannot be read.
Result<std::string> ReadFile(const std::string& path);

// Like Parse, for files that people write: a byte order mark is skipped, and an error starts with its position if that
// can be found ("line 3, column 7: not valid JSON: …"; both count from 1, columns in characters).
Result<Value> ParseDocument(std::string_view text);

}  // namespace openseat::json
