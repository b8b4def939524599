#include "protocols/agent_api/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "agents/external/seat_token.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "protocols/agent_api/look_test_support.h"
#include "protocols/agent_api/netrunner_json.h"

namespace openseat::agent_api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kGameId = GameIdOf(TableId("some-game"));

std::vector<std::string> Names(const std::vector<AgentEvent>& events) {
  std::vector<std::string> names;
  for (const AgentEvent& event : events) names.emplace_back(event.name);
  return names;
}

class EventsTest : public ::testing::Test {
 protected:
  std::vector<AgentEvent> See(LookedAt& table, SeatIndex seat) { return Advance(memory_[seat], table.Look(seat)); }
  std::vector<AgentEvent> After(LookedAt& table, SeatIndex seat, const char* action,
                                const json::Value& data = nullptr) {
    table.Play(action, data);
    return See(table, seat);
  }

  const std::unique_ptr<Game> game_ = games::MakeNetrunner();
  std::array<EventMemory, 2> memory_;
};

TEST_F(EventsTest, ACorpHearsOfItsFirstTurn) {
  LookedAt table(*game_, 1);
  std::vector<AgentEvent> events = See(table, 0);
  ASSERT_THAT(Names(events), ElementsAre("game-started", "prompt"));
  EXPECT_EQ(json::Write(events[0].payload),
            R"({"gameid":")" + kGameId +
                R"(","agent-side":"Corp","turn":0,"opponent-identity":"The Catalyst: Convention Breaker"})");
  EXPECT_EQ(events[1].payload.at("prompt").at("message"), json::Value("Keep hand?"));
  EXPECT_EQ(events[1].payload.at("available-actions").at("action-type"), json::Value("prompt"));
  EXPECT_THAT(See(table, 0), IsEmpty());

  events = After(table, 0, "keep");
  ASSERT_THAT(Names(events), ElementsAre("waiting"));
  EXPECT_EQ(json::Write(events[0].payload),
            R"({"gameid":")" + kGameId + R"(","message":"Waiting for opponent action"})");

  events = After(table, 0, "keep");
  ASSERT_THAT(Names(events), ElementsAre("opponent-acted", "checkpoint"));
  EXPECT_EQ(events[1].payload.at("available-actions").at("action-type"), json::Value("start-turn"));
  EXPECT_EQ(events[0].payload.at("turn"), json::Value(0));
  EXPECT_TRUE(events[0].payload.contains("active-player"));

  events = After(table, 0, "start-turn");
  ASSERT_THAT(Names(events), ElementsAre("turn-started"));
  const json::Object& turn = events[0].payload;
  EXPECT_EQ(turn.at("turn"), json::Value(1));
  EXPECT_EQ(turn.at("clicks"), json::Value(3));
  EXPECT_EQ(turn.at("credits"), json::Value(5));
  EXPECT_EQ(turn.at("hand-size"), json::Value(6));
  EXPECT_EQ(turn.at("available-actions").at("action-type"), json::Value("main"));
  EXPECT_THAT(Names(After(table, 0, "credit")), ElementsAre("checkpoint"));
}

TEST_F(EventsTest, RunsBeginAndEndForBoth) {
  LookedAt table(*game_, 1);
  See(table, 0);
  See(table, 1);
  for (const char* action : {"keep", "keep", "start-turn", "purge", "end-turn"}) table.Play(action, nullptr);
  while (table.awaited() == 0) table.Step();
  table.Play("start-turn", nullptr);
  while (table.awaited() == 0) table.Play("continue", json::Object());
  See(table, 0);
  EXPECT_THAT(Names(See(table, 1)), ElementsAre("opponent-acted", "turn-started"));
  table.Play("run", json::Object{{"server", "Archives"}});
  std::vector<AgentEvent> events = See(table, 0);
  ASSERT_GE(events.size(), 2u);
  EXPECT_THAT(Names(events)[0], "opponent-acted");
  EXPECT_THAT(Names(events)[1], "run-started");
  EXPECT_EQ(events[1].payload.at("server"), json::Value("Archives"));
  EXPECT_EQ(events[1].payload.at("position"), json::Value(std::uint64_t{0}));
  EXPECT_EQ(events[1].payload.at("phase"), json::Value("initiation"));
  EXPECT_EQ(events[1].payload.at("is-runner"), json::Value(false));
  events = See(table, 1);
  EXPECT_THAT(Names(events)[0], "run-started");
  EXPECT_EQ(events[0].payload.at("is-runner"), json::Value(true));
  table.Play("jack-out", nullptr);
  events = See(table, 1);
  EXPECT_THAT(Names(events)[0], "run-ended");
  EXPECT_EQ(events[0].payload.at("successful"), json::Value(false));
  EXPECT_TRUE(events[0].payload.contains("available-actions"));
}

