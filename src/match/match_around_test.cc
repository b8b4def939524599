// What is around the board of a match: clocks, absence, chat, offers, rematches; also after a restart and in replays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "agents/make_agent.h"
#include "core/seat_view.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Never answers.
class SpeechlessAgent final : public Agent {
 public:
  std::string_view kind() const override { return "speechless"; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
};

Result<std::unique_ptr<Agent>> MakeAroundAgent(const AgentSpec& spec) {
  if (spec.kind == "speechless") return std::make_unique<SpeechlessAgent>();
  return MakeLocalAgent(spec);
}

class AroundTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  void Create(const std::string& game, const char* terms = "{}", std::vector<PlannedSeat> seats = {},
              Privacy privacy = Privacy::kPublic) {
    lobby_->Create(
        scheduler_, game, nullptr, std::move(seats), [this](Result<MatchRef> ref) { ref_ = std::move(*ref); }, nullptr,
        privacy, std::nullopt, *ReadTerms(*json::Parse(terms)));
    Run();
  }
  // Ann and Ben.
  void CreateForTwo(const std::string& game, const char* terms = "{}") {
    Create(game, terms);
    ann_ = Join("Ann");
    ben_ = Join("Ben");
  }
  Match& TheMatch() {
    Match* found = nullptr;
    lobby_->OnMatch(ref_, [&](Match& match) { found = &match; }, [] {});
    Run();
    return *found;
  }
  JoinedSeat Join(const std::string& name) {
    JoinedSeat out;
    TheMatch().Join(name, [&](Result<JoinedSeat> joined) { out = std::move(*joined); });
    Run();
    return out;
  }
  std::string Put(SeatIndex seat, const std::string& cell) {
    std::string out = "no answer";
    TheMatch().Choose(
        seat, 0, {.action = "move", .data = *json::Parse(R"({"position":)" + cell + "}")},
        [&](const Verdict& verdict) { out = verdict.accepted() ? "done" : std::string(ErrorCodeName(verdict.code)); });
    Run();
    return out;
  }
  std::string Propose(SeatIndex seat, Offer offer, bool accept = true) {
    std::string out = "no answer";
    TheMatch().Propose(seat, 0, offer, accept, [&](const Result<bool>& agreed) {
      out = !agreed ? std::string(ErrorCodeName(agreed.error().code)) : *agreed ? "agreed" : "open";
    });
    Run();
    return out;
  }
  std::string Say(SeatIndex seat, std::string_view text) {
    std::string out = "no answer";
    TheMatch().Chat(seat, 0, text, [&](const Result<void>& said) {
      out = said ? "said" : std::string(ErrorCodeName(said.error().code));
      if (!said) refused_ = said.error();
    });
    Run();
    return out;
  }
  std::string Board() { return json::Write(TheMatch().SightOf(Viewer::Spectator())->Observe().at("board")); }
  void WatchAround(Viewer viewer) {
    Match& match = TheMatch();
    const Match::WatchId watch = match.Watch(viewer, [](MatchEvent, const Match&, Viewer) {}, !viewer.seat());
    match.WatchAround(watch, [this](std::string_view event, const json::Object& data) {
      (event == "table" ? table_ : chat_) = json::Write(data);
    });
  }
  void Restart() {
    lobby_.reset();
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ = Make();
    ASSERT_TRUE(lobby_->Recover());
    Run();
  }
  std::unique_ptr<Lobby> Make() {
    MatchRules rules;
    rules.costs = [](const AgentSpec& agent) { return agent.kind == "speechless"; };
    return std::make_unique<Lobby>(games_, rules, minutes(5), *directory_, journal_, MakeAroundAgent);
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  const std::array<const Game*, 2> games_{tictactoe_.get(), rps_.get()};
  Error refused_{};  // the last line of chat that was
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
  std::unique_ptr<Lobby> lobby_ = Make();
  MatchRef ref_;
  JoinedSeat ann_;
  JoinedSeat ben_;
  std::string table_;
  std::string chat_;
};

const std::vector<PlannedSeat> kAgainstABot{{}, {"Bot", {"random", {{"seed", 1}}}}};

// --- Absence ---

TEST_F(AroundTest, WhoPlaysABotMayBeAwayForHoursAndWhoPlaysAPersonForMinutes) {
  Create("tictactoe", "{}", kAgainstABot);
  Join("Ann");
  TheMatch().Drop(0, 0);
  scheduler_.Advance(MatchRules{}.grace_alone - seconds(1));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ann left and did not come back");

  CreateForTwo("tictactoe");
  TheMatch().Drop(0, 0);
  scheduler_.Advance(MatchRules{}.grace - seconds(1));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ann left and did not come back");
}

TEST_F(AroundTest, TermsSayHowLongAPlayerMayBeAway) {
  CreateForTwo("tictactoe", R"({"grace":30})");
  TheMatch().Drop(1, 0);
  scheduler_.Advance(seconds(30));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ben left and did not come back");
}

TEST_F(AroundTest, NobodyNeedsToBeThereForAMoveADay) {
  CreateForTwo("tictactoe", R"({"move_time":86400})");
  TheMatch().Drop(0, 0);
  TheMatch().Drop(1, 0);
  scheduler_.Advance(std::chrono::hours(20));
  ASSERT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  // The days go on without the server, but leave some minutes after a restart.
  Restart();
  EXPECT_EQ(TheMatch().Standing(0).at("time").to_number<int>(), 4 * 3600);
  scheduler_.Advance(std::chrono::hours(3));
  Restart();
  EXPECT_EQ(TheMatch().Standing(0).at("time").to_number<int>(), 3600);
  scheduler_.Advance(minutes(59));
  Restart();
  EXPECT_EQ(TheMatch().Standing(0).at("time").to_number<int>(), 600);
  scheduler_.Advance(minutes(10));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ann ran out of time");
  EXPECT_EQ(LookAt(TheMatch(), Viewer::Spectator()).winner(), "Ben");
}

TEST_F(AroundTest, AnOpenMatchEndsWhenNobodyWaitsThereAnyMore) {
  Create("tictactoe");
  Join("Ann");
  TheMatch().Drop(0, 0);
  scheduler_.Advance(MatchRules{}.grace);
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);

