// Games of whole turns: choices that count together or not at all; and choices that another one outruns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "games/narrative/narrative.h"
#include "games/script/script_game.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kNarration =
    R"({"narrative":"It rains.","emotion":"sad","choices":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","label":"Wait"}]})";
constexpr SeatIndex kNarrator = 0;
constexpr SeatIndex kPlayer = 1;

// Answers when told to.
class Puppet final : public Agent {
 public:
  Puppet(std::map<std::string, Puppet*>& all, bool interactive) : all_(all), interactive_(interactive) {}
  ~Puppet() override {
    if (seat != nullptr) all_.erase(seat->name());
  }
  std::string_view kind() const override { return interactive_ ? "person" : "puppet"; }
  bool interactive() const override { return interactive_; }
  void OnSeated(Seat& given) override {
    seat = &given;
    all_[given.name()] = this;
  }
  void OnDecision(const Decision& decision) override { asked = decision.id; }

  Seat* seat = nullptr;
  std::optional<DecisionId> asked;

 private:
  std::map<std::string, Puppet*>& all_;
  const bool interactive_;
};

class WholeTurns : public ::testing::Test {
 protected:
  void Begin() {
    Make();
    lobby_->Create(
        scheduler_, "narrative", nullptr, {{"Bard", {"puppet", {}}}, {"Ana", {"person", {}}}},
        [&](const Result<MatchRef>& ref) { ref_ = *ref; }, nullptr, Privacy::kPublic, std::nullopt, terms_);
    Run();
    Narrate(kNarration);
    ASSERT_EQ(Played(), 1u);
  }
  void Make() {
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ = std::make_unique<Lobby>(games_, rules_, std::chrono::minutes(5), *directory_, journal_,
                                     [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                                       return std::make_unique<Puppet>(puppets_, spec.kind == "person");
                                     });
  }
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  Match& TheMatch() {
    Match* found = nullptr;
    lobby_->OnMatch(ref_, [&](Match& match) { found = &match; }, [] {});
    Run();
    return *found;
  }
  void Say(const char* text = "I wait.") {
    said_ = "nothing yet";
    const auto told = [this](const Verdict& verdict) {
      said_ = verdict.accepted() ? json::Write(verdict.result) : std::string(ErrorCodeName(verdict.code));
    };
    const Result<ChoiceId> chosen =
        TheMatch().seat(kPlayer).Choose({.action = "say", .data = json::Object{{"text", text}}}, told);
    if (!chosen) said_ = ErrorCodeName(chosen.error().code);
    Run();
  }
  void Narrate(std::string_view data) {
    Choice choice;
    choice.action = "narrate";
    choice.data = *json::Parse(data);
    static_cast<void>(puppets_.at("Bard")->seat->Choose(choice));
    Run();
  }
  std::size_t Played() const { return journal_.Payloads(ref_.id, EventKind::kPlayed).size(); }
  std::size_t Turns() { return games::narrative::StoryOf(TheMatch().state())->turns().size(); }

  const std::unique_ptr<Game> narrative_ = games::MakeNarrative();
  const std::array<const Game*, 1> games_{narrative_.get()};
  MatchRules rules_;
  MatchTerms terms_;
  std::map<std::string, Puppet*> puppets_;
  MatchRef ref_;
  std::string said_;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_;
  std::unique_ptr<Lobby> lobby_;
};

TEST_F(WholeTurns, AreJournalledAtOnce) {
  Begin();
  Say();
  EXPECT_EQ(said_, "nothing yet");
  EXPECT_EQ(Played(), 1u) << "only the opening";
  EXPECT_TRUE(TheMatch().in_turn());
  EXPECT_EQ(Turns(), 1u);
  Narrate(kNarration);
  EXPECT_EQ(said_, "{}");
  EXPECT_EQ(Played(), 3u);
  EXPECT_FALSE(TheMatch().in_turn());
  EXPECT_EQ(Turns(), 2u);
}

TEST_F(WholeTurns, AreToldToWhoeverActedBehindTheAnswer) {
  Begin();
  std::vector<std::string> heard;
  for (const Viewer viewer : {Viewer::Seat(kPlayer), Viewer::Seat(kNarrator), Viewer::Spectator()}) {
    const std::string who = viewer.seat() ? std::to_string(*viewer.seat()) : "all";
    TheMatch().Watch(viewer, [&heard, who](MatchEvent, const Match& match, Viewer) {
      heard.push_back(who + (match.in_turn() ? " pending" : ""));
    });
  }
  ASSERT_TRUE(TheMatch()
                  .seat(kPlayer)
                  .Choose({.action = "say", .data = json::Object{{"text", "I wait."}}},
                          [&](const Verdict&) { heard.emplace_back("answer"); })
                  .has_value());
  Run();
  EXPECT_THAT(heard, ::testing::ElementsAre("0 pending", "all pending"));
  heard.clear();
  Narrate(kNarration);
  EXPECT_THAT(heard, ::testing::ElementsAre("answer", "1", "0", "all"));
}

