#include "games/script/script_game.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json_members.h"
#include "base/rng.h"
#include "core/heuristics.h"
#include "core/judge.h"
#include "games/script/harness.h"
#include "games/script/script_info.h"
#include "testing/game_conformance.h"
#include "testing/perft.h"
#include "testing/player_names.h"
#include "testing/playthrough.h"

namespace openseat::games {
namespace {

std::string FileText(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string FileOfGame(const std::string& name) {
  return std::filesystem::exists("games/" + name + ".ts") ? name + ".ts" : name + ".js";
}

std::unique_ptr<Game> LoadGame(const std::string& name) {
  auto game = MakeScriptGame({{FileOfGame(name), FileText("games/" + FileOfGame(name))}});
  if (!game) ADD_FAILURE() << game.error().path << ": " << game.error().message;
  return game ? *std::move(game) : nullptr;
}

std::vector<std::string> ShippedScripts() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator("games")) {
    const std::string name = file.path().filename();
    const bool is_script = name.ends_with(".js") || (name.ends_with(".ts") && !name.ends_with(".d.ts"));
    if (is_script) names.push_back(file.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

// The checks look at every choice.
json::Value SmallBoard(const std::string& game) {
  const bool is_large = game == "gomoku" || game == "hex";
  return is_large ? json::Value(json::Object{{"size", 5}}) : json::Value();
}

class ShippedScript : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedScript, Conforms) {
  const auto game = LoadGame(GetParam());
  ASSERT_NE(game, nullptr);
  // Every call of a script costs as much as a whole game of one in C++, and everything is tried for each seat. `games
  // check` looks longer.
  const bool many_seats = game->info().max_seats > 6;
  EXPECT_EQ(testing::CheckGame(*game, {.options = SmallBoard(GetParam()),
                                       .games = 1,
                                       .max_choices = many_seats ? 8 : 40,
                                       .fuzzed_choices = many_seats ? 1 : 4,
                                       .moves_tried = many_seats ? 1u : 2u,
                                       .fuzzed_saves = 2,
                                       .played_on = many_seats ? 2 : 6,
                                       .played_to_the_end = many_seats ? 0 : 0.05}),
            testing::Conforms());
}

TEST_P(ShippedScript, PlaysAsItDid) {
  const auto game = LoadGame(GetParam());
  ASSERT_NE(game, nullptr);
  const std::string path = "games/testdata/" + GetParam() + ".txt";
  EXPECT_EQ(testing::CheckPlaythrough(
                *game, {.options = SmallBoard(GetParam()), .seats = game->info().min_seats, .compact = true}, path),
            "");
  const std::string text = FileText(path);
  EXPECT_NE(text.find("=== over ==="), std::string::npos) << "the whole game is recorded";
  EXPECT_LE(std::ranges::count(text, '\n'), 1200);
}

const std::set<std::string> kWithoutView{"tictactoe"};

TEST_P(ShippedScript, DrawsEveryState) {
  const auto game = LoadGame(GetParam());
  ASSERT_NE(game, nullptr);
  const SeatIndex seats = game->info().max_seats;
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat));
  const auto state = *game->NewGame(SmallBoard(GetParam()), 5, names);
  Rng rng(5);
  for (int choice = 0; choice < 60; ++choice) {
    for (SeatIndex seat = 0; seat < seats; ++seat) {
      const Result<std::string> view = ViewOf(*state, Viewer::Seat(seat));
      ASSERT_TRUE(view) << view.error().message;
      EXPECT_EQ(view->empty(), kWithoutView.contains(GetParam()));
    }
    ASSERT_TRUE(ViewOf(*state, Viewer::Spectator()));
    if (state->Awaited().empty()) return;
    const SeatIndex mover = *state->Awaited().begin();
    const std::vector<LegalChoice> choices = ChoicesOf(*state, mover);
    state->ApplyMove(mover, choices[rng.Below(choices.size())].move);
  }
}

TEST_P(ShippedScript, IsShort) {
  const std::string text = FileText("games/" + FileOfGame(GetParam()));
  EXPECT_LT(std::ranges::count(text, '\n'), GetParam() == "tictactoe" ? 61 : 151);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScript, ::testing::ValuesIn(ShippedScripts()),
                         [](const auto& name) { return name.param; });

std::unique_ptr<GameState> Start(const Game& game, std::uint64_t seed = 1) {
  return *game.NewGame(nullptr, seed, testing::PlayersOf(game));
}

// Without the id, and what each game saves in its own form.
std::string Seen(std::string text) {
  std::istringstream lines(std::move(text));
  std::string seen;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("saved ") && !line.starts_with("game ")) seen += line + "\n";
  }
  return seen;
}

