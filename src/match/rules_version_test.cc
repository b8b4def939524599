// Matches that were begun under rules other than those of this program: continued under the old ones if those were
// kept, else closed and still readable; never under the new ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "core/game_base.h"
#include "match/lobby.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Sum {
  int total = 0;
  int turns = 0;
  bool operator==(const Sum&) const = default;
};

// Seats take turns to add a number; under version 2 of the rules its square.
class SumState final : public MoveState<SumState, Sum> {
 public:
  SumState(PlayerNames names, Sum sum, const GameInfo& info) : MoveState(std::move(names), sum), info_(&info) {}

  SeatSet Awaited() const override {
    if (position().turns == 4) return {};
    return {static_cast<SeatIndex>(position().turns % 2)};
  }
  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    return Awaited().Contains(seat) ? info_->actions : std::vector<ActionSpec>();
  }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < 10 && move < out.size(); ++move) out[move] = move;
    return 10;
  }
  void ApplyMove(SeatIndex, Move move) override {
    const int n = static_cast<int>(move);
    position().total += info_->rules_version == 1 ? n : n * n;
    ++position().turns;
  }
  PlayedChoice ToChoice(SeatIndex, Move move) const override {
    return {"add", json::Object{{"n", static_cast<int>(move)}}};
  }
  json::Value Observe(Viewer viewer) const override {
    json::Object seen{{"total", position().total}, {"rule", "version " + std::to_string(info_->rules_version)}};
    if (!info_->rules.empty()) seen["rules"] = info_->rules;
    if (info_->hides && viewer.seat()) seen["you"] = *viewer.seat();
    return seen;
  }
  std::string Describe(SeatIndex) const override { return "The sum is " + std::to_string(position().total) + "."; }
  std::optional<Outcome> GetOutcome() const override {
    if (position().turns < 4) return std::nullopt;
    return Outcome{{1}, {0, 1}, "all was added"};
  }
  json::Value Serialize() const override { return json::Object{{"total", position().total}}; }

 private:
  const GameInfo& game_info() const override { return *info_; }
  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    const json::Value* n = json::Find(data, "n");
    const auto number = n == nullptr ? std::nullopt : IntegerOf(*n);
    if (!number || *number < 0 || *number > 9) return Fail(ErrorCode::kIncorrectData, "n must be 0 to 9", "n");
    return static_cast<Move>(*number);
  }
  json::Value ResultOf(SeatIndex, Move) const override { return json::Object{{"total", position().total}}; }

  const GameInfo* info_;
};

class SumGame final : public Game {
 public:
  // `rules`: all see them.
  explicit SumGame(int version, const Game* old = nullptr, bool hides = false, std::string rules = {}) : old_(old) {
    info_.id = "sum";
    info_.title = "Sum";
    info_.rules = std::move(rules);
    info_.roles = {"First", "Second"};
    info_.options_schema = json::Object{{"type", "object"}};
    info_.actions = {{.name = "add", .description = "Add n.", .schema = OneMemberSchema("n", json::Object{})}};
    info_.rules_version = version;
    info_.hides = hides;
    info_.max_moves = 10;
  }
  const GameInfo& info() const override { return info_; }
  const Game* OfVersion(int version) const override {
    if (version == info_.rules_version) return this;
    return old_ != nullptr ? old_->OfVersion(version) : nullptr;
  }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string> names) const override {
    Result<PlayerNames> players = CheckNames(info_, std::move(names));
    if (!players) return Fail(players.error());
    if ((*players)[1] == "Bob") return Fail(ErrorCode::kInvalid, "Bob cannot add");
    return std::make_unique<SumState>(*std::move(players), Sum{}, info_);
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override {
    return Fail(ErrorCode::kInvalid, "nothing is saved here");
  }

 private:
  GameInfo info_;
  const Game* old_;
};

