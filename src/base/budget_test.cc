#include "base/budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace openseat {
namespace {

using std::chrono::seconds;

constexpr const char* kStranger = "192.0.2.7";

Instant At(Duration since) {
  return Instant(seconds(1000)) + since;
}

std::string Counted(const Metrics& metrics, Limit limit) {
  const std::string label = "openseat_refused_total{budget=\"" + std::string(SettingOf(limit)) + "\"} ";
  const std::string text = metrics.Text();
  const std::size_t at = text.find(label);
  return at == std::string::npos ? "none" : text.substr(at + label.size(), text.find('\n', at) - at - label.size());
}

TEST(Budget, CountsIpv6By64AndThisMachineAsOne) {
  EXPECT_EQ(AddressKey("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(AddressKey("2001:db8:1:2:aaaa:bbbb:cccc:dddd"), "2001:db8:1:2::/64");
  EXPECT_EQ(AddressKey("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  EXPECT_NE(AddressKey("2001:db8:1:3::1"), "2001:db8:1:2::/64");
  EXPECT_EQ(AddressKey("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(AddressKey("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(AddressKey("64:ff9b::192.0.2.7"), "192.0.2.7") << "NAT64";
  EXPECT_EQ(AddressKey("64:ff9b::c000:208"), "192.0.2.8");
  EXPECT_EQ(AddressKey("64:ff9b::127.0.0.1"), "64:ff9b::/64");
  EXPECT_EQ(AddressKey("64:ff9b:1::192.0.2.7"), "64:ff9b:1::/64");
  EXPECT_EQ(AddressKey("127.0.0.1"), "loopback");
  EXPECT_EQ(AddressKey("127.8.8.8"), "loopback");
  EXPECT_EQ(AddressKey("::1"), "loopback");
  EXPECT_EQ(AddressKey("::ffff:127.0.0.1"), "loopback");
  EXPECT_EQ(AddressKey("a proxy"), "a proxy");
}

TEST(Budget, AnAddressHoldsWhatItMayAndGivesItBack) {
  Metrics metrics;
  BudgetLimits limits;
  limits.others.max_tables_per_address = 2;
  Budget budget(limits, &metrics);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  auto first = payer->Hold(Holding::kTables);
  auto second = payer->Hold(Holding::kTables);
  ASSERT_TRUE(first && second);
  const auto third = payer->Hold(Holding::kTables);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().ToError().code, ErrorCode::kBusy);
  EXPECT_EQ(third.error().ToError().path, "limits.max_tables_per_address");
  EXPECT_EQ(third.error().Text(),
            "the limit max_tables_per_address is reached: 2 tables of remote games that one address has open");
  EXPECT_EQ(Counted(metrics, Limit::kTablesOfAddress), "1");
  EXPECT_EQ(budget.held(Holding::kTables), 2u) << "a refusal holds nothing";

  // Another address in the same /64, or another form of the same address, is the same payer; others are unaffected.
  EXPECT_EQ(budget.PayerOf(kStranger, At(seconds(0))), payer);
  EXPECT_TRUE(budget.PayerOf("192.0.2.8", At(seconds(0)))->Hold(Holding::kTables));

  first->Release();
  EXPECT_TRUE(payer->Hold(Holding::kTables));
  second = Lease();
  EXPECT_EQ(payer->held(Holding::kTables), 0u);
  EXPECT_EQ(budget.held(Holding::kTables), 0u);
}

TEST(Budget, ARefusalSaysWhenToRetry) {
  const Error paced = Refusal{Limit::kMessages, 10, std::chrono::milliseconds(1500)}.ToError();
  EXPECT_EQ(paced.wait, std::chrono::milliseconds(1500));
  EXPECT_EQ(paced.message,
            "the limit messages_per_second is reached: 10 messages and requests of one connection a second; try again "
            "in 2 s");
  EXPECT_EQ(Refusal({Limit::kTables, 10}).ToError().wait, Duration(0)) << "unknown";
}

TEST(Budget, AFixedLimitIsCountedAndNamesNoSetting) {
  Metrics metrics;
  Budget budget({}, &metrics);
  EXPECT_EQ(Counted(metrics, Limit::kMcpCalls), "0");
  const Error refused = RefuseFor(budget.PayerOf(kStranger, At(seconds(0))).get(), Limit::kMcpCalls, 256).ToError();
  EXPECT_EQ(refused.message,
            "the fixed limit mcp.calls is reached: 256 calls of one key over MCP that are in progress");
  EXPECT_EQ(refused.path, "");
  EXPECT_EQ(Counted(metrics, Limit::kMcpCalls), "1");
  EXPECT_EQ(RefuseFor(nullptr, Limit::kMcpCalls, 256).Text(), refused.message);
  EXPECT_EQ(Counted(metrics, Limit::kMcpCalls), "1") << "nobody pays";
}

TEST(Budget, TheProcessHasALimitOfItsOwn) {
  BudgetLimits limits;
  limits.max_matches = 3;
  Budget budget(limits);
  std::vector<Lease> leases;
  for (int i = 0; i < 3; ++i) {
    auto lease = budget.PayerOf("192.0.2." + std::to_string(i), At(seconds(0)))->Hold(Holding::kMatches);
    ASSERT_TRUE(lease);
    leases.push_back(std::move(*lease));
  }
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  const auto refused = payer->Hold(Holding::kMatches);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().limit, Limit::kMatches);
  EXPECT_EQ(payer->held(Holding::kMatches), 0u);
  leases.pop_back();
  EXPECT_TRUE(payer->Hold(Holding::kMatches));
}

TEST(Budget, ALeaseGrowsAndShrinks) {
  BudgetLimits limits;
  limits.others.max_unfinished_bytes_per_address = 100;
  Budget budget(limits);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  auto lease = payer->Hold(Holding::kUnfinishedBytes, 40);
  ASSERT_TRUE(lease);
  EXPECT_FALSE(lease->Resize(100));
  const std::optional<Refusal> refused = lease->Resize(101);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->limit, Limit::kUnfinishedBytesOfAddress);
  EXPECT_EQ(lease->amount(), 100u) << "a refusal leaves it as it was";
  EXPECT_FALSE(lease->Resize(10));
  EXPECT_EQ(budget.held(Holding::kUnfinishedBytes), 10u);
  Lease moved = std::move(*lease);
  EXPECT_FALSE(*lease);
  EXPECT_EQ(budget.held(Holding::kUnfinishedBytes), 10u);
  moved.Release();
  EXPECT_EQ(budget.held(Holding::kUnfinishedBytes), 0u);
}

TEST(Budget, ZeroIsNoLimit) {
  BudgetLimits limits;
  limits.others.max_connections_per_address = 0;
  limits.max_connections = 0;
  Budget budget(limits);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  EXPECT_TRUE(payer->Hold(Holding::kConnections, 1u << 30));
}

TEST(Budget, WhatMatchesHaveRecordedDelaysTheNext) {
  Metrics metrics;
  BudgetLimits limits;
  limits.others.match_bytes = {.per_second = 100, .burst = 1000};
  Budget budget(limits, &metrics);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  payer->AddRecorded(999, At(seconds(0)));
  EXPECT_FALSE(payer->RefuseToRecord(At(seconds(0))));
  payer->AddRecorded(1001, At(seconds(0)));
  const std::optional<Refusal> refused = payer->RefuseToRecord(At(seconds(0)));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->Text(),
            "the limit match_bytes_per_second_per_address is reached: 100 bytes that the matches of one address record "
            "a second");
  EXPECT_EQ(Counted(metrics, Limit::kMatchBytes), "1");
  EXPECT_FALSE(payer->RefuseToRecord(At(refused->wait)));
  EXPECT_FALSE(budget.PayerOf("127.0.0.1", At(seconds(0)))->RefuseToRecord(At(seconds(0))));
}

TEST(Budget, AConnectionHasItsPaceAndItsAddressHasOne) {
  Metrics metrics;
  BudgetLimits limits;
  limits.others.messages = {.per_second = 10, .burst = 3};
  limits.others.messages_of_address = {.per_second = 10, .burst = 5};
  limits.others.bytes = {.per_second = 100, .burst = 1000};
  Budget budget(limits, &metrics);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  EXPECT_FALSE(Pace::Unlimited(*payer));
  Pace one;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(one.Take(*payer, 1, 10, At(seconds(0))));
  const std::optional<Refusal> own = one.Take(*payer, 1, 10, At(seconds(0)));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->limit, Limit::kMessages);
  EXPECT_GT(own->wait, Duration(0));
  EXPECT_EQ(own->Text(),
            "the limit messages_per_second is reached: 10 messages and requests of one connection a second");

  Pace other;
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(other.Take(*payer, 1, 10, At(seconds(0))));
  const std::optional<Refusal> all = other.Take(*payer, 1, 10, At(seconds(0)));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->limit, Limit::kMessagesOfAddress);
  EXPECT_FALSE(other.Take(*payer, 1, 10, At(all->wait)));

  EXPECT_FALSE(other.Take(*payer, 0, 1000, At(seconds(60))));
  const std::optional<Refusal> bytes = other.Take(*payer, 0, 1, At(seconds(60)));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->limit, Limit::kBytes);
  EXPECT_EQ(Counted(metrics, Limit::kMessages), "1");
  EXPECT_EQ(Counted(metrics, Limit::kMessagesOfAddress), "1");
  EXPECT_EQ(Counted(metrics, Limit::kBytes), "1");
}

