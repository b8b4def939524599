// Strangers whose Neuro games a language model plays: questions that are made, measured and sent for others to pay.
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attack/attack.h"
#include "attack/attacks_on_models.h"

namespace openseat::tests {
namespace {

class ModelAttack : public Attack {
 protected:
  void StartWithModel() {
    Start("[access]\ngames = \"open\"\n" + model_.Config());
    model_.Serve();
  }

  // A game that the model plays, each of another machine: one address has no room for the actions of several.
  std::unique_ptr<WireGame> NextGame() {
    const net::TestClient::Elsewhere elsewhere("203.0.113." + std::to_string(games_ + 9));
    return std::make_unique<WireGame>(server(), ModelStandIn::Game(games_++));
  }

  double GivenUp() { return server().Metric("openseat_neuro_forces_given_up_total"); }
  // Waits, for half a minute at most, until more forces than these were given up.
  bool GivesUpAfter(double before) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (GivenUp() <= before) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

  // The model answers a question of the usual size; it got no other.
  void ExpectModelPlays() {
    const std::unique_ptr<WireGame> game = NextGame();
    ForceWithState(*game, RegisterRest(*game), 100);
    const json::Value action = game->NextAction();
    ASSERT_TRUE(action.is_object());
    EXPECT_EQ(action.at("name"), json::Value("rest"));
    game->Accept(action);
    EXPECT_EQ(model_.asked(), 1u);
  }

 private:
  ModelStandIn model_;
  std::size_t games_ = 0;
};

// The schema of the model's answer lists all names, and was larger than a schema may be: the server aborted.
TEST_F(ModelAttack, NamesThatFillTheLimitOfSchemas) {
  StartWithModel();
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<WireGame> game = NextGame();
    const double before = GivenUp();
    ForceLargeNames(*game);
    EXPECT_TRUE(GivesUpAfter(before)) << i;
  }
  ExpectModelPlays();
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

// A loop wrote and measured several megabytes for each.
TEST_F(ModelAttack, QuestionsOfTheGreatestLength) {
  StartWithModel();
  for (const bool schemas : {true, true, false}) {
    for (const std::size_t bytes : kLargeStates) {
      // A force that was given up is asked again later, and no other one before it.
      const std::unique_ptr<WireGame> game = NextGame();
      const std::vector<std::string> names = schemas ? RegisterLargeSchemas(*game) : RegisterRest(*game);
      const double before = GivenUp();
      ForceWithState(*game, names, bytes);
      EXPECT_TRUE(GivesUpAfter(before)) << (schemas ? "with schemas, and " : "") << bytes << " bytes of state";
    }
  }
  ExpectModelPlays();
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300 * kMiB);
}

}  // namespace
}  // namespace openseat::tests