TEST_F(WholeTurns, TellAnAgentLessWhereItAsksForLess) {
  Begin();
  Say();
  const Seat& bard = *puppets_.at("Bard")->seat;
  const Sight& sight = *bard.decision()->sight;
  EXPECT_EQ(sight.TextWithin(8'000), sight.text());
  EXPECT_LE(sight.TextWithin(600).size(), sight.text().size());
}

TEST_F(WholeTurns, AreUndoneWhereTheOtherCannotAnswer) {
  Begin();
  const json::Value before = TheMatch().SightOf(Viewer::Spectator())->Observe();
  Say();
  ASSERT_TRUE(puppets_.at("Bard")->seat->GiveUp(*puppets_.at("Bard")->asked, "lost for words", {{"code", "parse"}}));
  Run();
  EXPECT_EQ(said_, "conflict");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  EXPECT_EQ(TheMatch().SightOf(Viewer::Spectator())->Observe(), before);
  EXPECT_EQ(TheMatch().seat(kNarrator).failure().at("code"), "parse");
  EXPECT_EQ(Played(), 1u);
  Say();
  Narrate(kNarration);
  EXPECT_EQ(said_, "{}");
  EXPECT_EQ(Turns(), 2u);
}

TEST_F(WholeTurns, AreUndoneWhereTheOtherIsRefusedTooOften) {
  Begin();
  Say();
  for (int i = 0; i < 5; ++i) Narrate(R"({"narrative":""})");
  EXPECT_EQ(said_, "conflict");
  const json::Object& failure = TheMatch().seat(kNarrator).failure();
  EXPECT_EQ(failure.at("code"), "refused");
  EXPECT_EQ(failure.at("data"), *json::Parse(R"({"narrative":""})"));
  EXPECT_THAT(json::Write(failure.at("reason")), HasSubstr("narrative"));
}

TEST_F(WholeTurns, AreUndoneWhenTimeIsUp) {
  rules_.turn_limit = std::chrono::seconds(20);
  Begin();
  scheduler_.Advance(std::chrono::hours(2));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress) << "a person takes the time it takes";
  Say();
  scheduler_.Advance(std::chrono::seconds(21));
  Run();
  EXPECT_EQ(said_, "timeout");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
}

TEST_F(WholeTurns, GivePlayersWhoChoseInTimeNewTimeWhenTheyAreUndone) {
  terms_.move_time = std::chrono::seconds(20);
  Begin();
  scheduler_.Advance(std::chrono::seconds(5));
  Say();
  scheduler_.Advance(std::chrono::seconds(21));
  Run();
  EXPECT_EQ(said_, "timeout") << "it is the narrator's";
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  scheduler_.Advance(std::chrono::seconds(18));
  Run();
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  Say();
  Narrate(kNarration);
  EXPECT_EQ(said_, "{}");
  scheduler_.Advance(std::chrono::seconds(21));
  Run();
  ASSERT_EQ(TheMatch().status(), MatchStatus::kDone);
  EXPECT_EQ(TheMatch().outcome()->reason, "Ana ran out of time");
}

TEST_F(WholeTurns, GiveNoIncrementForChoicesThatAreUndone) {
  terms_.game_time = std::chrono::seconds(100);
  terms_.increment = std::chrono::seconds(50);
  Begin();
  const auto left = [this] { return json::Write(TheMatch().Info().at("seats").at(kPlayer).at("time")); };
  EXPECT_EQ(left(), "100");
  scheduler_.Advance(std::chrono::seconds(10));
  for (int i = 0; i < 3; ++i) {
    Say();
    EXPECT_EQ(left(), "90");
    ASSERT_TRUE(puppets_.at("Bard")->seat->GiveUp(*puppets_.at("Bard")->asked, "lost for words", {}));
    Run();
    EXPECT_EQ(left(), "90");
  }
  Say();
  Narrate(kNarration);
  EXPECT_EQ(left(), "140");
}

TEST_F(WholeTurns, AreToldToBeUndoneWhereTheyCannotBeJournaled) {
  Begin();
  std::vector<std::string> heard;
  TheMatch().Watch(Viewer::Spectator(), [&heard](MatchEvent event, const Match& match, Viewer) {
    heard.push_back(std::string(MatchEventName(event)) + (match.in_turn() ? " pending" : ""));
  });
  Say();
  EXPECT_THAT(heard, ::testing::ElementsAre("update pending"));
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Narrate(kNarration);
  EXPECT_EQ(said_, "io");
  EXPECT_THAT(heard, ::testing::ElementsAre("update pending", "update"));
}

// Seats 0 and 1 may both go first; then it is seat 2's turn, and nobody else's.
constexpr std::string_view kRace = R"(
export const info = { id: 'race', title: 'Race', description: 'd', rules: 'r', seats: { min: 3, max: 3 }, actions: { go: 'Go.' } };
export const setup = () => ({ at: 0 });
export const awaited = ({ at }) => (at === 0 ? [0, 1] : [2]);
export const actions = () => [{ name: 'go' }];
export const apply = ({ at }) => ({ state: { at: at + 1 } });
export const observe = (state) => state;
export const redeal = (state) => state;
export const outcome = ({ at }) => (at === 2 ? { winners: [], reason: 'gone' } : null);
)";