TEST(Budget, LoopbackIsNotPacedButBounded) {
  Budget budget;
  const auto payer = budget.PayerOf("127.0.0.1", At(seconds(0)));
  EXPECT_TRUE(Pace::Unlimited(*payer));
  EXPECT_EQ(payer, budget.OwnPayer());
  EXPECT_FALSE(payer->Hold(Holding::kUnfinishedBytes, budget.limits().max_unfinished_bytes + 1));
  EXPECT_FALSE(payer->Hold(Holding::kTables, budget.limits().max_tables + 1));
  EXPECT_GT(payer->limits().max_journal_bytes, 0u);
  EXPECT_GT(payer->limits().max_waiting_items, 0u);
  // A program that watches every match of a tournament.
  EXPECT_GE(payer->limits().max_watched, 10'000u);
}

TEST(Budget, MemoryThatComesAfterTheLastLookCounts) {
  Metrics metrics;
  BudgetLimits limits;
  limits.max_memory = 1600;
  limits.max_unfinished_bytes = 0;
  limits.others.max_unfinished_bytes_per_address = 0;
  Budget budget(limits, &metrics);
  EXPECT_EQ(budget.limits().max_unfinished_bytes, 400u) << "a quarter";
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  auto lease = payer->Hold(Holding::kUnfinishedBytes, 100);
  std::uint64_t resident = 1300;  // strangers may use 1500
  budget.MeasureWith([&resident] { return resident; });
  budget.Measure();
  EXPECT_FALSE(payer->RefuseForMemory());
  EXPECT_FALSE(lease->Resize(150));
  payer->AddUnread(150);
  EXPECT_EQ(budget.MemoryBeyond(), 0u);
  payer->AddUnread(1);
  EXPECT_EQ(budget.MemoryBeyond(), 1u);
  const std::optional<Refusal> refused = payer->RefuseForMemory();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->limit, Limit::kMemory);
  EXPECT_EQ(Counted(metrics, Limit::kMemory), "1");
  // Memory that was given back may still be resident: the next look tells.
  payer->AddUnread(-151);
  lease->Release();
  resident = 1400;
  budget.Measure();
  EXPECT_EQ(budget.MemoryBeyond(), 0u);
  resident = 1550;
  budget.Measure();
  EXPECT_EQ(budget.MemoryBeyond(), 50u);
  EXPECT_TRUE(payer->RefuseForMemory());
  EXPECT_FALSE(budget.OwnPayer()->RefuseForMemory()) << "the rest is for this machine";
  EXPECT_EQ(budget.MemoryBeyondAll(), 0u);
  resident = 1551;
  budget.Measure();
  EXPECT_TRUE(budget.OwnPayer()->RefuseForMemory());
  EXPECT_EQ(budget.MemoryBeyondAll(), 1u);
}