class RulesVersion : public ::testing::Test {
 protected:
  // A match that was begun under the rules that the member says, with two of three choices made.
  void Record(std::string_view version_member) {
    const Time now = scheduler_.clock().Now();
    std::vector<Event> events{
        {EventKind::kOpened, now, R"({"kind":"hosted","game":"sum",)" + std::string(version_member) + R"("seed":1})"}};
    for (const char* payload :
         {R"({"seat":0,"name":"Ana","token":"00"})", R"({"seat":1,"name":"Bot","agent":{"kind":"random"}})"}) {
      events.push_back({EventKind::kJoined, now, payload});
    }
    events.push_back({EventKind::kPlayed, now, R"({"seat":0,"action":"add","data":{"n":3},"result":{"total":3}})"});
    events.push_back({EventKind::kPlayed, now, R"({"seat":1,"action":"add","data":{"n":4}})"});
    journal_.Append(id_, 0, std::move(events), scheduler_, nullptr);
  }
  // A match that is played by `game`'s rules, as far as these numbers: its state is in the record.
  void Play(const Game& game, const std::vector<int>& numbers) {
    ASSERT_TRUE(Recover(game).has_value());
    std::optional<MatchRef> ref;
    lobby_->Create(scheduler_, "sum", nullptr, {}, [&](const Result<MatchRef>& created) { ref = *created; });
    scheduler_.Run();
    id_ = ref->id;
    lobby_->OnMatch(*ref, [this](Match& match) { match_ = &match; }, [] {});
    scheduler_.Run();
    for (const char* name : {"Ana", "Ben"}) match_->Join(name, [](const Result<JoinedSeat>&) {});
    scheduler_.Run();
    for (std::size_t i = 0; i < numbers.size(); ++i) Add(static_cast<SeatIndex>(i % 2), numbers[i]);
  }
  void Add(SeatIndex seat, int number) {
    EXPECT_TRUE(match_->seat(seat).Choose({.action = "add", .data = json::Object{{"n", number}}}).has_value());
    scheduler_.Run();
  }
  Result<Lobby::Recovered> Recover(const Game& game) {
    lobby_.reset();
    all_ = {&game};
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ =
        std::make_unique<Lobby>(all_, MatchRules{}, std::chrono::minutes(5), *directory_, journal_, MakeLocalAgent);
    return lobby_->Recover();
  }
  json::Value TotalOf(const Game& game) {
    const Result<Lobby::Recovered> recovered = Recover(game);
    EXPECT_EQ(recovered->matches, 1u);
    Table* table = directory_->Local(scheduler_, id_);
    const json::Value total =
        table == nullptr ? json::Value() : table->SightOf(Viewer::Spectator())->Observe().at("total");
    lobby_.reset();
    return total;
  }
  std::string Replayed(const Game& game, std::string_view viewer) {
    Result<Replay> replay = Replay::Open(journal_, game, id_, viewer);
    if (!replay) return replay.error().message;
    std::string lines;
    const Result<void> done = replay->Run(0, [&](const json::Object& step) {
      lines += json::Write(step.at("kind")) + json::Write(step.at("payload")) + "\n";
      return true;
    });
    return done ? lines : done.error().message;
  }

  TableId id_{"match-1"};
  Match* match_ = nullptr;
  std::array<const Game*, 1> all_{};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_;
  std::unique_ptr<Lobby> lobby_;
};

// A game that is a script may fail with names, or a seed, with which it was not tried.
TEST_F(RulesVersion, MayRefuseThePlayerWhoCompletesTheMatch) {
  const SumGame game(1);
  ASSERT_TRUE(Recover(game).has_value());
  lobby_->Create(scheduler_, "sum", nullptr, {}, [&](const Result<MatchRef>& created) { id_ = created->id; });
  scheduler_.Run();
  lobby_->OnMatch({id_, &scheduler_, "sum", {}}, [this](Match& match) { match_ = &match; }, [] {});
  scheduler_.Run();
  std::vector<std::string> answers;
  for (const char* name : {"Ana", "Bob", "Ben"}) {
    match_->Join(name,
                 [&](const Result<JoinedSeat>& joined) { answers.push_back(joined ? "" : joined.error().message); });
    scheduler_.Run();
  }
  EXPECT_THAT(answers, ElementsAre("", "Bob cannot add", ""));
  EXPECT_TRUE(match_->started());
}

TEST_F(RulesVersion, StandsInTheFirstEvent) {
  const SumGame game(2);
  ASSERT_TRUE(Recover(game).has_value());
  std::optional<TableId> id;
  lobby_->Create(scheduler_, "sum", nullptr, {}, [&](const Result<MatchRef>& ref) { id = ref->id; });
  for (int i = 0; i < 10; ++i) scheduler_.Run();
  ASSERT_TRUE(id.has_value());
  EXPECT_THAT(journal_.Payloads(*id, EventKind::kOpened)[0], HasSubstr(R"("rules_version":2,)"));
  lobby_.reset();  // before the game
}

