// A match as a Table: what protocols see of it and do with it without knowing what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/seat_view.h"
#include "games/rps/rps.h"
#include "match/lobby.h"
#include "match/match_fold.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/roll_call.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Hears what is told, and never answers.
class Quiet final : public Agent {
 public:
  explicit Quiet(std::vector<std::string>& heard) : heard_(heard) {}
  std::string_view kind() const override { return "quiet"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision&) override {}
  void OnContext(const Context& context) override { heard_.push_back(seat_->name() + ": " + context.message); }

 private:
  std::vector<std::string>& heard_;
  Seat* seat_ = nullptr;
};

class MatchTableTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  // With `open` seats beside Ann's and Bob's.
  Table& Create(const std::string& game, std::size_t open = 0) {
    std::vector<PlannedSeat> seats{{"Ann", {"quiet", {}}}, {"Bob", {"quiet", {}}}};
    seats.resize(seats.size() + open);
    lobby_.Create(scheduler_, game, nullptr, std::move(seats), [&](const Result<MatchRef>& made) { ref_ = *made; });
    Run();
    return *directory_.Local(scheduler_, ref_.id);
  }
  void Choose(Table& table, SeatIndex seat, const char* action, const char* data = "null") {
    EXPECT_TRUE(table.seat(seat).Choose({.action = action, .data = *json::Parse(data)}).has_value());
    Run();
  }
  std::string Seated(Table& table, SeatIndex seat, const char* name, const char* kind) {
    std::string out;
    table.SeatAgent(seat, name, {kind, {}}, [&](const Result<SeatIndex>& taken) {
      out = taken ? std::to_string(*taken) : std::string(ErrorCodeName(taken.error().code));
    });
    Run();
    return out;
  }
  std::string Resigned(Table& table, SeatIndex seat, const Quitter& quitter) {
    std::string out;
    table.Resign(seat, "tired", quitter, [&](const Result<void>& done) {
      out = done ? "done" : std::string(ErrorCodeName(done.error().code));
    });
    Run();
    return out;
  }

  const std::array<std::unique_ptr<Game>, 2> made_{games::MakeRockPaperScissors(), testing::MakeRollCall()};
  const std::array<const Game*, 2> games_{made_[0].get(), made_[1].get()};
  std::vector<std::string> heard_;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  MatchRef ref_;
  Lobby lobby_{games_,
               MatchRules{},
               std::chrono::minutes(5),
               directory_,
               journal_,
               [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                 if (spec.kind != "quiet") return Fail(ErrorCode::kInvalid, "there is no such agent", "kind");
                 return std::make_unique<Quiet>(heard_);
               }};
};

TEST_F(MatchTableTest, ASeatIsShownWhatItsDecisionShows) {
  Table& table = Create("roll-call");
  EXPECT_TRUE(table.started());
  EXPECT_EQ(table.game(), games_[1]);
  const SeatView ann = LookAt(table, Viewer::Seat(0));
  EXPECT_EQ(ann.title, "Roll Call");
  EXPECT_EQ(ann.status, "in-progress");
  EXPECT_THAT(ann.names, ElementsAre("Ann", "Bob"));
  ASSERT_TRUE(ann.decision);
  EXPECT_EQ(ann.sight, ann.decision->sight) << "what is made for one need not be made for the other";
  EXPECT_EQ(ann.actions().Names(), "here");
  const SeatView bob = LookAt(table, Viewer::Seat(1));
  EXPECT_FALSE(bob.decision);
  EXPECT_THAT(bob.sight->text(), HasSubstr("You are Bob"));

  Choose(table, 0, "here");
  EXPECT_EQ(ann.sight->observation().at("here"), json::Value(0)) << "as it was when it was looked at";
  EXPECT_EQ(LookAt(table, Viewer::Seat(0)).sight->observation().at("here"), json::Value(1));
}

TEST_F(MatchTableTest, ASeatThatChoosesBesideOthersSeesTheTableAsItIs) {
  Table& table = Create("rps");
  const SeatView before = LookAt(table, Viewer::Seat(1));
  Choose(table, 0, "throw", R"({"hand":"rock"})");
  const SeatView after = LookAt(table, Viewer::Seat(1));
  ASSERT_TRUE(after.decision);
  EXPECT_EQ(after.decision->id, before.decision->id) << "it was not asked again";
  EXPECT_NE(after.sight, after.decision->sight) << "which was of the state before";
  EXPECT_THAT(json::Write(after.sight->observation()), ::testing::Not(HasSubstr("rock\"")));
}