  Create("tictactoe", "{}", {}, Privacy::kPrivate);
  Join("Ann");
  TheMatch().Drop(0, 0);
  scheduler_.Advance(MatchRules{}.grace_alone - seconds(1));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kAwaitingPlayers) << "the friend may still follow the link";
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
}

// --- Clocks ---

TEST_F(AroundTest, WhoTakesTooLongForAChoiceLoses) {
  CreateForTwo("tictactoe", R"({"move_time":10})");
  scheduler_.Advance(seconds(9));
  EXPECT_EQ(Put(0, "[0,0]"), "done");
  scheduler_.Advance(seconds(10));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ben ran out of time");
  EXPECT_EQ(LookAt(TheMatch(), Viewer::Spectator()).winner(), "Ann");
}

TEST_F(AroundTest, TheTimeForAGameIsJournalledAndGoesOnAfterARestart) {
  CreateForTwo("tictactoe", R"({"game_time":60,"increment":2})");
  scheduler_.Advance(seconds(20));
  EXPECT_EQ(Put(0, "[0,0]"), "done");
  EXPECT_THAT(journal_.Payloads(ref_.id, EventKind::kPlayed).at(0), HasSubstr(R"("clock":42000)"));
  scheduler_.Advance(seconds(5));
  EXPECT_EQ(Put(1, "[1,0]"), "done");
  EXPECT_EQ(TheMatch().Standing(0).at("time").to_number<int>(), 42);
  Restart();
  EXPECT_EQ(TheMatch().Standing(0).at("time").to_number<int>(), 42) << "what was thought before the stop is free";
  const json::Object info = TheMatch().Info();
  EXPECT_EQ(json::Write(info.at("terms")), R"({"game_time":60,"increment":2})");
  EXPECT_EQ(info.at("seats").at(1).at("time").to_number<int>(), 57);
  EXPECT_EQ(info.at("seats").at(1).at("running"), json::Value(false));
  scheduler_.Advance(seconds(42));
  EXPECT_EQ(TheMatch().outcome()->reason, "Ann ran out of time");
}

TEST_F(AroundTest, WhoseChoiceCannotBeJournalledLosesNoTime) {
  const auto fail = [this] { journal_.failing = Error{ErrorCode::kIo, "the disk is full", {}}; };
  const auto recover = [this] {
    journal_.failing.reset();
    scheduler_.Advance(seconds(1));
    Run();
  };
  CreateForTwo("tictactoe", R"({"game_time":60})");
  scheduler_.Advance(seconds(20));
  fail();
  EXPECT_EQ(Put(0, "[0,0]"), "io");
  scheduler_.Advance(minutes(5));
  const json::Value ann = TheMatch().Info().at("seats").at(0);
  EXPECT_EQ(ann.at("time").to_number<int>(), 40);
  EXPECT_EQ(ann.at("running"), json::Value(false));
  recover();
  scheduler_.Advance(seconds(38));
  EXPECT_EQ(Put(0, "[0,0]"), "done");

  CreateForTwo("tictactoe", R"({"move_time":10})");
  scheduler_.Advance(seconds(9));
  fail();
  EXPECT_EQ(Put(0, "[0,0]"), "io");
  scheduler_.Advance(minutes(5));
  ASSERT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  recover();
  scheduler_.Advance(seconds(9));
  EXPECT_EQ(Put(0, "[0,0]"), "done");
}

