// Random games: no invariant ever breaks, and nobody sees hidden information.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/rng.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/invariants.h"
#include "games/netrunner/setup.h"
#include "games/netrunner/text/describe.h"
#include "games/netrunner/wire/observe.h"
#include "games/netrunner/wire/wire.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::size_t kLongestGame = 5000;  // choices

// `usual`, or what the environment asks for.
int Games(int usual) {
  const char* given = std::getenv("OPENSEAT_NETRUNNER_GAMES");
  return given == nullptr ? usual : std::atoi(given);
}

GameSetup RandomSetup(Rng& rng) {
  return {.decks = {RandomDeck(Side::kCorp, rng), RandomDeck(Side::kRunner, rng)}, .all_windows = rng.Below(8) == 0};
}

// Calls `look` after every step of a game at random.
template <typename Look>
void PlayAtRandom(std::uint64_t seed, Look look) {
  Rng rng(seed);
  State state = MakeState(RandomSetup(rng), seed);
  std::size_t choices = 0;
  look(state, rng);
  while (!state.over() && ++choices < kLongestGame) {
    CommandList commands;
    ListCommands(state, commands);
    ASSERT_FALSE(commands.all().empty());
    Command command = commands.all()[rng.Below(commands.all().size())];
    if (CanUndo(state) && rng.Below(4) == 0) command = {CommandKind::kUndo};
    Engine(state).Apply(command, state.prompt.side);
    look(state, rng);
    if (::testing::Test::HasFailure()) return;
  }
  ASSERT_TRUE(state.over()) << "seed " << seed << " never ends";
}

TEST(NetrunnerSoak, InvariantsHoldInRandomGames) {
  const int games = Games(1500);
  for (int seed = 0; seed < games && !HasFailure(); ++seed) {
    PlayAtRandom(static_cast<std::uint64_t>(seed), [&](const State& state, Rng&) {
      const std::string broken = BrokenInvariant(state);
      EXPECT_EQ(broken, "") << "seed " << seed << ", line " << state.log.count << " of the log";
    });
  }
}

std::string Looks(const State& state, std::optional<Side> viewer) {
  const std::vector<std::string> names = {"Alex", "Sam"};
  std::string text = json::Write(json::Value(ObserveState(state, viewer, names)));
  if (!viewer) return text;
  text += DescribeState(state, *viewer);
  if (state.over() || state.prompt.side != *viewer) return text;
  for (const ActionSpec& action : ActionsNow(state))
    text += action.name + json::Write(action.schema) + action.description;
  return text;
}

TEST(NetrunnerSoak, NobodySeesWhatTheyMayNot) {
  const int games = Games(1500);
  for (int seed = 0; seed < games && !HasFailure(); ++seed) {
    PlayAtRandom(static_cast<std::uint64_t>(seed) + 1'000'000, [&](const State& state, Rng& rng) {
      if (rng.Below(12) != 0) return;
      for (const std::optional<Side> viewer :
           {std::optional(Side::kCorp), std::optional(Side::kRunner), std::optional<Side>()}) {
        const State other = Permuted(state, viewer, rng);
        EXPECT_EQ(Looks(other, viewer), Looks(state, viewer)) << "seed " << seed;
        // The other side can see whether somebody is asked in a window.
        for (const WindowKind window : {WindowKind::kBeforeAction, WindowKind::kApproach, WindowKind::kMovement}) {
          EXPECT_EQ(MustAskInWindow(other, Side::kCorp, window), MustAskInWindow(state, Side::kCorp, window));
        }
      }
    });
  }
}

}  // namespace
}  // namespace openseat::games::netrunner
