#include "protocols/console/replay_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "base/json_diff.h"
#include "games/netrunner/netrunner.h"
#include "games/script/script_game.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::console {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReplayPagesTest : public ::testing::Test {
 protected:
  void Run() {
    for (int i = 0; i < 50; ++i) scheduler_.Run();
  }
  Match& Open(const std::string& game, std::vector<PlannedSeat> seats = {}) {
    Match* found = nullptr;
    lobby_.Create(scheduler_, game, nullptr, std::move(seats), [&](const Result<MatchRef>& ref) {
      lobby_.OnMatch(*ref, [&](Match& match) { found = &match; }, [] {});
    });
    Run();
    return *found;
  }
  // A tic-tac-toe match with a refused choice before the third mark.
  TableId PlayTicTacToe() {
    Match& match = Open("tictactoe");
    for (const char* name : {"Alex", "Sam"}) {
      match.Join(name, [](const Result<JoinedSeat>&) {});
      Run();
    }
    const auto mark = [&](SeatIndex seat, int x, int y) {
      static_cast<void>(
          match.seat(seat)
              .Choose({.action = "move", .data = json::Object{{"position", json::Array{x, y}}}}, [](const Verdict&) {})
              .has_value());
      Run();
    };
    mark(0, 0, 0);
    mark(1, 1, 0);
    mark(0, 1, 0);
    mark(0, 0, 1);
    mark(1, 1, 1);
    mark(0, 0, 2);
    return match.id();
  }
  json::Object Read(const TableId& id, ReplayQuery query, const char* source = "") {
    if (query.viewer.empty()) query.viewer = "spectator";
    const Result<std::string> page =
        shelf_.Read(journal_, [this](std::string_view game) { return lobby_.FindGame(game); }, id, query, source);
    if (!page) return json::Object{{"error", page.error().message}};
    const Result<json::Value> read = json::Parse(*page);
    EXPECT_TRUE(read.has_value()) << *page;
    return read ? read->as_object() : json::Object();
  }
  // The states that a transcript has, each that differs from the one before.
  std::vector<json::Value> States(const TableId& id, const std::string& viewer) {
    std::vector<json::Value> states;
    const Result<std::string> all =
        ReadTranscript(journal_, [this](std::string_view game) { return lobby_.FindGame(game); }, id,
                       {.viewer = viewer, .after = 0, .limit = 100'000});
    const json::Value page = *json::Parse(*all);
    for (const json::Value& event : page.at("events").as_array()) {
      const json::Value* state = json::Find(event.at("payload"), "state");
      if (state != nullptr && (states.empty() || states.back() != *state)) states.push_back(*state);
    }
    return states;
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const std::unique_ptr<Game> count_ = *games::MakeScriptGame({{"count.js", R"(
export const info = { id: 'count', title: 'Count', description: 'd', rules: 'r', seats: { min: 1, max: 1 }, actions: { up: 'Count.' } };
export const setup = () => ({ at: 0 });
export const awaited = () => [0];
export const actions = () => [{ name: 'up' }];
export const apply = ({ at }) => ({ state: { at: at + 1 } });
export const observe = ({ at }) => ({ at });
export const outcome = ({ at }) => (at === 3 ? { winners: [0], reason: 'counted' } : null);
export const view = ({ at }) => ({ parts: [{ type: 'counter', value: at }, { type: 'text', text: 'Count to three' }] });
)"}});
  const std::array<const Game*, 3> games_{tictactoe_.get(), netrunner_.get(), count_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  Lobby lobby_{games_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
  ReplayShelf shelf_;
};

json::Value Patched(json::Value state, const json::Value& step) {
  EXPECT_TRUE(json::ApplyDiff(step.at("patch"), state));
  return state;
}

TEST_F(ReplayPagesTest, ShowsAMatchStepByStep) {
  const TableId id = PlayTicTacToe();
  const json::Object replay = Read(id, {});
  EXPECT_EQ(json::TextOf(replay, "viewer"), "spectator");
  EXPECT_EQ(json::TextOf(replay, "game"), "tictactoe");
  EXPECT_EQ(json::Write(replay.at("players")), R"(["Alex","Sam"])");
  EXPECT_EQ(json::TextOf(replay, "status"), "done");
  EXPECT_EQ(json::TextOf(replay, "winner"), "Alex");
  EXPECT_EQ(replay.at("count"), 6);
  EXPECT_EQ(replay.at("pages"), 1);
  EXPECT_EQ(replay.at("first"), 1);
  const json::Array& steps = replay.at("steps").as_array();
  const std::vector<json::Value> states = States(id, "spectator");
  ASSERT_EQ(steps.size(), 6U);
  ASSERT_EQ(states.size(), 6U);
  EXPECT_EQ(steps[0].at("state"), states[0]);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_FALSE(steps[i].as_object().contains("state"));
    EXPECT_EQ(Patched(states[i - 1], steps[i]), states[i]);
    EXPECT_FALSE(steps[i].as_object().contains("said")) << "nobody asked for it";
    EXPECT_EQ(json::Find(steps[i].at("payload"), "state"), nullptr);
  }
}

TEST_F(ReplayPagesTest, HasTheTableAsPeopleSeeIt) {
  const TableId id = Open("count", {{.name = "Ann", .agent = {"random", {{"seed", 1}}}}}).id();
  Run();
  const json::Array plain = Read(id, {}).at("steps").as_array();
  const json::Array steps = Read(id, {.view = true}).at("steps").as_array();
  ASSERT_EQ(steps.size(), 4U);
  ASSERT_EQ(plain.size(), 4U);
  json::Value view;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_FALSE(plain[i].as_object().contains("view")) << "nobody asked for it";
    EXPECT_FALSE(plain[i].as_object().contains("view_patch"));
    EXPECT_EQ(json::Find(steps[i].at("payload"), "view"), nullptr);
    EXPECT_EQ(steps[i].as_object().contains("view"), i == 0) << i;
    if (i == 0) {
      view = steps[0].at("view");
    } else {
      EXPECT_TRUE(json::ApplyDiff(steps[i].at("view_patch"), view)) << i;
    }
    EXPECT_EQ(view.at("parts").at(0).at("value"), i);
    const json::Value* news = json::Find(steps[i], "news");
    EXPECT_EQ(news == nullptr ? "" : json::Write(*news), i == 0 ? "" : R"(["Ann: up"])");
    EXPECT_EQ(json::Find(steps[i].at("payload"), "news"), nullptr);
  }
}

TEST_F(ReplayPagesTest, FindsTheStepAtWhichAQuestionWasAsked) {
  const TableId id = PlayTicTacToe();
  for (std::uint64_t decision = 0; decision < 5; ++decision) {
    EXPECT_EQ(Read(id, {.decision = decision}).at("at"), decision + 1) << "also after a refusal";
  }
  EXPECT_EQ(Read(id, {.decision = 999}).at("at"), 5) << "the last question";
}

TEST_F(ReplayPagesTest, HasWhatWasRefusedBeforeAStep) {
  const TableId id = PlayTicTacToe();
  const json::Array steps = Read(id, {.said = true}).at("steps").as_array();
  ASSERT_EQ(steps.size(), 6U);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].as_object().contains("said"), i == 3) << i;
  }
  const json::Value& refusal = steps[3].at("said").as_array()[0];
  EXPECT_EQ(json::TextOf(refusal, "kind"), "refusal");
  EXPECT_EQ(refusal.at("payload").at("seat"), 0);
  EXPECT_LT(refusal.at("seq").to_number<int>(), steps[3].at("seq").to_number<int>());
}

TEST_F(ReplayPagesTest, ALongMatchHasPages) {
  const auto bot = [](const char* name, int seed) {
    return PlannedSeat{.name = name, .agent = {"random", {{"seed", seed}}}};
  };
  // Some end early.
  TableId id("");
  for (int seed = 1; seed < 40; ++seed) {
    id = Open("netrunner", {bot("Ana", seed), bot("Bo", seed + 1)}).id();
    Run();
    if (Read(id, {}).at("count").to_number<int>() > 130) break;
  }
  for (const char* viewer : {"spectator", "Bo"}) {
    const std::vector<json::Value> states = States(id, viewer);
    const json::Object first = Read(id, {.viewer = viewer});
    const auto pages = first.at("pages").to_number<std::uint64_t>();
    ASSERT_GT(pages, 1U);
    // Each page stands alone, and together they are the match.
    std::size_t at = 0;
    for (std::uint64_t page = 1; page <= pages; ++page) {
      const json::Object replay = Read(id, {.viewer = viewer, .page = page});
      EXPECT_EQ(replay.at("page"), page);
      EXPECT_EQ(replay.at("first"), at + 1);
      const json::Array& steps = replay.at("steps").as_array();
      EXPECT_LE(steps.size(), 64U);
      for (std::size_t i = 0; i < steps.size() && at < states.size(); ++i, ++at) {
        if (i == 0) {
          EXPECT_EQ(steps[i].at("state"), states[at]);
        } else {
          EXPECT_EQ(Patched(states[at - 1], steps[i]), states[at]);
        }
      }
      // The page of a step and of an event.
      const std::uint64_t last = at;
      EXPECT_EQ(Read(id, {.viewer = viewer, .step = last}).at("page"), page);
      const auto event = steps.back().at("seq").to_number<Seq>();
      EXPECT_EQ(Read(id, {.viewer = viewer, .event = event}).at("page"), page);
    }
    EXPECT_EQ(at, states.size());
    EXPECT_EQ(Read(id, {.viewer = viewer, .step = 1'000'000}).at("page"), pages);
    EXPECT_EQ(Read(id, {.viewer = viewer, .event = 1}).at("page"), 1);
    EXPECT_EQ(Read(id, {.viewer = viewer, .event = 1}).at("at"), 1);
    EXPECT_EQ(Read(id, {.viewer = viewer, .page = 2}).at("at"), 65);
    EXPECT_EQ(Read(id, {.viewer = viewer, .step = 70}).at("at"), 70);
    EXPECT_THAT(json::Write(Read(id, {.viewer = viewer, .page = pages + 1})), HasSubstr("page must be at most"));
  }
}

TEST_F(ReplayPagesTest, FollowsALiveMatch) {
  Match& match = Open("tictactoe");
  EXPECT_EQ(Read(match.id(), {}).at("count"), 0);
  EXPECT_EQ(Read(match.id(), {}).at("page"), 0);
  for (const char* name : {"Alex", "Sam"}) match.Join(name, [](const Result<JoinedSeat>&) {});
  Run();
  EXPECT_EQ(Read(match.id(), {}).at("count"), 1);
  static_cast<void>(
      match.seat(0)
          .Choose({.action = "move", .data = json::Object{{"position", json::Array{0, 0}}}}, [](const Verdict&) {})
          .has_value());
  Run();
  EXPECT_EQ(Read(match.id(), {}).at("count"), 2);
  EXPECT_EQ(json::TextOf(Read(match.id(), {}), "status"), "in-progress");
}

TEST_F(ReplayPagesTest, ATableWhoseStatesAreUnknownHasNoSteps) {
  const TableId id("far-game");
  journal_.Append(id, 0, {{EventKind::kOpened, Time(), R"({"kind":"remote","game":"Far"})"}}, scheduler_,
                  [](const Result<Seq>&) {});
  const json::Object remote = Read(id, {});
  EXPECT_EQ(remote.at("hosted"), false);
  EXPECT_EQ(remote.at("count"), 0);
  EXPECT_THAT(json::Write(Read(PlayTicTacToe(), {.viewer = "Nobody"})), HasSubstr("can be seen as spectator"));
}

TEST(ReplayQueryTest, SaysWhatIsWrong) {
  net::HttpRequest request;
  EXPECT_EQ(ReplayQueryOf(request)->viewer, "spectator");
  request.query = {{"viewer", "1"}, {"said", "true"}, {"step", "7"}};
  EXPECT_EQ(ReplayQueryOf(request)->step, 7U);
  EXPECT_TRUE(ReplayQueryOf(request)->said);
  for (const auto& [name, value] :
       {std::pair("page", "0"), {"page", "-1"}, {"step", "x"}, {"event", "0"}, {"said", "yes"}, {"view", "2"}}) {
    request.query = {{name, value}};
    const auto query = ReplayQueryOf(request);
    ASSERT_FALSE(query.has_value()) << name;
    EXPECT_EQ(query.error().path, name);
  }
}

}  // namespace
}  // namespace openseat::console