TEST(OutrunChoices, AreNobodysFault) {
  const std::unique_ptr<Game> race = *games::MakeScriptGame({{"race.js", std::string(kRace)}});
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  std::map<std::string, Puppet*> puppets;
  MatchSpec spec;
  spec.id = TableId("race");
  spec.game = race.get();
  spec.seats = {{"Ann", {"puppet", {}}}, {"Bo", {"puppet", {}}}, {"Cy", {"puppet", {}}}};
  spec.terms.move_time = std::chrono::seconds(20);
  Match match(
      std::move(spec), MatchRules{}, scheduler, journal,
      [&](const AgentSpec&) -> Result<std::unique_ptr<Agent>> { return std::make_unique<Puppet>(puppets, false); });
  match.Open([](const Result<void>&) {});
  scheduler.Run();
  ASSERT_EQ(match.status(), MatchStatus::kInProgress);
  std::vector<ErrorCode> refused;
  const auto go = [&](const char* name) {
    Choice choice;
    choice.action = "go";
    return puppets.at(name)->seat->Choose(std::move(choice), [&](const Verdict& verdict) {
      if (!verdict.accepted()) refused.push_back(verdict.code);
    });
  };
  // Bo chooses while Ann's choice is being journaled.
  ASSERT_TRUE(go("Ann"));
  ASSERT_TRUE(go("Bo"));
  scheduler.Run();
  EXPECT_THAT(refused, ::testing::ElementsAre(ErrorCode::kNotYourTurn));
  EXPECT_EQ(match.seat(1).decision(), nullptr) << "nobody waits for Bo";
  ASSERT_NE(match.seat(2).decision(), nullptr) << json::Write(match.Info());
  scheduler.Advance(std::chrono::seconds(19));
  EXPECT_EQ(match.status(), MatchStatus::kInProgress);
  ASSERT_TRUE(go("Cy"));
  scheduler.Run();
  EXPECT_EQ(match.outcome()->reason, "gone");
}

// A match of Ann and Bo in a game that is written as a script, and what a restart makes of its journal.
class BrokenScripts : public ::testing::Test {
 protected:
  void Begin(std::string_view script) {
    game_ = *games::MakeScriptGame({{"broken.js", std::string(script)}});
    MatchSpec spec;
    spec.id = id_;
    spec.game = game_.get();
    spec.seats = {{"Ann", {"puppet", {}}}, {"Bo", {"puppet", {}}}};
    match_.emplace(std::move(spec), MatchRules{}, scheduler_, journal_,
                   [this](const AgentSpec&) -> Result<std::unique_ptr<Agent>> {
                     return std::make_unique<Puppet>(puppets_, false);
                   });
    match_->Open([](const Result<void>&) {});
    scheduler_.Run();
  }
  // The seat that is awaited makes the only choice.
  void ChooseNext() {
    const SeatIndex seat = match_->state().Awaited().First();
    Choice choice;
    choice.action = match_->state().Actions(seat).front().name;
    ASSERT_TRUE(puppets_.at(seat == 0 ? "Ann" : "Bo")->seat->Choose(std::move(choice), [](const Verdict&) {}));
    scheduler_.Run();
  }
  Result<MatchFold> Restored() { return MatchFold::Of(id_, *game_, *journal_.Read(id_, 0, 100)); }

  const TableId id_{"broken"};
  std::unique_ptr<Game> game_;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::map<std::string, Puppet*> puppets_;
  std::optional<Match> match_;
};

TEST_F(BrokenScripts, HaveEndedTheMatchAlsoAfterARestart) {
  Begin(R"(
export const info = { id: 'breaks', title: 'Breaks', description: 'd', rules: 'r', seats: { min: 2, max: 2 }, actions: { go: 'Go.' } };
export const setup = () => ({ at: 0 });
export const awaited = ({ at }) => [at % 2];
export const actions = () => [{ name: 'go' }];
export const apply = ({ at }) => ({ state: { at: at + 1 } });
export const observe = ({ at }) => { if (at === 3) throw new Error('no'); return { at }; };
export const redeal = (state) => state;
export const outcome = ({ at }) => (at === 9 ? { winners: [], reason: 'gone' } : null);
)");
  for (int choices = 0; choices < 3; ++choices) {
    EXPECT_FALSE(Restored()->outcome());
    EXPECT_TRUE(Restored()->state()->Equals(match_->state()));
    ChooseNext();
  }
  ASSERT_EQ(match_->status(), MatchStatus::kDone);
  ASSERT_TRUE(Restored()->outcome());
  EXPECT_EQ(Restored()->outcome()->reason, match_->outcome()->reason);
}

