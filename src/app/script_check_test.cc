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
    ScriptReport report;
    if (game) {
      report = CheckScript(**game, nullptr, games, budget);
    } else {
      report.complaints = {PlaceAndMessage(game.error())};
    }
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
  // Whatever is being checked when they are used up.
  constexpr int kParts = 60;
  for (int part = 1; part < kParts; ++part) {
    const ScriptReport report = check(2, used * part / kParts).first;
    EXPECT_FALSE(report.complaints.empty() && report.notes.empty()) << part << " of " << kParts;
  }
}

TEST(CheckScript, RedealsAsSearchDoes) {
  const auto check = [](const std::string& later) {
    const std::string good =
        "{ ...s, drawn: (s.drawn ?? 0) + 1, numbers: s.numbers.map((n, each) => (each === seat ? n : random.die(5))) }";
    return Sentences(Check({{"redeal", "(s, seat, random) => (s.drawn > 1 ? " + later + " : " + good + ")"}}));
  };
  EXPECT_THAT(check("{ ...s, turn: 1 - s.turn }"),
              ElementsAre(HasSubstr("cannot tell from the given one: the given state awaits the seat")));
  EXPECT_THAT(check("{ ...s, won: 0 }"), ElementsAre(HasSubstr("the game is over in the returned state")));
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
  EXPECT_THAT(copied.notes, ElementsAre(HasSubstr("of most choices, nobody reads")))
      << "all see the same: no secret is lost";

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

TEST(CheckScript, ValidateAndActionsAgree) {
  EXPECT_THAT(
      Sentences(Check({{"validate", "(s, seat, { data: { n } }) => (n === 2 ? 'not two' : undefined)"}})),
      ElementsAre(HasSubstr("validate refuses guess {\"n\":2}, which actions(state, 0) offers: not two. Leave it")));
  EXPECT_THAT(Sentences(Check({{"actions", "() => [{ name: 'guess', data: [{ n: 1 }, { n: 2 }] }]"},
                               {"validate", "(s, seat, { data: { n } }) => (n === 2 ? 'not two' : undefined)"}})),
              ElementsAre(HasSubstr("validate refuses guess {\"n\":2}, which actions(state, 0) offers: not two")));
  EXPECT_THAT(Sentences(Check({{"validate", "() => true"}})),
              ElementsAre(HasSubstr("validate must return nothing if the action is legal, or why it is not: a text, or "
                                    "{reason, path}; got true")));
  EXPECT_THAT(Sentences(Check({{"validate", "() => ({ legal: true })"}})), ElementsAre(HasSubstr("got {legal}")));
}

// Of several members, validate takes out combinations: of a script that means it wrong, all.
std::string Pairs(const std::string& validate) {
  return "export const info = { id: 'pairs', title: 'Pairs', description: 'Pairs', rules: 'Pairs.', seats: { min: 2, "
         "max: 2 },\n"
         "  actions: { take: { description: 'Take', data: { a: [1, 2], b: [1, 2] } } } };\n"
         "export const setup = () => ({ n: 0 });\nexport const awaited = (s) => [s.n % 2];\n"
         "export const actions = () => [{ name: 'take', data: { a: [1, 2], b: [1, 2] } }];\n"
         "export const apply = (s) => ({ state: { n: s.n + 1 } });\nexport const observe = (s) => ({ n: s.n });\n"
         "export const outcome = (s) => (s.n > 5 ? { winners: [], reason: 'enough' } : null);\n"
         "export const validate = " +
         validate + ";\n";
}

TEST(CheckScript, NamesTheValidateThatRefusesAll) {
  const auto check = [](const std::string& validate) {
    return Sentences(CheckScript(**games::MakeScriptGame({{"pairs.js", Pairs(validate)}}), nullptr, 2));
  };
  EXPECT_THAT(check("(s, seat, { data }) => (data.a === data.b ? 'equal' : undefined)"), IsEmpty());
  EXPECT_THAT(check("() => 'never'"),
              ElementsAre(HasSubstr("9:25: validate refuses all that actions(state, 0) offers, as take "
                                    "{\"a\":1,\"b\":1}: never")));
  EXPECT_THAT(check("() => true"), ElementsAre(HasSubstr("validate must return nothing if the action is legal")));
}

TEST(CheckScript, NamesWhatRedealLost) {
  EXPECT_THAT(Sentences(Check({{"redeal", "() => {}"}})),
              ElementsAre(HasSubstr("redeal must return a state; got undefined")));
  EXPECT_THAT(Sentences(Check({{"redeal", "(state) => ({ state })"}})),
              ElementsAre(HasSubstr("redeal must return a state with all members of the given one; numbers, turn, won, "
                                    "count are missing in {state}")));
  EXPECT_THAT(Sentences(Check({{"redeal", "({ turn, ...s }) => s"}})),
              ElementsAre(HasSubstr("; turn is missing in {")));
}

// Both choose a number at the same time, three times.
std::string Duel(const std::string& log, const std::string& redealt) {
  return "export const info = { id: 'duel', title: 'Duel', description: 'Duel', rules: 'Duel.', seats: { min: 2, max: "
         "2 },\n"
         "  actions: { choose: { description: 'Choose', data: { n: [1, 2, 3] }, label: ({ n }) => `${n}` } } };\n"
         "export const setup = () => ({ round: 0, chosen: [null, null] });\n"
         "export const awaited = ({ chosen }) => chosen.flatMap((choice, seat) => (choice === null ? [seat] : []));\n"
         "export const actions = () => [{ name: 'choose', data: { n: [1, 2, 3] } }];\n"
         "export const apply = (s, seat, { data: { n } }, random, names) => {\n"
         "  s.chosen[seat] = n;\n"
         "  if (s.chosen.includes(null)) return { state: s, log: " +
         log +
         " };\n"
         "  return { state: { round: s.round + 1, chosen: [null, null] }, log: [`${s.chosen}`] };\n"
         "};\n"
         "export const observe = ({ round, chosen }, viewer) => ({ round, own: chosen[viewer] ?? null, done: "
         "chosen.map((n) => n !== null) });\n"
         "export const outcome = ({ round }) => (round < 3 ? null : { winners: [], reason: 'enough' });\n"
         "export const redeal = (s, seat, random) => ({ ...s, chosen: s.chosen.map((n, each) => (each === seat || n "
         "=== null ? n : " +
         redealt + ")) });\n";
}

TEST(CheckScript, NamesTheLogThatTellsAChoice) {
  const auto check = [](const std::string& log, const std::string& redealt) {
    return CheckScript(**games::MakeScriptGame({{"duel.js", Duel(log, redealt)}}), nullptr, 5).complaints;
  };
  EXPECT_THAT(check("[]", "random.die(3)"), IsEmpty());
  EXPECT_THAT(check("[`${names[seat]} has chosen ${n}.`]", "random.die(3)"),
              ElementsAre(::testing::AllOf(HasSubstr("choice is not a secret in the log"),
                                           HasSubstr("Write no line of the log"))));
  const std::vector<std::string> copied = check("[]", "n");
  ASSERT_FALSE(copied.empty());
  EXPECT_THAT(copied[0], ::testing::Not(HasSubstr("take away,")));
}

TEST(CheckScript, FindsWhatAMatchDoesNotNotice) {
  const std::string apply =
      "(s, seat, { data: { n } }, random, names) => ({ state: { ...s, turn: 1 - seat, count: s.count + 1, won: n === "
      "s.numbers[1 - seat] ? seat : null }, log: [";
  EXPECT_THAT(Sentences(Check({{"apply", apply + "{ text: `You have ${s.numbers[seat]}`, seats: [seat] }] })"}})),
              ElementsAre(HasSubstr("apply: log[0]: there is no member \"seats\" here, only text, to")));
  EXPECT_THAT(Sentences(Check({{"apply", apply + "'ä'.repeat(600)] })"}})),
              ElementsAre(HasSubstr("apply: log[0] has 1200 bytes, of which only 1000 are kept")));
  EXPECT_THAT(
      Sentences(Check(
          {{"setup",
            "(o, seats, random) => ({ numbers: [random.int(1, 5), random.die(5)], turn: 0, won: null, count: 0 })"}})),
      ElementsAre(HasSubstr("setup: random.int takes one argument; got 1, 5: from 1 to 5 is 1 + random.int(5)")));
  EXPECT_THAT(Sentences(Check({{"redeal",
                                "(s, seat, random) => ({ ...s, numbers: s.numbers.map((n, each) => (each === seat ? n "
                                ": random.die(1, 5))) })"}})),
              ElementsAre(HasSubstr("redeal: random.die takes one argument; got 1, 5")));
  EXPECT_THAT(Sentences(Check({{"apply", apply + "] })"}})), IsEmpty());
  EXPECT_THAT(Check({{"apply", apply + "] })"}}).notes, ElementsAre(HasSubstr("of most choices, nobody reads")));
  const ScriptReport same =
      Check({{"setup",
              "(o, seats, random) => { const list = [1, 2, 3, 4, 5]; random.shuffle(list); return { "
              "numbers: list.slice(0, 2), turn: 0, won: null, count: 0 }; }"}});
  EXPECT_THAT(same.notes, ElementsAre(HasSubstr("setup uses random, but its state is the same for all seeds")));
}

TEST(CheckScript, WantsALabelThatIsAText) {
  std::string text = Guess({});
  const std::string good = "label: ({ n }) => `Guess ${n}`";
  const auto with = [&](const std::string& label) {
    std::string changed = text;
    changed.replace(changed.find(good), good.size(), label);
    const auto game = games::MakeScriptGame({{"guess.js", changed}});
    return game ? Sentences(CheckScript(**game, nullptr, 2)) : std::vector{game.error().message};
  };
  EXPECT_THAT(with("label: ({ n }) => { `Guess ${n}`; }"),
              ElementsAre(HasSubstr("info.actions.guess.label must return a text; got undefined for guess {\"n\":1}")));
  EXPECT_THAT(with("label: 'Guess'"), ElementsAre(HasSubstr("info.actions.guess.label must be a function")));
  EXPECT_THAT(with("label: () => 'Guess'"),
              ElementsAre(HasSubstr("have the label \"Guess\": seat 0: guess {\"n\":1}, and seat 0: guess {\"n\":2}")));
}

TEST(CheckScript, ARedealThatDrawsNothingHidesNothing) {
  EXPECT_THAT(
      Sentences(Check({{"redeal", "(s) => s"}})),
      ElementsAre(HasSubstr(
          "redeal returns each state as it is, but seat 1 cannot see state.numbers[0]: redeal must draw it again")));
  const ScriptReport turns =
      Check({{"redeal", "(s) => s"},
             {"observe", "(s, viewer) => ({ numbers: s.numbers, turn: s.turn, mine: s.turn === viewer })"}});
  EXPECT_THAT(turns.complaints, IsEmpty());
}

TEST(CheckScript, ListsEnds) {
  const ScriptReport draws = Check(
      {{"outcome",
        "(s) => (s.count > 5 ? { winners: [], reason: `ended with ${s.numbers[0]}${s.numbers[1]} points` } : null)"},
       {"observe", "(s, viewer) => ({ number: viewer === null ? null : s.numbers[viewer], turn: s.turn })"}});
  for (const auto& [ending, games] : draws.endings) EXPECT_THAT(ending, ::testing::StartsWith("nobody won: "));
  const auto game = games::MakeScriptGame({{"pairs.js", Pairs("() => undefined")}});
  const ScriptReport same = CheckScript(**game, nullptr, 12);
  EXPECT_THAT(same.notes, ElementsAre("all 12 games ended the same way, nobody won: enough: no other end was tested"));
}

TEST(CheckScript, SaysOfWhichMomentTheStateIs) {
  EXPECT_THAT(Check({{"outcome", "(s) => (s.count > 0 ? { winners: 0, reason: 'x' } : null)"}}).complaints,
              ElementsAre(HasSubstr("before this choice, the state was {\"numbers\": [")));
  EXPECT_THAT(Check({{"view", "(s) => ({ parts: [{ type: 'text', text: 7 }] })"}}).complaints,
              ElementsAre(HasSubstr("in the state {")));
  EXPECT_THAT(Check({{"setup",
                      "(o, seats, random) => ({ numbers: [random.die(5), random.die(5)], turn: 0, won: null, count: 0, "
                      "suit: '♦' })"},
                     {"view", "() => 7"}})
                  .complaints,
              ElementsAre(HasSubstr("♦")));
}

TEST(CheckScript, KnowsAPlace) {
  EXPECT_EQ(SizeOfPlace("parts/game.js:12:5: apply: x"), 20u);
  for (const char* none : {"info: x", "12:5: x", ":12:5: x", "game.js:12: x", "game.js:12:5 x", "a 1: x", ""}) {
    EXPECT_EQ(SizeOfPlace(none), 0u) << none;
  }
}

}  // namespace
}  // namespace openseat::app
