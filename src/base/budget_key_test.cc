// What one API key may use from all addresses together.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/waiting.h"

namespace openseat {
namespace {

using std::chrono::seconds;

constexpr Instant kNow{seconds(1000)};
constexpr const char* kKey = "key k-1";

std::string Address(int number) {
  return "192.0.2." + std::to_string(number);
}

std::shared_ptr<Payer> WithKey(Budget& budget, int address, std::string_view who = kKey) {
  return budget.PayerOf(Address(address), kNow)->WithKey(who, kNow);
}

// The setting that refuses; "" if none does.
std::string_view RefusedBy(const std::optional<Refusal>& refused) {
  return refused ? SettingOf(refused->limit) : std::string_view();
}
template <typename T>
std::string_view RefusedBy(const tl::expected<T, Refusal>& held) {
  return held ? std::string_view() : SettingOf(held.error().limit);
}

TEST(KeyBudget, AKeyHoldsWhatItMayFromAllAddressesTogether) {
  Metrics metrics;
  BudgetLimits limits;
  limits.keys.max_matches_per_key = 3;
  Budget budget(limits, &metrics);
  std::vector<Lease> leases;
  for (int i = 0; i < 3; ++i) leases.push_back(WithKey(budget, i)->Hold(Holding::kMatches).value());
  const auto more = WithKey(budget, 3)->Hold(Holding::kMatches);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().Text(), "the limit max_matches_per_key is reached: 3 matches that one key has open");
  EXPECT_EQ(more.error().ToError().path, "limits.max_matches_per_key");
  EXPECT_NE(metrics.Text().find("openseat_refused_total{budget=\"max_matches_per_key\"} 1"), std::string::npos);
  EXPECT_EQ(budget.PayerOf(Address(3), kNow)->held(Holding::kMatches), 0u) << "a refusal holds nothing";
  EXPECT_EQ(budget.held(Holding::kMatches), 3u) << "each counts once";
  EXPECT_EQ(WithKey(budget, 9)->held_by_key(Holding::kMatches), 3u);