TEST_F(MatchTableTest, NothingIsSeenBeforeItBegins) {
  const Table& table = Create("roll-call", 1);
  EXPECT_FALSE(table.started());
  EXPECT_EQ(table.seats(), 2u);
  EXPECT_EQ(table.seats_needed(), 3u);
  EXPECT_EQ(table.outcome(), nullptr);
  const SeatView view = LookAt(table, Viewer::Seat(0));
  EXPECT_EQ(view.status, "awaiting-players");
  EXPECT_EQ(view.sight, Sight::None());
  EXPECT_FALSE(LookAt(table, Viewer::Seat(2)).decision) << "of a seat that nobody has";
}

TEST_F(MatchTableTest, AnAgentTakesTheOpenSeatOrOneThatIsTaken) {
  Table& table = Create("roll-call", 1);
  EXPECT_EQ(Seated(table, 2, "Cy", "other"), "invalid");
  EXPECT_EQ(Seated(table, 2, "Ann", "quiet"), "conflict") << "there is one of that name";
  EXPECT_EQ(Seated(table, 2, "Cy", "quiet"), "2");
  EXPECT_TRUE(table.started());
  const std::uint64_t sitting = table.seat(0).sitting();
  EXPECT_EQ(Seated(table, 0, "ignored", "quiet"), "0");
  EXPECT_GT(table.seat(0).sitting(), sitting);
  EXPECT_EQ(table.seat(0).name(), "Ann");
  EXPECT_EQ(Seated(table, 3, "Di", "quiet"), "denied") << "all seats are taken";
}

TEST_F(MatchTableTest, WhoResignsLosesUnlessSomebodyElseHasTheSeat) {
  Table& table = Create("roll-call");
  const std::uint64_t former = table.seat(0).sitting();
  Seated(table, 0, "", "quiet");
  EXPECT_EQ(Resigned(table, 0, {.sitting = former}), "closed");
  EXPECT_EQ(table.outcome(), nullptr);
  EXPECT_EQ(Resigned(table, 0, {.sitting = table.seat(0).sitting()}), "done");
  ASSERT_NE(table.outcome(), nullptr);
  EXPECT_EQ(table.outcome()->reason, "tired");
  const SeatView view = LookAt(table, Viewer::Spectator());
  EXPECT_EQ(view.status, "done");
  EXPECT_EQ(view.winner(), "Bob");
  EXPECT_EQ(Resigned(table, 1, {}), "closed") << "it is over";
}

TEST_F(MatchTableTest, WhatIsSaidTheOthersHear) {
  Table& table = Create("roll-call");
  heard_.clear();
  EXPECT_TRUE(table.Say(0, "hello"));
  Run();
  EXPECT_THAT(heard_, ElementsAre("Bob: Ann says: \"hello\""));
}

TEST_F(MatchTableTest, WhatCannotBeJournalledIsNotSaid) {
  Table& table = Create("roll-call");
  heard_.clear();
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  EXPECT_TRUE(table.Say(0, "hello"));
  Run();
  EXPECT_TRUE(heard_.empty());
}

// What was seen of a match is what its journal tells.
TEST_F(MatchTableTest, TheJournalGivesTheSameView) {
  Table& table = Create("roll-call");
  Choose(table, 0, "here");
  Choose(table, 1, "here");
  const auto events = *journal_.Read(ref_.id, 0, 1000);
  MatchFold fold = *MatchFold::Begin(ref_.id, *games_[1], events[0]);
  for (std::size_t i = 1; i < events.size(); ++i) ASSERT_TRUE(fold.Apply(events[i]).has_value());
  for (const Viewer viewer : {Viewer::Spectator(), Viewer::Seat(0), Viewer::Seat(1)}) {
    const SeatView live = LookAt(table, viewer);
    const SeatView read = fold.View(viewer);
    EXPECT_EQ(read.table, live.table);
    EXPECT_EQ(read.invite, live.invite);
    EXPECT_EQ(read.opened, live.opened);
    EXPECT_EQ(read.status, live.status);
    EXPECT_EQ(read.game, live.game);
    EXPECT_EQ(read.names, live.names);
    EXPECT_EQ(read.outcome, live.outcome);
    EXPECT_EQ(read.viewer, live.viewer);
    EXPECT_EQ(read.sight->observation(), live.sight->observation());
    EXPECT_EQ(read.sight->text(), live.sight->text());
  }
  EXPECT_EQ(fold.View(Viewer::Spectator()).status, "done");
}

TEST_F(MatchTableTest, TheLobbyVisitsEveryMatch) {
  Create("roll-call");
  Create("rps");
  std::vector<std::string> seen;
  bool done = false;
  lobby_.Visit(scheduler_, [&](const Match& match) { seen.push_back(match.game()->info().id); }, [&] { done = true; });
  EXPECT_THAT(seen, IsEmpty()) << "each on its own scheduler";
  Run();
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre("roll-call", "rps"));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace openseat