TEST(ScriptGame, LooksLikeTheSameGameInCpp) {
  const auto game = LoadGame("tictactoe");
  EXPECT_EQ(Seen(testing::Playthrough(*game, {})), Seen(FileText("src/games/tictactoe/testdata/playthrough.txt")));
}

TEST(ScriptGame, RefusesAMoveWithTheScriptsReason) {
  const auto game = LoadGame("tictactoe");
  const auto state = Start(*game);
  state->ApplyMove(0, 4);
  const auto refused = state->Validate(1, "move", *json::Parse(R"({"position":[1,1]})"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{ErrorCode::kIncorrectMove, "position [1,1] is taken by X", "position"}));
  EXPECT_EQ(state->Validate(1, "move", *json::Parse(R"({"position":[1,7]})")).error().message,
            "position must be one of [0,0], [0,1], [0,2], [1,0], [1,1], [1,2], [2,0], [2,1], [2,2]; got [1,7]");
}

TEST(ScriptGame, HasTheKnownNumberOfPositions) {
  const auto game = LoadGame("tictactoe");
  const std::vector<std::uint64_t> positions = testing::CountPositions(*Start(*game), 3);
  EXPECT_EQ(positions, (std::vector<std::uint64_t>{1, 9, 72, 504}));
}

// A script that fails in the middle of a match.
constexpr std::string_view kBreaks = R"(export * from './nim.js';
import { apply as good } from './nim.js';
export function apply(state, seat, action, random, names) {
  if (state.heaps[2] < 5) throw new Error('I am broken');
  return good(state, seat, action, random, names);
})";

TEST(ScriptGame, EndsWithTheReasonWhenTheScriptFails) {
  auto game = MakeScriptGame({{"breaks.js", std::string(kBreaks)}, {"nim.js", FileText("games/nim.js")}});
  ASSERT_TRUE(game) << game.error().message;
  const auto state = Start(**game);
  const json::Value one = *json::Parse(R"({"heap":3,"count":1})");
  ASSERT_TRUE(state->Validate(0, "take", one));
  state->Apply(0, "take", one);
  EXPECT_FALSE(state->GetOutcome());
  ASSERT_TRUE(state->Validate(1, "take", one));
  state->Apply(1, "take", one);
  ASSERT_TRUE(state->GetOutcome());
  EXPECT_EQ(FaultOf(*state), "breaks.js:4:37: apply: I am broken");
  // The players do not read what the script threw: it may be a secret.
  EXPECT_EQ(state->GetOutcome()->reason, "the game's script failed");
  EXPECT_TRUE(state->GetOutcome()->winners.empty());
  EXPECT_TRUE(state->Awaited().empty());
  const auto again = (*game)->Restore(state->Serialize());
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->Equals(*state));
}

TEST(ScriptGame, LoadsOlderRulesWhenTheyAreAskedFor) {
  const std::string text = FileText("games/nim.js");
  const int old_version = (*MakeScriptGame({{"nim.js", text}}))->info().rules_version;
  const auto old = *MakeScriptGame({{"nim.js", text}});
  const auto game = MakeScriptGame({{"nim.js", text + "\n"}}, [&](const std::string& id, int version) {
    EXPECT_EQ(id, "nim");
    return version == old_version ? old.get() : nullptr;
  });
  ASSERT_TRUE(game);
  EXPECT_NE((*game)->info().rules_version, old_version);
  EXPECT_EQ((*game)->OfVersion(old_version), old.get());
  EXPECT_EQ((*game)->OfVersion(1), nullptr);
  EXPECT_EQ((*game)->OfVersion((*game)->info().rules_version), game->get());
}

