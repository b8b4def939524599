// Matches that begin in the middle of another one.
#include "match/fork.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "games/chicken/chicken.h"
#include "games/narrative/narrative.h"
#include "games/netrunner/netrunner.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/match_fold.h"
#include "match/past.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::size_t kAllEvents = 1'000'000;

PlannedSeat RandomSeat(const std::string& name, int seed) {
  return {name, {"random", {{"seed", seed}}}};
}

class ForkTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  Result<TableId> Made(Result<MatchRef>& made) {
    Run();
    if (!made) return Fail(made.error());
    return made->id;
  }
  TableId Play(const std::string& game, std::vector<PlannedSeat> seats) {
    Result<MatchRef> made = Fail(ErrorCode::kIo, "no answer");
    lobby_.Create(scheduler_, game, nullptr, std::move(seats), [&](const Result<MatchRef>& ref) { made = ref; });
    return *Made(made);
  }
  Result<TableId> CreateFork(MatchSpec spec) {
    Result<MatchRef> made = Fail(ErrorCode::kIo, "no answer");
    lobby_.CreateFork(scheduler_, std::move(spec), [&](const Result<MatchRef>& ref) { made = ref; });
    return Made(made);
  }
  Match* Find(const TableId& id) {
    Match* found = nullptr;
    lobby_.Find(scheduler_, {id, ""}, [&](const std::optional<MatchRef>& ref) {
      if (ref) lobby_.OnMatch(*ref, [&](Match& match) { found = &match; }, [] {});
    });
    Run();
    return found;
  }
  std::vector<StoredEvent> Events(const TableId& id) { return *ReadPast(journal_, id, kAllEvents); }
  std::vector<PastDecision> Decisions(const TableId& id, const Game& game) {
    std::vector<PastDecision> all;
    const Result<void> visited =
        VisitDecisions(id, game, Events(id), [&](const PastDecision& decision) -> Result<void> {
          all.push_back(decision);
          return {};
        });
    EXPECT_TRUE(visited.has_value()) << visited.error().message;
    return all;
  }
  // The state in which a match begins that the journal describes so.
  static Result<std::shared_ptr<const GameState>> FoldOf(const MatchSpec& spec) {
    std::vector<Event> events = {{EventKind::kOpened, {}, OpenedPayload(spec)},
                                 {EventKind::kForked, {}, ForkedPayload(*spec.fork)}};
    for (std::size_t seat = 0; seat < spec.seats.size(); ++seat) {
      const SeatedPlayer player{spec.seats[seat].name, "token", std::nullopt};
      events.push_back({EventKind::kJoined, {}, JoinedPayload(static_cast<SeatIndex>(seat), player)});
    }
    Result<MatchFold> fold = MatchFold::Begin(TableId("child"), *spec.game, {1, events.front()});
    if (!fold) return Fail(fold.error());
    for (std::size_t i = 1; i < events.size(); ++i) {
      if (auto step = fold->Apply({i + 1, events[i]}); !step) return Fail(step.error());
    }
    return fold->shared_state();
  }
  // Every decision of the match is entered again; returns how many.
  std::size_t CheckAll(const TableId& id, const Game& game) {
    const std::vector<StoredEvent> events = Events(id);
    std::size_t count = 0;
    for (const PastDecision& decision : Decisions(id, game)) {
      if (!decision.before) continue;
      Result<MatchSpec> spec = ForkAfter(id, game, events, decision.fork_event());
      EXPECT_TRUE(spec.has_value()) << spec.error().message;
      const auto state = FoldOf(*spec);
      EXPECT_TRUE(state.has_value()) << state.error().message;
      EXPECT_TRUE((*state)->Equals(*decision.before)) << id.str() << ", decision " << decision.number;
      EXPECT_EQ((*state)->Serialize(), decision.before->Serialize());
      ++count;
    }
    return count;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  std::unique_ptr<Game> chicken_ = games::MakeChicken();
  std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  std::unique_ptr<Game> narrative_ = games::MakeNarrative();
  std::vector<const Game*> games_{tictactoe_.get(), rps_.get(), chicken_.get(), netrunner_.get(), narrative_.get()};
  TableDirectory directory_{{&scheduler_}};
  Lobby lobby_{games_, {}, std::chrono::hours(1), directory_, journal_, MakeLocalAgent};
};

