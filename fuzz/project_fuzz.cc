// Any JSON as a schema: each provider's form of it keeps to what the provider takes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "schema/project.h"
#include "testing/dialect_check.h"

namespace json = openseat::json;
namespace schema = openseat::schema;
namespace testing = openseat::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = json::Parse({reinterpret_cast<const char*>(data), size});
  if (!source) return 0;
  const auto openai = schema::Project(*source, schema::Dialect::kOpenAi);
  const auto gemini = schema::Project(*source, schema::Dialect::kGemini);
  const auto anthropic = schema::Project(*source, schema::Dialect::kAnthropic);
  OPENSEAT_CHECK(openai.schema.is_object(), "a projection is an object");
  if (!schema::Schema::Compile(*source)) return 0;  // of what is no schema no more is promised
  if (openai.strict) OPENSEAT_CHECK(testing::OpenAiStrictFaults(openai.schema).empty(), "strict is strict");
  OPENSEAT_CHECK(testing::GeminiSchemaFaults(gemini.schema).empty(), "Gemini takes it");
  OPENSEAT_CHECK(testing::AnthropicSchemaFaults(anthropic.schema).empty(), "Anthropic takes it");
  return 0;
}