// Whole random games: each seat's events tell a story without gaps.
TEST_F(EventsTest, EveryDecisionIsToldOnceAndTheEndLast) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    LookedAt table(*game_, seed);
    memory_ = {};
    std::array<std::vector<std::string>, 2> told;
    std::array<int, 2> runs{};
    int turns = 0;
    for (bool more = true; more;) {
      more = !table.over();
      for (const SeatIndex seat : {0u, 1u}) {
        const bool asked = !table.over() && table.awaited() == seat;
        const std::vector<AgentEvent> events = See(table, seat);
        const std::vector<std::string> names = Names(events);
        const auto asks = std::ranges::count_if(
            names, [](const auto& name) { return name == "prompt" || name == "checkpoint" || name == "turn-started"; });
        ASSERT_EQ(asks, asked ? 1 : 0);
        for (const AgentEvent& event : events) {
          ASSERT_EQ(event.payload.at("gameid"), json::Value(kGameId));
          if (event.name == "run-started") ++runs[seat];
          if (event.name == "run-ended") --runs[seat];
          ASSERT_TRUE(runs[seat] == 0 || runs[seat] == 1);
          if (event.name == "turn-started" && seat == 0) {
            ASSERT_EQ(event.payload.at("turn"), json::Value(++turns));
          }
          if (event.name == "game-ended") {
            const json::Object& end = event.payload;
            const SeatView look = table.Look(seat);
            const SeatSet winners = look.outcome->winners;
            ASSERT_EQ(end.at("winner"),
                      winners.empty() ? json::Value(nullptr) : json::Value(game_->info().roles[winners.First()]));
            ASSERT_EQ(end.at("agent-won").as_bool(), winners.Contains(seat));
            ASSERT_TRUE(end.at("final-scores").as_object().contains("corp"));
            ASSERT_THAT(std::string(end.at("reason").as_string()),
                        ::testing::AnyOf("Agenda points", "Flatline", "Decked", "Tie"));
          }
        }
        told[seat].insert(told[seat].end(), names.begin(), names.end());
      }
      if (more) table.Step();
    }
    for (const auto& names : told) {
      ASSERT_EQ(names.front(), "game-started");
      ASSERT_EQ(std::ranges::count(names, "game-started"), 1);
      ASSERT_EQ(names.back(), "game-ended");
      ASSERT_EQ(std::ranges::count(names, "game-ended"), 1);
    }
  }
}

TEST_F(EventsTest, ARecoveredMatchDoesNotBeginAgain) {
  LookedAt table(*game_, 1);
  for (const char* action : {"keep", "keep", "start-turn"}) table.Play(action, nullptr);
  EXPECT_THAT(Names(See(table, 0)), ElementsAre("turn-started"));
}

TEST_F(EventsTest, ATurnThatIsUnderWayDoesNotBeginAgain) {
  LookedAt table(*game_, 1);
  for (const char* action : {"keep", "keep", "start-turn", "credit"}) table.Play(action, nullptr);
  EXPECT_THAT(Names(See(table, 0)), ElementsAre("checkpoint"));
}

// The game says nothing more if a match is given up in the middle of a run.
TEST_F(EventsTest, ARunEndsBeforeTheGameDoes) {
  LookedAt table(*game_, 1);
  See(table, 0);
  for (const char* action : {"keep", "keep", "start-turn", "purge", "end-turn"}) table.Play(action, nullptr);
  while (table.awaited() == 0) table.Step();
  table.Play("start-turn", nullptr);
  while (table.awaited() == 0) table.Play("continue", json::Object());
  table.Play("run", json::Object{{"server", "Archives"}});
  See(table, 0);
  SeatView look = table.Look(0);
  look.decision.reset();
  look.outcome = Outcome{.winners = SeatSet{1}, .scores = {0, 1}, .reason = "Concede"};
  const std::vector<AgentEvent> events = Advance(memory_[0], look);
  const std::vector<std::string> names = Names(events);
  ASSERT_GE(names.size(), 2u);
  EXPECT_EQ(names[names.size() - 2], "run-ended");
  EXPECT_EQ(names.back(), "game-ended");
  EXPECT_EQ(events.back().payload.at("reason"), json::Value("Concede"));
  EXPECT_TRUE(netrunner::Run(look).at("run").is_null());
}