TEST(Budget, AnAddressThatLeavesMuchUnreadIsRefused) {
  Metrics metrics;
  BudgetLimits limits;
  limits.others.max_unread_bytes_per_address = 1000;
  Budget budget(limits, &metrics);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  payer->AddUnread(1000);
  EXPECT_FALSE(payer->RefuseForUnread());
  payer->AddUnread(1);
  const std::optional<Refusal> refused = payer->RefuseForUnread();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->limit, Limit::kUnreadBytesOfAddress);
  EXPECT_EQ(Counted(metrics, Limit::kUnreadBytesOfAddress), "1");
  EXPECT_FALSE(budget.PayerOf("198.51.100.77", At(seconds(0)))->RefuseForUnread());
  budget.OwnPayer()->AddUnread(1 << 20);
  EXPECT_FALSE(budget.OwnPayer()->RefuseForUnread()) << "this machine has no limit";
  payer->AddUnread(-1);
  EXPECT_FALSE(payer->RefuseForUnread());
}

// A buffer that grows is copied, and its former memory stays resident for a while.
TEST(Budget, MemoryIsMeasuredAgainWhenMuchMoreIsHeld) {
  constexpr std::int64_t kMiB = 1 << 20;
  BudgetLimits limits;
  limits.max_memory = 160 * kMiB;  // strangers may use 150
  Budget budget(limits);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  std::uint64_t resident = 140 * kMiB;
  int measured = 0;
  budget.MeasureWith([&] {
    ++measured;
    return resident;
  });
  budget.Measure();
  payer->AddUnread(1 * kMiB);
  EXPECT_FALSE(payer->RefuseForMemory());
  EXPECT_EQ(measured, 1);
  resident = 151 * kMiB;
  payer->AddUnread(1 * kMiB);
  EXPECT_TRUE(payer->RefuseForMemory());
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(budget.MemoryBeyond(), static_cast<std::uint64_t>(kMiB));
  EXPECT_EQ(measured, 2);
  // What goes while other things come may still be resident.
  for (int i = 0; i < 2; ++i) {
    payer->AddUnread(-kMiB);
    payer->AddUnread(kMiB);
  }
  EXPECT_TRUE(payer->RefuseForMemory());
  EXPECT_EQ(measured, 3);
}

