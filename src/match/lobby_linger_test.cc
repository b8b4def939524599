// Matches that are over: how long they stay where memory is scarce.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

// Bots play them at once; the matches that are over stay until their memory is needed.
class LingeringTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMatch = 12'450;  // bytes that one takes, about

  void Begin(std::size_t matches_of_address, std::size_t matches_of_all) {
    BudgetLimits limits;
    limits.others.max_table_bytes_per_address = matches_of_address * kMatch;
    limits.max_table_bytes = matches_of_all * kMatch;
    budget_.emplace(limits);
  }
  MatchRef Play(const std::string& address, const std::string& agent = "random") {
    const std::shared_ptr<Payer> payer = budget_->PayerOf(address, scheduler_.clock().Monotonic());
    std::optional<Result<MatchRef>> created;
    lobby_.Create(
        scheduler_, "tictactoe", nullptr, {{"a", {agent, {}}}, {"b", {"random", {}}}},
        [&](Result<MatchRef> result) { created = std::move(result); }, payer);
    for (int i = 0; i < 100; ++i) scheduler_.Run();
    EXPECT_TRUE(created && created->has_value()) << (*created).error().message;
    return **created;
  }
  // A program elsewhere gives it up.
  MatchRef PlayFromOutside(const std::string& address) {
    MatchRef ref = Play(address, "external");
    static_cast<Match*>(directory_.Local(scheduler_, ref.id))->Resign(0, "lost", {}, [](const Result<void>&) {});
    for (int i = 0; i < 100; ++i) scheduler_.Run();
    return ref;
  }
  std::size_t Here(const std::vector<MatchRef>& matches) {
    return static_cast<std::size_t>(std::ranges::count_if(
        matches, [&](const MatchRef& ref) { return directory_.Local(scheduler_, ref.id) != nullptr; }));
  }

  const std::unique_ptr<Game> game_ = games::MakeTicTacToe();
  const std::array<const Game*, 1> games_{game_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  std::optional<Budget> budget_;
  Lobby lobby_{games_,
               MatchRules{},
               std::chrono::minutes(5),
               directory_,
               journal_,
               [](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                 if (spec.kind != "external") return MakeLocalAgent(spec);
                 return std::make_unique<ExternalAgent>(ExternalAgentOptions{});
               }};
};

TEST_F(LingeringTest, AnAddressKeepsAsManyAsLeaveItRoom) {
  Begin(16, 1'000);
  std::vector<MatchRef> matches;
  for (int i = 0; i < 40; ++i) matches.push_back(Play("192.0.2.7"));
  EXPECT_EQ(Here(matches), 12u) << "three quarters";
  EXPECT_EQ(directory_.Local(scheduler_, matches.front().id), nullptr) << "the oldest went";
  EXPECT_NE(directory_.Local(scheduler_, matches.back().id), nullptr);
}

TEST_F(LingeringTest, WhereAllIsShortTheAddressThatHasMostGivesWay) {
  Begin(1'000, 32);
  std::vector<MatchRef> many;
  std::vector<MatchRef> few;
  for (int i = 0; i < 30; ++i) many.push_back(Play("192.0.2.7"));
  EXPECT_EQ(Here(many), 21u) << "three quarters of what strangers may have";
  for (int i = 0; i < 8; ++i) few.push_back(Play("198.51.100.3"));
  EXPECT_EQ(Here(few), 8u);
  EXPECT_EQ(Here(many), 13u);
}

TEST_F(LingeringTest, AProgramElsewhereHearsTheEndHoweverScarceMemoryIs) {
  Begin(16, 1'000);
  const auto tables = budget_->PayerOf("192.0.2.7", Instant())->Hold(Holding::kTableBytes, 13 * kMatch);
  ASSERT_TRUE(tables);
  const std::vector<MatchRef> awaited{PlayFromOutside("192.0.2.7")};
  const std::vector<MatchRef> others{Play("192.0.2.7"), Play("192.0.2.7")};
  EXPECT_EQ(Here(awaited), 1u);
  EXPECT_EQ(Here(others), 1u) << "the newest";
  scheduler_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(Here(awaited), 0u);
}

TEST_F(LingeringTest, WhereTheMatchesOfOneAddressMustStayThoseOfOthersGo) {
  Begin(1'000, 32);
  std::vector<MatchRef> awaited;
  std::vector<MatchRef> others;
  for (int i = 0; i < 15; ++i) awaited.push_back(PlayFromOutside("192.0.2.7"));
  for (int i = 0; i < 12; ++i) others.push_back(Play("198.51.100.3"));
  EXPECT_EQ(Here(awaited), 15u);
  EXPECT_EQ(Here(others), 6u) << "three quarters of what strangers may have";
}

TEST_F(LingeringTest, MatchesThatProgramsElsewherePlayedGoSoonWhereMemoryIsScarce) {
  Begin(16, 1'000);
  std::vector<MatchRef> awaited;
  for (int i = 0; i < 16; ++i) awaited.push_back(PlayFromOutside("192.0.2.7"));
  EXPECT_EQ(Here(awaited), 16u);
  scheduler_.Advance(std::chrono::seconds(29));
  EXPECT_EQ(Here(awaited), 16u);
  scheduler_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(Here(awaited), 12u) << "three quarters";
}

}  // namespace
}  // namespace openseat