TEST(PlainEventsTest, AHostedGameOfAnotherKind) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  LookedAt table(*game, 1);
  EventMemory x;
  EventMemory o;
  EXPECT_THAT(Names(Advance(x, table.Look(0))), ElementsAre("game-started", "prompt"));
  EXPECT_THAT(Names(Advance(o, table.Look(1))), ElementsAre("game-started", "waiting"));
  table.Play("move", json::Object{{"position", json::Array{0, 0}}});
  EXPECT_THAT(Names(Advance(x, table.Look(0))), ElementsAre("waiting"));
  EXPECT_THAT(Names(Advance(o, table.Look(1))), ElementsAre("opponent-acted", "prompt"));
  EXPECT_THAT(Advance(o, table.Look(1)), IsEmpty());
  while (!table.over()) table.Step();
  const AgentEvent end = Advance(x, table.Look(0)).back();
  EXPECT_EQ(end.name, "game-ended");
  const std::vector<double> scores = table.Look(0).outcome->scores;
  EXPECT_EQ(end.payload.at("final-scores"), json::Value(json::Object{{"x", scores[0]}, {"o", scores[1]}}));
  EXPECT_THAT(Advance(x, table.Look(0)), IsEmpty());
}

SeatView OfRemoteGame() {
  SeatView look;
  look.table = TableId("far");
  look.title = "Far Away";
  look.names = {"player"};
  look.viewer = Viewer::Seat(0);
  return look;
}

