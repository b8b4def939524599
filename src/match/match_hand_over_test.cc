// A seat that is handed over to another agent: when that takes effect, and that it still holds after a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/seat_view.h"
#include "games/netrunner/netrunner.h"
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
using ::testing::UnorderedElementsAre;

// Remembers what it was asked, and answers when told to. There is one per name.
class Sitter final : public Agent {
 public:
  struct Log {
    std::map<std::string, Sitter*> seated;  // by the option "as"
    std::vector<std::string> dismissed;
  };

  Sitter(Log& log, const AgentSpec& spec)
      : log_(log), kind_(spec.kind), as_(json::View(spec.options.at("as").as_string())) {}
  ~Sitter() override {
    if (seat != nullptr) log_.seated.erase(as_);
  }
  std::string_view kind() const override { return kind_; }
  void OnSeated(Seat& given) override {
    seat = &given;
    log_.seated[as_] = this;
  }
  void OnDecision(const Decision& decision) override { asked.push_back(decision.id); }
  void OnDecisionEnded(DecisionId, DecisionEnd end) override { ended.emplace_back(DecisionEndName(end)); }
  void OnDismissed() override { log_.dismissed.push_back(as_); }

  Seat* seat = nullptr;
  std::vector<DecisionId> asked;
  std::vector<std::string> ended;

 private:
  Log& log_;
  const std::string kind_;
  const std::string as_;
};

AgentSpec Named(const char* as, const char* kind = "sitter") {
  return {kind, {{"as", as}}};
}

// A journal of which one table cannot be read.
class DamagedJournal final : public Journal {
 public:
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms) override {
    whole.Append(table, expected, std::move(events), scheduler, std::move(done), terms);
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    if (table == damaged) return Fail(ErrorCode::kParse, "chunk 7 is damaged");
    return whole.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return whole.Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    return whole.OpenTables(limit, after);
  }
  Result<TableRecord> Find(const TableId& table) override { return whole.Find(table); }
  Result<void> Flush() override { return whole.Flush(); }

  testing::MemoryJournal whole;
  TableId damaged;
};

class HandOverTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  Match& Create(const char* game, std::vector<PlannedSeat> seats) {
    lobby_->Create(scheduler_, game, nullptr, std::move(seats), [&](const Result<MatchRef>& ref) { ref_ = *ref; });
    Run();
    return TheMatch();
  }
  Match& TheMatch() {
    Match* found = nullptr;
    lobby_->OnMatch(ref_, [&](Match& match) { found = &match; }, [] {});
    Run();
    return *found;
  }
  // The answer: "seat N" or what was wrong.
  std::string HandOver(SeatIndex seat, const AgentSpec& agent) {
    std::string out = "no answer";
    TheMatch().SeatAgent(seat, "", agent, [&](const Result<SeatIndex>& done) {
      out = done ? "seat " + std::to_string(*done)
                 : std::string(ErrorCodeName(done.error().code)) + ": " + done.error().message;
    });
    Run();
    return out;
  }
  JoinedSeat Join(const char* name) {
    JoinedSeat seat;
    TheMatch().Join(name, [&](const Result<JoinedSeat>& joined) { seat = *joined; });
    Run();
    return seat;
  }
  std::string Act(SeatIndex seat, const char* position, std::uint32_t lease = 0) {
    std::string out = "no answer";
    TheMatch().Choose(
        seat, lease, {.action = "move", .data = *json::Parse(std::string(R"({"position":)") + position + "}")},
        [&](const Verdict& verdict) { out = verdict.accepted() ? "done" : std::string(ErrorCodeName(verdict.code)); });
    Run();
    return out;
  }
  void Choose(const char* as, const char* position) {
    Choice choice;
    choice.action = "move";
    choice.data = *json::Parse(std::string(R"({"position":)") + position + "}");
    ASSERT_TRUE(log_.seated.at(as)->seat->Choose(choice).has_value());
    Run();
  }
  // As after a kill: what was posted and is not done is lost, what is in the journal is there.
  Lobby::Recovered Restart() {
    lobby_.reset();
    scheduler_.Run();
    log_ = {};
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ = Make();
    Result<Lobby::Recovered> recovered = lobby_->Recover();
    Run();
    return *recovered;
  }
  std::unique_ptr<Lobby> Make() {
    return std::make_unique<Lobby>(games_, MatchRules{}, std::chrono::minutes(5), *directory_, journal_,
                                   [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                                     if (spec.kind == "nobody") return Fail(ErrorCode::kNotFound, "no such agent");
                                     return std::make_unique<Sitter>(log_, spec);
                                   });
  }
  std::vector<std::string> HandedOver() { return journal_.whole.Payloads(ref_.id, EventKind::kHandedOver); }
  std::vector<std::string> Seated() {
    std::vector<std::string> names;
    for (const auto& [name, sitter] : log_.seated) names.push_back(name);
    return names;
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const std::unique_ptr<Game> roll_call_ = testing::MakeRollCall();
  std::vector<const Game*> games_{tictactoe_.get(), netrunner_.get(), roll_call_.get()};
  const PlannedSeat ann_{"Ann", Named("ann")};
  const PlannedSeat bob_{"Bob", Named("bob")};
  Sitter::Log log_;
  MatchRef ref_;
  testing::FakeScheduler scheduler_;
  DamagedJournal journal_;
  std::unique_ptr<TableDirectory> directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
  std::unique_ptr<Lobby> lobby_ = Make();
};

