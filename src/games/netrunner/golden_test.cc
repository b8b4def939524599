// Golden playthroughs: a whole random game of each pair of teaching decks, as its choices and the log that each side
// reads, with what both see now and then. A change of behavior shows as a difference in the file;
// OPENSEAT_REGENERATE_PLAYTHROUGHS=1 writes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/json.h"
#include "base/rng.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/setup.h"
#include "games/netrunner/text/describe.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/wire/observe.h"
#include "games/netrunner/wire/wire.h"

namespace openseat::games::netrunner {
namespace {

constexpr int kLookEvery = 40;  // choices

class Golden {
 public:
  Golden(const GameSetup& setup, std::uint64_t seed) : state_(MakeState(setup, seed)), rng_(seed) {}

  std::string Write() {
    Look();
    for (int choice = 1; !state_.over(); ++choice) {
      Play(choice);
      if (choice % kLookEvery == 0) Look();
    }
    Look();
    for (const Side side : {Side::kCorp, Side::kRunner}) {
      text_ += std::string(SideName(side)) + " sees in the end " +
               json::Write(json::Value(ObserveState(state_, side, kNames))) + "\n";
    }
    return std::move(text_);
  }

 private:
  void Play(int number) {
    CommandList commands;
    ListCommands(state_, commands);
    const Command command = commands.all()[rng_.Below(commands.all().size())];
    const Side side = state_.prompt.side;
    const PlayedChoice choice = ToChoice(state_, command);
    text_ += std::to_string(number) + " " + std::string(SideName(side)) + ": " + choice.action + " " +
             json::Write(choice.data) + "\n";
    const std::uint32_t before = state_.log.count;
    Engine(state_).Apply(command, side);
    const std::vector<LogEntry> kept = state_.log.Kept();
    const std::size_t from = std::max(before, state_.log.first()) - state_.log.first();
    const std::vector<std::string> corp = LogSentences(kept, Side::kCorp, from);
    const std::vector<std::string> runner = LogSentences(kept, Side::kRunner, from);
    for (std::size_t i = 0; i < corp.size(); ++i) {
      text_ += "    " + corp[i] + (runner[i] == corp[i] ? "" : "   Runner: " + runner[i]) + "\n";
    }
  }

  void Look() {
    for (const Side side : {Side::kCorp, Side::kRunner}) {
      text_ += "--- " + std::string(SideName(side)) + " ---\n" + DescribeState(state_, side) + "---\n";
    }
  }

  inline static const std::vector<std::string> kNames = {"Alex", "Sam"};
  State state_;
  Rng rng_;
  std::string text_;
};

void Check(const GameSetup& setup, std::uint64_t seed, const std::string& path) {
  const std::string now = Golden(setup, seed).Write();
  if (std::getenv("OPENSEAT_REGENERATE_PLAYTHROUGHS") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  std::ostringstream kept;
  kept << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_EQ(now, kept.str()) << path;
}

TEST(NetrunnerGolden, PlaysTheBeginnerGameAsItDid) {
  Check({.decks = {MakeTeachingDeck(TeachingDeck::kBeginnerCorp), MakeTeachingDeck(TeachingDeck::kBeginnerRunner)},
         .points_to_win = 6},
        1, "src/games/netrunner/testdata/beginner.txt");
}

TEST(NetrunnerGolden, PlaysTheIntermediateGameAsItDid) {
  Check({.decks = {MakeTeachingDeck(TeachingDeck::kIntermediateCorp),
                   MakeTeachingDeck(TeachingDeck::kIntermediateRunner)}},
        2, "src/games/netrunner/testdata/intermediate.txt");
}

}  // namespace
}  // namespace openseat::games::netrunner
