// Any bytes as a model's answer, read strictly: one JSON object and nothing else, or an error that says what is wrong.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "schema/repair.h"

namespace json = openseat::json;
namespace schema = openseat::schema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strict = schema::ParseStrict(text);
  const auto parsed = json::Parse(text, schema::kAnswerLimits);
  if (!strict) {
    OPENSEAT_CHECK(!strict.error().message.empty(), "an error says what it is");
    OPENSEAT_CHECK(json::Write(json::Value(strict.error().message)).size() < 400, "and is no longer than a line");
    return 0;
  }
  OPENSEAT_CHECK(parsed && strict->is_object(), "what is taken strictly is a JSON object");
  OPENSEAT_CHECK(json::Equal(*parsed, *strict), "and means what it says");
  // Nothing may stand around it, and no name twice.
  OPENSEAT_CHECK(!schema::ParseStrict("```json\n" + std::string(text) + "\n```"), "a fence is refused");
  OPENSEAT_CHECK(!schema::ParseStrict(std::string(text) + "{}"), "a second value is refused");
  const std::string written = json::Write(*strict);
  const auto again = schema::ParseStrict(written);
  OPENSEAT_CHECK(again && json::Equal(*again, *strict), "what was read writes back");
  return 0;
}