// A buffer doubles, is copied, and is filled only later: all of that is memory to come.
TEST(Budget, WhatABufferWillFillCounts) {
  BudgetLimits limits;
  limits.max_memory = 1600;  // strangers may use 1500
  limits.max_unfinished_bytes = 1000;
  limits.others.max_unfinished_bytes_per_address = 0;
  Budget budget(limits);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  std::uint64_t resident = 1000;
  budget.MeasureWith([&resident] { return resident; });
  budget.Measure();
  EXPECT_FALSE(payer->RefuseForMemory(500));
  EXPECT_TRUE(payer->RefuseForMemory(501));
  EXPECT_TRUE(payer->RefuseForMemory(2000));
  auto lease = payer->Hold(Holding::kUnfinishedBytes, 300);
  lease->SetUntouched(200);
  budget.Measure();
  EXPECT_FALSE(payer->RefuseForMemory(300));
  EXPECT_TRUE(payer->RefuseForMemory(301)) << "what will be filled counts after the measurement, too";
  // As it is filled, it is no longer to come, but not measured yet.
  lease->SetUntouched(50);
  EXPECT_FALSE(payer->RefuseForMemory(300));
  EXPECT_TRUE(payer->RefuseForMemory(301));
  resident = 1150;
  budget.Measure();
  EXPECT_FALSE(payer->RefuseForMemory(300));
  EXPECT_TRUE(payer->RefuseForMemory(301));
  Lease moved = std::move(*lease);
  moved.Release();
  EXPECT_FALSE(payer->RefuseForMemory(300)) << "it may have been filled just before";
  budget.Measure();
  EXPECT_FALSE(payer->RefuseForMemory(350));
  EXPECT_TRUE(payer->TouchOrRefuse(351)) << "what is refused does not count";
  EXPECT_FALSE(payer->TouchOrRefuse(350));
  EXPECT_TRUE(payer->RefuseForMemory(1));
}

