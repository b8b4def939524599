// Any JSON as a schema: each provider's form of it uses only what the provider accepts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "schema/providers/project.h"
#include "testing/dialect_check.h"

namespace json = openseat::json;
namespace schema = openseat::schema;
namespace testing = openseat::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = json::Parse({reinterpret_cast<const char*>(data), size});
  if (!source) return 0;
  const auto project = [&](schema::Dialect dialect) {
    schema::Budget budget(20'000'000);
    auto projection = schema::Project(*source, dialect, budget);
    OPENSEAT_CHECK(projection.has_value() != budget.exhausted(), "only the budget can make a projection fail");
    return projection ? std::move(*projection) : schema::Projection{json::Object(), false, {}};
  };
  const auto openai = project(schema::Dialect::kOpenAi);
  const auto common = project(schema::Dialect::kCommon);
  const auto gemini = project(schema::Dialect::kGemini);
  const auto anthropic = project(schema::Dialect::kAnthropicTool);
  OPENSEAT_CHECK(openai.schema.is_object(), "a projection is an object");
  if (!schema::Schema::Compile(*source)) return 0;  // the promises below are only for valid schemas
  if (openai.strict)
    OPENSEAT_CHECK(testing::OpenAiStrictFaults(openai.schema).empty(), "a strict schema follows OpenAI's rules");
  if (common.strict)
    OPENSEAT_CHECK(testing::CommonSchemaFaults(common.schema).empty(),
                   "a strict schema without bounds is taken everywhere");
  OPENSEAT_CHECK(testing::GeminiSchemaFaults(gemini.schema).empty(), "Gemini accepts it");
  OPENSEAT_CHECK(testing::AnthropicSchemaFaults(anthropic.schema).empty(), "Anthropic accepts it");
  return 0;
}
