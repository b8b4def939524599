// Every disk call of the registry fails in turn; and the power fails at any moment. OPENSEAT_STORE_ROUNDS runs the long
// forms (tests/soak/journal.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/faulty_vfs.h"
#include "store/registry_format.h"
#include "store/registry_test_support.h"
#include "store/sqlite_registry.h"
#include "testing/fake_scheduler.h"

namespace openseat::store {
namespace {

// How often to run a test's long form; 0: the short form.
int RegistryRounds() {
  const char* rounds = std::getenv("OPENSEAT_STORE_ROUNDS");
  return rounds == nullptr ? 0 : std::atoi(rounds);
}

const openseat::testing::FakeClock kRegistryClock;

// What callers of the registry asked for, and were told.
struct ToldByRegistry {
  std::set<std::string> asked, made, refused;  // accounts, by name
  std::map<std::string, std::string> secrets;  // of keys, by label
  std::set<std::string> maybe_revoked, revoked;
  AccountId owner;  // of a deck; deleted later
  bool has_deck = false, maybe_deleted = false, deleted = false;
  WebhookId webhook;
  std::uint64_t asked_event = 0, kept_event = 0;  // of its outbox
  std::uint64_t asked_taken = 0, taken = 0;
};

// Calls a registry and notes its answers. Any thread may ask what was told.
class RegistryCaller {
 public:
  explicit RegistryCaller(Registry& registry, ToldByRegistry told = {}) : registry_(registry), told_(std::move(told)) {}

  ToldByRegistry told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  // All at once: the writer makes commits of several changes of them.
  void MakeAccounts(const std::vector<std::string>& names) {
    std::size_t answered = 0;
    for (const std::string& name : names) {
      Note([&](ToldByRegistry& told) { told.asked.insert(name); });
      registry_.CreateAccount(name, scheduler_, [this, name, &answered](const Result<Account>& made) {
        ++answered;
        Note([&](ToldByRegistry& told) { (Kept(made) ? told.made : told.refused).insert(name); });
        if (made && name == "leaves") Note([&](ToldByRegistry& told) { told.owner = made->id; });
      });
    }
    while (answered < names.size()) scheduler_.RunSome();
  }
  void MakeKey(const std::string& label) {
    const Result<CreatedKey> made =
        Ask<CreatedKey>([&](auto& scheduler, auto done) { registry_.CreateKey({.label = label}, scheduler, done); });
    if (!Kept(made)) return;
    Note([&](ToldByRegistry& told) { told.secrets[label] = made->secret; });
    keys_[label] = made->key.id;
  }
  void Revoke(const std::string& label) {
    if (!keys_.contains(label)) return;
    Note([&](ToldByRegistry& told) { told.maybe_revoked.insert(label); });
    const Result<ApiKey> revoked =
        Ask<ApiKey>([&](auto& scheduler, auto done) { registry_.RevokeKey(keys_[label], scheduler, done); });
    if (Kept(revoked)) Note([&](ToldByRegistry& told) { told.revoked.insert(label); });
  }
  // For an account that leaves: with it goes the deck, or neither does.
  void SaveDeck() {
    const AccountId owner = told().owner;
    if (owner.empty()) return;
    StoredDeck deck{.id = {}, .account = owner, .list = {}, .created = {}, .changed = {}};
    deck.list.name = "of one who leaves";
    deck.list.game = "netrunner";
    const auto saved = Ask<StoredDeck>([&](auto& scheduler, auto done) { registry_.SaveDeck(deck, scheduler, done); });
    if (Kept(saved)) Note([](ToldByRegistry& told) { told.has_deck = true; });
  }
  void DeleteOwner() {
    const AccountId owner = told().owner;
    if (owner.empty()) return;
    Note([](ToldByRegistry& told) { told.maybe_deleted = true; });
    const auto gone =
        Ask<Account>([&](auto& scheduler, auto done) { registry_.DeleteAccount(owner, scheduler, done); });
    if (Kept(gone)) Note([](ToldByRegistry& told) { told.deleted = true; });
  }
  void MakeWebhook() {
    const auto made = Ask<WebhookTarget>([&](auto& scheduler, auto done) {
      registry_.SaveWebhook({.id = {}, .url = "https://x.example", .key = "k", .created = {}}, scheduler, done);
    });
    if (Kept(made)) Note([&](ToldByRegistry& told) { told.webhook = made->id; });
  }
  // The next of its deliveries, and with it what the agent remembers.
  void Deliver(std::size_t bytes) {
    const ToldByRegistry before = told();
    if (before.webhook.empty()) return;
    const std::uint64_t next = before.kept_event + 1;
    Note([&](ToldByRegistry& told) { told.asked_event = next; });
    const auto added = Ask<WebhookId>([&](auto& scheduler, auto done) {
      registry_.AddToOutbox(before.webhook, "m" + std::to_string(next),
                            {{next, "id-" + std::to_string(next), "prompt", std::string(bytes, '.'), {}}}, scheduler,
                            done);
    });
    if (Kept(added)) Note([&](ToldByRegistry& told) { told.kept_event = next; });
  }
  void Take(std::uint64_t sequence) {
    const ToldByRegistry before = told();
    if (before.webhook.empty() || before.kept_event < sequence) return;
    Note([&](ToldByRegistry& told) { told.asked_taken = sequence; });
    const auto taken = Ask<WebhookId>(
        [&](auto& scheduler, auto done) { registry_.TakeFromOutbox(before.webhook, sequence, scheduler, done); });
    if (Kept(taken)) Note([&](ToldByRegistry& told) { told.taken = sequence; });
  }

