// Any bytes as a schema and an instance, with a zero byte between them: compiling, validating and generating must keep
// their promises for any input, and stay within their budgets. Each call must end soon (a step takes a few nanoseconds;
// a thousand would mean that some work is not counted).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/rng.h"
#include "schema/generate/generate.h"
#include "schema/inspect.h"
#include "schema/schema.h"

namespace json = openseat::json;
namespace schema = openseat::schema;

namespace {

constexpr std::uint64_t kSteps = 300'000;

// A call fails if its budget is exhausted, and only then.
template <typename Call>
void Counted(const schema::Budget& budget, const Call& call) {
  OPENSEAT_CHECK(call() != budget.exhausted(), "a call ends with its budget");
}

void CheckInstance(const schema::Schema& compiled, const json::Value& instance) {
  const bool valid = compiled.IsValid(instance);
  const auto violations = compiled.Validate(instance, 4);
  OPENSEAT_CHECK(valid == violations.empty(), "IsValid and Validate agree");
  OPENSEAT_CHECK(violations.size() <= 4, "no more violations than asked for");
  for (const schema::Violation& violation : violations) {
    OPENSEAT_CHECK(!violation.message.empty() && !violation.keyword.empty(), "a violation has a message and a keyword");
  }
  OPENSEAT_CHECK(schema::Explain(violations).empty() == valid,
                 "an explanation exists exactly if the instance is not valid");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  const auto source = json::Parse(input.substr(0, zero));
  if (!source) return 0;
  schema::Budget budget(kSteps);
  Counted(budget, [&] { return schema::Inspect(*source, budget).has_value(); });
  schema::CompileOptions options;
  options.assert_formats = size % 2 == 0;
  options.limits.max_bytes = 20'000;
  // Enough to reveal a loop, and quick.
  options.limits.max_run_steps = 100'000;
  budget = schema::Budget(kSteps);
  options.budget = &budget;
  auto compiled = schema::Schema::Compile(*source, options);
  if (!compiled) {
    OPENSEAT_CHECK(!compiled.error().message.empty(), "an error has a message");
    return 0;
  }
  OPENSEAT_CHECK(!budget.exhausted(), "a schema that takes too much work does not compile");
  const auto instance = zero == std::string_view::npos ? source : json::Parse(input.substr(zero + 1));
  if (instance) CheckInstance(**compiled, *instance);
  CheckInstance(**compiled, *source);
  openseat::Rng rng(size);
  schema::GenerateOptions generate;
  generate.max_tries = 4;
  generate.max_values = 200;
  budget = schema::Budget(kSteps);
  generate.budget = &budget;
  const auto value = schema::Generate(**compiled, rng, generate);
  if (value) {
    OPENSEAT_CHECK((*compiled)->IsValid(*value), "a generated value is valid");
    CheckInstance(**compiled, *value);
  } else {
    OPENSEAT_CHECK((value.error().code == openseat::ErrorCode::kTooLarge) == budget.exhausted(), "the error says why");
  }
  return 0;
}
