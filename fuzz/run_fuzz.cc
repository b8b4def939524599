// Any JSON as what a run's folder has: run.json is read as it is written, and events that no match wrote do no harm.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "arena/game_record.h"
#include "arena/run_spec.h"
#include "arena/run_summary.h"
#include "base/check.h"
#include "base/json.h"
#include "games/tictactoe/tictactoe.h"

namespace json = openseat::json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace arena = openseat::arena;
  static const auto game = openseat::games::MakeTicTacToe();
  const auto value = json::Parse({reinterpret_cast<const char*>(data), size}, {.max_bytes = 1u << 20});
  if (!value) return 0;
  if (const auto spec = arena::ParseRunSpec(*value)) {
    const json::Object written = ToJson(*spec);
    const auto again = arena::ParseRunSpec(written);
    OPENSEAT_CHECK(again && json::Write(ToJson(*again)) == json::Write(written), "run.json is read as it is written");
    OPENSEAT_CHECK(arena::CheckSameRun(*spec, *again).has_value(), "a run can be resumed");
  }
  if (value->is_object()) {
    arena::RunSummary summary({"a"});
    summary.AddDecision(value->get_object());
  }
  const auto replay = arena::ParseReplay(*value);
  if (!replay) return 0;
  arena::PlayedGame played;
  played.game = game.get();
  played.agents = {"a", "b"};
  played.table = replay->table;
  for (const bool observe : {false, true}) static_cast<void>(MakeRecord(played, replay->events, observe).has_value());
  return 0;
}
