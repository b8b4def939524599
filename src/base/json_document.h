// JSON files that people write: read completely, and rejected with the position of the mistake. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace openseat::json {

// The bytes of a file or pipe; "" for an empty one. kIo if it cannot be read or is a device, kTooLarge if it has more
// than `max_bytes`.
Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes = Limits().max_bytes);

// Like Parse, for files that people write: a byte order mark is skipped, and an error starts with its position if that
// can be found ("line 3, column 7: not valid JSON: …"; both count from 1, columns in characters).
Result<Value> ParseDocument(std::string_view text, const Limits& limits = {});

}  // namespace openseat::json
