#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/json.h"

namespace openseat::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVariable = "OPENSEAT_COMMAND_LINE_TEST";

// A program with one option of each kind, whose exit code says what ran.
struct CommandLineTest : ::testing::Test {
  CommandLineTest() {
    Command play = program.root().AddCommand("play", "Plays games");
    play.AddOption("game", &game, "Which game", {.type = "GAME"});
    play.AddOption("-n,--games", &games, "How many games", {.range = {{1, 1000}}});
    play.AddOption("--seed", &seed, "Makes it repeatable", {.type = "N", .given = &seeded});
    play.AddOption("--wait", &wait, "Milliseconds", {.type = "MS"});
    play.AddOption("--pace", &pace, "Moves a second");
    play.AddOption("--share", &share, "Of all", {.range = {{0.5, 1.0}}});
    play.AddOption("--rate", &rate, "Requests a second", {.type = "N", .range = {{0, 9}}});
    play.AddOption("--model", &models, "May be repeated", {.env = kVariable, .given = &named});
    play.AddOption("--level", &level, "From which level on", {.one_of = {"warn", "error"}});
    play.AddOption("--record", &name, "Keeps the results",
                   {.type = "[NAME]", .value_optional = true, .given = &record});
    play.AddOption("--json", &json, "For programs");
    play.AddOption("--fixtures", &fixtures, "For tests", {.hidden = true});
    play.SetFooter("Example:\n  openseat play rps");
    play.SetRun([] { return 10; });
    Command bench = program.root().AddCommand("bench", "Measures");
    Command neuro = bench.AddCommand("neuro", "Round trips");
    neuro.AddOption("id", &id, "What", {.required = true});
    neuro.SetRun([] { return 20; });
    bench.AddCommand("echo", "", true).SetRun([] { return 21; });
    program.root().AddCommand("secret", "", true).SetRun([] { return 30; });
  }
  ~CommandLineTest() override { unsetenv(kVariable); }

  // The error for these arguments; "" if they are accepted.
  std::string Said(std::vector<std::string> arguments) {
    const Result<std::function<int()>> run = program.Parse(std::move(arguments));
    return run ? "" : run.error().message;
  }
  // The exit code of the run that they ask for.
  int Ran(std::vector<std::string> arguments) {
    const Result<std::function<int()>> run = program.Parse(std::move(arguments));
    EXPECT_TRUE(run) << run.error().message;
    return run ? (*run)() : -1;
  }
  std::string Printed(std::vector<std::string> arguments) {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(Ran(std::move(arguments)), 0);
    return ::testing::internal::GetCapturedStdout();
  }

  CommandLine program{"openseat", "Gives seats.", "1.2.3"};
  std::string game;
  std::string level = "error";
  std::string name;
  std::string id;
  std::vector<std::string> models;
  std::uint64_t games = 1;
  std::uint64_t seed = 0;
  std::uint32_t wait = 0;
  double pace = 0;
  double share = 0;
  std::optional<int> rate;
  bool seeded = false;
  bool named = false;
  bool record = false;
  bool json = false;
  bool fixtures = false;
};

TEST_F(CommandLineTest, FillsEveryKindOfOption) {
  EXPECT_EQ(Ran({"play",    "rps",        "-n",       "7",      "--seed",    "18446744073709551615",
                 "--wait",  "4294967295", "--pace",   "-0.5",   "--share",   "0.75",
                 "--rate",  "0",          "--model",  "a",      "--model",   "b",
                 "--level", "warn",       "--record", "--json", "--fixtures"}),
            10);
  EXPECT_EQ(game, "rps");
  EXPECT_EQ(games, 7u);
  EXPECT_EQ(seed, 18446744073709551615u);
  EXPECT_EQ(wait, 4294967295u);
  EXPECT_EQ(pace, -0.5);
  EXPECT_EQ(share, 0.75);
  EXPECT_EQ(rate, 0);
  EXPECT_THAT(models, ElementsAre("a", "b"));
  EXPECT_EQ(level, "warn");
  EXPECT_EQ(name, "");
  EXPECT_TRUE(seeded && named && record && json && fixtures);
}

TEST_F(CommandLineTest, LeavesDefaultsWhereNothingIsGiven) {
  EXPECT_EQ(Ran({"play"}), 10);
  EXPECT_EQ(games, 1u);
  EXPECT_EQ(level, "error");
  EXPECT_FALSE(rate);
  EXPECT_FALSE(seeded || named || record || json);
}

TEST_F(CommandLineTest, TakesAValueThatMayBeLeftOut) {
  EXPECT_EQ(Ran({"play", "--record", "first try"}), 10);
  EXPECT_EQ(name, "first try");
  EXPECT_TRUE(record);
}

TEST_F(CommandLineTest, PutsFlagsOverTheEnvironment) {
  setenv(kVariable, "environment", 1);
  EXPECT_EQ(Ran({"play", "--model", "flag"}), 10);
  EXPECT_THAT(models, ElementsAre("flag"));
}

TEST_F(CommandLineTest, ReadsTheEnvironmentWhereThereIsNoFlag) {
  setenv(kVariable, "environment", 1);
  EXPECT_EQ(Ran({"play"}), 10);
  EXPECT_THAT(models, ElementsAre("environment"));
  EXPECT_TRUE(named);
}

TEST_F(CommandLineTest, ReadsTheEnvironmentOnlyForTheCommandThatIsCalled) {
  setenv(kVariable, "environment", 1);
  CommandLine line("openseat", "Plays.", "1.2.3");
  std::string shared;
  for (const char* each : {"first", "second", "third"}) {
    Command command = line.root().AddCommand(each, "Does something");
    command.AddOption("--dir", &shared, "Where", {.env = kVariable});
    command.SetRun([] { return 0; });
  }
  ASSERT_TRUE(line.Parse({"second", "--dir", "flag"}));
  EXPECT_EQ(shared, "flag");
}

