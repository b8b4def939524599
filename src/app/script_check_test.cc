#include "app/script_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/script_files.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Functions = std::map<std::string, std::string>;

// Each has a number; who guesses the other's wins. A line for each function, in the order of their names: apply is line
// 5, observe 8. "": it is left out.
std::string Guess(const Functions& changes) {
  Functions functions = {
      {"actions", "() => [{ name: 'guess', data: { n: [1, 2, 3, 4, 5] } }]"},
      {"apply",
       "(s, seat, { data: { n } }, random, names) => ({ state: { ...s, turn: 1 - seat, count: s.count + 1, won: n === "
       "s.numbers[1 - seat] ? seat : null }, log: [`${names[seat]} guessed ${n}.`] })"},
      {"awaited", "(s) => [s.turn]"},
      {"observe", "(s, viewer) => ({ number: viewer === null ? null : s.numbers[viewer], turn: s.turn })"},
      {"outcome",
       "(s) => s.won !== null ? { winners: [s.won], reason: 'guessed it' } : s.count > 50 ? { winners: [], reason: "
       "'too long' } : null"},
      {"redeal",
       "(s, seat, random) => ({ ...s, numbers: s.numbers.map((n, each) => (each === seat ? n : random.die(5))) })"},
      {"setup", "(o, seats, random) => ({ numbers: [random.die(5), random.die(5)], turn: 0, won: null, count: 0 })"}};
  for (const auto& [name, text] : changes) functions[name] = text;
  std::string all =
      "const name = 'guess';\n"
      "export const info = { id: 'guess', title: 'Guess', description: 'Guess', rules: 'Guess.', seats: { min: 2, max: "
      "2 },\n"
      "  actions: { guess: { description: 'Guess `n`.', data: { n: [1, 2, 3, 4, 5] }, label: ({ n }) => `Guess ${n}` } "
      "} };\n";
  for (const auto& [name, text] : functions) {
    if (!text.empty()) all += "export const " + name + " = " + text + ";\n";
  }
  return all;
}

ScriptReport Check(const Functions& changes) {
  const auto game = games::MakeScriptGame({{"guess.js", Guess(changes)}});
  if (game) return CheckScript(**game, nullptr, 5);
  ScriptReport report;
  report.complaints = {PlaceAndMessage(game.error())};
  return report;
}

// The first lines of the complaints.
std::vector<std::string> Sentences(const ScriptReport& report) {
  std::vector<std::string> lines;
  for (const std::string& complaint : report.complaints) lines.push_back(complaint.substr(0, complaint.find('\n')));
  return lines;
}