TEST(PlainEventsTest, ARemoteGameSpeaksInCheckpoints) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  EXPECT_THAT(Names(Advance(memory, look)), ElementsAre("game-started", "waiting"));
  look.told.push_back({2, {.message = "The door opens.", .silent = false}});
  std::vector<AgentEvent> events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint"));
  EXPECT_EQ(events[0].payload.at("message"), json::Value("The door opens."));
  auto action = std::make_shared<Action>();
  action->name = "enter";
  look.free_actions.Put(action);
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint"));
  EXPECT_EQ(events[0].payload.at("available-actions").at("action-type"), json::Value("voluntary"));
  // Actions that are long are not told, only that they have changed, and where they are.
  auto long_action = std::make_shared<Action>();
  long_action->name = "leave";
  long_action->schema = json::Object{{"enum", json::Array{std::string(11'000, '\x7f')}}};
  look.free_actions.Put(long_action);
  look.told.push_back({3, {.message = "The door closes.", .silent = true}});
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint", "checkpoint"));
  EXPECT_EQ(
      json::Write(events[0].payload.at("available-actions")),
      R"({"action-type":"too-long","message":"The actions are too long to be repeated here: /game/actions has them",)"
      R"("can-act":false})");
  EXPECT_EQ(events[1].payload.at("available-actions").at("action-type"), json::Value("too-long"));
  EXPECT_EQ(events[1].payload.at("available-actions").at("can-act"), json::Value(true));
  look.decision.emplace();
  look.decision->id = DecisionId(1);
  look.decision->query = "Enter?";
  look.decision->actions = look.free_actions;
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("prompt"));
  EXPECT_EQ(events[0].payload.at("prompt").at("message"), json::Value("Enter?"));
  EXPECT_EQ(
      json::Write(events[0].payload.at("available-actions")),
      R"({"action-type":"too-long","message":"The actions are too long to be repeated here: /game/actions has them",)"
      R"("eid":1,"can-act":true})");
  look.decision.reset();
  look.ended = true;
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("game-ended"));
  EXPECT_EQ(events[0].payload.at("agent-won"), json::Value(false));
  EXPECT_EQ(events[0].payload.at("reason"), json::Value("the game has gone"));
}

TEST(PlainEventsTest, ActionsOfARemoteGameThatChangeDuringADecisionAreToldAfterIt) {
  SeatView look = OfRemoteGame();
  const auto put = [](ActionSet& actions, const char* name) {
    auto action = std::make_shared<Action>();
    action->name = name;
    action->schema = json::Object{{"enum", json::Array{std::string(20'000, 'x')}}};
    actions.Put(std::move(action));
  };
  put(look.free_actions, "enter");
  EventMemory memory;
  EXPECT_THAT(Names(Advance(memory, look)), ElementsAre("game-started", "checkpoint"));
  look.decision.emplace();
  look.decision->id = DecisionId(1);
  look.decision->query = "Enter?";
  look.decision->actions = look.free_actions;
  EXPECT_THAT(Names(Advance(memory, look)), ElementsAre("prompt"));
  put(look.free_actions, "leave");
  look.decision->actions = look.free_actions;
  look.told.push_back({2, {.message = "The door opens.", .silent = true}});
  std::vector<AgentEvent> events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint"));
  EXPECT_EQ(events[0].payload.at("available-actions").at("action-type"), json::Value("decision"));
  EXPECT_THAT(Advance(memory, look), IsEmpty());
  look.decision.reset();
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint"));
  EXPECT_EQ(events[0].payload.at("available-actions").at("available-commands").as_array().size(), 2u);
  EXPECT_THAT(Advance(memory, look), IsEmpty());
}

// How much a game elsewhere has its agent told in one turn of the loop.
std::size_t BytesOf(const std::vector<AgentEvent>& events) {
  std::size_t bytes = 0;
  for (const AgentEvent& event : events) bytes += json::Write(event.payload).size();
  return bytes;
}

void PutActions(ActionSet& actions, std::size_t count, std::size_t bytes_of_each) {
  for (std::size_t i = 0; i < count; ++i) {
    actions.Put(std::make_shared<Action>("action" + std::to_string(i), "",
                                         json::Object{{"title", std::string(bytes_of_each, '\x7f')}}));
  }
}

// The contexts from number `first` to before `end`.
void Say(SeatView& look, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t i = first; i < end; ++i) look.told.push_back({i, {.message = "So it goes.", .silent = true}});
}

// Messages name the first of many actions; what a change is must not depend on that.
TEST(PlainEventsTest, TheLastOfManyActionsChanges) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  PutActions(look.free_actions, 500, 1);
  Advance(memory, look);
  look.free_actions.Remove(look.free_actions.all().back()->name);
  look.free_actions.Put(std::make_shared<Action>("zzz", "", std::nullopt));
  EXPECT_THAT(Names(Advance(memory, look)), ElementsAre("checkpoint"));
}

TEST(PlainEventsTest, NoEventRepeatsAMegabyteOfActions) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  PutActions(look.free_actions, 500, 1'700);
  std::vector<AgentEvent> events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("game-started", "checkpoint"));
  EXPECT_LT(BytesOf(events), 1'000u);
  look.free_actions.Remove("action7");
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("checkpoint"));
  EXPECT_LT(BytesOf(events), 1'000u);
  look.decision.emplace();
  look.decision->id = DecisionId(1);
  look.decision->query = "Which?";
  look.decision->actions = look.free_actions;
  events = Advance(memory, look);
  ASSERT_THAT(Names(events), ElementsAre("prompt"));
  EXPECT_LT(BytesOf(events), 1'000u);
  EXPECT_LT(WriteMemory(memory).size(), 300u);
}

TEST(PlainEventsTest, TwoHundredContextsMakeOneCopyOfTheActions) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  PutActions(look.free_actions, 5, 1'500);
  Advance(memory, look);
  Say(look, 2, 202);
  const std::vector<AgentEvent> events = Advance(memory, look);
  ASSERT_EQ(events.size(), 200u);
  EXPECT_EQ(events[0].payload.at("available-actions").at("action-type"), json::Value("voluntary"));
  for (std::size_t i = 1; i < events.size(); ++i) {
    ASSERT_EQ(events[i].payload.at("available-actions").at("action-type"), json::Value("too-long")) << i;
  }
  EXPECT_LT(BytesOf(events), 150'000u);
}

// The question is told with the actions.
TEST(PlainEventsTest, ALongQuestionIsToldOnce) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  PutActions(look.free_actions, 1, 1);
  Advance(memory, look);
  look.decision.emplace();
  look.decision->id = DecisionId(1);
  look.decision->query = std::string(500'000, 'x');
  look.decision->actions = look.free_actions;
  Say(look, 2, 202);
  const std::vector<AgentEvent> events = Advance(memory, look);
  EXPECT_EQ(events.back().name, "prompt");
  EXPECT_EQ(events.back().payload.at("prompt").at("message"), json::Value(look.decision->query));
  EXPECT_LT(BytesOf(events), 600'000u);
}

TEST(PlainEventsTest, FewContextsHaveShortActionsEachTime) {
  SeatView look = OfRemoteGame();
  EventMemory memory;
  PutActions(look.free_actions, 2, 10);
  Advance(memory, look);
  Say(look, 2, 12);
  for (const AgentEvent& event : Advance(memory, look)) {
    EXPECT_EQ(event.payload.at("available-actions").at("available-commands").as_array().size(), 2u);
  }
}

}  // namespace
}  // namespace openseat::agent_api