TEST_F(HandOverTest, TheNewAgentIsAskedWhatIsPendingAndPlaysOn) {
  Match& match = Create("tictactoe", {ann_, bob_});
  ASSERT_THAT(log_.seated.at("ann")->asked, ElementsAre(DecisionId(1)));
  EXPECT_EQ(HandOver(0, Named("cem", "other")), "seat 0");
  EXPECT_THAT(HandedOver(), ElementsAre(R"({"seat":0,"agent":{"as":"cem","kind":"other"}})"));
  EXPECT_THAT(log_.dismissed, ElementsAre("ann"));
  EXPECT_THAT(Seated(), ElementsAre("bob", "cem"));
  EXPECT_EQ(match.Info().at("seats").at(0).at("agent"), json::Value("other"));
  EXPECT_EQ(match.seat(0).name(), "Ann") << "the player's name is the seat's";
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1)));
  Choose("cem", "[0,0]");
  EXPECT_THAT(log_.seated.at("bob")->asked, ElementsAre(DecisionId(2)));
}

TEST_F(HandOverTest, IsSoOnceTheJournalSaysSo) {
  Match& match = Create("tictactoe", {ann_, bob_});
  bool answered = false;
  match.SeatAgent(0, "", Named("cem"), [&](const Result<SeatIndex>&) { answered = true; });
  EXPECT_EQ(HandedOver().size(), 1u);
  EXPECT_FALSE(answered);
  EXPECT_THAT(log_.dismissed, IsEmpty());
  EXPECT_THAT(Seated(), ElementsAre("ann", "bob")) << "it is not durable yet";
  // Killed before anyone was told.
  EXPECT_EQ(Restart().matches, 1u);
  EXPECT_FALSE(answered);
  EXPECT_THAT(Seated(), ElementsAre("bob", "cem"));
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1)));
}

TEST_F(HandOverTest, OutlivesARestartAndTheLatestCounts) {
  Create("tictactoe", {ann_, bob_});
  EXPECT_EQ(HandOver(1, Named("cem")), "seat 1");
  Choose("ann", "[0,0]");
  EXPECT_EQ(HandOver(1, Named("dee", "other")), "seat 1");
  Choose("dee", "[1,1]");
  const json::Value before = TheMatch().SightOf(Viewer::Spectator())->Observe();
  const Lobby::Recovered recovered = Restart();
  EXPECT_EQ(recovered.matches, 1u);
  EXPECT_THAT(Seated(), ElementsAre("ann", "dee"));
  EXPECT_EQ(TheMatch().seat(1).agent()->kind(), "other");
  EXPECT_EQ(TheMatch().SightOf(Viewer::Spectator())->Observe(), before);
  EXPECT_THAT(log_.dismissed, IsEmpty()) << "nobody who was replaced comes back to be dismissed again";
  Choose("ann", "[0,1]");
  Choose("dee", "[2,2]");
}

