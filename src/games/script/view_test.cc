#include "games/script/view.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "games/script/script_game.h"

namespace openseat::games {
namespace {

// A game for two, of which everything is open, with this view.
std::string ScriptWithView(const std::string& view) {
  return R"(
export const info = {
  id: 'marks', title: 'Marks', description: 'd', rules: 'r', seats: { min: 2, max: 2 },
  actions: { place: { description: 'd', data: { x: [0, 1, 2], y: [0, 1] } }, pass: 'Do nothing.', say: { description: 'd', data: { text: { type: 'string' , examples: ['a'] } } } },
};
export const setup = () => ({ at: [], turn: 0 });
export const awaited = ({ turn }) => [turn];
export const actions = () => [{ name: 'pass' }];
export const apply = (state, seat) => ({ state: { at: [...state.at, seat], turn: 1 - seat } });
export const observe = (state) => state;
export const outcome = ({ at }) => (at.length > 2 ? { winners: [], reason: 'r' } : null);
export const view = (state, viewer, names) => ()" +
         view + ");\n";
}

Result<std::string> ViewWith(const std::string& view) {
  auto game = MakeScriptGame({{"marks.js", ScriptWithView(view)}});
  if (!game) return Fail(game.error());
  auto state = (*game)->NewGame(nullptr, 1, {"Ann", "Bo"});
  if (!state) return Fail(state.error());
  return ViewOf(**state, Viewer::Seat(0));
}

TEST(ScriptViewTest, ShowsWhatTheScriptSays) {
  const Result<std::string> view = ViewWith(R"({ parts: [
    { type: 'grid', label: names[1], columns: ['A', 2], edges: { top: 0, left: 'red' }, cells: [
      ['', { pieces: [{ color: 1, id: 'k' }, 'Q', 7, { hidden: true }], mark: viewer === null ? 'last' : 'win', choice: { name: 'place', data: { x: 2 } } }],
      [{ off: true }, { choice: [{ name: 'pass' }, { name: 'say', data: { text: 'any' } }] }]] },
    { type: 'group', seat: 1, parts: [{ type: 'score', points: [1, '2'] }, { type: 'log', lines: [] }] }, { type: 'pile', count: 3 }] })");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(
      *view,
      R"({"parts":[{"type":"grid","label":"Bo","columns":["A",2],"edges":{"top":0,"left":"red"},"cells":[["",{"pieces":[{"color":1,"id":"k"},"Q",7,{"hidden":true}],"mark":"last","choice":{"name":"place","data":{"x":2}}}],[{"off":true},{"choice":[{"name":"pass"},{"name":"say","data":{"text":"any"}}]}]]},{"type":"group","seat":1,"parts":[{"type":"score","points":[1,"2"]},{"type":"log","lines":[]}]},{"type":"pile","count":3}]})");
}

TEST(ScriptViewTest, NamesThePlaceOfAMistake) {
  const auto mistake = [](const std::string& view) {
    const Result<std::string> made = ViewWith(view);
    return made ? "nothing is wrong" : made.error().message;
  };
  EXPECT_EQ(mistake("[]"), "view: expected an object with the list parts; got []");
  EXPECT_EQ(mistake("{}"), "view: expected the member parts; got {}");
  EXPECT_EQ(
      mistake("{ parts: [{ type: 'board' }] }"),
      "view.parts[0].type: expected grid, track, hand, cards, pile, dice, tokens, counter, score, text, log, buttons "
      "or group; got \"board\"");
  EXPECT_EQ(mistake("{ parts: [{ type: 'text', text: 'x' }, 3] }"),
            "view.parts[1]: expected a part: an object with a type; got 3");
  EXPECT_EQ(mistake("{ parts: [{ type: 'grid' }] }"),
            "view.parts[0]: expected the member cells; got {\"type\":\"grid\"}");
  EXPECT_EQ(mistake("{ parts: [{ type: 'grid', cells: 'x' }] }"),
            "view.parts[0].cells: expected a list of rows, each a list of cells; got \"x\"");
  EXPECT_EQ(mistake("{ parts: [{ type: 'grid', cells: [['', ''], ['']] }] }"),
            "view.parts[0].cells[1]: expected as many cells as in the first row, 2; got 1");
  EXPECT_EQ(mistake("{ parts: [{ type: 'grid', cells: [[{ mark: 'new' }]] }] }"),
            "view.parts[0].cells[0][0].mark: expected last, win or danger; got \"new\"");
  EXPECT_EQ(mistake("{ parts: [{ type: 'counter', value: 1, size: 2 }] }"),
            "view.parts[0]: there is no member \"size\" here, only value, of, type, label or seat");
  EXPECT_EQ(mistake("{ parts: [{ type: 'dice', dice: [1], seat: 2 }] }"),
            "view.parts[0].seat: expected a seat from 0 to 1; got 2");
  EXPECT_EQ(mistake("{ parts: [{ type: 'hand', cards: [{ hidden: true, text: 'Q' }] }] }"),
            "view.parts[0].cards[0]: a hidden piece has no text");
  EXPECT_EQ(mistake("{ parts: [{ type: 'score', points: [1] }] }"),
            "view.parts[0].points: expected a list with one number for each of the 2 seats; got [1]");
  EXPECT_EQ(mistake("{ parts: [{ type: 'buttons', buttons: [{ text: 'Go', choice: { name: 'go' } }] }] }"),
            "view.parts[0].buttons[0].choice: expected a choice: {name, data} with a name of info.actions; got "
            "{\"name\":\"go\"}");
  EXPECT_EQ(mistake("{ parts: [{ type: 'pile', count: 1, choice: { name: 'place', data: { x: 3 } } }] }"),
            "view.parts[0].choice.data.x: expected one of those that info.actions.place.data lists, [0,1,2]; got 3");
  EXPECT_EQ(mistake("{ parts: [{ type: 'pile', count: 1, choice: { name: 'place', data: { z: 3 } } }] }"),
            "view.parts[0].choice.data: info.actions.place.data has no member \"z\"");
  EXPECT_EQ(mistake("{ parts: [{ type: 'track', spaces: [{ mark: null }] }] }"),
            "view.parts[0].spaces[0].mark: null is no value here: leave the member out, or let it be undefined");
  EXPECT_EQ(mistake("{ parts: [{ type: 'text', text: names.nothing.at }] }").substr(0, 5), "view:");
}