TEST(ScriptGame, HasOnlySoManyStepsForEverything) {
  const auto game = MakeScriptGame({{"nim.js", FileText("games/nim.js")}}, {},
                                   {.budget = std::make_shared<std::atomic<std::int64_t>>(5'000'000)});
  ASSERT_TRUE(game);
  std::string last;
  for (int i = 0; i < 1000 && last.empty(); ++i) {
    const auto state = (*game)->NewGame({}, 1, {"A", "B"});
    if (!state) last = state.error().message;
  }
  EXPECT_NE(last.find("used all of the steps"), std::string::npos) << last;
}

TEST(ScriptGame, IsTheSameForWhoPlaysAndWhoLooksAhead) {
  const auto game = MakeScriptGame({{"tictactoe.js", FileText("games/tictactoe.js")}});
  ASSERT_TRUE(game);
  const auto played = *(*game)->NewGame({}, 1, {"Ann", "Bo"});
  const auto ahead = played->Clone();
  for (int i = 0; i < 3; ++i) {
    const SeatIndex seat = played->Awaited().First();
    std::vector<Move> moves(played->Moves(seat, {}));
    played->Moves(seat, moves);
    const PlayedChoice choice = played->ToChoice(seat, moves.back());
    played->Apply(seat, choice.action, choice.data);
    ahead->ApplyMove(seat, moves.back());
    EXPECT_TRUE(ahead->Equals(*played));
    const auto other = ahead->Clone();
    for (const SeatIndex reader : {0u, 1u}) {
      EXPECT_EQ(other->Observe(Viewer::Seat(reader)), played->Observe(Viewer::Seat(reader)));
      EXPECT_EQ(other->Describe(reader), played->Describe(reader));
      EXPECT_EQ(other->Log(Viewer::Seat(reader)), played->Log(Viewer::Seat(reader)));
      ASSERT_EQ(other->Actions(reader).size(), played->Actions(reader).size());
      if (played->Actions(reader).empty()) continue;
      EXPECT_EQ(other->Actions(reader)[0].schema, played->Actions(reader)[0].schema);
      EXPECT_EQ(other->MoveLabel(reader, moves.front()), played->MoveLabel(reader, moves.front()));
    }
  }
}

// Values of info.actions are told by their places: not those that the script has changed, nor others that look like
// them.
TEST(ScriptGame, WhoLooksAheadIsToldTheValuesThatTheScriptGives) {
  const std::string before =
      "const CELLS = [[0, 1], [2, 3], [2, 3, 4], [2, 3, 5], 6, []];\n"
      "export const info = { id: 'odd', title: 'Odd', description: 'Odd', rules: 'Odd.', seats: { min: 2, max: 2 },\n"
      "  actions: { go: { description: 'Go', data: { at: CELLS, by: ['a', 1, true, null, 7, 8, 9, 10] } } } };\n"
      "export const setup = () => ({ turn: 0 });\n"
      "export const awaited = ({ turn }) => [turn];\n"
      "export const observe = (state) => state;\n"
      "export const outcome = () => null;\n"
      "export const apply = ({ turn }) => ({ state: { turn: 1 - turn } });\n"
      "const offer = (at, by) => [{ name: 'go', data: { at, by } }];\n"
      "export const actions = ({ turn }) => ";
  struct Case {
    std::string actions;
    std::vector<Move> moves;
  };
  for (const auto& [actions, expected] : std::vector<Case>{
           {"offer(CELLS, ['a', null])", {0, 3, 8, 11, 16, 19, 24, 27, 32, 35, 40, 43}},
           {"offer([[0, 1], CELLS[3]], [1])", {1, 25}},
           {"turn === 0 ? offer([6], [1]) : (CELLS[2][2] = 5, offer([CELLS[2]], [1]))", {25}},
           {"turn === 0 ? offer([6], [1]) : (CELLS[0].length = 0, offer([CELLS[0]], [1]))", {41}},
           {"offer([CELLS[5]], { type: 'integer', minimum: 7, maximum: 10 })", {44, 45, 46, 47}},
           {"offer([6], [10, 9, 8, 7, true, 1, 'a'])", {32, 33, 34, 36, 37, 38, 39}},
       }) {
    const auto game = MakeScriptGame({{"odd.js", before + actions + ";\n"}});
    ASSERT_TRUE(game) << game.error().message;
    const auto played = *(*game)->NewGame({}, 1, {"Ann", "Bo"});
    const auto ahead = played->Clone();
    std::vector<Move> moves(played->Moves(0, {}));
    played->Moves(0, moves);
    const PlayedChoice choice = played->ToChoice(0, moves.front());
    played->Apply(0, choice.action, choice.data);
    ahead->ApplyMove(0, moves.front());
    EXPECT_EQ(FaultOf(*ahead), "");
    EXPECT_TRUE(ahead->Equals(*played));
    for (const GameState* state : {played.get(), ahead.get()}) {
      moves.resize(state->Moves(1, {}));
      state->Moves(1, moves);
      EXPECT_EQ(moves, expected) << actions;
    }
    for (const Move move : moves) EXPECT_EQ(ahead->ToChoice(1, move).data, played->ToChoice(1, move).data) << actions;
    EXPECT_TRUE(ahead->Validate(1, "go", played->ToChoice(1, moves.back()).data));
  }
}