TEST_F(HandOverTest, AlsoBeforeTheMatchBegins) {
  Create("roll-call", {ann_, {}, bob_});
  EXPECT_EQ(HandOver(0, Named("cem")), "seat 0");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kAwaitingPlayers);
  Restart();
  EXPECT_THAT(Seated(), ElementsAre("cem"));
  Join("Dee");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  EXPECT_THAT(Seated(), ElementsAre("bob", "cem"));
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1)));
}

TEST_F(HandOverTest, OfAPlayerWhoMayComeBackAndNeedNot) {
  Create("tictactoe", {});
  const JoinedSeat ana = Join("Ana");
  Join("Ben");
  const auto wait = [&] {
    scheduler_.Advance(MatchRules{}.grace + std::chrono::minutes(1));
    Run();
  };
  TheMatch().Drop(0, ana.lease);
  EXPECT_EQ(HandOver(0, Named("cem")), "seat 0");
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1))) << "what the player was asked";
  const Decision& asked = *TheMatch().seat(0).decision();
  EXPECT_EQ(json::Write(*asked.actions.Find("move")->schema), json::Write(asked.sight->Actions().front().schema));
  EXPECT_EQ(TheMatch().Info().at("seats").at(0).at("present"), json::Value(true));
  wait();
  ASSERT_EQ(TheMatch().status(), MatchStatus::kInProgress) << "an agent sits there, so nobody is missed";

  const Result<JoinedSeat> back = TheMatch().Resume("Ana", ana.token);
  ASSERT_TRUE(back);
  EXPECT_EQ(Act(0, "[9,9]", back->lease), "incorrect-move");
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1))) << "it is not its mistake";
  EXPECT_EQ(Act(0, "[0,0]", back->lease), "done");
  EXPECT_THAT(log_.seated.at("cem")->ended, ElementsAre("settled")) << "the player was faster";
  EXPECT_THAT(journal_.whole.Payloads(ref_.id, EventKind::kPlayed).back(), HasSubstr(R"("agent":"client")"));
  EXPECT_EQ(Act(1, "[1,0]"), "done");
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(1), DecisionId(3)));
  TheMatch().Drop(0, back->lease);
  EXPECT_EQ(TheMatch().Info().at("seats").at(0).at("present"), json::Value(true));
  wait();
  ASSERT_EQ(TheMatch().status(), MatchStatus::kInProgress);

  Restart();
  EXPECT_THAT(Seated(), ElementsAre("cem"));
  EXPECT_THAT(log_.seated.at("cem")->asked, ElementsAre(DecisionId(3)));
  EXPECT_EQ(TheMatch().Resume("Ana", "wrong").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(TheMatch().Resume("Ana", ana.token).has_value());
  scheduler_.Advance(MatchRules{}.grace_alone);
  Run();
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
  EXPECT_EQ(LookAt(TheMatch(), Viewer::Spectator()).winner(), "Ana") << "Ben has not come back, and his grace is over";
}

TEST_F(HandOverTest, WhereThePlayerActsWithMoreToComeTheAgentIsAskedAnew) {
  Create("netrunner", {});
  Join("Ana");
  Join("Ben");
  ASSERT_EQ(HandOver(0, Named("cem")), "seat 0");
  const auto can = [&](SeatIndex seat, const char* action) {
    const std::vector<ActionSpec> actions = TheMatch().SightOf(Viewer::Seat(seat))->Actions();
    return std::ranges::find(actions, action, &ActionSpec::name) != actions.end();
  };
  const auto act = [&](SeatIndex seat, const char* action) {
    bool done = false;
    TheMatch().Choose(seat, 0, {.action = action, .data = json::Object()},
                      [&](const Verdict& verdict) { done = verdict.accepted(); });
    Run();
    return done;
  };
  for (int i = 0; i < 10 && !can(0, "credit"); ++i) {
    const SeatIndex awaited = *TheMatch().state().Awaited().begin();
    const char* const begins = can(awaited, "keep") ? "keep" : can(awaited, "start-turn") ? "start-turn" : "continue";
    ASSERT_TRUE(act(awaited, begins)) << begins;
  }
  const Sitter& cem = *log_.seated.at("cem");
  const DecisionId before = cem.asked.back();
  ASSERT_EQ(TheMatch().seat(0).decision()->id, before);
  ASSERT_TRUE(act(0, "credit"));
  ASSERT_TRUE(can(0, "credit")) << "there are clicks left";
  EXPECT_EQ(cem.ended.back(), "settled");
  EXPECT_EQ(cem.asked.back(), before.Next());
  EXPECT_EQ(TheMatch().seat(0).decision()->id, before.Next());
}

