// Not an attack: checks that the yardstick of the other tests works.
#include "attack/attack.h"

namespace openseat::tests {
namespace {

TEST_F(Attack, NobodyAttacks) {
  Start();
  WireGame game(server(), "Solitaire");
  game.Register("go", nullptr);
  for (std::size_t i = 0; i < Scaled(200); ++i) {
    game.Force("go");
    const json::Value action = game.NextAction();
    ASSERT_TRUE(action.is_object());
    EXPECT_EQ(action.at("name"), json::Value("go"));
    game.Accept(action);
  }
  neighbor().WaitForTrips(20);
  const Neighbor::Report report = neighbor().Stop();
  for (const Trip kind : {Trip::kHealth, Trip::kNeuro, Trip::kChimera}) {
    const Trips& trips = report.of(kind);
    EXPECT_GE(trips.count, 20u);
    EXPECT_GT(trips.p50.count(), 0);
    EXPECT_GE(trips.p99, trips.p50);
    EXPECT_GE(trips.longest, trips.p99);
  }
  EXPECT_GT(server().ResidentBytes(), 1u << 20);
  EXPECT_GE(server().PeakResidentBytes(), server().ResidentBytes());
  EXPECT_GT(server().JournalBytes(), 1u << 10);
  EXPECT_GT(server().Metric("openseat_connections_accepted_total"), 5);
  EXPECT_GT(server().Metric(R"(openseat_websocket_messages_total{direction="in"})"), 200);
  EXPECT_EQ(server().Metric("openseat_nothing"), 0);
  EXPECT_EQ(server().Log(), "") << "there is nothing to warn about";
}

}  // namespace
}  // namespace openseat::tests
