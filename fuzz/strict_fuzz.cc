// Any bytes as a model's answer, read strictly: exactly one JSON object, or an error that says what is wrong.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "schema/repair/repair.h"

namespace json = openseat::json;
namespace schema = openseat::schema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strict = schema::ParseStrict(text);
  const auto parsed = json::Parse(text, schema::kAnswerLimits);
  if (!strict) {
    OPENSEAT_CHECK(!strict.error().message.empty(), "an error has a message");
    OPENSEAT_CHECK(json::Write(json::Value(strict.error().message)).size() < 400, "and the message is short");
    return 0;
  }
  OPENSEAT_CHECK(parsed && strict->is_object(), "an accepted answer is a JSON object");
  OPENSEAT_CHECK(json::Equal(*parsed, *strict), "and has the parsed value");
  // Nothing may surround the object, and no name may occur twice.
  OPENSEAT_CHECK(!schema::ParseStrict("```json\n" + std::string(text) + "\n```"), "a fence is refused");
  OPENSEAT_CHECK(!schema::ParseStrict(std::string(text) + "{}"), "a second value is refused");
  const std::string written = json::Write(*strict);
  const auto again = schema::ParseStrict(written);
  OPENSEAT_CHECK(again && json::Equal(*again, *strict), "an answer can be written and read again");
  return 0;
}
