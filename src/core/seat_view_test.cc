#include "core/seat_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/roll_call.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A table whose rules are elsewhere until it is given a state.
class OneSeatTable final : public Table, private SeatHost {
 public:
  OneSeatTable() { seat_.SetBriefing({"Far Away", ""}); }

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::string_view invite() const override { return "secret"; }
  Time opened() const override { return Time(Duration(7)); }
  std::size_t seats() const override { return 1; }
  Seat& seat(SeatIndex) override { return seat_; }
  const Seat& seat(SeatIndex) const override { return seat_; }
  std::string_view status_name() const override { return "open"; }
  const Game* game() const override { return state == nullptr ? nullptr : game_.get(); }
  std::shared_ptr<const Sight> SightOf(Viewer viewer) const override {
    return state == nullptr ? Table::SightOf(viewer) : std::make_shared<Sight>(*game_, state, viewer);
  }
  const Outcome* outcome() const override { return ended ? &*ended : nullptr; }
  void SeatAgent(SeatIndex, std::string, AgentSpec, Seated) override {}
  void Resign(SeatIndex, std::string, Quitter, Done) override {}
  json::Object Info() const override { return {}; }
  Result<json::Value> Control(std::string_view, const json::Object&) override { return json::Value(); }

  void Begin() { state = *game_->NewGame(nullptr, 1, {"player", "other"}); }
  void Run() { scheduler_.Run(); }

  std::shared_ptr<const GameState> state;
  std::optional<Outcome> ended;

 private:
  void OnChoice(Seat&, const PendingChoice&) override {}
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd) override {}
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  const std::unique_ptr<Game> game_ = testing::MakeRollCall();
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("calm-otter")};
  Seat seat_{0, "player", *this, scheduler_, transcript_, SeatRules{}};
};

// Was told two things.
class ToldAgent final : public Agent {
 public:
  std::string_view kind() const override { return "told"; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
  void AddTold(SeatView& view, std::uint64_t told_after) const override {
    view.version = 9;
    view.ended = true;
    for (const std::uint64_t version : {4, 8}) {
      if (version > told_after) view.told.push_back({version, {.message = std::to_string(version)}});
    }
  }
};

class SeatViewTest : public ::testing::Test {
 protected:
  static ActionPtr MakeAction(std::string name) {
    return std::make_shared<Action>(std::move(name), "does something", std::nullopt);
  }
  DecisionId Ask() {
    Decision decision;
    decision.query = "Well?";
    decision.sight = std::make_shared<Sight>("It is dark.");
    decision.actions.Put(MakeAction("go"));
    const DecisionId id = table_.seat(0).Ask(std::move(decision));
    table_.Run();
    return id;
  }
  SeatView Look(std::uint64_t told_after = 0) { return LookAt(table_, Viewer::Seat(0), told_after); }

