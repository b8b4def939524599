// The agent of docs/adding_an_agent.md: the code between the marks below is the code on that page, letter for letter,
// and it plays perfect tic-tac-toe.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

// The page:
#include <algorithm>
#include <limits>

#include "agents/kinds.h"
#include "core/agent.h"
#include "core/game.h"
#include "core/seat.h"

namespace openseat {

// Plays games for two that hide nothing, perfectly: it looks at every way that they can go on.
class MinimaxAgent final : public Agent {
 public:
  std::string_view kind() const override { return "minimax"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override;

 private:
  // What the state is worth to this agent, where both play their best: the difference of the scores in the end. Exact
  // between `low` and `high`; beyond them it does not matter how far.
  double Worth(const GameState& state, double low, double high) const;

  Seat* seat_ = nullptr;
  Rng rng_{1};  // for Playout, which needs none in such games
};

void MinimaxAgent::OnDecision(const Decision& decision) {
  const Game* game = decision.sight->game();
  if (game == nullptr || game->info().hides || game->info().max_seats != 2) {
    static_cast<void>(seat_->GiveUp(decision.id, "minimax plays games for two that hide nothing"));
    return;
  }
  const std::unique_ptr<GameState> state = seat_->Playout(rng_);
  const double infinity = std::numeric_limits<double>::infinity();
  double most = -infinity;
  PlayedChoice best;
  for (const LegalChoice& legal : decision.sight->choices()) {
    const std::unique_ptr<GameState> next = state->Clone();
    next->ApplyMove(seat_->index(), legal.move);
    const double worth = Worth(*next, most, infinity);
    if (worth <= most) continue;
    most = worth;
    best = legal.choice;
  }
  // It is legal, so that nothing can be wrong with it.
  static_cast<void>(seat_->Choose({.action = best.action, .data = best.data, .decision = decision.id}));
}

double MinimaxAgent::Worth(const GameState& state, double low, double high) const {
  if (const std::optional<Outcome> outcome = state.GetOutcome()) {
    return outcome->scores[seat_->index()] - outcome->scores[1 - seat_->index()];
  }
  const SeatIndex turn = state.Awaited().First();
  std::vector<Move> moves(state.Moves(turn, {}));
  state.Moves(turn, moves);
  for (const Move move : moves) {
    const std::unique_ptr<GameState> next = state.Clone();
    next->ApplyMove(turn, move);
    const double worth = Worth(*next, low, high);
    if (turn == seat_->index()) {
      low = std::max(low, worth);
    } else {
      high = std::min(high, worth);
    }
    if (low >= high) break;
  }
  return turn == seat_->index() ? low : high;
}

AgentKind MinimaxKind() {
  return {
      .kind = "minimax",
      .title = "Minimax",
      .description = "Plays games for two that hide nothing, perfectly.",
      .named_by = Namer::kPlayer,
      .options = R"({"type": "object", "properties": {}, "additionalProperties": false})",
      .make = [](const json::Object&) -> Result<std::unique_ptr<Agent>> { return std::make_unique<MinimaxAgent>(); }};
}

}  // namespace openseat
// The page ends.

namespace openseat {
namespace {

Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec) {
  static const AgentKinds kinds({MinimaxKind()});
  return spec.kind == "minimax" ? kinds.Make(spec) : MakeLocalAgent(spec);
}

AgentSpec Random(int seed) {
  return {"random", {{"seed", seed}}};
}
const AgentSpec kMinimax{"minimax", {}};

// Plays one match; returns its outcome.
Outcome Play(const Game& game, const AgentSpec& first, const AgentSpec& second) {
  const std::array<const Game*, 1> games{&game};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{games, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeAgent};
  Match* match = nullptr;
  lobby.Create(scheduler, game.info().id, nullptr, {{"Ana", first}, {"Bo", second}},
               [&](const Result<MatchRef>& ref) { lobby.OnMatch(*ref, [&](Match& made) { match = &made; }, [] {}); });
  for (int i = 0; i < 200 && (match == nullptr || match->status() != MatchStatus::kDone); ++i) scheduler.Run();
  if (match == nullptr || match->status() != MatchStatus::kDone) {
    ADD_FAILURE() << "the match did not end";
    return {};
  }
  return *match->outcome();
}

TEST(AddingAnAgent, ThePageShowsTheAgentThatIsTestedHere) {
  const auto read = [](const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string here = read("src/match/adding_an_agent_test.cc");
  const std::string page = read("docs/adding_an_agent.md");
  const std::string begin = "// The page:\n";
  const std::size_t at = here.find(begin) + begin.size();
  const std::string code = here.substr(at, here.find("// The page ends.\n") - at);
  ASSERT_GT(code.size(), 1000u);
  EXPECT_NE(page.find("```cpp\n" + code + "```\n"), std::string::npos) << "docs/adding_an_agent.md must show this:\n"
                                                                       << code;
}

TEST(AddingAnAgent, ItNeverLosesAtTicTacToe) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  int won = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    const Outcome as_x = Play(*game, kMinimax, Random(seed));
    const Outcome as_o = Play(*game, Random(seed), kMinimax);
    EXPECT_FALSE(as_x.winners.Contains(1)) << seed;
    EXPECT_FALSE(as_o.winners.Contains(0)) << seed;
    won += as_x.winners.Contains(0) + as_o.winners.Contains(1);
  }
  EXPECT_GT(won, 45);  // of 60
}

TEST(AddingAnAgent, AgainstItselfItDraws) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const Outcome outcome = Play(*game, kMinimax, kMinimax);
  EXPECT_TRUE(outcome.winners.empty());
  EXPECT_EQ(outcome.reason, "the board is full");
}

TEST(AddingAnAgent, ItGivesUpGamesThatHideSomething) {
  const std::unique_ptr<Game> game = games::MakeRockPaperScissors();
  const Outcome outcome = Play(*game, kMinimax, Random(1));
  EXPECT_TRUE(outcome.winners.Contains(1));
}

}  // namespace
}  // namespace openseat