// A fault in what nobody asked for is found when somebody does.
TEST(ScriptGame, FailsInWordsOnlyWhereTheyAreAsked) {
  std::string text = FileText("games/nim.js");
  text +=
      "export const describe = (state) => { if (state.turn === 1) throw new Error('no words'); return 'words'; };\n";
  const auto game = MakeScriptGame({{"nim.js", text}});
  ASSERT_TRUE(game);
  const auto played = *(*game)->NewGame({}, 1, {"Ann", "Bo"});
  const auto ahead = played->Clone();
  std::vector<Move> moves(played->Moves(0, {}));
  played->Moves(0, moves);
  const PlayedChoice choice = played->ToChoice(0, moves.front());
  played->Apply(0, choice.action, choice.data);
  EXPECT_NE(FaultOf(*played).find("no words"), std::string::npos);
  ahead->ApplyMove(0, moves.front());
  EXPECT_EQ(FaultOf(*ahead), "");
  EXPECT_TRUE(ahead->Awaited().Contains(1));
  EXPECT_FALSE(ahead->Actions(1).empty());
  EXPECT_EQ(json::Write(ahead->Observe(Viewer::Seat(1))), "{}");
  EXPECT_FALSE(ahead->Describe(1).empty());
}

TEST(ScriptGame, HasAnotherVersionUnderAnotherHarness) {
  const std::vector<ScriptFile> files{{"nim.js", FileText("games/nim.js")}};
  EXPECT_EQ((*MakeScriptGame(files))->info().rules_version, VersionOf(files, HarnessText()));
  EXPECT_NE(VersionOf(files, "one"), VersionOf(files, "another"));
}

struct WrongInfo {
  std::string_view change;  // what follows `export const info = {...good, `
  std::string_view message;
};

