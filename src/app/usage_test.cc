#include "app/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

// What is said of these arguments; "" where they are taken.
std::string Said(std::vector<std::string> arguments) {
  CLI::App program("", "openseat");
  program.require_subcommand(1);
  CLI::App* play = program.add_subcommand("play", "");
  std::uint64_t seed = 0;
  double pace = 0;
  std::size_t shards = 0;
  play->add_option("--seed", seed);
  play->add_option("--pace", pace);
  play->add_option("--shards", shards)->type_name("N")->check(CLI::Range(0, 256));
  CLI::App* bench = program.add_subcommand("bench", "");
  bench->require_subcommand(1);
  bench->add_subcommand("neuro", "");
  program.add_subcommand("secret", "")->group("");
  RefuseNegatives(program);
  std::ranges::reverse(arguments);
  try {
    program.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return Explain(program, error);
  }
  return {};
}

TEST(Usage, NamesTheCommandsWhereThereIsNoSuchOne) {
  EXPECT_EQ(Said({"frobnicate"}), "there is no command \"frobnicate\"; there are play, bench");
  EXPECT_EQ(Said({}), "a command is missing; there are play, bench");
  EXPECT_EQ(Said({"bench", "nope"}), "there is no command of bench \"nope\"; there are neuro");
}

TEST(Usage, SaysWhatANumberShouldBe) {
  EXPECT_EQ(Said({"play", "--seed", "7", "--pace", "-0.5", "--shards", "256"}), "");
  EXPECT_EQ(Said({"play", "--seed", "x"}), "--seed must be a whole number; got \"x\"");
  EXPECT_EQ(Said({"play", "--pace", "x"}), "--pace must be a number; got \"x\"");
  EXPECT_THAT(Said({"play", "--seed", "-1"}), HasSubstr("--seed: must be a whole number, 0 or more; got \"-1\""));
  EXPECT_THAT(Said({"play", "--shards", "-1"}), HasSubstr("-1 not in range 0 to 256"));
  EXPECT_THAT(Said({"play", "--shards", "257"}), HasSubstr("257 not in range"));
}

TEST(Usage, LeavesOtherSentencesAlone) {
  EXPECT_THAT(Said({"play", "--bogus"}), HasSubstr("--bogus"));
}

}  // namespace
}  // namespace openseat::app
