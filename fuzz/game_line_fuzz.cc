// A line of games.jsonl, and a pool, may be any JSON. What is read can be written and read again, and does not change
// by that any more.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "arena/game_line.h"
#include "arena/pool.h"
#include "arena/standings.h"
#include "base/check.h"
#include "base/json.h"

namespace {

void TryPool(const openseat::json::Value& value) {
  namespace arena = openseat::arena;
  const auto pool = arena::ParsePool(value);
  if (!pool) return;
  const auto again = arena::ParsePool(ToJson(*pool, {}));
  OPENSEAT_CHECK(again.has_value() && again->runs == pool->runs, "a written pool reads the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace arena = openseat::arena;
  namespace json = openseat::json;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto value = json::Parse(input, {.max_bytes = arena::kMaxGameLineBytes, .max_depth = 32});
  if (!value) return 0;
  TryPool(*value);
  const auto line = arena::ParseGameLine(*value);
  if (!line) return 0;
  // Writing rounds figures, once.
  const auto written = arena::ParseGameLine(ToJson(*line));
  OPENSEAT_CHECK(written.has_value(), "a written line can be read");
  const auto again = arena::ParseGameLine(ToJson(*written));
  OPENSEAT_CHECK(again.has_value() && *again == *written, "a written line reads the same");
  arena::StandingsOptions options;
  options.resamples = 2;
  const std::vector<std::vector<arena::GameLine>> runs = {{*line}};
  static_cast<void>(arena::MakeStandings(runs, options).has_value());
  return 0;
}
