// Game scripts by strangers, and what comes out of the box. The first byte says which:
//   's'  a script, which may import './nim.js': it is loaded and played, and fails with a sentence or goes on;
//   't'  the same in TypeScript;
//   'b'  a script: nothing that its calls did is left in a box that is restored;
//   'p'  JSON in place of what the harness returns about a state of Nim;
//   'r'  JSON in place of a saved state of Nim;
//   'v'  JSON in place of a view of Nim.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "core/game.h"
#include "games/script/engine/box_check.h"
#include "games/script/harness.h"
#include "games/script/position.h"
#include "games/script/script_game.h"
#include "games/script/script_info.h"
#include "games/script/view.h"

namespace {

using namespace openseat;         // NOLINT(google-build-using-namespace)
using namespace openseat::games;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kNim = R"(
export const info = { id: 'nim', title: 'Nim', description: 'Nim', rules: 'Nim', seats: { min: 2, max: 2 },
  actions: { take: { description: 'Take', data: { heap: [1, 2], count: [1, 2, 3] } } } };
export const setup = () => ({ heaps: [2, 3], turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = ({ heaps }) => [{ name: 'take', data: { heap: [1, 2], count: [1, 2, 3] } }];
export const validate = ({ heaps }, seat, { data: { heap, count } }) => (heaps[heap - 1] < count ? 'too few' : null);
export function apply(state, seat, { data: { heap, count } }) {
  state.heaps[heap - 1] -= count;
  return { state: { heaps: state.heaps, turn: 1 - seat } };
}
export const observe = ({ heaps }) => ({ heaps });
export const outcome = ({ heaps, turn }) => (heaps[0] + heaps[1] === 0 ? { winners: [1 - turn], reason: 'last' } : null);
)";

void Check(bool condition) {
  if (!condition) std::abort();
}

// Plays some choices; whatever happens, the state is one that can be saved and restored.
void Play(const Game& game, GameState& state, Rng& rng) {
  for (int i = 0; i < 6; ++i) {
    Check(state.GetOutcome().has_value() == state.Awaited().empty());
    for (SeatIndex seat = 0; seat < state.names().size(); ++seat) {
      Check(state.Observe(Viewer::Seat(seat)).is_object());
      Check(!state.Describe(seat).empty());
      const auto view = ViewOf(state, Viewer::Seat(seat));
      Check(view || !view.error().message.empty());
    }
    const auto restored = game.Restore(state.Serialize());
    Check(!restored || (*restored)->Equals(state));
    if (state.Awaited().empty()) return;
    const SeatIndex seat = state.Awaited().First();
    std::vector<Move> moves(state.Moves(seat, {}));
    state.Moves(seat, moves);
    Check(!moves.empty());
    const PlayedChoice choice = state.ToChoice(seat, moves[rng.Below(moves.size())]);
    Check(state.Validate(seat, choice.action, choice.data).has_value());
    // Who looks ahead sees the same.
    const std::unique_ptr<GameState> ahead = state.Clone();
    ahead->ApplyMove(seat, moves.front());
    Check(ahead->Observe(Viewer::Spectator()).is_object() && !ahead->Describe(seat).empty());
    Check(ahead->Actions(seat).empty() != ahead->Awaited().Contains(seat));
    state.Apply(seat, choice.action, choice.data);
  }
}

const Game& Nim() {
  static const auto game = MakeScriptGame({{"nim.js", std::string(kNim)}});
  return **game;
}

const ScriptInfo& NimInfo() {
  static const ScriptInfo info = *ReadInfo(**Script::Load({{"nim.js", std::string(kNim)}}));
  return info;
}

void FuzzScript(const std::string& name, std::string text) {
  // Less than is allowed, so that each run is short.
  const ScriptLimits limits{.type_steps = 100'000'000, .load_steps = 20'000'000, .call_steps = 4'000'000};
  const auto game = MakeScriptGame({{name, std::move(text)}, {"nim.js", std::string(kNim)}}, {}, limits);
  if (!game) return Check(!game.error().message.empty());
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < (*game)->info().min_seats; ++seat) names.push_back("P" + std::to_string(seat));
  const auto state = (*game)->NewGame(nullptr, 1, std::move(names));
  if (!state) return Check(!state.error().message.empty());
  Rng rng(1);
  Play(**game, **state, rng);
}

void FuzzBox(std::string text) {
  static const TestedBox box(box_new());
  const TestedImage image(HarnessText(), {{"game.js", std::move(text)}, {"nim.js", std::string(kNim)}}, 20'000'000);
  if (!image.is_loaded()) return;
  const json::Value state = json::Object{{"heaps", json::Array{2, 3}}, {"turn", 0}};
  Check(Remains(box.get(), image.image(), 2, state, 1'000'000).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);  // NOLINT
  if (data[0] == 's' || data[0] == 't') {
    FuzzScript(data[0] == 's' ? "game.js" : "game.ts", std::string(text));
    return 0;
  }
  if (data[0] == 'b') {
    FuzzBox(std::string(text));
    return 0;
  }
  const auto value = json::Parse(text, {.max_bytes = 1u << 20, .max_depth = 64, .max_values = 20'000});
  if (!value) return 0;
  if (data[0] == 'p') {
    auto position = ReadPosition(NimInfo(), *value, 2, {1, 2, 3, 4});
    Check(position || !position.error().message.empty());
    if (position) static_cast<void>(ReadLog(*value, 2, position->log).has_value());
  } else if (data[0] == 'r') {
    const auto state = Nim().Restore(*value);
    Rng rng(1);
    if (state) Play(Nim(), **state, rng);
  } else if (data[0] == 'v') {
    const auto checked = CheckView(NimInfo(), *value, 2);
    Check(checked || !checked.error().message.empty());
  }
  return 0;
}
