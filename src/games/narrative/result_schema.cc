#include "games/narrative/result_schema.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "games/narrative/data.h"

namespace openseat::games::narrative {

const schema::Schema& ResultSchema(int version) {
  static const std::array<std::shared_ptr<const schema::Schema>, kResultVersions> compiled = [] {
    std::array<std::shared_ptr<const schema::Schema>, kResultVersions> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Result<json::Value> source = json::Parse(kResultSchemaJson[i]);
      OPENSEAT_CHECK(source.has_value(), "the built-in schemas are JSON");
      Result<std::shared_ptr<const schema::Schema>> schema = schema::Schema::Compile(*source);
      OPENSEAT_CHECK(schema.has_value(), "the built-in schemas are schemas");
      all[i] = std::move(*schema);
    }
    return all;
  }();
  OPENSEAT_CHECK(version >= 1 && version <= kResultVersions, "there is no such version of the schema");
  return *compiled[static_cast<std::size_t>(version - 1)];
}

std::string ResultName(int version) {
  return "LlmResultV" + std::to_string(version);
}

}  // namespace openseat::games::narrative