TEST_F(AroundTest, BotsHaveAClockToo) {
  Create("tictactoe", R"({"move_time":5})", {{"Thinker", {"speechless", {}}}, {"Bot", {"random", {{"seed", 1}}}}});
  scheduler_.Advance(seconds(5));
  EXPECT_EQ(TheMatch().outcome()->reason, "Thinker ran out of time");
}

// --- Chat ---

TEST_F(AroundTest, WhatIsSaidEverybodyAtTheTableReadsAlsoAfterARestart) {
  CreateForTwo("tictactoe");
  WatchAround(Viewer::Spectator());
  EXPECT_EQ(Say(0, "  good\nluck "), "said");
  EXPECT_THAT(chat_, HasSubstr(R"("name":"Ann","text":"good luck")"));
  EXPECT_EQ(Say(0, "  \n"), "invalid");
  EXPECT_EQ(Say(0, std::string(501, 'x')), "invalid");
  std::string last;
  for (int i = 0; i < 20; ++i) last = Say(0, "spam");
  EXPECT_EQ(last, "busy");
  EXPECT_EQ(Say(1, "you too"), "said");
  EXPECT_THAT(refused_.message, HasSubstr("match.talk is reached: 30 lines of chat and offers of one seat a minute; "
                                          "try again in 3 s"));
  EXPECT_GE(refused_.wait, seconds(2)) << "one every 2 s";
  EXPECT_EQ(TheMatch().Say(0, "spam").error(), refused_) << "over other protocols, too";
  Restart();
  WatchAround(Viewer::Seat(0));
  EXPECT_THAT(chat_, HasSubstr("good luck"));
  EXPECT_THAT(chat_, HasSubstr("you too"));
}

// --- Offers ---

TEST_F(AroundTest, AChoiceIsTakenBackOnceTheOtherAgrees) {
  CreateForTwo("tictactoe");
  const std::string empty = Board();
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "conflict") << "nobody has chosen yet";
  Put(0, "[0,0]");
  const std::string one = Board();
  Put(1, "[1,1]");
  WatchAround(Viewer::Seat(1));
  EXPECT_THAT(table_, HasSubstr(R"("may-offer":["take-back","draw"])"));
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "open");
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "open") << "twice is once";
  EXPECT_THAT(table_, HasSubstr(R"("offers":[{"offer":"take-back","seat":0,"agreed":[0]}])"));
  EXPECT_EQ(Propose(1, Offer::kTakeBack, false), "open");
  EXPECT_THAT(table_, HasSubstr(R"("offers":[])"));
  EXPECT_EQ(Propose(1, Offer::kTakeBack, false), "conflict") << "it was declined already";
  EXPECT_EQ(Propose(1, Offer::kTakeBack), "open");
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "agreed") << "the choice of the player who asked: Ben's";
  EXPECT_EQ(Board(), one);
  EXPECT_EQ(Put(0, "[2,2]"), "not-your-turn");
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "open");
  Restart();
  EXPECT_EQ(Board(), one);
  EXPECT_EQ(Propose(1, Offer::kTakeBack), "agreed") << "an offer outlives the server";
  EXPECT_EQ(Board(), empty);
  EXPECT_EQ(Put(0, "[2,2]"), "done");
  EXPECT_EQ(Put(1, "[0,0]"), "done");
  const std::string two = Board();
  Restart();
  EXPECT_EQ(Board(), two);
}

TEST_F(AroundTest, AnOfferLapsesWithTheNextChoice) {
  CreateForTwo("tictactoe");
  Put(0, "[0,0]");
  EXPECT_EQ(Propose(1, Offer::kDraw), "open");
  Put(1, "[1,1]");
  EXPECT_EQ(Propose(0, Offer::kDraw), "open") << "a new one";
}