TEST(ScriptViewTest, HasLimits) {
  const auto mistake = [](const std::string& view) {
    const Result<std::string> made = ViewWith(view);
    return made ? "nothing is wrong" : made.error().message;
  };
  EXPECT_EQ(mistake("{ parts: Array(101).fill({ type: 'text', text: '' }) }"),
            "view.parts: expected at most 100; got 101");
  EXPECT_EQ(mistake("{ parts: [{ type: 'grid', cells: Array(41).fill(['']) }] }"),
            "view.parts[0].cells: expected at most 40; got 41");
  EXPECT_EQ(mistake("{ parts: [{ type: 'tokens', tokens: ['x'.repeat(201)] }] }"),
            "view.parts[0].tokens[0]: expected at most 200 bytes; got 201");
  EXPECT_EQ(mistake("{ parts: [1, 2, 3, 4, 5].reduce((parts) => [{ type: 'group', parts }], []) }"),
            "view.parts[0].parts[0].parts[0].parts[0].parts[0].parts: groups are at most 4 levels deep");
  EXPECT_EQ(mistake("{ parts: [{ type: 'log', lines: Array(400).fill('x'.repeat(200)) }] }"),
            "view: a view is at most 64 KB of JSON; got 81236 bytes");
}

TEST(ScriptViewTest, AViewThatFailsDoesNotEndTheGame) {
  auto game = MakeScriptGame({{"marks.js", ScriptWithView("{ parts: [{ type: 'text', text: state.at.missing.x }] }")}});
  ASSERT_TRUE(game);
  const auto state = *(*game)->NewGame(nullptr, 1, {"Ann", "Bo"});
  EXPECT_EQ(state->View(Viewer::Spectator()), "");
  EXPECT_FALSE(state->GetOutcome());
  EXPECT_EQ(FaultOf(*state), "");
}

TEST(ScriptViewTest, IsMadeOnceAndForAnyThread) {
  auto game =
      MakeScriptGame({{"marks.js", ScriptWithView("{ parts: [{ type: 'counter', value: state.at.length }] }")}});
  ASSERT_TRUE(game);
  const auto state = *(*game)->NewGame(nullptr, 1, {"Ann", "Bo"});
  std::vector<std::string> seen(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& view : seen) {
      threads.emplace_back([&state, &view] { view = state->View(Viewer::Seat(0)); });
    }
  }
  for (const std::string& view : seen) EXPECT_EQ(view, R"({"parts":[{"type":"counter","value":0}]})");
  const auto next = state->Clone();
  next->Apply(0, "pass", nullptr);
  EXPECT_EQ(next->View(Viewer::Spectator()), R"({"parts":[{"type":"counter","value":1}]})");
  EXPECT_EQ(state->View(Viewer::Spectator()), seen[0]);
}

}  // namespace
}  // namespace openseat::games