  EXPECT_TRUE(WithKey(budget, 3, "key k-2")->Hold(Holding::kMatches)) << "another key";
  EXPECT_TRUE(budget.PayerOf(Address(3), kNow)->Hold(Holding::kMatches)) << "no key";
  leases.pop_back();
  EXPECT_TRUE(WithKey(budget, 3)->Hold(Holding::kMatches));
}

TEST(KeyBudget, WhatAKeyHoldsCountsForItsAddressToo) {
  BudgetLimits limits;
  limits.max_tables = 3;
  limits.others.max_tables_per_address = 2;
  limits.keys.max_tables_per_key = 10;
  Budget budget(limits);
  const auto address = budget.PayerOf(Address(1), kNow);
  const auto payer = WithKey(budget, 1);
  EXPECT_EQ(payer->address(), address->address());
  EXPECT_EQ(&payer->limits(), &address->limits());
  auto first = payer->Hold(Holding::kTables);
  auto second = address->Hold(Holding::kTables);
  EXPECT_EQ(payer->held(Holding::kTables), 2u);
  EXPECT_EQ(payer->held_by_key(Holding::kTables), 1u);
  EXPECT_EQ(RefusedBy(payer->Hold(Holding::kTables)), "max_tables_per_address");
  const auto third = WithKey(budget, 2)->Hold(Holding::kTables);
  EXPECT_TRUE(third);
  EXPECT_EQ(RefusedBy(WithKey(budget, 3)->Hold(Holding::kTables)), "max_tables");
  EXPECT_EQ(payer->held_by_key(Holding::kTables), 2u) << "refusals hold nothing";
  first->Release();
  EXPECT_EQ(address->held(Holding::kTables), 1u);
  EXPECT_EQ(payer->held_by_key(Holding::kTables), 1u);
  EXPECT_EQ(budget.held(Holding::kTables), 2u);
}

TEST(KeyBudget, ALeaseThatGrowsCountsForTheKey) {
  BudgetLimits limits;
  limits.keys.max_table_bytes_per_key = 100;
  Budget budget(limits);
  const auto payer = WithKey(budget, 1);
  auto lease = payer->Hold(Holding::kTableBytes, 40);
  const auto other = WithKey(budget, 2)->Hold(Holding::kTableBytes, 50);
  ASSERT_TRUE(lease && other);
  EXPECT_EQ(RefusedBy(lease->Resize(51)), "max_table_bytes_per_key");
  EXPECT_EQ(lease->amount(), 40u);
  EXPECT_EQ(budget.held(Holding::kTableBytes), 90u);
  EXPECT_EQ(payer->ShortOf(Holding::kTableBytes), Payer::Shortage::kOfAddress);
  EXPECT_FALSE(lease->Resize(10));
  EXPECT_EQ(payer->held_by_key(Holding::kTableBytes), 60u);
  EXPECT_EQ(payer->ShortOf(Holding::kTableBytes), Payer::Shortage::kNone);
}

TEST(KeyBudget, ConnectionsCountForTheirAddressOnly) {
  Budget budget;
  const auto payer = WithKey(budget, 1);
  const auto place = payer->Hold(Holding::kConnections, 128);
  ASSERT_TRUE(place);
  EXPECT_EQ(payer->held_by_key(Holding::kConnections), 0u);
  EXPECT_EQ(RefusedBy(payer->Hold(Holding::kConnections)), "max_connections_per_address");
}

TEST(KeyBudget, AKeyMayUseFourTimesAsMuchAsAnAddress) {
  const BudgetLimits limits;
  EXPECT_EQ(limits.keys.max_matches_per_key, 4 * limits.others.max_matches_per_address);
  EXPECT_EQ(limits.keys.match_bytes.burst, 4 * limits.others.match_bytes.burst);
  PeerLimits any;
  any.max_matches_per_address = 0;
  any.messages_of_address.per_second = 0;
  EXPECT_EQ(KeyLimits::For(any).max_matches_per_key, 0u) << "no limit";
  EXPECT_EQ(KeyLimits::For(any).messages.per_second, 0);
}

TEST(KeyBudget, ThisMachineHasNoKeys) {
  BudgetLimits limits;
  limits.keys.max_matches_per_key = 1;
  Budget budget(limits);
  const auto own = budget.PayerOf("127.0.0.1", kNow);
  EXPECT_EQ(own->WithKey(kKey, kNow), own);
  EXPECT_TRUE(own->Hold(Holding::kMatches, 5));
  const auto stranger = budget.PayerOf(Address(1), kNow);
  EXPECT_EQ(stranger->WithKey("", kNow), stranger);
  EXPECT_EQ(budget.keys(), 0u);
}

TEST(KeyBudget, AKeyHasAPaceOnAllItsConnections) {
  BudgetLimits limits;
  limits.keys.messages = {.per_second = 10, .burst = 3};
  limits.keys.bytes = {.per_second = 100, .burst = 1000};
  Budget budget(limits);
  std::vector<Pace> paces(5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(RefusedBy(paces[static_cast<std::size_t>(i)].Take(*WithKey(budget, i), 1, 10, kNow)), "");
  }
  const auto refused = paces[3].Take(*WithKey(budget, 3), 1, 10, kNow);
  EXPECT_EQ(RefusedBy(refused), "messages_per_second_per_key");
  EXPECT_GT(refused->wait, Duration(0));
  EXPECT_EQ(RefusedBy(paces[4].Take(*budget.PayerOf(Address(3), kNow), 1, 10, kNow)), "") << "without the key";
  EXPECT_EQ(RefusedBy(paces[3].Take(*WithKey(budget, 3), 1, 10, kNow + refused->wait)), "");
  EXPECT_EQ(RefusedBy(paces[3].Take(*WithKey(budget, 3), 0, 1000, kNow + refused->wait)), "bytes_per_second_per_key");
}

TEST(KeyBudget, AKeyIsPacedWhereAddressesAreNot) {
  BudgetLimits limits;
  limits.others.messages = limits.others.bytes = limits.others.messages_of_address =
      limits.others.bytes_of_address = {.per_second = 0, .burst = 1};
  Budget budget(limits);
  EXPECT_TRUE(Pace::Unlimited(*budget.PayerOf(Address(1), kNow)));
  EXPECT_FALSE(Pace::Unlimited(*WithKey(budget, 1)));
  limits.keys = KeyLimits::For(limits.others);
  Budget without(limits);
  EXPECT_TRUE(Pace::Unlimited(*WithKey(without, 1)));
}

TEST(KeyBudget, WhatAKeysMatchesRecordDelaysTheNext) {
  BudgetLimits limits;
  limits.keys.match_bytes = {.per_second = 100, .burst = 1000};
  Budget budget(limits);
  for (int i = 0; i < 4; ++i) WithKey(budget, i)->AddRecorded(250, kNow);
  const auto payer = WithKey(budget, 7);
  EXPECT_TRUE(payer->CountsRecorded());
  EXPECT_TRUE(payer->OwesForRecords(kNow));
  const auto refused = payer->RefuseToRecord(kNow);
  EXPECT_EQ(RefusedBy(refused), "match_bytes_per_second_per_key");
  EXPECT_EQ(RefusedBy(payer->RefuseToRecord(kNow + refused->wait)), "");
  EXPECT_EQ(RefusedBy(budget.PayerOf(Address(7), kNow)->RefuseToRecord(kNow)), "");
  // What is open goes on until more than that is owed.
  EXPECT_EQ(RefusedBy(payer->RefuseToRecord(kNow, 500)), "");
  payer->AddRecorded(600, kNow);
  EXPECT_EQ(RefusedBy(payer->RefuseToRecord(kNow, 500)), "match_bytes_per_second_per_key");
}

TEST(KeyBudget, WhatWaitsCountsForTheKey) {
  BudgetLimits limits;
  limits.keys.max_waiting_bytes_per_key = 256u << 10;
  Budget budget(limits);
  const auto payer = WithKey(budget, 1);
  WaitingCount first(payer);
  EXPECT_TRUE(first.Add(200u << 10));
  {
    WaitingCount second(WithKey(budget, 2));
    EXPECT_TRUE(second.Add(150u << 10));
    EXPECT_FALSE(second.Add(150u << 10));
    const Refusal refusal = second.Refuse(payer.get());
    EXPECT_EQ(SettingOf(refusal.limit), "max_waiting_bytes_per_key");
    EXPECT_EQ(refusal.allowed, 256u << 10);
    WaitingCount other(WithKey(budget, 2, "key k-2"));
    EXPECT_TRUE(other.Add(150u << 10)) << "another key of the same address";
  }
  WaitingCount third(WithKey(budget, 3));
  EXPECT_TRUE(third.Add(150u << 10)) << "the others have gone";
}

// Otherwise it could take what is left to newcomers, from one address after the other.
TEST(KeyBudget, AKeyThatHoldsMuchIsNoNewcomerAtAnyAddress) {
  BudgetLimits limits;
  limits.max_matches = 800;
  limits.others.max_matches_per_address = 1'000;
  limits.keys.max_matches_per_key = 0;
  Budget budget(limits);
  const auto all_of_others = budget.PayerOf("198.51.100.1", kNow)->Hold(Holding::kMatches, 590);
  ASSERT_TRUE(all_of_others);
  std::vector<Lease> leases;
  for (int i = 0; i < 20; ++i) {
    auto lease = WithKey(budget, i)->Hold(Holding::kMatches);
    if (lease) leases.push_back(std::move(*lease));
  }
  EXPECT_EQ(leases.size(), 10u);
  EXPECT_TRUE(budget.PayerOf(Address(99), kNow)->Hold(Holding::kMatches)) << "a newcomer";
}

TEST(KeyBudget, KeysThatHoldNothingAndHaveRestedAreForgotten) {
  BudgetLimits limits;
  limits.keys.messages = {.per_second = 0.001, .burst = 1};
  Budget budget(limits);
  const auto holder = budget.PayerOf(Address(1), kNow)->WithKey("key holder", kNow);
  auto lease = holder->Hold(Holding::kTables);
  Pace pace;
  EXPECT_FALSE(pace.Take(*budget.PayerOf(Address(1), kNow)->WithKey("key busy", kNow), 1, 1, kNow));
  for (int i = 0; i < 10'000; ++i) {
    WithKey(budget, i % 200, "key " + std::to_string(i));
    ASSERT_LE(budget.keys(), 2048u) << i;
  }
  EXPECT_EQ(WithKey(budget, 2, "key holder")->held_by_key(Holding::kTables), 1u);
  Pace again;
  EXPECT_TRUE(again.Take(*WithKey(budget, 3, "key busy"), 1, 1, kNow)) << "it comes back as it was";
}

// The address is not forgotten either while only a key's payer knows of it.
TEST(KeyBudget, AnAddressLastsAsLongAsItsKeysHoldSomething) {
  Budget budget;
  auto lease = WithKey(budget, 1)->Hold(Holding::kTables);
  ASSERT_TRUE(lease);
  for (int i = 0; i < 5'000; ++i) budget.PayerOf("2001:db8:0:" + std::to_string(i) + "::", kNow);
  EXPECT_EQ(budget.PayerOf(Address(1), kNow)->held(Holding::kTables), 1u);
}

TEST(KeyBudget, CountsWhatManyThreadsHold) {
  BudgetLimits limits;
  limits.keys.max_tables_per_key = 20;
  Budget budget(limits);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&budget, t] {
      std::vector<Lease> leases;
      for (int i = 0; i < 1000; ++i) {
        auto lease = WithKey(budget, t)->Hold(Holding::kTables);
        if (lease) leases.push_back(std::move(*lease));
        if (leases.size() > 6) leases.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.held(Holding::kTables), 0u);
  EXPECT_EQ(WithKey(budget, 1)->held_by_key(Holding::kTables), 0u);
  EXPECT_EQ(budget.PayerOf(Address(1), kNow)->held(Holding::kTables), 0u);
}

}  // namespace
}  // namespace openseat
