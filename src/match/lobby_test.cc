#include "match/lobby.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

TEST(Lobby, AGateSaysWhichOptionsAreTaken) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> all{game.get()};
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  TableDirectory directory{{&scheduler}};
  Lobby lobby{all, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  bool open = false;
  lobby.SetGate([&](const Game& asked, const json::Value&) -> Result<void> {
    EXPECT_EQ(&asked, game.get());
    if (open) return {};
    return Fail(ErrorCode::kInvalid, "not here", "options");
  });
  const auto create = [&] {
    std::optional<Result<MatchRef>> created;
    lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](Result<MatchRef> result) { created = std::move(result); });
    for (int i = 0; i < 10; ++i) scheduler.Run();
    return *created;
  };
  const Result<MatchRef> refused = create();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "not here");
  open = true;
  EXPECT_TRUE(create().has_value());
}

TEST(Lobby, NamesTheTablesOfOtherKindsThatAnEarlierProcessLeftOpen) {
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  const auto append = [&](const char* table, std::vector<Event> events) {
    journal.Append(TableId(table), 0, std::move(events), scheduler, nullptr);
  };
  const Event opened{EventKind::kOpened, scheduler.clock().Now(), R"({"kind":"remote","game":"Game"})"};
  append("left", {opened, {EventKind::kNote, scheduler.clock().Now(), "{}"}});
  append("closed", {opened, {EventKind::kClosed, scheduler.clock().Now(), "{}"}});
  append("damaged", {{EventKind::kOpened, scheduler.clock().Now(), ""}});
  TableDirectory directory{{&scheduler}};
  Lobby lobby{{}, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent};
  const Result<Lobby::Recovered> recovered = lobby.Recover();
  ASSERT_TRUE(recovered.has_value());
  ASSERT_EQ(recovered->left_open.size(), 1u);
  EXPECT_EQ(recovered->left_open[0].id, TableId("left"));
  EXPECT_EQ(recovered->left_open[0].last_seq, 2u);
}

}  // namespace
}  // namespace openseat