TEST_F(AroundTest, ABotLetsTakeBackWhereNothingIsHidden) {
  Create("tictactoe", "{}", kAgainstABot);
  Join("Ann");
  const std::string empty = Board();
  Put(0, "[0,0]");
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "agreed");
  EXPECT_EQ(Board(), empty);
  EXPECT_EQ(Put(0, "[1,1]"), "done");
  EXPECT_EQ(Propose(0, Offer::kDraw), "conflict") << "it does not agree to draws";

  Create("rps", "{}", kAgainstABot);
  Join("Ann");
  TheMatch().Choose(0, 0, {.action = "throw", .data = *json::Parse(R"({"hand":"rock"})")}, [](const Verdict&) {});
  Run();
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "conflict") << "Ann has seen what the bot chose";
}

TEST_F(AroundTest, AnAgentThatCostsSomethingAnswersAgainOnlyForTheOperator) {
  Create("tictactoe", "{}", {{}, {"Model", {"speechless", {}}}});
  ann_ = Join("Ann");
  Put(0, "[0,0]");
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "conflict");
  TheMatch().HeldByOperator(0, ann_.lease);
  EXPECT_EQ(Propose(0, Offer::kTakeBack), "agreed");
}

TEST_F(AroundTest, TwoPlayersAgreeOnADraw) {
  CreateForTwo("tictactoe");
  EXPECT_EQ(Propose(0, Offer::kDraw), "open");
  EXPECT_EQ(Propose(1, Offer::kDraw), "agreed");
  EXPECT_EQ(TheMatch().status(), MatchStatus::kDone);
  EXPECT_EQ(TheMatch().outcome()->reason, "the players agreed");
  EXPECT_EQ(LookAt(TheMatch(), Viewer::Spectator()).winner(), std::nullopt);
  CreateForTwo("rps");
  EXPECT_EQ(Propose(0, Offer::kDraw), "conflict") << "it has none";
}

TEST_F(AroundTest, AfterTheEndThePlayersMeetAgainWithTheirTokens) {
  CreateForTwo("tictactoe", R"({"move_time":60})");
  EXPECT_EQ(Propose(0, Offer::kRematch), "conflict") << "the match is not over";
  Propose(0, Offer::kDraw);
  Propose(1, Offer::kDraw);
  WatchAround(Viewer::Seat(0));
  EXPECT_THAT(table_, HasSubstr(R"("may-offer":["rematch"])"));
  EXPECT_EQ(Propose(1, Offer::kRematch), "open");
  EXPECT_EQ(Propose(0, Offer::kRematch), "agreed");
  Result<MatchRef> next = Fail(ErrorCode::kTimeout, "no answer");
  Result<MatchRef> another = Fail(ErrorCode::kTimeout, "no answer");
  lobby_->Rematch(scheduler_, ref_, [&](Result<MatchRef> made) { next = std::move(made); });
  lobby_->Rematch(scheduler_, ref_, [&](Result<MatchRef> made) { another = std::move(made); });
  Run();
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(another.error().code, ErrorCode::kConflict) << "one is enough";
  EXPECT_THAT(table_, HasSubstr("\"next\":\"" + next->id.str() + "\""));
  EXPECT_EQ(Propose(0, Offer::kRematch), "conflict");
  const MatchRef former = ref_;
  ref_ = *next;
  EXPECT_EQ(TheMatch().status(), MatchStatus::kInProgress);
  EXPECT_EQ(TheMatch().spec().terms.move_time, seconds(60));
  EXPECT_EQ(TheMatch().seat(0).name(), "Ben") << "the other one begins";
  EXPECT_FALSE(TheMatch().Resume("Ben", "wrong"));
  const Result<JoinedSeat> ben = TheMatch().Resume("Ben", ben_.token);
  ASSERT_TRUE(ben);
  EXPECT_EQ(ben->seat, 0u);
  Restart();
  EXPECT_TRUE(TheMatch().Resume("Ann", ann_.token));
  ref_ = former;
  WatchAround(Viewer::Seat(1));
  EXPECT_THAT(table_, HasSubstr("\"next\":\"" + next->id.str() + "\""));
}