TEST_F(HandOverTest, ThatIsRefusedChangesNothing) {
  Create("tictactoe", {ann_, bob_});
  EXPECT_EQ(HandOver(0, {"nobody", {}}), "not-found: no such agent");
  EXPECT_THAT(Seated(), ElementsAre("ann", "bob"));
  EXPECT_THAT(log_.dismissed, IsEmpty());
  TheMatch().Resign(1, "Bob left", {}, [](const Result<void>&) {});
  Run();
  EXPECT_THAT(HandOver(0, Named("cem")), HasSubstr("conflict: the match is over (Bob left)"));
  EXPECT_THAT(Seated(), ElementsAre("ann", "bob"));
  EXPECT_THAT(HandedOver(), IsEmpty());
}

TEST_F(HandOverTest, WhereTheJournalFailsTheFormerAgentStays) {
  Create("tictactoe", {ann_, bob_});
  // Another writer: the match's next append is refused.
  const Seq last = journal_.whole.Tables(1)->front().last_seq;
  journal_.whole.Append(ref_.id, last, {{EventKind::kNote, scheduler_.clock().Now(), "{}"}}, scheduler_, nullptr);
  EXPECT_THAT(HandOver(0, Named("cem")), HasSubstr("the table has"));
  EXPECT_THAT(Seated(), ElementsAre("ann", "bob"));
  EXPECT_THAT(log_.dismissed, IsEmpty());
  EXPECT_THAT(HandedOver(), IsEmpty());
}

TEST_F(HandOverTest, EventsThatNoMatchWroteAreNotRecovered) {
  for (const char* payload : {R"({"seat":2,"agent":{"kind":"sitter","as":"cem"}})", R"({"seat":0,"agent":{}})",
                              R"({"seat":0})", R"({"agent":{"kind":"sitter","as":"cem"}})", "nonsense"}) {
    Create("tictactoe", {ann_, bob_});
    const auto tables = *journal_.whole.Tables(100);
    const auto record = std::ranges::find(tables, ref_.id, &TableRecord::id);
    journal_.whole.Append(ref_.id, record->last_seq, {{EventKind::kHandedOver, scheduler_.clock().Now(), payload}},
                          scheduler_, nullptr);
    EXPECT_EQ(Restart().matches, 0u) << payload;
  }
}

TEST_F(HandOverTest, WhoSitsAtOpenMatchesIsKnownAtStart) {
  const auto names = [](const Lobby::Recovered& recovered) {
    std::vector<std::string> out;
    for (const AgentSpec& agent : *recovered.agents) out.emplace_back(json::View(agent.options.at("as").as_string()));
    return out;
  };
  EXPECT_THAT(names(Restart()), IsEmpty());
  Create("tictactoe", {ann_, bob_});
  HandOver(1, Named("cem"));
  Create("roll-call", {{"Dee", Named("dee")}, {}, {"Eve", Named("eve")}});
  const TableId waiting = ref_.id;
  Create("tictactoe", {{"Fay", Named("fay")}, {"Gil", Named("gil")}});
  TheMatch().Close("the match is over");
  EXPECT_THAT(names(Restart()), UnorderedElementsAre("ann", "cem", "dee", "eve"));
  // A match whose game is temporarily not offered may come back.
  games_.pop_back();
  const Lobby::Recovered without = Restart();
  EXPECT_EQ(without.matches, 1u);
  EXPECT_THAT(names(without), UnorderedElementsAre("ann", "cem", "dee", "eve"));
  games_.push_back(roll_call_.get());
  journal_.damaged = waiting;
  const Lobby::Recovered damaged = Restart();
  EXPECT_EQ(damaged.matches, 1u);
  EXPECT_FALSE(damaged.agents.has_value());
}

}  // namespace
}  // namespace openseat