TEST_F(CommandLineTest, KnowsWhichCommandWasMisspelled) {
  CommandLine line("openseat", "Plays.", "1.2.3");
  Command journal = line.root().AddCommand("journal", "Keeps");
  journal.AddCommand("verify", "Checks").SetRun([] { return 0; });
  EXPECT_FALSE(line.Parse({"journal", "verify", "--fast"}));
  EXPECT_EQ(line.Called(), "openseat journal verify");
}

TEST_F(CommandLineTest, RunsTheInnermostCommand) {
  EXPECT_EQ(Ran({"bench", "neuro", "this"}), 20);
  EXPECT_EQ(id, "this");
}

TEST_F(CommandLineTest, RunsHiddenCommandsByName) {
  EXPECT_EQ(Ran({"bench", "echo"}), 21);
}

TEST_F(CommandLineTest, NamesTheCommandsWhereThereIsNoSuchOne) {
  EXPECT_EQ(Said({"frobnicate"}), "there is no command \"frobnicate\"; available: play, bench");
  EXPECT_EQ(Said({}), "a command is missing; available: play, bench");
  EXPECT_EQ(Said({"bench", "nope"}), "there is no command of bench \"nope\"; available: neuro");
}

TEST_F(CommandLineTest, SaysWhatANumberShouldBe) {
  EXPECT_EQ(Said({"play", "--seed", "x"}), "--seed must be a whole number; got \"x\"");
  EXPECT_EQ(Said({"play", "--pace", "x"}), "--pace must be a number; got \"x\"");
  EXPECT_THAT(Said({"play", "--seed", "-1"}), HasSubstr("--seed: must be a whole number, 0 or more; got \"-1\""));
  EXPECT_THAT(Said({"play", "--wait", "-1"}), HasSubstr("--wait: must be a whole number, 0 or more; got \"-1\""));
  EXPECT_THAT(Said({"play", "--games", "-1"}), HasSubstr("-1 not in range 1 to 1000"));
  EXPECT_THAT(Said({"play", "--games", "1001"}), HasSubstr("1001 not in range"));
  EXPECT_THAT(Said({"play", "--rate", "0.5"}), HasSubstr("0.5 not in range 0 to 9"));
  EXPECT_THAT(Said({"play", "--share", "0.25"}), HasSubstr("0.25 not in range 0.5"));
}

TEST_F(CommandLineTest, NamesTheOptionThatIsWrong) {
  EXPECT_THAT(Said({"play", "--bogus"}), HasSubstr("--bogus"));
  EXPECT_THAT(Said({"play", "--seed"}), HasSubstr("--seed"));
  EXPECT_THAT(Said({"play", "--level", "info"}), AllOf(HasSubstr("--level"), HasSubstr("{warn,error}")));
  EXPECT_THAT(Said({"bench", "neuro"}), HasSubstr("id is required"));
}

TEST_F(CommandLineTest, PrintsHelpAndTheVersion) {
  EXPECT_THAT(Printed({"--help"}),
              AllOf(HasSubstr("Gives seats."), HasSubstr("Plays games"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Printed({"--version"}), "1.2.3\n");
}

TEST_F(CommandLineTest, PrintsTheHelpOfACommand) {
  const std::string help = Printed({"play", "--help"});
  EXPECT_THAT(help, AllOf(HasSubstr("openseat play [OPTIONS] [game]"), HasSubstr("Example:\n  openseat play rps"),
                          HasSubstr("-n,--games UINT:INT in [1 - 1000]"), HasSubstr("--share FLOAT:FLOAT in [0.5 - 1]"),
                          HasSubstr("--level TEXT:{warn,error}"), HasSubstr("--wait MS"), HasSubstr(kVariable)));
  EXPECT_THAT(help, Not(HasSubstr("--fixtures")));
}

TEST_F(CommandLineTest, IsDescribedForPrograms) {
  const json::Object described = json::Parse(program.Describe())->as_object();
  EXPECT_EQ(json::TextOf(described, "name"), "openseat");
  const json::Array& commands = described.at("commands").as_array();
  ASSERT_EQ(commands.size(), 2u) << "without the hidden one";
  const json::Object& play = commands[0].as_object();
  EXPECT_EQ(json::TextOf(play, "name"), "play");
  EXPECT_EQ(json::TextOf(play, "footer"), "Example:\n  openseat play rps");
  const json::Array& options = play.at("options").as_array();
  const auto option = [&](std::size_t at) { return json::Write(options.at(at)); };
  EXPECT_EQ(option(0), R"({"names":["game"],"help":"Which game","value":"GAME","required":false,"repeatable":false})");
  EXPECT_EQ(option(1),
            R"({"names":["-n","--games"],"help":"How many games","value":"UINT","required":false,"repeatable":false})");
  EXPECT_THAT(option(7), AllOf(HasSubstr(R"("env":")" + std::string(kVariable)), HasSubstr(R"("repeatable":true)")));
  EXPECT_THAT(option(8), HasSubstr(R"("values":["warn","error"])"));
  EXPECT_THAT(option(10), Not(HasSubstr("\"value\"")));
  EXPECT_EQ(options.size(), 11u) << "without the hidden one";
  const json::Object& bench = commands[1].as_object();
  ASSERT_EQ(bench.at("commands").as_array().size(), 1u);
  EXPECT_TRUE(bench.at("commands").as_array()[0].at("options").as_array()[0].as_object().at("required").as_bool());
}

}  // namespace
}  // namespace openseat::cli