// A measurement may take a while on a busy machine.
TEST(Budget, WhatCameBeforeAMeasurementCountsUntilItIsThere) {
  BudgetLimits limits;
  limits.max_memory = 1600;
  Budget budget(limits);
  const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
  payer->AddTouched(400);
  std::uint64_t beyond_meanwhile = 0;
  budget.MeasureWith([&] {
    payer->AddTouched(1200);
    beyond_meanwhile = budget.MemoryBeyond();
    return std::uint64_t{300};
  });
  budget.Measure();
  EXPECT_EQ(beyond_meanwhile, 100u);
  EXPECT_EQ(budget.MemoryBeyond(), 0u);
  EXPECT_TRUE(payer->RefuseForMemory(1)) << "what came meanwhile counts on";
}

TEST(Budget, TheLimitOfMemoryIsFoundOut) {
  Budget budget;
  EXPECT_GT(budget.limits().max_memory, std::uint64_t{1} << 20);
  EXPECT_EQ(budget.limits().max_unfinished_bytes, budget.limits().max_memory / 4);
}

TEST(Budget, WhoHoldsNothingAndHasRestedIsForgotten) {
  Budget budget;
  const auto holder = budget.PayerOf("198.51.100.1", At(seconds(0)));
  auto lease = holder->Hold(Holding::kTables);
  Pace pace;
  for (int i = 0; i < 100'000; ++i) {
    const std::string peer = "2001:db8:" + std::to_string(i / 5000) + ":" + std::to_string(i % 5000) + "::1";
    const auto payer = budget.PayerOf(peer, At(seconds(i)));
    pace.Take(*payer, 1, 1, At(seconds(i)));
    ASSERT_LE(budget.payers(), 2048u) << i;
  }
  EXPECT_EQ(budget.PayerOf("198.51.100.1", At(seconds(0))), holder);
  // A payer that comes back at once has the same state.
  BudgetLimits limits;
  limits.others.messages_of_address = {.per_second = 0.001, .burst = 1};
  Budget strict(limits);
  Pace first;
  EXPECT_FALSE(first.Take(*strict.PayerOf(kStranger, At(seconds(0))), 1, 1, At(seconds(0))));
  for (int i = 0; i < 5000; ++i) strict.PayerOf("2001:db8:0:" + std::to_string(i) + "::", At(seconds(0)));
  Pace again;
  EXPECT_TRUE(again.Take(*strict.PayerOf(kStranger, At(seconds(0))), 1, 1, At(seconds(0))));
}

