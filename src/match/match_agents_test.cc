// What a match tells the agents at its seats, and how many it waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "core/seat_view.h"
#include "games/chicken/chicken.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/roll_call.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Records what it hears, and answers when told to.
class Listener final : public Agent {
 public:
  explicit Listener(std::map<std::string, Listener*>& listeners) : listeners_(listeners) {}
  ~Listener() override {
    if (seat != nullptr) listeners_.erase(seat->name());
  }
  std::string_view kind() const override { return "listener"; }
  void OnSeated(Seat& given) override {
    seat = &given;
    listeners_[given.name()] = this;
  }
  void OnDecision(const Decision& decision) override { decisions.push_back(decision); }
  void OnContext(const Context& context) override {
    heard.push_back(context.message + (context.silent ? "" : " (aloud)"));
  }
  void OnVerdict(const Choice&, const Verdict& verdict) override { verdicts.push_back(verdict.message); }
  void OnEnd() override { heard.emplace_back("end"); }

  Seat* seat = nullptr;
  std::vector<Decision> decisions;
  std::vector<std::string> heard;
  std::vector<std::string> verdicts;  // the messages

 private:
  std::map<std::string, Listener*>& listeners_;
};

class MatchAgents : public ::testing::Test {
 protected:
  void Make() {
    lobby_ = std::make_unique<Lobby>(
        games_, rules_, std::chrono::minutes(5), *directory_, journal_,
        [this](const AgentSpec&) -> Result<std::unique_ptr<Agent>> { return std::make_unique<Listener>(listeners_); });
  }
  Match& Create(const std::string& game, std::vector<PlannedSeat> seats) {
    lobby_->Create(scheduler_, game, nullptr, std::move(seats), [&](Result<MatchRef> ref) { ref_ = *ref; });
    return Found();
  }
  Match& Found() {
    Match* found = nullptr;
    for (int i = 0; i < 10; ++i) scheduler_.Run();
    lobby_->OnMatch(ref_, [&](Match& match) { found = &match; }, [] {});
    scheduler_.Run();
    return *found;
  }
  void Restart() {
    lobby_.reset();
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    Make();
    ASSERT_TRUE(lobby_->Recover().has_value());
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  void Choose(const std::string& who, const char* action, const char* data) {
    Choice choice;
    choice.action = action;
    choice.data = *json::Parse(data);
    ASSERT_TRUE(listeners_.at(who)->seat->Choose(choice).has_value());
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  std::vector<std::string> Heard(const std::string& who) { return std::exchange(listeners_.at(who)->heard, {}); }

  const std::array<std::unique_ptr<Game>, 3> made_{games::MakeTicTacToe(), games::MakeChicken(),
                                                   testing::MakeRollCall()};
  const std::array<const Game*, 3> games_{made_[0].get(), made_[1].get(), made_[2].get()};
  const PlannedSeat ann_{"Ann", {"listener", {}}};
  const PlannedSeat bob_{"Bob", {"listener", {}}};
  MatchRules rules_;
  std::map<std::string, Listener*> listeners_;
  MatchRef ref_;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
  std::unique_ptr<Lobby> lobby_;
};

TEST_F(MatchAgents, HearWhatTheyNeedToPlay) {
  Make();
  Create("tictactoe", {ann_, bob_});
  const Listener& ann = *listeners_.at("Ann");
  EXPECT_EQ(ann.seat->briefing().game, "Tic-Tac-Toe");
  EXPECT_THAT(ann.seat->briefing().text, HasSubstr("You are Ann (X) in Tic-Tac-Toe.\n\n" + made_[0]->info().rules));
  EXPECT_THAT(Heard("Ann"), ElementsAre("The match begins: Ann (X), Bob (O)."));
  EXPECT_THAT(Heard("Bob"), ElementsAre("The match begins: Ann (X), Bob (O)."));
  ASSERT_EQ(ann.decisions.size(), 1u);
  EXPECT_THAT(ann.decisions[0].sight->text(), Not(HasSubstr(made_[0]->info().rules))) << "they stand in the briefing";
  EXPECT_TRUE(ann.decisions[0].ephemeral);
  EXPECT_EQ(ann.decisions[0].priority, Priority::kLow);
  Choose("Ann", "move", R"({"position":[0,0]})");
  EXPECT_THAT(Heard("Ann"), IsEmpty());
  EXPECT_THAT(ann.verdicts, ElementsAre("Ann put X in the top left."));
  EXPECT_THAT(Heard("Bob"), ElementsAre("Ann put X in the top left.")) << "the board stands in its question";
  Choose("Bob", "move", R"({"position":[1,0]})");
  Choose("Ann", "move", R"({"position":[0,1]})");
  Choose("Bob", "move", R"({"position":[1,1]})");
  Heard("Ann");
  Heard("Bob");
  Choose("Ann", "move", R"({"position":[0,2]})");
  EXPECT_THAT(Heard("Ann"), ElementsAre("The match is over: you won (three in a row). (aloud)", "end"));
  EXPECT_THAT(Heard("Bob"), ElementsAre("Ann put X in the top right.",
                                        "The match is over: Ann won (three in a row). (aloud)", "end"));
}

TEST_F(MatchAgents, AreAskedAlsoIfTheyChoseTooEarlyAndWrong) {
  Make();
  Create("tictactoe", {ann_, bob_});
  const auto choose = [&](const std::string& who, const char* data) {
    Choice choice;
    choice.action = "move";
    choice.data = *json::Parse(data);
    ASSERT_TRUE(listeners_.at(who)->seat->Choose(choice).has_value());
  };
  choose("Ann", R"({"position":[0,0]})");
  // Ann's choice is on its way to the journal, and Bob is not asked yet.
  choose("Bob", R"({"position":"here"})");
  EXPECT_THAT(listeners_.at("Bob")->decisions, IsEmpty());
  for (int i = 0; i < 10; ++i) scheduler_.Run();
  EXPECT_EQ(listeners_.at("Bob")->decisions.size(), 1u);
  Choose("Bob", "move", R"({"position":[1,1]})");
  EXPECT_EQ(listeners_.at("Ann")->decisions.size(), 2u);
}

TEST_F(MatchAgents, WhoChoosesAtTheSameTimeHearsNothingOfTheOthersChoice) {
  Make();
  Create("chicken", {ann_, bob_});
  Heard("Bob");
  Choose("Ann", "move", R"({"swerve":true})");
  EXPECT_THAT(Heard("Bob"), IsEmpty());
  EXPECT_THAT(listeners_.at("Ann")->verdicts, ElementsAre(""));
  Choose("Bob", "move", R"({"swerve":true})");
  const std::string round = "Round 1: Ann swerved (+1), Bob swerved (+1).";
  EXPECT_THAT(Heard("Ann"), ::testing::Contains(round));
  EXPECT_THAT(listeners_.at("Bob")->verdicts, ElementsAre(round));
  EXPECT_EQ(listeners_.at("Bob")->decisions.size(), 2u);
}

TEST_F(MatchAgents, AreToldWhatHappenedBeforeTheyCame) {
  Make();
  Create("tictactoe", {ann_, bob_});
  Choose("Ann", "move", R"({"position":[1,1]})");
  Choose("Bob", "move", R"({"position":[0,1]})");
  Restart();
  EXPECT_THAT(Heard("Ann"),
              ElementsAre("What happened before you came: Ann put X in the center. Bob put O in the top center."));
  Found().SeatAgent(1, "", {"listener", {}}, [](const Result<SeatIndex>&) {});
  Found();
  EXPECT_THAT(Heard("Bob"), ElementsAre(HasSubstr("before you came: Ann put X in the center.")));
}

TEST_F(MatchAgents, AClockMakesAQuestionMoreUrgentAndItsEndLosesTheMatch) {
  rules_.turn_limit = std::chrono::seconds(5);
  Make();
  Match& match = Create("tictactoe", {ann_, bob_});
  EXPECT_EQ(listeners_.at("Ann")->decisions[0].priority, Priority::kMedium);
  // Everyone may know how long Ann has, but not what she may do and is told.
  const Time now = scheduler_.clock().Now();
  const json::Value seats = match.Info().at("seats");
  EXPECT_EQ(json::Write(seats.at(0).at("decision")), R"({"id":1,"priority":"medium","attempt":1,"asked":")" +
                                                         FormatIso8601(now) + R"(","deadline":")" +
                                                         FormatIso8601(now + std::chrono::seconds(5)) + "\"}");
  EXPECT_EQ(json::Find(seats.at(1).as_object(), "decision"), nullptr);
  Heard("Bob");
  scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(match.status(), MatchStatus::kDone);
  EXPECT_THAT(Heard("Bob"), ElementsAre("The match is over: you won (Ann did not answer in time). (aloud)", "end"));
}

TEST_F(MatchAgents, AClockRunsForClientsToo) {
  rules_.turn_limit = std::chrono::seconds(5);
  Make();
  Match& match = Create("tictactoe", {});
  for (const char* name : {"Cem", "Dee"}) match.Join(name, [](const Result<JoinedSeat>&) {});
  Found();
  EXPECT_EQ(match.seat(0).agent()->kind(), "client");
  scheduler_.Advance(std::chrono::seconds(4));
  match.Choose(0, 0, {.action = "move", .data = *json::Parse(R"({"position":[0,0]})")}, [](const Verdict&) {});
  Found();
  scheduler_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(match.status(), MatchStatus::kInProgress);
  scheduler_.Advance(std::chrono::seconds(1));
  Found();
  ASSERT_EQ(match.status(), MatchStatus::kDone);
  EXPECT_EQ(match.outcome()->reason, "Dee did not answer in time");
}

TEST_F(MatchAgents, NothingIsPlayedAfterTheEndThoughTheRulesWouldAllowIt) {
  Make();
  Match& match = Create("tictactoe", {ann_, bob_});
  match.Resign(1, "Bob left", {}, [](const Result<void>&) {});
  Found();
  ASSERT_EQ(match.status(), MatchStatus::kDone);
  std::optional<Verdict> told;
  ASSERT_TRUE(match.seat(0)
                  .Choose({.action = "move", .data = *json::Parse(R"({"position":[0,0]})")},
                          [&](const Verdict& verdict) { told = verdict; })
                  .has_value());
  Found();
  EXPECT_EQ(told->code, ErrorCode::kClosed);
  EXPECT_THAT(journal_.Payloads(ref_.id, EventKind::kPlayed), IsEmpty());
}

TEST_F(MatchAgents, AMatchWithMoreSeatsThanTheGameNeedsWaitsForAllOfThem) {
  Make();
  Match& match = Create("roll-call", {{}, ann_, {}});
  std::string told;
  const auto join = [&](Match& at, const char* name) {
    told = "nothing";
    at.Join(name, [&](const Result<JoinedSeat>& joined) { told = joined ? "joined" : joined.error().message; });
    Found();
    return told;
  };
  EXPECT_EQ(join(match, "Cem"), "joined");
  EXPECT_EQ(match.status(), MatchStatus::kAwaitingPlayers);
  Restart();
  Match& again = Found();
  EXPECT_EQ(again.status(), MatchStatus::kAwaitingPlayers) << "nor does a restart make it forget";
  EXPECT_THAT(LookAt(again, Viewer::Spectator()).names, ElementsAre("Cem", "Ann"));
  EXPECT_EQ(join(again, "Dee"), "joined");
  EXPECT_EQ(again.status(), MatchStatus::kInProgress);
  EXPECT_THAT(Heard("Ann"), ElementsAre("The match begins: Cem (First), Ann (Second), Dee (Third)."));
  EXPECT_THAT(join(again, "Eve"), HasSubstr("has begun"));

  std::optional<Error> refused;
  lobby_->Create(scheduler_, "roll-call", nullptr, std::vector<PlannedSeat>(5),
                 [&](const Result<MatchRef>& ref) { refused = ref.error(); });
  Found();
  EXPECT_EQ(refused->code, ErrorCode::kInvalid);
  EXPECT_THAT(refused->message, HasSubstr("4 seats; got 5"));
}

TEST_F(MatchAgents, AreAskedAnewOnceTheJournalCanBeWritten) {
  Make();
  Match& match = Create("tictactoe", {ann_, bob_});
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Choose("Ann", "move", R"({"position":[0,0]})");
  scheduler_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(match.status(), MatchStatus::kInProgress);
  EXPECT_EQ(listeners_.at("Ann")->seat->decision(), nullptr);
  EXPECT_EQ(listeners_.at("Ann")->decisions.size(), 1u);
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(1));
  Found();
  ASSERT_EQ(listeners_.at("Ann")->decisions.size(), 2u);
  EXPECT_EQ(listeners_.at("Ann")->decisions[1].attempt, 1);
  Choose("Ann", "move", R"({"position":[0,0]})");
  EXPECT_EQ(listeners_.at("Bob")->decisions.size(), 1u);
  EXPECT_EQ(journal_.Payloads(ref_.id, EventKind::kPlayed).size(), 1u);
}

TEST_F(MatchAgents, WhoCouldNotAnswerInTimeIsAskedAnewWhereThatCouldNotBeJournalled) {
  rules_.turn_limit = std::chrono::seconds(5);
  Make();
  Match& match = Create("tictactoe", {ann_, bob_});
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  scheduler_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(match.status(), MatchStatus::kInProgress);
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(listeners_.at("Ann")->decisions.size(), 2u);
  scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(match.status(), MatchStatus::kDone);
}

TEST_F(MatchAgents, SitDownLaterWhereTheJournalCouldNotBeWritten) {
  Make();
  Match& match = Create("tictactoe", {{}, bob_});
  std::string told;
  const auto join = [&](const char* name) {
    match.Join(name, [&](const Result<JoinedSeat>& joined) { told = joined ? "joined" : joined.error().message; });
    for (int i = 0; i < 10; ++i) scheduler_.Run();
    return told;
  };
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  EXPECT_EQ(join("Cem"), "the disk is full");
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(join("Cem"), "joined");
  EXPECT_EQ(match.status(), MatchStatus::kInProgress);
}

}  // namespace
}  // namespace openseat