TEST_F(ForkTest, EveryDecisionOfEveryGameIsThereAgain) {
  for (const Game* game : games_) {
    std::size_t decisions = 0;
    const int matches = game == netrunner_.get() || game == narrative_.get() ? 2 : 12;
    for (int i = 0; i < matches; ++i) {
      decisions += CheckAll(Play(game->info().id, {RandomSeat("Ann", i), RandomSeat("Bo", 100 + i)}), *game);
    }
    EXPECT_GE(decisions, 20u) << game->info().id;
  }
}

TEST_F(ForkTest, IsAMatchOfItsOwnThatNamesItsParent) {
  const TableId parent = Play("tictactoe", {RandomSeat("Ann", 1), RandomSeat("Bo", 2)});
  const PastDecision third = *FindDecision(parent, *tictactoe_, Events(parent), 2);
  MatchSpec spec = *ForkAfter(parent, *tictactoe_, Events(parent), third.fork_event());
  spec.seats = {RandomSeat("Cy", 3), RandomSeat("Di", 4)};
  const TableId child = *CreateFork(spec);
  EXPECT_NE(child, parent);
  EXPECT_EQ(Find(child)->status(), MatchStatus::kDone);
  EXPECT_THAT(journal_.Payloads(child, EventKind::kOpened),
              ::testing::ElementsAre(HasSubstr(R"("fork":{"table":")" + parent.str() + R"(","event":)" +
                                               std::to_string(third.fork_event()) + "}")));
  EXPECT_THAT(journal_.Payloads(child, EventKind::kForked), SizeIs(1));
  // Two choices were made before; the child's own come after.
  const std::vector<PastDecision> own = Decisions(child, *tictactoe_);
  ASSERT_THAT(own, Not(IsEmpty()));
  EXPECT_EQ(own.front().seat, 0);
  EXPECT_EQ(own.front().before->Observe(Viewer::Spectator()).at("board"),
            third.before->Observe(Viewer::Spectator()).at("board"));
  // Who is asked about them is told what happened before the fork, too.
  ASSERT_NE(own.front().first, nullptr);
  EXPECT_EQ(own.front().first->Observe(Viewer::Spectator()).at("board"),
            third.first->Observe(Viewer::Spectator()).at("board"));
}

TEST_F(ForkTest, AgentsAreNamedBySeat) {
  const TableId id = Play("tictactoe", {{}, RandomSeat("Bo", 2)});
  Find(id)->Join("Ann", [](const Result<JoinedSeat>& joined) { ASSERT_TRUE(joined.has_value()); });
  Run();
  const std::map<SeatIndex, AgentSpec> seats = AgentsBySeat(Events(id));
  ASSERT_THAT(seats, SizeIs(2));
  EXPECT_EQ(seats.at(0).kind, "");
  EXPECT_EQ(seats.at(1).kind, "random");
  EXPECT_THAT(AgentsOf(Events(id)), SizeIs(1));
}

TEST_F(ForkTest, AForkOfAForkHasTheChoicesOfBoth) {
  const TableId parent = Play("netrunner", {RandomSeat("Ann", 1), RandomSeat("Bo", 2)});
  const PastDecision tenth = *FindDecision(parent, *netrunner_, Events(parent), 10);
  MatchSpec spec = *ForkAfter(parent, *netrunner_, Events(parent), tenth.fork_event());
  spec.seats[0].agent = {"random", {{"seed", 3}}};
  spec.seats[1].agent = {"random", {{"seed", 4}}};
  const TableId child = *CreateFork(spec);
  EXPECT_GT(CheckAll(child, *netrunner_), 0u);
}