TEST_F(RulesVersion, TheSameRulesPlayOn) {
  const SumGame game(2);
  Record(R"("rules_version":2,)");
  EXPECT_EQ(TotalOf(game), json::Value(25));
}

TEST_F(RulesVersion, OldRulesPlayOnWhereTheyWereKept) {
  const SumGame first(1);
  const SumGame second(2, &first);
  Record(R"("rules_version":1,)");
  EXPECT_EQ(TotalOf(second), json::Value(7));
  EXPECT_THAT(Replayed(second, "spectator"), HasSubstr(R"("state":{"total":7,"rule":"version 1"})"));
}

TEST_F(RulesVersion, AJournalThatSaysNothingIsOfTheFirst) {
  const SumGame first(1);
  Record("");
  EXPECT_EQ(TotalOf(first), json::Value(7));
}

TEST_F(RulesVersion, WithoutTheRulesAMatchIsClosedWithASentence) {
  for (const int version : {2, 7}) {
    SCOPED_TRACE(version);
    const SumGame game(version);
    journal_ = {};
    Record(R"("rules_version":3,)");
    const Result<Lobby::Recovered> recovered = Recover(game);
    ASSERT_TRUE(recovered.has_value());
    EXPECT_EQ(recovered->matches, 0u);
    // Nobody sits there any more, so what was stored for the agents can be deleted.
    EXPECT_TRUE(recovered->agents && recovered->agents->empty());
    EXPECT_EQ(directory_->Local(scheduler_, id_), nullptr);
    const std::vector<std::string> closed = journal_.Payloads(id_, EventKind::kClosed);
    ASSERT_EQ(closed.size(), 1u);
    EXPECT_EQ(closed[0], R"({"reason":"it was begun by version 3 of the rules of Sum, and this program has version )" +
                             std::to_string(version) + R"(, so it cannot be played on"})");
    // Once and for all.
    EXPECT_EQ(Recover(game)->matches, 0u);
    EXPECT_EQ(journal_.Payloads(id_, EventKind::kClosed).size(), 1u);
  }
}

TEST_F(RulesVersion, WithoutTheRulesAMatchIsStillReadable) {
  const SumGame game(2);
  Record(R"("rules_version":1,)");
  ASSERT_TRUE(Recover(game).has_value());
  const std::string all = Replayed(game, "spectator");
  EXPECT_THAT(all, HasSubstr("begun by version 1 of the rules; this program has version 2"));
  EXPECT_THAT(all, HasSubstr(R"("played"{"seat":0,"action":"add","data":{"n":3},"result":{"total":3})"));
  EXPECT_THAT(all, HasSubstr(R"("played"{"seat":1,"action":"add","data":{"n":4})"));
  EXPECT_THAT(all, HasSubstr(R"("closed"{"reason":"it was begun by version 1)"));
  EXPECT_THAT(all, Not(HasSubstr(R"("state")")));
}

TEST_F(RulesVersion, WithoutTheRulesOnlyTheOwnChoicesAreShownWhereSomethingIsHidden) {
  const SumGame game(2, nullptr, true);
  Record(R"("rules_version":1,)");
  EXPECT_THAT(Replayed(game, "spectator"), Not(HasSubstr("add")));
  const std::string own = Replayed(game, "Ana");
  EXPECT_THAT(own, HasSubstr(R"({"n":3})"));
  EXPECT_THAT(own, Not(HasSubstr(R"({"n":4})")));
}

TEST_F(RulesVersion, WithoutTheRulesTheRecordedStatesAreShown) {
  const SumGame old(1);
  const SumGame game(2);
  Play(old, {3, 4, 0, 5});
  lobby_.reset();  // before the game
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kSeen),
              ElementsAre(R"({"state":{"total":0,"rule":"version 1"}})", R"({"state":{"total":3,"rule":"version 1"}})",
                          R"({"state":{"total":7,"rule":"version 1"}})", R"({"state":{"total":7,"rule":"version 1"}})",
                          R"({"state":{"total":12,"rule":"version 1"},)"
                          R"("ended":{"winners":[1],"reason":"all was added"}})"));
  // What the program that knows the rules shows.
  const std::string under_old = Replayed(old, "Ana");
  for (
      const char* seen :
      {R"("event":"start","status":"in-progress","state":{"total":0,"rule":"version 1"})",
       R"("event":"update","status":"in-progress","state":{"total":3,"rule":"version 1"})",
       R"("event":"update","status":"in-progress","state":{"total":7,"rule":"version 1"})",
       R"("event":"end","status":"done","state":{"total":12,"rule":"version 1"},"winner":"Ben","reason":"all was added")"}) {
    EXPECT_THAT(under_old, HasSubstr(seen));
    EXPECT_THAT(Replayed(game, "Ana"), HasSubstr(seen));
    EXPECT_THAT(Replayed(game, "spectator"), HasSubstr(seen));
  }
}