TEST(ScriptGame, SaysWhatIsWrongWithAnInfo) {
  const std::vector<WrongInfo> wrong = {
      {"id: 'Not An Id'", R"(info.id must be made of a to z, 0 to 9 and -; got "Not An Id")"},
      {"title: 7", "info.title must be a text of 1 to 80 bytes; got 7"},
      {"rules: ''", R"(info.rules must be a text of 1 to 20000 bytes; got "")"},
      {"guide: 7", "info.guide must be a text of 1 to 20000 bytes; got 7"},
      {"seats: {min: 3, max: 2}",
       R"(info.seats must be {min, max, roles}, with 1 <= min <= max <= 64; got {"min":3,"max":2})"},
      {"seats: {min: 2, max: 2, roles: ['A']}",
       R"(info.seats.roles must be a list of 2 texts, one for each seat; got ["A"])"},
      {"options: {size: {type: 'integer'}}", "info.options.size needs a default that it accepts"},
      {"options: {a: {$ref: '#/$defs/x', $defs: {x: {type: 'integer'}}, default: 1}}",
       R"(info.options: the reference "#/$defs/x" has no target)"},
      {"options: {a: {$id: 'urn:x', default: 1}, b: {$id: 'urn:x', default: 1}}",
       R"(info.options: two schemas have the same URI "urn:x")"},
      {"actions: {}", "info.actions must have 1 to 64 actions"},
      {"actions: {take: {description: 'Take', data: {count: [1, 1]}}}",
       "info.actions.take.data.count has the value 1 twice"},
      {"guid: 'Take all.'",
       R"(info: there is no member "guid" here, only id, title, description, rules, guide, seats, options, actions)"},
      {"seats: {min: 2, max: 2, role: ['A', 'B']}",
       R"(info.seats: there is no member "role" here, only min, max, roles)"},
      {"actions: {take: {description: 'Take', lable: () => 'Take'}}",
       R"(info.actions.take: there is no member "lable" here, only description, data, label)"},
      {"hides: true",
       "a game that hides something exports redeal(state, seat, random): a state that the seat cannot tell from this "
       "one"},
  };
  for (const WrongInfo& each : wrong) {
    const auto game = MakeScriptGame({{"wrong.js",
                                       "export * from './nim.js'; import { info as good } from './nim.js';\n"
                                       "export const info = { ...good, " +
                                           std::string(each.change) + " };"},
                                      {"nim.js", FileText("games/nim.js")}});
    EXPECT_EQ(game ? "accepted" : game.error().message, each.message);
  }
}

// A game of Nim with some of its functions replaced.
std::unique_ptr<Game> ChangedNim(const std::string& change) {
  auto game = MakeScriptGame({{"changed.js", "export * from './nim.js'; import * as good from './nim.js';\n" + change},
                              {"nim.js", FileText("games/nim.js")}});
  if (!game) ADD_FAILURE() << game.error().message;
  return game ? *std::move(game) : nullptr;
}

TEST(ScriptGame, AsksTheScriptAboutFreeData) {
  const auto game = ChangedNim(R"(
    const data = { word: { type: 'string', maxLength: 20, examples: ['hello'] } };
    export const info = { ...good.info, actions: { say: { description: 'Say a word', data } } };
    export const actions = () => [{ name: 'say', data }];
    export const validate = (state, seat, action) =>
      action.data.word.includes(' ') ? { reason: 'one word only', path: 'word' } : undefined;)");
  ASSERT_NE(game, nullptr);
  const auto state = Start(*game);
  EXPECT_TRUE(state->Validate(0, "say", json::Object{{"word", "anything"}}));
  EXPECT_EQ(state->Validate(0, "say", json::Object{{"word", "two words"}}).error(),
            (Error{ErrorCode::kIncorrectMove, "one word only", "word"}));
}

TEST(ScriptGame, TypedTextIsToldByItsLabel) {
  const auto told = [](const std::string& label) {
    const auto game = ChangedNim(R"(
      const data = { word: { type: 'string', maxLength: 20, examples: ['hello'] } };
      export const info = { ...good.info, actions: { say: { description: 'Say a word', data)" +
                                 label + R"( } } };
      export const actions = () => [{ name: 'say', data }];
      export const validate = undefined;
      export const apply = (state) => ({ state: { ...state, turn: 1 - state.turn } });)");
    const auto state = Start(*game);
    state->Apply(0, "say", json::Object{{"word", "anything"}});
    return state->Log(Viewer::Spectator()).back();
  };
  EXPECT_THAT(told(", label: ({ word }) => `Says ${word}`"), ::testing::EndsWith(": Says anything"));
  EXPECT_THAT(told(""), ::testing::EndsWith(": say: anything"));
}

TEST(ScriptGame, AcceptsOfListedDataOnlyWhatIsListed) {
  const auto game = ChangedNim(R"(
    const data = { word: { type: 'string', maxLength: 20, examples: ['hello'] } };
    export const info = { ...good.info, actions: { say: { description: 'Say a word', data } } };
    export const actions = () => [{ name: 'say', data: [{ word: 'yes' }, { word: 'no' }] }];)");
  ASSERT_NE(game, nullptr);
  const auto state = Start(*game);
  EXPECT_TRUE(state->Validate(0, "say", json::Object{{"word", "yes"}}));
  EXPECT_FALSE(state->Validate(0, "say", json::Object{{"word", "maybe"}}));
  EXPECT_EQ(*json::Find(*json::Find(*json::Find(state->Actions(0)[0].schema, "properties"), "word"), "enum"),
            json::Value(json::Array{"yes", "no"}));
}

TEST(ScriptGame, GetsListedDataAsItIsListedAlsoAtARestart) {
  const auto game = ChangedNim(R"(
    const data = { from: [0, 1], to: [0, 1] };
    export const info = { ...good.info, actions: { move: { description: 'Move', data } } };
    export const setup = () => ({ turn: 0, seen: [] });
    export const actions = () => [{ name: 'move', data }];
    export const validate = undefined;
    export const apply = (state, seat, { data }) => ({
      state: { turn: 1 - seat, seen: [...state.seen, JSON.stringify(data)] } });
    export const observe = (state) => state;
    export const outcome = (state) => (state.seen.length > 9 ? { winners: [], reason: 'moved' } : null);)");
  ASSERT_NE(game, nullptr);
  const std::shared_ptr<const GameState> state = Start(*game);
  ASSERT_NE(state, nullptr);
  const json::Object mixed{{"to", 1.0}, {"from", -0.0}};
  const Result<Ruling> played = Judge(*state, 0, "move", mixed);
  const Result<Ruling> again = JudgeAgain(*state, 0, "move", mixed);
  ASSERT_TRUE(played && again);
  EXPECT_EQ(json::Write(played->next->Observe(Viewer::Spectator())), R"({"turn":1,"seen":["{\"from\":0,\"to\":1}"]})");
  EXPECT_TRUE(again->next->Equals(*played->next));
  EXPECT_EQ(again->next->Log(Viewer::Spectator()), played->next->Log(Viewer::Spectator()));
}

TEST(ScriptGame, LogsNoChoiceThatAnotherSeatHasNotMadeYet) {
  const auto game = ChangedNim(R"(
    export const info = { ...good.info, actions: { show: { description: 'Show', data: { hand: ['rock', 'paper'] } } } };
    export const setup = () => ({ hands: [null, null] });
    export const awaited = (state) => [0, 1].filter((seat) => state.hands[seat] === null);
    export const actions = () => [{ name: 'show', data: { hand: ['rock', 'paper'] } }];
    export const apply = (state, seat, { data }) => {
      const hands = [...state.hands];
      hands[seat] = data.hand;
      return { state: { hands } };
    };
    export const observe = () => ({});
    export const outcome = (state) => (state.hands.includes(null) ? null : { winners: [], reason: 'shown' });)");
  ASSERT_NE(game, nullptr);
  const auto state = Start(*game);
  state->Apply(0, "show", json::Object{{"hand", "rock"}});
  EXPECT_EQ(state->Log(Viewer::Spectator()), std::vector<std::string>());
  state->Apply(1, "show", json::Object{{"hand", "paper"}});
  EXPECT_EQ(state->Log(Viewer::Spectator()).size(), 1u);
}

// Everything that a viewer gets of a state: what pages, prompts and protocols are made of.
std::string AllSeenBy(const GameState& before, const GameState& after, Viewer viewer) {
  std::string all = json::Write(after.Observe(viewer));
  for (const std::string& line : after.Log(viewer)) all += "\n" + line;
  for (const std::string& line : after.News(before, viewer)) all += "\n" + line;
  if (!viewer.seat()) return all;
  const SeatIndex seat = *viewer.seat();
  all += after.Describe(seat);
  for (const ActionSpec& action : after.Actions(seat)) all += action.description + json::Write(action.schema);
  for (const LegalChoice& choice : ChoicesOf(after, seat)) all += choice.label + json::Write(choice.choice.data);
  Rng rng(1);
  return all + json::Write(after.Sample(seat, rng)->Serialize());
}

// A seat's choice at random; every text in it is `text`.
PlayedChoice ChoiceWithText(const GameState& state, SeatIndex seat, Rng& rng, const std::string& text) {
  const std::vector<LegalChoice> choices = ChoicesOf(state, seat);
  PlayedChoice choice = choices[rng.Below(choices.size())].choice;
  if (json::Find(choice.data, "text") != nullptr) choice.data.get_object()["text"] = text;
  return choice;
}

TEST(ScriptGame, WhatIsSaidInPrivateReachesNobodyElse) {
  const auto game = LoadGame("wolves");
  ASSERT_NE(game, nullptr);
  int heard_by_another = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Rng rng(seed);
    std::vector<std::string> names;
    const SeatIndex seats = static_cast<SeatIndex>(5 + rng.Below(8));
    for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat + 1));
    const auto state = *game->NewGame(nullptr, seed, names);
    // By each text: who may know it.
    std::vector<std::pair<std::string, SeatSet>> secrets;
    for (int choices = 0; !state->Awaited().empty() && choices < 60; ++choices) {
      const SeatIndex seat = state->Awaited().First();
      const std::string text = "secret-" + std::to_string(choices) + "-";
      const PlayedChoice choice = ChoiceWithText(*state, seat, rng, text);
      SeatSet ears;
      ears.Insert(seat);
      if (choice.action == "whisper")
        ears.Insert(static_cast<SeatIndex>(*json::WholeOf(choice.data.get_object(), "player") - 1));
      if (choice.action == "murmur") {
        // The other wolves, as one of them sees who they are.
        const json::Array players = state->Observe(Viewer::Seat(seat)).at("players").as_array();
        const auto is_wolf = [&](SeatIndex each) { return json::TextOf(players[each], "role") == "wolf"; };
        for (SeatIndex each = 0; each < seats; ++each) {
          if (is_wolf(seat) && is_wolf(each)) ears.Insert(each);
        }
      }
      const std::unique_ptr<GameState> before = state->Clone();
      ASSERT_TRUE(state->Validate(seat, choice.action, choice.data));
      state->Apply(seat, choice.action, choice.data);
      if (choice.action == "whisper" || choice.action == "murmur") secrets.emplace_back(text, ears);
      const std::string to_all = AllSeenBy(*before, *state, Viewer::Spectator());
      for (const auto& [secret, may_hear] : secrets) {
        ASSERT_EQ(to_all.find(secret), std::string::npos) << "a spectator, seed " << seed << ", choice " << choices;
      }
      for (SeatIndex other = 0; other < seats; ++other) {
        const std::string seen = AllSeenBy(*before, *state, Viewer::Seat(other));
        for (const auto& [secret, may_hear] : secrets) {
          const bool hears = seen.find(secret) != std::string::npos;
          ASSERT_TRUE(may_hear.Contains(other) || !hears)
              << "seat " << other << ", seed " << seed << ", choice " << choices;
          heard_by_another += hears && may_hear.size() > 1;
        }
      }
    }
  }
  EXPECT_GT(heard_by_another, 0);
}

