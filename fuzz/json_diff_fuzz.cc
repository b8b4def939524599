// A value, a line break, and another value: their difference leads from one to the other, and the second, taken for a
// patch, is applied or refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/json_diff.h"

namespace json = openseat::json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto before = json::Parse(text.substr(0, end));
  const auto after = json::Parse(text.substr(end + 1));
  if (!before || !after) return 0;
  std::string patch;
  json::WriteDiff(*before, *after, patch);
  json::Value value = *before;
  const auto read = json::Parse(patch, {.max_depth = 140});  // the values are members of its operations
  OPENSEAT_CHECK(read && json::ApplyDiff(*read, value), "a difference can be applied");
  OPENSEAT_CHECK(json::Equal(value, *after), "and leads to the other value");
  value = *before;
  if (const auto done = json::ApplyDiff(*after, value); !done) {
    OPENSEAT_CHECK(!done.error().message.empty(), "an error has a message");
  }
  return 0;
}
