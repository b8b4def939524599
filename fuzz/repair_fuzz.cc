// Any bytes as a model's answer: a repaired answer is one JSON object, repairing it again changes nothing, and a
// correct answer is left alone.
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
  const auto repaired = schema::Repair(text);
  const auto strict = schema::ParseStrict(text);
  if (!repaired) {
    OPENSEAT_CHECK(!repaired.error().message.empty(), "an error has a message");
    OPENSEAT_CHECK(!strict, "a correct answer needs no repair");
    return 0;
  }
  OPENSEAT_CHECK(repaired->value.is_object(), "an answer is an object");
  if (strict) {
    OPENSEAT_CHECK(json::Equal(*strict, repaired->value), "a correct answer keeps its value");
    OPENSEAT_CHECK(repaired->fixes.empty(), "and no fixes are reported");
  }
  // Write it again, so that a duplicate name is there only once.
  const std::string written = json::Write(repaired->value);
  const auto again = schema::Repair(written);
  OPENSEAT_CHECK(again && again->fixes.empty(), "a repaired answer is correct");
  OPENSEAT_CHECK(json::Equal(again->value, repaired->value), "and keeps its value");
  return 0;
}