// A state may look different as JSON: what is asked about a move that was offered has an answer all the same.
TEST(ScriptGame, AStateThatChangesAsJsonIsSurvived) {
  const auto game = *MakeScriptGame({{"game.js", R"(
      export const info = { id: 'odd', title: 'Odd', description: 'Take', rules: 'Take.', seats: { min: 2, max: 2 },
        actions: { take: { description: 'Take stones', data: { count: [1, 2] }, label: ({ count }) => `${count} stones` } } };
      export const setup = () => ({ left: 7, turn: 0 });
      export const awaited = (state) => [state.turn];
      export const actions = (state) => [{ name: 'take', data: { count: [1, 2].filter((count) => count <= state.left) } }];
      export function apply(state, seat, action) {
        const turn = 1 - seat, next = { left: state.left - action.data.count, turn };
        Object.defineProperty(next, 'toJSON', { value: () => ({ left: 1, turn }) });
        return { state: next };
      }
      export const observe = (state) => ({ left: state.left });
      export const outcome = (state) => (state.left === 0 ? { winners: [1 - state.turn], reason: 'took the last' } : null);
    )"}});
  const auto state = *game->NewGame(nullptr, 1, {"A", "B"});
  state->ApplyMove(0, 0);
  std::vector<Move> moves(2);
  ASSERT_EQ(state->Moves(1, moves), 2u);
  for (const Move move : moves) EXPECT_FALSE(state->MoveLabel(1, move).empty());
  EXPECT_EQ(state->Actions(1).size(), 1u);
}

// A game of two with a redeal of its own, which is asked once for each sample.
std::unique_ptr<Game> WithRedeal(const std::string& redeal) {
  auto game = MakeScriptGame({{"game.js", R"(
      export const info = { id: 'redealt', title: 'Redealt', description: 'Take', rules: 'Take.', seats: { min: 2, max: 2 },
        actions: { take: { description: 'Take stones', data: { count: [1, 2, 3] } } } };
      export const setup = () => ({ stones: 9, turn: 0, drawn: 0 });
      export const awaited = (state) => [state.turn];
      export const actions = (state) => [{ name: 'take', data: { count: [1, 2, 3].filter((count) => count <= state.stones) } }];
      export const apply = (state, seat, { data }) => ({ state: { ...state, stones: state.stones - data.count, turn: 1 - seat } });
      export const observe = (state) => ({ stones: state.stones });
      export const outcome = (state) => (state.stones === 0 ? { winners: [1 - state.turn], reason: 'took the last' } : null);
      export const redeal = )" + redeal}});
  if (!game) ADD_FAILURE() << game.error().message;
  return game ? *std::move(game) : nullptr;
}

TEST(ScriptGame, ARedealThatTheSeatCouldTellIsNoSample) {
  const std::pair<std::string, std::string> kBad[] = {
      {"() => { throw new Error('x'); }", "redeal: x"},
      {"() => { for (;;); }", "redeal: the script did not finish within 10 million steps"},
      {"() => undefined", "redeal: "},
      {"(state) => ({ ...state, turn: 7 })", "awaited(state) must return seats"},
      {"(state) => ({ ...state, turn: 1 - state.turn })",
       "the given state awaits the seat, and the returned one does not"},
      {"(state) => ({ ...state, stones: 2 })", "actions offers the seat something else in each"},
      {"(state) => ({ ...state, stones: 0 })", "the game is over in the returned state, but not in the given one"}};
  for (const auto& [redeal, fault] : kBad) {
    const auto game = WithRedeal(redeal);
    ASSERT_NE(game, nullptr);
    const auto state = Start(*game);
    const FaultWatch watch;
    Rng rng(1);
    EXPECT_EQ(state->Sample(0, rng), nullptr) << redeal;
    EXPECT_THAT(watch.fault(), ::testing::HasSubstr(fault));
    EXPECT_THAT(watch.fault(), ::testing::StartsWith("game.js:"));
    EXPECT_EQ(FaultOf(*state), "") << "the match goes on";
  }
}

TEST(ScriptGame, ARedealIsLookedAtForItsSeat) {
  // Seat 1 is awaited only in what is returned.
  const auto game = WithRedeal("(state, seat) => (seat === 1 ? { ...state, turn: 1 } : state)");
  ASSERT_NE(game, nullptr);
  const auto state = Start(*game);
  Rng rng(1);
  EXPECT_NE(state->Sample(0, rng), nullptr);
  const FaultWatch watch;
  EXPECT_EQ(state->Sample(1, rng), nullptr);
  EXPECT_THAT(watch.fault(), ::testing::HasSubstr("the returned state awaits the seat, and the given one does not"));
}

// Search goes on as if there were none.
TEST(ScriptGame, AnEvaluateThatFailsIsNotAskedAgain) {
  const std::string evaluate = "export const evaluate = () => { throw new Error('x'); };";
  const auto failing = ChangedNim(evaluate);
  const auto none = ChangedNim("export const evaluate = undefined;");
  ASSERT_TRUE(failing && none);
  const auto state = Start(*failing);
  const auto same = Start(*none);
  const double worth = none->heuristics()->Worth(*same, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(failing->heuristics()->Worth(*state, 0), worth);
}

TEST(ScriptGame, ChecksOptions) {
  const auto game = LoadGame("nim");
  const auto refused = game->NewGame(*json::Parse(R"({"heaps":99})"), 1, {"A", "B"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "`heaps` must be at most 6; got 99");
}

}  // namespace
}  // namespace openseat::games
