#include "match/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "agents/make_agent.h"
#include "games/chicken/chicken.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Matches are played, watched by everyone who may, and then replayed.
class ReplayTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  Match& Open(const std::string& game, std::vector<PlannedSeat> seats = {}) {
    Match* found = nullptr;
    lobby_.Create(scheduler_, game, nullptr, std::move(seats), [&](const Result<MatchRef>& ref) {
      lobby_.OnMatch(*ref, [&](Match& match) { found = &match; }, [] {});
    });
    Run();
    game_ = found->game();
    return *found;
  }
  void Join(Match& match, std::string name) {
    match.Join(std::move(name), [](const Result<JoinedSeat>& joined) { ASSERT_TRUE(joined.has_value()); });
    Run();
  }
  void Act(Match& match, SeatIndex seat, const char* action, const char* data) {
    ASSERT_TRUE(match.seat(seat)
                    .Choose({.action = action, .data = *json::Parse(data)},
                            [](const Verdict& verdict) { ASSERT_TRUE(verdict.accepted()) << verdict.message; })
                    .has_value());
    Run();
  }
  // What the match tells this viewer from now on, in the form of a replay: event and state.
  void Watch(Match& match, Viewer viewer, std::vector<std::string>& told) {
    match.Watch(viewer, [&told](MatchEvent event, const Match& seen, Viewer as) {
      told.push_back(std::string(MatchEventName(event)) + " " + json::Write(seen.SightOf(as)->Observe()));
    });
  }
  std::vector<std::string> Steps(const TableId& id, std::string_view viewer, Seq after = 0) {
    std::vector<std::string> steps;
    Result<Replay> replay = Replay::Open(journal_, *game_, id, viewer);
    if (!replay) return {replay.error().message};
    const Result<void> done = replay->Run(after, [&](const json::Object& step) {
      steps.push_back(json::Write(step));
      return true;
    });
    EXPECT_TRUE(done.has_value());
    return steps;
  }
  static std::vector<std::string> Told(const std::vector<std::string>& steps) {
    std::vector<std::string> told;
    for (const std::string& step : steps) {
      const json::Object payload = json::Parse(step)->at("payload").as_object();
      if (!payload.contains("event")) continue;
      told.push_back(std::string(json::View(payload.at("event").as_string())) + " " + json::Write(payload.at("state")));
    }
    return told;
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  const std::unique_ptr<Game> chicken_ = games::MakeChicken();
  const std::array<const Game*, 3> games_{tictactoe_.get(), rps_.get(), chicken_.get()};
  const Game* game_ = nullptr;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  Lobby lobby_{games_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
};

TEST_F(ReplayTest, EveryViewerSeesAgainWhatItWasTold) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  std::vector<std::string> alex;
  std::vector<std::string> sam;
  std::vector<std::string> eve;
  Watch(match, Viewer::Seat(0), alex);
  Watch(match, Viewer::Seat(1), sam);
  Watch(match, Viewer::Spectator(), eve);
  Join(match, "Sam");
  Act(match, 0, "move", R"({"position":[0,0]})");
  Act(match, 1, "move", R"({"position":[1,0]})");
  EXPECT_EQ(Told(Steps(match.id(), "spectator")), eve) << "live";
  Act(match, 0, "move", R"({"position":[0,1]})");
  Act(match, 1, "move", R"({"position":[1,1]})");
  Act(match, 0, "move", R"({"position":[0,2]})");
  EXPECT_EQ(eve.size(), 6u);
  EXPECT_EQ(Told(Steps(match.id(), "spectator")), eve);
  EXPECT_EQ(Told(Steps(match.id(), "Alex")), alex);
  EXPECT_EQ(Told(Steps(match.id(), "1")), sam);
  EXPECT_THAT(Steps(match.id(), "spectator").back(), HasSubstr(R"("status":"done","state")"));
  EXPECT_THAT(Steps(match.id(), "spectator").back(), HasSubstr(R"("winner":"Alex","reason":")"));
}

TEST_F(ReplayTest, SaysWhatHappened) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  Join(match, "Sam");
  Act(match, 0, "move", R"({"position":[1,1]})");
  Act(match, 1, "move", R"({"position":[0,1]})");
  for (const char* viewer : {"spectator", "Alex"}) {
    std::vector<std::string> news;
    for (const std::string& step : Steps(match.id(), viewer)) {
      const json::Value payload = json::Parse(step)->at("payload");
      if (json::Find(payload, "event") == nullptr) continue;
      const json::Value* lines = json::Find(payload, "news");
      news.push_back(lines == nullptr ? "" : json::Write(*lines));
    }
    EXPECT_THAT(news, ElementsAre("", HasSubstr("[\"Alex put X in the center."), HasSubstr("[\"Sam put O in ")))
        << viewer;
  }
}

TEST_F(ReplayTest, EverybodyIsToldThatSomethingIsMissing) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  Join(match, "Sam");
  journal_.failing = Error{ErrorCode::kIo, "the disk /secret is full", {}};
  ASSERT_TRUE(match.seat(0).Choose({.action = "move", .data = *json::Parse(R"({"position":[9,9]})")}).has_value());
  scheduler_.Run();
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(1));
  for (const char* viewer : {"spectator", "Alex", "Sam"}) {
    const std::string last = Steps(match.id(), viewer).back();
    EXPECT_THAT(last, HasSubstr(R"("kind":"gap","payload":{"lost":1,"since":")")) << viewer;
    EXPECT_THAT(last, ::testing::Not(HasSubstr("secret"))) << "the reason is for the operator";
  }
}