  OneSeatTable table_;
};

TEST_F(SeatViewTest, OfAGameElsewhereASeatKnowsWhatItIsAsked) {
  table_.seat(0).AddAction(MakeAction("go"));
  table_.seat(0).AddAction(MakeAction("wave"));
  SeatView view = Look();
  EXPECT_EQ(view.table, TableId("calm-otter"));
  EXPECT_EQ(view.invite, "secret");
  EXPECT_EQ(view.opened, Time(Duration(7)));
  EXPECT_EQ(view.status, "open");
  EXPECT_EQ(view.game, nullptr);
  EXPECT_EQ(view.title, "Far Away");
  EXPECT_THAT(view.names, ElementsAre("player"));
  EXPECT_EQ(view.seat(), 0u);
  EXPECT_FALSE(view.decision);
  EXPECT_EQ(view.actions().Names(), "go or wave") << "nobody asks, but all may be chosen";
  EXPECT_TRUE(view.sight->observation().is_null());
  EXPECT_THAT(view.sight->Log(), IsEmpty());

  const DecisionId asked = Ask();
  view = Look();
  ASSERT_TRUE(view.decision);
  EXPECT_EQ(view.decision->id, asked);
  EXPECT_EQ(view.decision->sight->text(), "It is dark.");
  EXPECT_EQ(view.actions().Names(), "go");
  EXPECT_FALSE(view.awaiting);

  ASSERT_TRUE(table_.seat(0).Choose({.action = "go", .decision = asked}));
  EXPECT_TRUE(Look().awaiting);
}

TEST_F(SeatViewTest, ASpectatorKnowsNothingOfASeatsOwn) {
  table_.seat(0).SetAgent(std::make_unique<ToldAgent>());
  table_.seat(0).AddAction(MakeAction("go"));
  Ask();
  const SeatView view = LookAt(table_, Viewer::Spectator());
  EXPECT_THAT(view.names, ElementsAre("player"));
  EXPECT_FALSE(view.decision);
  EXPECT_TRUE(view.actions().empty());
  EXPECT_THAT(view.told, IsEmpty());
  EXPECT_EQ(view.version, 0u);
  // As does a seat that is not taken yet.
  EXPECT_TRUE(LookAt(table_, Viewer::Seat(1)).actions().empty());
}

TEST_F(SeatViewTest, WhatTheSeatWasToldIsItsAgents) {
  EXPECT_EQ(Look().version, 0u) << "nobody keeps it";
  table_.seat(0).SetAgent(std::make_unique<ToldAgent>());
  const SeatView view = Look();
  EXPECT_EQ(view.version, 9u);
  EXPECT_TRUE(view.ended);
  ASSERT_EQ(view.told.size(), 2u);
  EXPECT_EQ(view.told[0].context.message, "4");
  ASSERT_EQ(Look(4).told.size(), 1u);
  EXPECT_EQ(Look(4).told[0].version, 8u);
  EXPECT_THAT(Look(8).told, IsEmpty());
}

TEST_F(SeatViewTest, EachViewerSeesAHostedGameOnceItIsLookedAt) {
  table_.Begin();
  const SeatView view = Look();
  ASSERT_NE(view.game, nullptr);
  EXPECT_EQ(view.game->info().id, "roll-call");
  EXPECT_THAT(view.sight->text(), HasSubstr("You are player"));
  EXPECT_EQ(view.sight->observation().at("here"), json::Value(0));
  EXPECT_EQ(&view.sight->observation(), &view.sight->observation()) << "made once";
  EXPECT_EQ(view.sight->Observe(), view.sight->observation());
  ASSERT_EQ(view.sight->Actions().size(), 1u);
  EXPECT_EQ(view.sight->Actions()[0].name, "here");
  EXPECT_EQ(view.sight->choices().size(), 1u);

  const SeatView seen = LookAt(table_, Viewer::Spectator());
  EXPECT_EQ(seen.sight->observation(), view.sight->observation());
  EXPECT_EQ(seen.sight->text(), "");
  EXPECT_EQ(seen.sight->TextWithin(100), "");
  EXPECT_THAT(seen.sight->Actions(), IsEmpty());
  EXPECT_THAT(seen.sight->choices(), IsEmpty());
}

TEST_F(SeatViewTest, AViewStaysAsItWasTaken) {
  table_.Begin();
  const SeatView before = Look();
  std::unique_ptr<GameState> next = table_.state->Clone();
  next->ApplyMove(0, 0);
  table_.state = std::move(next);
  EXPECT_EQ(before.sight->observation().at("here"), json::Value(0));
  EXPECT_EQ(Look().sight->observation().at("here"), json::Value(1));
  EXPECT_FALSE(before.sight->Shows(*table_.state));
  EXPECT_TRUE(Look().sight->Shows(*table_.state));
}

TEST_F(SeatViewTest, TheEndNamesTheWinners) {
  SeatView view = Look();
  json::Object shown;
  AddOutcome(view, shown);
  EXPECT_TRUE(shown.empty());
  EXPECT_EQ(view.winner(), std::nullopt);

  table_.ended = Outcome{.winners = {}, .scores = {0}, .reason = "nobody came"};
  AddOutcome(Look(), shown);
  EXPECT_EQ(json::Write(shown), R"({"winner":null,"reason":"nobody came"})");
  table_.ended = Outcome{.winners = {0}, .scores = {1}, .reason = "alone"};
  EXPECT_EQ(Look().winner(), "player");
  AddOutcome(Look(), shown);
  EXPECT_EQ(json::Write(shown), R"({"winner":"player","reason":"alone"})");
  EXPECT_EQ(WinnerName({.winners = {0, 2}, .scores = {}, .reason = ""}, {"a", "b", "c"}), "a, c");
}

// What a table need not say itself.
TEST_F(SeatViewTest, ATableWithoutRulesHasTheirAnswers) {
  const Table& table = table_;
  EXPECT_EQ(table.game(), nullptr);
  EXPECT_TRUE(table.started());
  EXPECT_EQ(table.seats_needed(), 1u);
  EXPECT_EQ(table.SightOf(Viewer::Seat(0)), Sight::None());
  EXPECT_EQ(table.Planned(0), nullptr);
  EXPECT_FALSE(table_.Say(0, "hello")) << "nobody listens";
}

}  // namespace
}  // namespace openseat