TEST_F(ForkTest, GoesOnAfterARestart) {
  const TableId parent = Play("tictactoe", {RandomSeat("Ann", 1), RandomSeat("Bo", 2)});
  const PastDecision third = *FindDecision(parent, *tictactoe_, Events(parent), 2);
  MatchSpec spec = *ForkAfter(parent, *tictactoe_, Events(parent), third.fork_event());
  spec.seats[0] = {};  // for somebody to join
  spec.seats[1] = RandomSeat("Di", 4);
  const TableId child = *CreateFork(spec);
  const auto recover = [&] {
    return Match::Recover(*MatchFold::Of(child, *tictactoe_, Events(child)),
                          std::make_shared<const MatchSetup>(MatchRules{}, MakeLocalAgent), scheduler_, journal_);
  };
  EXPECT_EQ((*recover())->status(), MatchStatus::kAwaitingPlayers);
  Find(child)->Join("Cy", [](const Result<JoinedSeat>& joined) { ASSERT_TRUE(joined.has_value()); });
  Run();
  EXPECT_EQ(Find(child)->status(), MatchStatus::kInProgress);
  const Result<std::unique_ptr<Match>> recovered = recover();
  ASSERT_TRUE(recovered.has_value()) << recovered.error().message;
  EXPECT_TRUE((*recovered)->state().Equals(Find(child)->state()));
  EXPECT_EQ((*recovered)->state().Observe(Viewer::Spectator()).at("board"),
            third.before->Observe(Viewer::Spectator()).at("board"));
}

TEST_F(ForkTest, WhatWasTakenBackDidNotHappen) {
  const TableId id = Play("tictactoe", {{}, {}});
  Match& match = *Find(id);
  for (const char* name : {"Ann", "Bo"}) {
    match.Join(name, [](const Result<JoinedSeat>& joined) { ASSERT_TRUE(joined.has_value()); });
    Run();
  }
  const auto act = [&](SeatIndex seat, const char* data) {
    ASSERT_TRUE(match.seat(seat).Choose({.action = "move", .data = *json::Parse(data)}).has_value());
    Run();
  };
  const std::vector<LegalChoice> moves = ChoicesOf(match.state(), 0);
  act(0, json::Write(moves[0].choice.data).c_str());
  for (const SeatIndex seat : {SeatIndex{0}, SeatIndex{1}}) {
    match.Propose(seat, 0, Offer::kTakeBack, true, [](const Result<bool>& agreed) { ASSERT_TRUE(agreed.has_value()); });
    Run();
  }
  act(0, json::Write(moves[1].choice.data).c_str());
  ASSERT_THAT(journal_.Payloads(id, EventKind::kTakenBack), SizeIs(1));
  const MatchSpec spec = *ForkAfter(id, *tictactoe_, Events(id), Events(id).size());
  ASSERT_THAT(spec.fork->choices, SizeIs(1));
  EXPECT_EQ(spec.fork->choices[0].data, moves[1].choice.data);
  EXPECT_TRUE((*FoldOf(spec))->Equals(match.state()));
}

TEST_F(ForkTest, NobodyPlaysOnFromTheEnd) {
  const TableId id = Play("tictactoe", {RandomSeat("Ann", 1), RandomSeat("Bo", 2)});
  const std::vector<StoredEvent> events = Events(id);
  const auto refused = [&](Seq event) { return ForkAfter(id, *tictactoe_, events, event).error(); };
  EXPECT_EQ(refused(events.size()).code, ErrorCode::kConflict);
  EXPECT_EQ(refused(1).code, ErrorCode::kConflict);
  EXPECT_EQ(refused(0).code, ErrorCode::kInvalid);
  EXPECT_EQ(refused(events.size() + 1).code, ErrorCode::kInvalid);
  EXPECT_THAT(FindDecision(id, *tictactoe_, events, 99).error().message, HasSubstr("are 0 to "));
}

