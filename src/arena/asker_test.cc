#include "arena/asker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "core/judge.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "testing/fake_scheduler.h"

namespace openseat::arena {
namespace {

using ::testing::HasSubstr;

// Notes what it is told, and answers as it is told to.
class Listener final : public Agent {
 public:
  Listener(std::string& heard, bool answers) : heard_(heard), answers_(answers) {}
  std::string_view kind() const override { return "listener"; }
  void OnSeated(Seat& seat) override {
    seat_ = &seat;
    heard_ += seat.briefing().text + "\n";
  }
  void OnContext(const Context& context) override { heard_ += context.message + "\n"; }
  void OnDecision(const Decision& decision) override {
    if (!answers_) {
      EXPECT_TRUE(seat_->GiveUp(decision.id, "I cannot").has_value());
      return;
    }
    const LegalChoice& last = decision.sight->choices().back();
    EXPECT_TRUE(
        seat_->Choose({.action = last.choice.action, .data = last.choice.data, .decision = decision.id}).has_value());
  }

 private:
  std::string& heard_;
  const bool answers_;
  Seat* seat_ = nullptr;
};

class AskerTest : public ::testing::Test {
 protected:
  AskerTest() {
    first_ = *tictactoe_->NewGame(nullptr, 7, {"Ann", "Bo"});
    before_ = first_->Clone();
    before_->Apply(0, "move", *json::Parse(R"({"position":[1,1]})"));
  }
  PastDecision Decision() const {
    return {.number = 1, .seat = 1, .asked = 5, .settled = 6, .choice = {}, .before = before_, .first = first_};
  }
  Asked Ask(std::unique_ptr<Agent> agent) {
    Asker asker(*tictactoe_, Decision(), "the other", scheduler_);
    std::optional<Asked> answer;
    asker.Ask(std::move(agent), [&](Asked asked) { answer = std::move(asked); });
    scheduler_.Run();
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Asked());
  }

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  std::shared_ptr<GameState> first_;
  std::shared_ptr<GameState> before_;
};

TEST_F(AskerTest, HearsWhatAnotherAgentWouldHaveChosen) {
  std::string heard;
  const Asked asked = Ask(std::make_unique<Listener>(heard, true));
  ASSERT_TRUE(asked.choice.has_value()) << asked.failure;
  EXPECT_EQ(asked.choice->action, "move");
  EXPECT_EQ(json::Write(asked.choice->data), R"({"position":[2,2]})");
  EXPECT_EQ(asked.next->Awaited(), SeatSet{0});
  EXPECT_THAT(heard, HasSubstr("You are Bo (O) in Tic-Tac-Toe."));
  EXPECT_EQ(json::TextOf(asked.line, "agent"), "the other");
  EXPECT_EQ(json::TextOf(asked.line, "verdict"), "accepted");
  EXPECT_EQ(json::TextOf(asked.line, "choice"), R"({"action":"move","data":{"position":[2,2]}})");
  // The recorded game is as it was.
  EXPECT_EQ(before_->Awaited(), SeatSet{1});
}

TEST_F(AskerTest, SaysWhyThereIsNoAnswer) {
  std::string heard;
  const Asked asked = Ask(std::make_unique<Listener>(heard, false));
  EXPECT_FALSE(asked.choice.has_value());
  EXPECT_EQ(asked.failure, "I cannot");
}

TEST_F(AskerTest, AnswersAreJudgedByTheRules) {
  // It answers wrongly now and then, and is asked again.
  for (int seed = 0; seed < 20; ++seed) {
    const Asked asked = Ask(*MakeLocalAgent({"random", {{"seed", seed}, {"invalid", 0.3}}}));
    if (!asked.choice) continue;
    EXPECT_TRUE(before_->Validate(1, asked.choice->action, asked.choice->data).has_value());
  }
}

}  // namespace
}  // namespace openseat::arena
