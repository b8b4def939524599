#include "app/new_script.h"

namespace openseat::app {
namespace {

// What is between @< and >@ is for TypeScript.
constexpr std::string_view kNewGame =
    R"js(// NAME: a game for Openseat. Check it with `openseat games check FILE`, play it with `openseat games play FILE`.
// docs/writing_games.md explains every part.

@<import type { Game } from './openseat-game.d.ts';

type State = { stones: number; turn: number };

>@export const info@<: Game['info']>@ = {
  id: 'NAME',
  title: 'NAME',
  description: 'Take one, two or three of the stones; the last one wins',
  rules: 'There are some stones in a row. The players take turns to take one, two or three. The player who takes the last one wins.',
  seats: { min: 2, max: 2, roles: ['First', 'Second'] },
  options: { stones: { type: 'integer', minimum: 1, maximum: 100, default: 21 } },
  actions: {
    take: {
      description: 'Take `count` stones.',
      data: { count: [1, 2, 3] }, // every value that there can ever be
      label: ({ count }) => `Take ${count}`,
    },
  },
};

// The state at the beginning: any JSON value. `random` has int(n), die(n), pick(list) and shuffle(list).
export const setup@<: Game<State>['setup']>@ = ({ stones }, seats, random) => ({ stones, turn: 0 });

// The seats that choose now. It is not asked once outcome() says that the game is over.
export const awaited@<: Game<State>['awaited']>@ = (state) => [state.turn];

// What the seat may do now: for each action the values that are legal.
export const actions@<: Game<State>['actions']>@ = (state, seat) => [{ name: 'take', data: { count: [1, 2, 3].filter((count) => count <= state.stones) } }];

// The state after a choice, and what everybody is told.
export const apply@<: Game<State>['apply']>@ = (state, seat, { data: { count } }, random, names) => ({
  state: { stones: state.stones - count, turn: 1 - seat },
  log: [`${names[seat]} took ${count}.`],
});

// What a viewer may see: a seat, or null for spectators. Nothing else of the state is ever shown.
export const observe@<: Game<State>['observe']>@ = (state, viewer, names) => ({ stones: state.stones, turn: names[state.turn] });

// null while the game goes on.
export const outcome@<: Game<State>['outcome']>@ = (state) => (state.stones === 0 ? { winners: [1 - state.turn], reason: 'took the last stone' } : null);
)js";

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string NewScriptText(std::string_view id, std::string_view file) {
  std::string text(kNewGame);
  const bool typed = file.ends_with(".ts");
  for (std::size_t at = text.find("@<"); at != std::string::npos; at = text.find("@<", at)) {
    const std::size_t end = text.find(">@", at);
    text.replace(at, end + 2 - at, typed ? text.substr(at + 2, end - at - 2) : "");
  }
  ReplaceAll(text, "NAME", id);
  ReplaceAll(text, "FILE", file);
  return text;
}

}  // namespace openseat::app