TEST_F(ReplayTest, NobodySeesAHandBeforeTheOthersAreIn) {
  for (const auto& [game, action, data, secret] : std::vector<std::array<const char*, 4>>{
           {"rps", "throw", R"({"hand":"rock"})", "rock"}, {"chicken", "move", R"({"swerve":true})", "true"}}) {
    Match& match = Open(game);
    Join(match, "Alex");
    Join(match, "Sam");
    Act(match, 0, action, data);
    for (const char* viewer : {"spectator", "Sam"}) {
      for (const std::string& step : Steps(match.id(), viewer)) EXPECT_THAT(step, Not(HasSubstr(secret))) << viewer;
    }
    EXPECT_THAT(Steps(match.id(), "Alex").back(), HasSubstr(std::string("\"data\":") + data)) << "it is its own";
    Act(match, 1, action, data);
    EXPECT_THAT(Steps(match.id(), "spectator").back(), HasSubstr(secret)) << "now both are in";
  }
}

TEST_F(ReplayTest, TheSeedTheTokensAndTheAgentsOptionsAreNobodysToSee) {
  Match& match = Open("tictactoe", {{}, {"Bot", {"random", {{"seed", 424242}}}}});
  Join(match, "Alex");
  Act(match, 0, "move", R"({"position":[1,1]})");
  for (const char* viewer : {"spectator", "Alex", "Bot"}) {
    const std::vector<std::string> steps = Steps(match.id(), viewer);
    EXPECT_THAT(steps, ::testing::Contains(HasSubstr(R"("name":"Bot","agent":"random")")));
    for (const std::string& step : steps) {
      EXPECT_THAT(step, Not(HasSubstr("seed")));
      EXPECT_THAT(step, Not(HasSubstr("424242")));
      EXPECT_THAT(step, Not(HasSubstr("token")));
    }
  }
  // What the agent at a seat was asked and chose is private to that seat.
  for (const char* theirs : {R"("kind":"decision","payload":{"seat":1,)", R"("kind":"played","payload":{"seat":1,)"}) {
    EXPECT_THAT(Steps(match.id(), "Bot"), ::testing::Contains(HasSubstr(theirs)));
    EXPECT_THAT(Steps(match.id(), "Alex"), Not(::testing::Contains(HasSubstr(theirs))));
  }
}

TEST_F(ReplayTest, ASeatThatIsHandedOverIsSaidWithoutTheAgentsOptions) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  Join(match, "Sam");
  match.SeatAgent(1, "", {"random", {{"seed", 424242}}},
                  [](const Result<SeatIndex>& done) { ASSERT_TRUE(done.has_value()) << done.error().message; });
  Run();
  Act(match, 0, "move", R"({"position":[1,1]})");
  for (const char* viewer : {"spectator", "Alex", "Sam"}) {
    const std::vector<std::string> steps = Steps(match.id(), viewer);
    EXPECT_THAT(steps, ::testing::Contains(
                           HasSubstr(R"("kind":"handed-over","payload":{"seat":1,"name":"Sam","agent":"random"}})")));
    for (const std::string& step : steps) EXPECT_THAT(step, Not(HasSubstr("424242")));
  }
}

TEST_F(ReplayTest, GoesOnAfterAnyEvent) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  Join(match, "Sam");
  Act(match, 0, "move", R"({"position":[0,0]})");
  const std::vector<std::string> all = Steps(match.id(), "spectator");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_THAT(Steps(match.id(), "spectator", 2), ElementsAre(all[2], all[3]));
  EXPECT_THAT(Steps(match.id(), "spectator", json::Parse(all[3])->at("seq").to_number<Seq>()), ElementsAre());
}

TEST_F(ReplayTest, AnEndThatCameOtherwiseIsSaid) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  Join(match, "Sam");
  match.Resign(1, "Sam left", {}, [](const Result<void>&) {});
  Run();
  match.Close("over");
  Run();
  const std::vector<std::string> steps = Steps(match.id(), "spectator");
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_THAT(steps[3], HasSubstr(R"("kind":"ended","payload":{"event":"end","status":"done")"));
  EXPECT_THAT(steps[3], HasSubstr(R"("winner":"Alex","reason":"Sam left")"));
  EXPECT_THAT(steps[4], HasSubstr(R"("kind":"closed")"));
}

TEST_F(ReplayTest, SaysWhoMayBeLookedThrough) {
  Match& match = Open("tictactoe");
  Join(match, "Alex");
  EXPECT_THAT(Steps(match.id(), "Eve"), ElementsAre(R"(the match can be seen as spectator, 0 (Alex); got "Eve")"));
  EXPECT_THAT(Steps(match.id(), "1"), ElementsAre(HasSubstr("got \"1\"")));
  EXPECT_THAT(Steps(TableId("no-table"), "spectator"), ElementsAre(HasSubstr("no-table")));
  EXPECT_EQ(HostedGameOf(R"({"kind":"hosted","game":"rps"})"), "rps");
  EXPECT_EQ(HostedGameOf(R"({"kind":"remote","game":"rps"})"), std::nullopt);
  EXPECT_EQ(HostedGameOf("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace openseat