  // Everything that was told is there. `settled`: so is nothing that was refused, since the disk works again and
  // something was written since.
  void Check(bool settled, const std::string& where) {
    SCOPED_TRACE(where);
    CheckAccounts(settled);
    CheckKeys(settled);
    CheckDeck(settled);
    CheckOutbox(settled);
  }

 private:
  template <typename T, typename Call>
  Result<T> Ask(const Call& call) {
    return AskRegistry<T>(scheduler_, call);
  }
  template <typename Body>
  void Note(const Body& body) {
    const std::lock_guard lock(mutex_);
    body(told_);
  }
  template <typename T>
  static bool Kept(const Result<T>& result) {
    if (!result) {
      EXPECT_EQ(result.error().code, ErrorCode::kIo) << result.error().message;
    }
    return result.has_value();
  }

  void CheckAccounts(bool settled) {
    const auto list =
        Ask<std::vector<Account>>([&](auto& scheduler, auto done) { registry_.ListAccounts(scheduler, done); });
    ASSERT_TRUE(list) << list.error().message;
    std::set<std::string> there;
    for (const Account& account : *list) there.insert(account.name);
    for (const std::string& name : told_.made) {
      if (name == "leaves" && told_.maybe_deleted) continue;
      EXPECT_TRUE(there.contains(name)) << name << " is lost";
    }
    for (const std::string& name : there) {
      EXPECT_TRUE(told_.asked.contains(name));
      EXPECT_FALSE(settled && told_.refused.contains(name)) << name << " was refused, and is there";
    }
  }
  void CheckKeys(bool settled) {
    for (const auto& [label, secret] : told_.secrets) {
      const Result<ApiKey> key =
          Ask<ApiKey>([&](auto& scheduler, auto done) { registry_.Authenticate(secret, scheduler, done); });
      const bool may_be_either = told_.maybe_revoked.contains(label) && !told_.revoked.contains(label);
      if (may_be_either && !settled) continue;
      EXPECT_EQ(key.has_value(), !told_.revoked.contains(label)) << label;
    }
  }
  void CheckDeck(bool settled) {
    if (!told_.has_deck) return;
    const auto owner =
        Ask<Account>([&](auto& scheduler, auto done) { registry_.FindAccount(told_.owner.str(), scheduler, done); });
    const auto decks =
        Ask<std::vector<StoredDeck>>([&](auto& scheduler, auto done) { registry_.ListDecks({}, scheduler, done); });
    ASSERT_TRUE(decks) << decks.error().message;
    EXPECT_EQ(owner.has_value(), decks->size() == 1) << "half of a deletion";
    if (settled || told_.deleted || !told_.maybe_deleted) {
      EXPECT_EQ(owner.has_value(), !told_.deleted);
    }
  }
  void CheckOutbox(bool settled) {
    if (told_.webhook.empty()) return;
    const auto outbox =
        Ask<WebhookOutbox>([&](auto& scheduler, auto done) { registry_.ReadOutbox(told_.webhook, scheduler, done); });
    ASSERT_TRUE(outbox) << outbox.error().message;
    EXPECT_GE(outbox->sequence, told_.kept_event) << "a delivery is lost";
    EXPECT_LE(outbox->sequence, settled ? told_.kept_event : told_.asked_event);
    EXPECT_EQ(outbox->memory, outbox->sequence == 0 ? "" : "m" + std::to_string(outbox->sequence));
    const std::uint64_t gone = outbox->sequence - outbox->waiting.size();
    EXPECT_GE(gone, told_.taken);
    EXPECT_LE(gone, settled ? told_.taken : told_.asked_taken);
    for (std::size_t i = 0; i < outbox->waiting.size(); ++i) EXPECT_EQ(outbox->waiting[i].sequence, gone + i + 1);
  }