TEST_F(ForkTest, WatchersAreNotToldWhatWasHidden) {
  const TableId parent = Play("rps", {RandomSeat("Ann", 1), RandomSeat("Bo", 2)});
  const PastDecision second = Decisions(parent, *rps_)[1];  // the other seat has chosen already
  MatchSpec spec = *ForkAfter(parent, *rps_, Events(parent), second.fork_event());
  ASSERT_THAT(spec.fork->choices, SizeIs(1));
  spec.seats[0].agent = spec.seats[1].agent = {"random", {{"seed", 5}}};
  const TableId child = *CreateFork(spec);
  Result<Replay> replay = Replay::Open(journal_, *rps_, child, kSpectatorViewer);
  ASSERT_TRUE(replay.has_value());
  std::vector<std::string> kinds;
  ASSERT_TRUE(replay
                  ->Run(0,
                        [&](const json::Object& step) {
                          kinds.emplace_back(json::TextOf(step, "kind"));
                          if (kinds.back() == "opened") {
                            EXPECT_EQ(json::TextOf(step.at("payload").at("fork"), "table"), parent.str());
                          }
                          return true;
                        })
                  .has_value());
  EXPECT_THAT(kinds, Not(::testing::Contains("forked")));
}

TEST_F(ForkTest, RefusesChoicesThatAreNotLegal) {
  MatchSpec spec;
  spec.game = tictactoe_.get();
  spec.seats = {RandomSeat("Ann", 1), RandomSeat("Bo", 2)};
  spec.fork = Fork{TableId("elsewhere"), 7, {{0, "fly", nullptr}}};
  const Result<TableId> made = CreateFork(spec);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("choice 1 before the fork is not legal"));
  spec.fork->choices = {{9, "move", nullptr}};
  EXPECT_THAT(CreateFork(spec).error().message, HasSubstr("there is no seat 9"));
}

// Time passes whenever somebody looks.
class BusyScheduler final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override { base_.Post(std::move(task)); }
  void OffloadFor(std::string_view, Task work) override { base_.Post(std::move(work)); }
  TimerId After(Duration delay, Task task) override { return base_.After(delay, std::move(task)); }
  bool Cancel(TimerId timer) override { return base_.Cancel(timer); }
  void Run() { base_.Run(); }

 private:
  class BusyClock final : public Clock {
   public:
    Time Now() const override { return {}; }
    Instant Monotonic() const override { return Instant(std::chrono::milliseconds(6 * ++looks_)); }

   private:
    mutable int looks_ = 0;
  };

  BusyClock clock_;
  testing::FakeScheduler base_;
};

TEST_F(ForkTest, OthersHaveTheirTurnBetweenTheChoicesThatLedThere) {
  BusyScheduler scheduler;
  std::vector<ForkChoice> choices;
  for (const char* position : {"[0,0]", "[1,0]", "[0,1]", "[1,1]", "[2,2]"}) {
    choices.push_back(
        {static_cast<SeatIndex>(choices.size() % 2), "move", json::Object{{"position", *json::Parse(position)}}});
  }
  const Fork fork{TableId("elsewhere"), 7, choices};
  std::string order;
  std::string state;
  BeginElsewhere(scheduler, "Ann", {tictactoe_.get(), nullptr, 1, {"Ann", "Bo"}, fork}, [&](const BegunGame& begun) {
    ASSERT_TRUE(begun) << begun.error().message;
    state = json::Write((*begun)->Serialize());
    order += "begun";
  });
  scheduler.Post([&] {
    order += "another ";
    scheduler.Post([&] { order += "next "; });
  });
  scheduler.Run();
  EXPECT_EQ(order, "another next begun");
  EXPECT_EQ(state, json::Write((*BeginGame(*tictactoe_, nullptr, 1, {"Ann", "Bo"}, &fork))->Serialize()));
}

TEST_F(ForkTest, ReadsNothingThatNoMatchWrote) {
  for (const char* text : {"{}", R"({"choices":7})", R"({"choices":[7]})", R"({"choices":[{"seat":-1}]})",
                           R"({"choices":[{"seat":64,"action":"x"}]})"}) {
    EXPECT_FALSE(ReadForked(*json::Parse(text)).has_value()) << text;
  }
  for (const char* text : {"7", "{}", R"({"table":"a"})", R"({"table":7,"event":1})", R"({"table":"a","event":-1})"}) {
    EXPECT_FALSE(ReadForkName(*json::Parse(text)).has_value()) << text;
  }
}

}  // namespace
}  // namespace openseat
