// Any bytes as a model's answer: what is mended is one JSON object, mending it again changes nothing, and what was
// right is left alone.
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
  const auto repaired = schema::Repair(text);
  const auto strict = schema::ParseStrict(text);
  if (!repaired) {
    OPENSEAT_CHECK(!repaired.error().message.empty(), "an error says what it is");
    OPENSEAT_CHECK(!strict, "what is right needs no repair");
    return 0;
  }
  OPENSEAT_CHECK(repaired->value.is_object(), "an answer is an object");
  if (strict) {
    OPENSEAT_CHECK(json::Equal(*strict, repaired->value), "what is right is left alone");
    OPENSEAT_CHECK(repaired->fixes.empty(), "and nothing is said to be mended");
  }
  // Written anew: a name that stood twice stands there once.
  const std::string written = json::Write(repaired->value);
  const auto again = schema::Repair(written);
  OPENSEAT_CHECK(again && again->fixes.empty(), "what was mended is right");
  OPENSEAT_CHECK(json::Equal(again->value, repaired->value), "and stays what it is");
  return 0;
}