  Registry& registry_;
  MailboxScheduler scheduler_;
  mutable std::mutex mutex_;
  ToldByRegistry told_;  // changed by this thread only
  std::map<std::string, KeyId> keys_;
};

// A bit of everything that a registry does.
void UseRegistry(RegistryCaller& caller) {
  caller.MakeAccounts({"ann"});
  caller.MakeAccounts({"bo", "cy", "leaves", "di"});
  caller.MakeKey("bot");
  caller.MakeKey("old");
  caller.SaveDeck();
  caller.MakeWebhook();
  caller.Deliver(30'000);
  caller.Revoke("old");
  caller.Deliver(10);
  caller.Take(1);
  caller.DeleteOwner();
  caller.Deliver(10);
  caller.MakeAccounts({"ed"});
}

std::unique_ptr<SqliteRegistry> MustOpenRegistry(const std::string& path) {
  auto opened = SqliteRegistry::Open(path, kRegistryClock);
  OPENSEAT_CHECK(opened.has_value(), opened ? "" : opened.error().message.c_str());
  return std::move(*opened);
}

// One run in which call number N fails.
void RunRegistryWithFailure(std::uint64_t call, bool for_long) {
  const std::string where = "call " + std::to_string(call);
  const TemporaryDirectory directory;
  const std::string path = directory.File(kRegistryFileName);
  ToldByRegistry told;
  FaultyVfs vfs;
  vfs.FailAt(call, for_long);
  {
    auto registry = SqliteRegistry::Open(path, kRegistryClock);
    if (registry) {
      RegistryCaller caller(**registry);
      UseRegistry(caller);
      vfs.Heal();
      // Whatever failed, it works again.
      caller.MakeAccounts({"last"});
      EXPECT_TRUE(caller.told().made.contains("last")) << where;
      caller.Check(true, where);
      told = caller.told();
    } else {
      EXPECT_TRUE(registry.error().code == ErrorCode::kIo || registry.error().code == ErrorCode::kInvalid)
          << registry.error().message;
      vfs.Heal();
    }
  }
  auto registry = SqliteRegistry::Open(path, kRegistryClock);
  ASSERT_TRUE(registry) << where << ": " << registry.error().message;
  RegistryCaller(**registry, told).Check(true, where + ", opened again");
}

void FailEachRegistryCallInTurn(bool for_long) {
  // The number of calls without a failure.
  std::uint64_t calls = 0;
  {
    const TemporaryDirectory directory;
    FaultyVfs vfs;
    vfs.FailAt(std::numeric_limits<std::uint64_t>::max(), false);
    const auto registry = MustOpenRegistry(directory.File(kRegistryFileName));
    RegistryCaller caller(*registry);
    UseRegistry(caller);
    calls = vfs.calls();
    const ToldByRegistry told = caller.told();
    ASSERT_TRUE(told.refused.empty() && told.deleted && told.taken == 1 && told.kept_event == 3);
    caller.Check(true, "nothing failed");
  }
  ASSERT_GT(calls, 100u);
  const std::uint64_t stride = RegistryRounds() > 0 ? 1 : 3;
  std::uint64_t runs = 0;
  for (std::uint64_t call = 1; call <= calls; call += stride) {
    RunRegistryWithFailure(call, for_long);
    if (::testing::Test::HasFailure()) return;
    ++runs;
  }
  std::printf("%" PRIu64 " of %" PRIu64 " calls of the disk failed in turn\n", runs, calls);
}

TEST(SqliteRegistryFaults, EveryCallOfTheDiskFailsOnce) {
  FailEachRegistryCallInTurn(false);
}

TEST(SqliteRegistryFaults, EveryCallOfTheDiskFailsForAWhile) {
  FailEachRegistryCallInTurn(true);
}

// What is guaranteed to be on the disk at some moment, with the mark and what was told.
struct RegistryMoment {
  FaultyVfs::Disk disk;
  std::string mark;
  ToldByRegistry told;
};

std::vector<RegistryMoment> MomentsOfARegistry(std::uint64_t every, std::uint64_t offset) {
  const TemporaryDirectory directory;
  std::vector<RegistryMoment> moments;
  FaultyVfs vfs;
  {
    const auto registry = MustOpenRegistry(directory.File(kRegistryFileName));
    RegistryCaller caller(*registry);
    std::uint64_t call = offset;
    vfs.Watch([&](const FaultyVfs::Disk& disk) {
      if (++call % every != 0) return;
      std::ifstream mark(directory.File(kRegistryMarkFileName), std::ios::binary);
      moments.push_back({disk, std::string(std::istreambuf_iterator<char>(mark), {}), caller.told()});
    });
    UseRegistry(caller);
    vfs.Watch({});
  }
  return moments;
}

TEST(SqliteRegistryFaults, WhatWasToldSurvivesAPowerCut) {
  std::minstd_rand random(20261129);
  const int rounds = std::max(RegistryRounds(), 1);
  std::size_t moments = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t every = RegistryRounds() > 0 ? 1 : 2;
    for (const RegistryMoment& moment : MomentsOfARegistry(every, random() % every)) {
      ++moments;
      const TemporaryDirectory directory;
      FaultyVfs::WriteWhatIsLeft(moment.disk, directory.path(), random);
      // As new as possible: of everything told.
      std::ofstream(directory.File(kRegistryMarkFileName), std::ios::binary) << moment.mark;
      const auto registry = SqliteRegistry::Open(directory.File(kRegistryFileName), kRegistryClock);
      ASSERT_TRUE(registry) << registry.error().message;
      RegistryCaller caller(**registry, moment.told);
      caller.Check(false, "moment " + std::to_string(moments));
      if (::testing::Test::HasFailure()) return;
      caller.MakeAccounts({"goes-on"});
      ASSERT_TRUE(caller.told().made.contains("goes-on"));
    }
  }
  EXPECT_GT(moments, 20u);
  std::printf("the power went %zu times\n", moments);
}

}  // namespace
}  // namespace openseat::store
