// Small games of strangers whose redeal is wrong, for tests: two take 1 to 3 discs in turn, and the last one wins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/game.h"
#include "games/script/script_game.h"

namespace openseat::search {

// `redeal` is a function of (state, seat, random). state.drawn says how often the state was redealt before.
inline std::unique_ptr<Game> GameWithRedeal(const std::string& redeal) {
  return games::MakeScriptGame({{"game.js", R"(
      export const info = { id: 'discs', title: 'Discs', description: 'Take', rules: 'Take.', seats: { min: 2, max: 2 },
        actions: { drop: { description: 'Take', data: { column: [1, 2, 3] } },
                   grab: { description: 'Take', data: { column: [1, 2, 3] } } } };
      export const setup = () => ({ discs: 9, turn: 0, drawn: 0 });
      export const awaited = (state) => [state.turn];
      export const actions = (state, seat) => [{ name: seat === 0 ? 'drop' : 'grab',
        data: { column: [1, 2, 3].filter((count) => count <= state.discs) } }];
      export const apply = (state, seat, { data: { column } }) =>
        ({ state: { discs: state.discs - column, turn: 1 - seat, drawn: 0 } });
      export const observe = (state) => ({ discs: state.discs });
      export const outcome = (state) => (state.discs === 0 ? { winners: [1 - state.turn], reason: 'took the last' } : null);
      const draw = )" + redeal + R"(;
      export const redeal = (state, seat, random) => ({ drawn: state.drawn + 1, ...draw(state, seat, random) });)"}})
      .value();
}

// Those that are right so often in a row, each with what the one before returned, or now and then.
inline std::vector<std::string> LaterWrong(int right) {
  const std::string is_late = "drawn >= " + std::to_string(right);
  return {"({ drawn, ...state }) => { if (" + is_late + ") throw new Error('x'); return state; }",
          "({ drawn, ...state }) => { while (" + is_late + "); return state; }",
          "({ drawn, ...state }) => (" + is_late + " ? { ...state, turn: 1 - state.turn } : state)",
          "({ drawn, ...state }) => (" + is_late + " ? { ...state, discs: 0 } : state)",
          "(state, seat, random) => { if (random.int(2) === 0) throw new Error('x'); return { ...state }; }",
          "(state, seat, random) => (random.int(2) === 0 ? { ...state, turn: 1 - state.turn } : state)",
          "(state, seat, random) => (random.int(2) === 0 ? { ...state, discs: 2 } : state)"};
}

// Those that are never right.
inline constexpr const char* kAlwaysWrong[] = {"() => { throw new Error('x'); }",
                                               "(state) => ({ ...state, turn: 1 - state.turn })",
                                               "(state) => ({ ...state, discs: 1 })"};

}  // namespace openseat::search