TEST_F(AroundTest, AnAgentThatCostsSomethingPlaysAgainOnlyForTheOperator) {
  Create("tictactoe", "{}", {{}, {"Model", {"speechless", {}}}});
  ann_ = Join("Ann");
  TheMatch().Resign(0, "enough", {}, [](const Result<void>&) {});
  Run();
  WatchAround(Viewer::Seat(0));
  EXPECT_THAT(table_, HasSubstr(R"("may-offer":[])"));
  EXPECT_EQ(Propose(0, Offer::kRematch), "conflict");
  TheMatch().HeldByOperator(0, ann_.lease + 1);
  EXPECT_EQ(Propose(0, Offer::kRematch), "conflict") << "another connection's";
  TheMatch().HeldByOperator(0, ann_.lease);
  WatchAround(Viewer::Seat(0));
  EXPECT_THAT(table_, HasSubstr(R"("may-offer":["rematch"])"));
  EXPECT_EQ(Propose(0, Offer::kRematch), "agreed");
  ASSERT_TRUE(TheMatch().Resume("Ann", ann_.token));
  Result<MatchRef> next = Fail(ErrorCode::kTimeout, "no answer");
  lobby_->Rematch(scheduler_, ref_, [&](Result<MatchRef> made) { next = std::move(made); });
  Run();
  EXPECT_EQ(next.error().code, ErrorCode::kConflict) << "another connection has the operator's seat by now";
}

TEST_F(AroundTest, ARematchIsOfWhoAgreedLast) {
  Metrics metrics;
  Budget budget({}, &metrics);
  const std::shared_ptr<Payer> stranger = budget.PayerOf("203.0.113.9", scheduler_.clock().Monotonic());
  for (const Maker maker : {Maker::kPlayer, Maker::kAdministrator}) {
    CreateForTwo("tictactoe");
    for (const Offer offer : {Offer::kDraw, Offer::kRematch}) {
      Propose(0, offer);
      EXPECT_EQ(Propose(1, offer), "agreed");
    }
    Result<MatchRef> next = Fail(ErrorCode::kTimeout, "no answer");
    lobby_->Rematch(scheduler_, ref_, [&](Result<MatchRef> made) { next = std::move(made); }, stranger, maker);
    Run();
    ASSERT_TRUE(next) << next.error().message;
    ref_ = *next;
    EXPECT_EQ(TheMatch().spec().of_stranger, maker == Maker::kPlayer);
  }
}

// --- Who watches, and what is told ---

TEST_F(AroundTest, SpectatorsAreCountedAndDoNotLearnWhatIsForPlayers) {
  CreateForTwo("tictactoe");
  WatchAround(Viewer::Spectator());
  EXPECT_THAT(table_, HasSubstr(R"("spectators":1)"));
  EXPECT_THAT(table_, Not(HasSubstr("may-offer")));
  Match& match = TheMatch();
  const auto nothing = [](MatchEvent, const Match&, Viewer) {};
  const Match::WatchId another = match.Watch(Viewer::Spectator(), nothing, true);
  EXPECT_THAT(table_, HasSubstr(R"("spectators":1)")) << "however many come and go, few are told";
  match.Watch(Viewer::Spectator(), nothing, true);
  scheduler_.Advance(std::chrono::milliseconds(250));
  EXPECT_THAT(table_, HasSubstr(R"("spectators":3)"));
  scheduler_.Advance(std::chrono::seconds(1));
  match.Unwatch(another);
  EXPECT_THAT(table_, HasSubstr(R"("spectators":2)")) << "at once, if nothing has changed for a while";
  match.Drop(1, 0);
  scheduler_.Advance(std::chrono::milliseconds(250));
  EXPECT_THAT(table_, HasSubstr(R"({"name":"Ben","present":false,"person":true,"agent":"client"})"));
}

TEST_F(AroundTest, AReplayShowsWhatWasSaidAndTakenBackWithoutSecrets) {
  CreateForTwo("rps");
  TheMatch().Choose(0, 0, {.action = "throw", .data = *json::Parse(R"({"hand":"rock"})")}, [](const Verdict&) {});
  Run();
  Say(1, "hurry up");
  Propose(0, Offer::kTakeBack);
  EXPECT_EQ(Propose(1, Offer::kTakeBack), "agreed");
  Result<Replay> replay = Replay::Open(journal_, *rps_, ref_.id, "1");
  ASSERT_TRUE(replay);
  std::vector<std::string> kinds;
  std::string all;
  ASSERT_TRUE(replay->Run(0, [&](const json::Object& step) {
    kinds.emplace_back(json::View(step.at("kind").get_string()));
    all += json::Write(step);
    return true;
  }));
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"chat", "offer", "taken-back"}));
  EXPECT_THAT(all, HasSubstr("hurry up"));
  EXPECT_THAT(all, Not(HasSubstr("rock"))) << "Ben has not seen it";
}

}  // namespace
}  // namespace openseat