TEST(Budget, CountsWhatManyThreadsHold) {
  BudgetLimits limits;
  limits.others.max_tables_per_address = 50;
  Budget budget(limits);
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto payer = budget.PayerOf(kStranger, At(seconds(0)));
      std::vector<Lease> leases;
      for (int i = 0; i < 1000; ++i) {
        auto lease = payer->Hold(Holding::kTables);
        if (!lease) continue;
        leases.push_back(std::move(*lease));
        if (leases.size() > 5) leases.clear();
        ++taken;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(taken, 1000);
  EXPECT_EQ(budget.held(Holding::kTables), 0u);
}

TEST(Budget, StrangersLeaveAnEighthToThisMachineAndOneToThoseWhoHoldLittle) {
  for (const Holding what : {Holding::kConnections, Holding::kTables, Holding::kMatches, Holding::kUnfinishedBytes,
                             Holding::kWebhookBytes, Holding::kTableBytes}) {
    BudgetLimits limits;
    limits.max_connections = limits.max_tables = limits.max_matches = limits.max_unfinished_bytes =
        limits.max_webhook_bytes = limits.max_table_bytes = 8'000;
    PeerLimits& others = limits.others;
    others.max_connections_per_address = others.max_tables_per_address = others.max_matches_per_address =
        others.max_unfinished_bytes_per_address = others.max_webhook_bytes_per_address =
            others.max_table_bytes_per_address = 0;
    Budget budget(limits);
    const auto stranger = budget.PayerOf("203.0.113.9", Instant());
    const auto under_way = budget.PayerOf("198.51.100.3", Instant());
    auto match = under_way->Hold(what, 20);
    ASSERT_TRUE(match);
    const auto all_theirs = stranger->Hold(what, 5'980);
    ASSERT_TRUE(all_theirs);
    const auto more = stranger->Hold(what, 1);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().allowed, 6'000u);
    EXPECT_FALSE(match->Resize(31)) << "a 256th";
    EXPECT_TRUE(match->Resize(32)) << "more is not little";
    std::vector<Lease> newcomers;
    for (int i = 0; i < 100; ++i) {
      auto lease = budget.PayerOf("192.0.2." + std::to_string(i), Instant())->Hold(what, 31);
      if (lease) newcomers.push_back(std::move(*lease));
    }
    EXPECT_EQ(newcomers.size(), 31u);
    const auto large = budget.OwnPayer()->Hold(what, 500);
    EXPECT_TRUE(large) << "a sixteenth";
    EXPECT_FALSE(budget.OwnPayer()->Hold(what, 32));
    std::vector<Lease> small;
    for (int i = 0; i < 40; ++i) {
      auto lease = budget.OwnPayer()->Hold(what, 31);
      if (lease) small.push_back(std::move(*lease));
    }
    EXPECT_EQ(small.size(), 17u);
  }
}

TEST(Budget, WhatIsLargeOnThisMachineLeavesAnEighthToWhatIsSmall) {
  BudgetLimits limits;
  limits.max_table_bytes = 8'000;
  Budget budget(limits);
  const auto local = budget.OwnPayer();
  auto match = local->Hold(Holding::kTableBytes, 20);
  const auto table = local->Hold(Holding::kTableBytes, 6'980);
  ASSERT_TRUE(match && table);
  const auto more = local->Hold(Holding::kTableBytes, 32);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().allowed, 7'000u);
  EXPECT_FALSE(match->Resize(31)) << "a 256th";
  EXPECT_TRUE(match->Resize(32)) << "more is not small";
  EXPECT_FALSE(budget.PayerOf("203.0.113.9", Instant())->Hold(Holding::kTableBytes, 1)) << "strangers have 7/8";
}

// Four addresses with 64 MiB each fill what a small server has for tables.
TEST(Budget, AMatchUnderWayGrowsWhereOthersHaveTakenAll) {
  constexpr std::uint64_t kMiB = 1 << 20;
  BudgetLimits limits;
  limits.max_table_bytes = 256 * kMiB;
  Budget budget(limits);
  const auto honest = budget.PayerOf("198.51.100.3", Instant());
  auto match = honest->Hold(Holding::kTableBytes, 100'000);
  ASSERT_TRUE(match);
  std::vector<Lease> tables;
  for (int i = 0; i < 4 * 64; ++i) {
    auto table = budget.PayerOf("192.0.2." + std::to_string(i / 64), Instant())->Hold(Holding::kTableBytes, kMiB - 1);
    if (table) tables.push_back(std::move(*table));
  }
  EXPECT_LT(tables.size(), 200u);
  for (std::uint64_t bytes = 110'000; bytes < kMiB; bytes += 10'000) ASSERT_FALSE(match->Resize(bytes)) << bytes;
  EXPECT_TRUE(budget.PayerOf("198.51.100.4", Instant())->Hold(Holding::kTableBytes, 100'000)) << "a new one";
  EXPECT_LE(budget.held(Holding::kTableBytes), 224 * kMiB);
}

TEST(Budget, WhoHoldsLittleForItsOwnLimitNeedNotGiveWay) {
  BudgetLimits limits;
  limits.max_connections = 1'600;
  Budget budget(limits);
  const auto holding = [&](const char* peer, std::uint64_t connections) {
    return *budget.PayerOf(peer, Instant())->Hold(Holding::kConnections, connections);
  };
  const auto gives_way = [&](const char* peer) {
    return budget.PayerOf(peer, Instant())->ShouldGiveWay(Holding::kConnections);
  };
  const Lease little = holding("198.51.100.3", 16);
  const Lease much = holding("198.51.100.4", 17);
  EXPECT_FALSE(gives_way("198.51.100.4")) << "there is room";
  std::vector<Lease> others;
  for (int i = 0; i < 9; ++i) others.push_back(holding(("192.0.2." + std::to_string(i)).c_str(), 128));
  EXPECT_TRUE(gives_way("198.51.100.4"));
  EXPECT_FALSE(gives_way("198.51.100.3"));
  EXPECT_FALSE(gives_way("127.0.0.1"));
}

}  // namespace
}  // namespace openseat