TEST(CheckScript, PraisesTheGameThatTheOthersChange) {
  const ScriptReport report = Check({{"evaluate", "(s, seat) => (s.turn === seat ? 0.6 : 0.4)"}});
  EXPECT_THAT(report.complaints, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(CheckScript, PlaysAsManyGamesAsItsStepsAllow) {
  const auto check = [](int games, std::int64_t steps) {
    const auto budget = std::make_shared<std::atomic<std::int64_t>>(steps);
    const auto game = games::MakeScriptGame({{"guess.js", Guess({})}}, {}, {.budget = budget});
    const ScriptReport report = CheckScript(**game, nullptr, games, budget);
    return std::pair(report, steps - *budget);
  };
  const auto [few, used] = check(2, 1'000'000'000'000);
  EXPECT_THAT(few.notes, IsEmpty());
  const auto [many, all] = check(1000, 4 * used);
  EXPECT_THAT(many.complaints, IsEmpty());
  EXPECT_GT(many.games, few.games);
  EXPECT_LT(many.games, 1000);
  EXPECT_THAT(many.notes, ElementsAre(HasSubstr("of 1000 random games with 2 seats were played")));
  EXPECT_LE(all, 4 * used);
}

TEST(CheckScript, CallsEvaluate) {
  EXPECT_THAT(Sentences(Check({{"evaluate", "(s) => (s.count > 0 ? gud : 0.5)"}})),
              ElementsAre("guess.js:7:47: evaluate: gud is not defined"));
  EXPECT_THAT(Sentences(Check({{"evaluate", "() => 37"}})),
              ElementsAre("guess.js:7:25: evaluate must return a number from 0 (lost) to 1 (won); got 37"));
  EXPECT_THAT(Sentences(Check({{"evaluate", "() => { for (;;); }"}})),
              ElementsAre(HasSubstr("evaluate: the script did not finish within 40 million steps")));
}

TEST(CheckScript, FindsWhatIsMisspelled) {
  EXPECT_THAT(Sentences(Check({{"evalute", "() => 0.5"}})),
              ElementsAre(HasSubstr(R"(there is no export "evalute": is it meant to be evaluate?)")));
  EXPECT_THAT(Sentences(Check({{"veiw", "() => ({ parts: [] })"}})), ElementsAre(HasSubstr("is it meant to be view?")));
  EXPECT_THAT(Sentences(Check({{"redeal", ""}, {"redeel", "(s) => s"}})),
              ElementsAre(HasSubstr("meant to be redeal?")));
  EXPECT_THAT(Sentences(Check({{"outcome", ""}, {"outcom", "() => null"}})),
              ElementsAre("the script must export the function outcome(state); it exports outcom"));
  // Where the function is there, and of other names, anything may be exported.
  EXPECT_THAT(Check({{"redeals", "() => 1"}, {"helper", "() => 1"}}).complaints, IsEmpty());
  EXPECT_THAT(
      Sentences(Check(
          {{"apply", "(s, seat, action) => ({ state: { ...s, turn: 1 - seat, count: s.count + 1 }, logg: [] })"}})),
      ElementsAre(R"(guess.js:5:22: apply: there is no member "logg" here, only state, log, result)"));
}

TEST(CheckScript, WantsRedealWhereChanceOrAViewerMatters) {
  const Functions open = {{"redeal", ""}, {"observe", "(s) => ({ turn: s.turn, numbers: s.numbers })"}};
  EXPECT_THAT(Check(open).complaints, IsEmpty()) << "all see what chance made at the start";

  Functions rolls = open;
  rolls["apply"] =
      "(s, seat, { data: { n } }, random) => ({ state: { ...s, turn: random.int(2), count: s.count + 1, won: n === 5 ? "
      "seat : null } })";
  EXPECT_THAT(Sentences(Check(rolls)), ElementsAre(HasSubstr("apply uses random")));
  rolls["redeal"] = "(s) => s";
  const ScriptReport copied = Check(rolls);
  EXPECT_THAT(copied.complaints, IsEmpty());
  EXPECT_THAT(copied.notes, ElementsAre(HasSubstr("nothing in this game is a secret")));

  Functions hidden = open;
  hidden["observe"] = "(s) => ({ turn: s.turn })";
  EXPECT_THAT(Sentences(Check(hidden)), ElementsAre(HasSubstr("setup draws with random what nobody sees")));

  EXPECT_THAT(
      Sentences(Check({{"redeal", ""}, {"setup", "() => ({ numbers: [2, 4], turn: 0, won: null, count: 0 })"}})),
      ElementsAre(HasSubstr("without redeal, viewer is always null")));
}

TEST(CheckScript, NamesWhatASeatMustNotSee) {
  const std::vector<std::string> seen =
      Sentences(Check({{"observe", "(s, viewer) => ({ numbers: s.numbers, turn: s.turn })"}}));
  ASSERT_FALSE(seen.empty());
  EXPECT_THAT(seen[0],
              ::testing::MatchesRegex("guess.js:7:24: observe shows a seat what redeal draws again: seat [01], "
                                      "numbers.[01]. is [1-5], after redeal [1-5]"));
  EXPECT_THAT(
      Sentences(Check({{"observe", "(s, viewer) => ({ number: viewer === null ? s.numbers : s.numbers[viewer] })"}})),
      ElementsAre(HasSubstr("observe shows spectators what redeal draws again for a seat: seat ")));
  const std::string log =
      "(s, seat, { data: { n } }, random, names) => ({ state: { ...s, turn: 1 - seat, count: s.count "
      "+ 1, won: n === s.numbers[1 - seat] ? seat : null }, log: [";
  EXPECT_THAT(Sentences(Check({{"apply", log + "`${n} against ${s.numbers[0]}`] })"}})),
              ElementsAre(HasSubstr(
                  "apply tells seat 1 in the log what observe does not show it, state.numbers[0]: it reads")));
  EXPECT_THAT(Check({{"apply", log + "{ text: `You have ${s.numbers[seat]}`, to: seat }] })"}}).complaints, IsEmpty());
}

// Two numbers are compared and gone; the third player's stays. Everybody reads the two.
TEST(CheckScript, TheLogMayTellWhatIsNoSecretAnyMore) {
  const auto game = games::MakeScriptGame({{"duel.js", R"js(
export const info = { id: 'duel', title: 'Duel', description: 'Duel', rules: 'Duel.', seats: { min: 3, max: 3 }, actions: { fight: 'Fight.' } };
export const setup = (o, seats, random) => ({ numbers: [random.die(9), random.die(9), random.die(9)], count: 0 });
export const awaited = () => [0];
export const actions = () => [{ name: 'fight' }];
export const apply = (s, seat, action, random) => ({
  state: { numbers: [random.die(9), random.die(9), s.numbers[2]], count: s.count + 1 }, log: [`${s.numbers[0]} against ${s.numbers[1]}`],
});
export const observe = (s, viewer) => ({ own: viewer === null ? null : s.numbers[viewer], count: s.count });
export const redeal = (s, seat, random) => ({ ...s, numbers: s.numbers.map((n, each) => (each === seat ? n : random.die(9))) });
export const outcome = (s) => (s.count < 9 ? null : { winners: [], reason: 'tired' });
)js"}});
  ASSERT_TRUE(game) << game.error().message;
  EXPECT_THAT(CheckScript(**game, nullptr, 5).complaints, IsEmpty());
}

TEST(CheckScript, FindsStateOutsideOfTheState) {
  EXPECT_THAT(Sentences(Check({{"apply",
                                "((moves) => (s, seat, { data: { n } }) => ({ state: { ...s, moves: ++moves, turn: 1 - "
                                "seat, count: s.count + "
                                "1, won: n === s.numbers[1 - seat] ? seat : null } }))(0)"}})),
              ElementsAre(HasSubstr("apply returned something else when it was called again with the same")));
  EXPECT_THAT(Sentences(Check({{"observe",
                                "(s, viewer) => ({ looks: (globalThis.looks = (globalThis.looks ?? 0) + 1), number: "
                                "viewer === null ? null : "
                                "s.numbers[viewer] })"}})),
              ElementsAre(HasSubstr("observe returned something else when it was called again")));
}

TEST(CheckScript, SaysOnceWhatIsWrongAndWhere) {
  const std::vector<std::string> thrown =
      Sentences(Check({{"apply", "(s, seat, { data: { n } }) => { throw new Error(`boom ${n}`); }"}}));
  ASSERT_EQ(thrown.size(), 1u);
  EXPECT_THAT(thrown[0], ::testing::StartsWith("guess.js:5:78: apply: boom "));
  EXPECT_THAT(Sentences(Check({{"apply", "(s) => s"}})),
              ElementsAre("guess.js:5:22: apply must return {state}, with a result and a log if there are any; got "
                          "{numbers, turn, won, count}"));
  EXPECT_THAT(Sentences(Check({{"outcome", "(s) => (s.count > 3 ? { winner: 0, reason: 'x' } : null)"}})),
              ElementsAre(HasSubstr("or null while the game goes on; got {winner, reason}")));
  EXPECT_THAT(Sentences(Check({{"view", "() => ({ parts: [{ type: 'board' }] })"}})),
              ElementsAre(::testing::StartsWith("guess.js:11:21: view.parts[0]")));
  EXPECT_THAT(Sentences(Check({{"view", "() => { while (true) ; }"}})),
              ElementsAre(HasSubstr("view: the script did not finish within 10 million steps")));
  EXPECT_THAT(Sentences(Check({{"apply", "(s) => s.numbers.psuh(1)"}})),
              ElementsAre(HasSubstr("apply: not a function: s.numbers.psuh(1);")));
}

TEST(CheckScript, KnowsAPlace) {
  EXPECT_EQ(SizeOfPlace("parts/game.js:12:5: apply: x"), 20u);
  for (const char* none : {"info: x", "12:5: x", ":12:5: x", "game.js:12: x", "game.js:12:5 x", "a 1: x", ""}) {
    EXPECT_EQ(SizeOfPlace(none), 0u) << none;
  }
}

}  // namespace
}  // namespace openseat::app