// A member that is undefined is still there until the state is JSON, so the answers are others before. `games check`
// refuses such a script.
TEST_F(BrokenScripts, LoseNoMatchAtARestart) {
  Begin(R"(
export const info = { id: 'forgets', title: 'Forgets', description: 'd', rules: 'r', seats: { min: 2, max: 2 }, actions: { pick: 'Pick.', confirm: 'Confirm.' } };
export const setup = () => ({ turn: 0 });
export const awaited = ({ turn }) => [turn];
export const actions = (state) => [{ name: 'pending' in state ? 'confirm' : 'pick' }];
export const apply = (state, seat, { name }) => (
  { state: name === 'pick' ? { ...state, pending: 1 } : { turn: 1 - seat, pending: undefined } });
export const observe = (state) => state;
export const outcome = () => null;
)");
  for (int choices = 0; choices < 4; ++choices) {
    ChooseNext();
    const Result<MatchFold> restored = Restored();
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_TRUE(restored->state()->Equals(match_->state()));
  }
}

TEST_F(WholeTurns, AreGoneAfterARestartInTheMiddle) {
  Begin();
  Say();
  lobby_.reset();
  Make();
  ASSERT_EQ(lobby_->Recover()->matches, 1u);
  Run();
  EXPECT_FALSE(TheMatch().in_turn());
  EXPECT_EQ(Turns(), 1u);
  Say("I go on.");
  Narrate(kNarration);
  EXPECT_EQ(said_, "{}");
  EXPECT_EQ(Turns(), 2u);
}

TEST_F(WholeTurns, GoOnWhereTheNarratorIsAnotherMeanwhile) {
  Begin();
  Say();
  const DecisionId asked = *puppets_.at("Bard")->asked;
  bool done = false;
  TheMatch().SeatAgent(kNarrator, "", {"puppet", {}}, [&](const Result<SeatIndex>& seat) { done = seat.has_value(); });
  Run();
  EXPECT_TRUE(done);
  EXPECT_EQ(puppets_.at("Bard")->asked, asked) << "who came is asked the same";
  EXPECT_TRUE(TheMatch().in_turn());
  EXPECT_EQ(Played(), 1u);
  Narrate(kNarration);
  EXPECT_EQ(said_, "{}");
  EXPECT_EQ(Turns(), 2u);
  lobby_.reset();
  Make();
  ASSERT_EQ(lobby_->Recover()->matches, 1u);
  Run();
  EXPECT_EQ(Turns(), 2u);
}

TEST_F(WholeTurns, EndWithTheMatch) {
  Begin();
  Say();
  TheMatch().Resign(kPlayer, "enough", {}, [](const Result<void>&) {});
  Run();
  EXPECT_EQ(said_, "closed");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
  EXPECT_EQ(Turns(), 1u);
}

TEST_F(WholeTurns, AFirstChoiceThatIsNotMadeEndsTheMatch) {
  Make();
  lobby_->Create(scheduler_, "narrative", nullptr, {{"Bard", {"puppet", {}}}, {"Ana", {"person", {}}}},
                 [&](const Result<MatchRef>& ref) { ref_ = *ref; });
  Run();
  ASSERT_TRUE(puppets_.at("Bard")->seat->GiveUp(*puppets_.at("Bard")->asked, "lost for words"));
  Run();
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
}

TEST_F(WholeTurns, AStoryMayRest) {
  Begin();
  scheduler_.Advance(std::chrono::hours(24 * 29));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  scheduler_.Advance(std::chrono::hours(24) + std::chrono::minutes(1));
  Run();
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
}

TEST_F(WholeTurns, ATurnThatCannotBeJournalledIsUndoneWholeAndCanBePlayedAgain) {
  Begin();
  journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}};
  Say();
  Narrate(kNarration);
  EXPECT_EQ(said_, "io");
  EXPECT_EQ(Turns(), 1u);
  Say();
  EXPECT_EQ(said_, "nothing yet");
  journal_.failing.reset();
  scheduler_.Advance(std::chrono::seconds(1));
  Run();
  Narrate(kNarration);
  EXPECT_NE(said_, "io");
  // Both halves of the turn that counts, and nothing of the other one.
  EXPECT_EQ(Played(), 3u);
  EXPECT_EQ(Turns(), 2u);
}

}  // namespace
}  // namespace openseat