TEST_F(RulesVersion, OfALongStateTheRecordHasTheDifferences) {
  const std::string rules(200, 'x');
  const SumGame old(1, nullptr, false, rules);
  const SumGame game(2);
  Play(old, {3, 4, 0, 5});
  lobby_.reset();  // before the game
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kSeen),
              ElementsAre(HasSubstr(rules), R"({"patch":[{"op":"replace","path":"/total","value":3}]})",
                          R"({"patch":[{"op":"replace","path":"/total","value":7}]})", R"({"patch":[]})",
                          R"({"patch":[{"op":"replace","path":"/total","value":12}],)"
                          R"("ended":{"winners":[1],"reason":"all was added"}})"));
  for (const char* total : {"0", "3", "7", "12"}) {
    const std::string seen = R"("state":{"total":)" + std::string(total) + R"(,"rule":"version 1","rules":")" + rules;
    EXPECT_THAT(Replayed(old, "spectator"), HasSubstr(seen));
    EXPECT_THAT(Replayed(game, "spectator"), HasSubstr(seen));
  }
}

// What a seat sees beyond that is not in the record.
TEST_F(RulesVersion, EveryoneIsShownWhatSpectatorsSaw) {
  const SumGame old(1, nullptr, true);
  const SumGame game(2, nullptr, true);
  Play(old, {3});
  EXPECT_THAT(Replayed(old, "Ana"), HasSubstr("you"));
  ASSERT_TRUE(Recover(game).has_value());
  for (const char* viewer : {"Ana", "Ben", "spectator"}) {
    const std::string shown = Replayed(game, viewer);
    EXPECT_THAT(shown, HasSubstr(R"("state":{"total":3,"rule":"version 1"})"));
    EXPECT_THAT(shown, Not(HasSubstr("you")));
    EXPECT_THAT(shown, HasSubstr("closed"));
  }
}

TEST_F(RulesVersion, AfterARestartOrAFullDiskTheRecordGoesOnWithAWholeState) {
  const SumGame old(1);
  const SumGame game(2);
  Play(old, {3});
  ASSERT_EQ(Recover(old)->matches, 1u);
  lobby_->OnMatch({id_, &scheduler_, "sum", ""}, [this](Match& match) { match_ = &match; }, [] {});
  scheduler_.Run();
  Add(1, 4);
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Add(0, 9);
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(2));
  scheduler_.Run();
  Add(0, 1);
  EXPECT_EQ(journal_.Payloads(id_, EventKind::kSeen).size(), 4u);
  for (const char* total : {"0", "3", "7", "8"}) {
    EXPECT_THAT(Replayed(game, "spectator"), HasSubstr(std::string(R"("state":{"total":)") + total + ","));
  }
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kSeen),
              Each(Not(HasSubstr(R"("value":7)"))));  // whole after the restart
  lobby_.reset();                                     // before the game
}

TEST_F(RulesVersion, ARecordedStateThatFitsNothingIsDamage) {
  const SumGame game(2);
  for (const char* seen :
       {R"({})", R"([])", R"({"patch":[]})", R"({"patch":[{"op":"replace","path":"/total","value":1}]})",
        R"({"state":1,"ended":{"winners":[-1]}})"}) {
    journal_ = {};
    Record("");
    journal_.Append(id_, 5, {{EventKind::kSeen, scheduler_.clock().Now(), seen}}, scheduler_, nullptr);
    EXPECT_THAT(Replayed(game, "spectator"), HasSubstr("event 6 of match-1: ")) << seen;
  }
}

TEST_F(RulesVersion, AVersionThatIsNoneIsDamage) {
  const SumGame game(1);
  for (const char* version : {R"("rules_version":0,)", R"("rules_version":"1",)", R"("rules_version":99999999999,)"}) {
    journal_ = {};
    Record(version);
    EXPECT_EQ(Recover(game)->matches, 0u);
    EXPECT_TRUE(journal_.Payloads(id_, EventKind::kClosed).empty()) << version;
  }
}

}  // namespace
}  // namespace openseat
