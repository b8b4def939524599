// Every disk call of the journal fails in turn; and the power fails at any moment. OPENSEAT_STORE_ROUNDS
// runs the long forms (tests/soak/journal.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/faulty_vfs.h"
#include "store/journal_format.h"
#include "store/journal_test_support.h"

namespace openseat::store {
namespace {

// How often to run a test's long form; 0: the short form.
int Rounds() {
  const char* rounds = std::getenv("OPENSEAT_STORE_ROUNDS");
  return rounds == nullptr ? 0 : std::atoi(rounds);
}

// The answers that a caller of the journal got. Any thread.
class Ledger {
 public:
  using Payloads = std::vector<std::string>;
  struct Told {
    std::map<std::string, Payloads> kept;  // by table, in order: accepted by the journal
    std::set<std::string> refused;         // refused by the journal
    std::set<std::string> gone;            // tables that were deleted, or may have been
  };

  // Appends to a table as often as the journal accepts, and records its answers.
  void Append(SqliteJournal& journal, const std::string& table, std::size_t bytes, bool closes = false) {
    const std::string payload = table + " " + std::to_string(++count_) + std::string(bytes, '.');
    Seq head = 0;
    {
      const std::lock_guard lock(mutex_);
      head = told_.kept[table].size();
    }
    std::vector<Event> events;
    events.push_back(MakeEvent(head == 0 ? EventKind::kOpened
                               : closes  ? EventKind::kClosed
                                         : EventKind::kNote,
                               payload));
    const Result<Seq> result = AppendNow(journal, table, head, std::move(events));
    const std::lock_guard lock(mutex_);
    if (result) {
      EXPECT_EQ(*result, head + 1);
      told_.kept[table].push_back(payload);
    } else {
      EXPECT_EQ(result.error().code, ErrorCode::kIo) << result.error().message;
      told_.refused.insert(payload);
    }
  }
  void Forget(SqliteJournal& journal, const std::string& table) {
    {
      const std::lock_guard lock(mutex_);
      told_.gone.insert(table);
    }
    static_cast<void>(journal.Forget(TableId(table)).has_value());
  }
  Told told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  mutable std::mutex mutex_;
  Told told_;
  int count_ = 0;
};

// A bit of everything that a journal does.
void Work(SqliteJournal& journal, Ledger& ledger) {
  ledger.Append(journal, "a", 10);
  ledger.Append(journal, "old", 60'000);
  ledger.Append(journal, "a", 40'000);
  ledger.Append(journal, "b", 10);
  ledger.Append(journal, "old", 10, true);
  static_cast<void>(journal.Read(TableId("a"), 0, kAll).has_value());
  ledger.Append(journal, "a", 10);
  ledger.Forget(journal, "old");
  ledger.Append(journal, "b", 20'000);
  ledger.Forget(journal, "none");  // a slice of garbage is collected after it
  ledger.Append(journal, "a", 10);
  static_cast<void>(journal.Tables(kAll).has_value());
  static_cast<void>(journal.OpenTables(kAll, 0).has_value());
}

std::vector<std::string> PayloadsOf(Journal& journal, const std::string& table) {
  const auto events = journal.Read(TableId(table), 0, kAll);
  if (!events) {
    EXPECT_EQ(events.error().code, ErrorCode::kNotFound) << events.error().message;
    return {};
  }
  std::vector<std::string> out;
  for (const StoredEvent& event : *events) {
    EXPECT_EQ(event.seq, out.size() + 1);
    out.push_back(event.event.payload);
  }
  return out;
}

// One run in which call number N fails.
void RunWithFailure(std::uint64_t call, bool for_long) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("openseat.db");
  Ledger ledger;
  FaultyVfs vfs;
  vfs.FailAt(call, for_long);
  {
    auto journal = SqliteJournal::Open(path);
    if (journal) {
      Work(**journal, ledger);
      vfs.Heal();
      // Whatever failed, it works again.
      const std::size_t kept = ledger.told().kept["a"].size();
      ledger.Append(**journal, "a", 10);
      EXPECT_EQ(ledger.told().kept["a"].size(), kept + 1) << "call " << call;
      for (const auto& [table, payloads] : ledger.told().kept) {
        if (ledger.told().gone.contains(table)) continue;
        EXPECT_EQ(PayloadsOf(**journal, table), payloads) << "call " << call;
      }
    } else {
      EXPECT_TRUE(journal.error().code == ErrorCode::kIo || journal.error().code == ErrorCode::kInvalid)
          << journal.error().message;
      vfs.Heal();
    }
  }
  auto journal = SqliteJournal::Open(path);
  ASSERT_TRUE(journal) << "call " << call << ": " << journal.error().message;
  for (const auto& [table, payloads] : ledger.told().kept) {
    if (ledger.told().gone.contains(table)) continue;
    EXPECT_EQ(PayloadsOf(**journal, table), payloads) << "call " << call;
  }
}

void FailEachCallInTurn(bool for_long) {
  // The number of calls without a failure.
  std::uint64_t calls = 0;
  {
    const TemporaryDirectory directory;
    Ledger ledger;
    FaultyVfs vfs;
    vfs.FailAt(std::numeric_limits<std::uint64_t>::max(), false);
    Work(*MustOpen(directory.File("openseat.db")), ledger);
    calls = vfs.calls();
    ASSERT_TRUE(ledger.told().refused.empty());
  }
  ASSERT_GT(calls, 100u);
  const std::uint64_t stride = Rounds() > 0 ? 1 : 3;
  std::uint64_t runs = 0;
  for (std::uint64_t call = 1; call <= calls; call += stride) {
    RunWithFailure(call, for_long);
    if (::testing::Test::HasFailure()) return;
    ++runs;
  }
  std::printf("%" PRIu64 " of %" PRIu64 " calls of the disk failed in turn\n", runs, calls);
}

TEST(SqliteJournalFaults, EveryCallOfTheDiskFailsOnce) {
  FailEachCallInTurn(false);
}

TEST(SqliteJournalFaults, EveryCallOfTheDiskFailsForAWhile) {
  FailEachCallInTurn(true);
}

// A match's players wait for the disk, but not behind a stranger's recording, however much of it is waiting.
TEST(SqliteJournalFaults, AMatchDoesNotWaitBehindRecordings) {
  constexpr std::size_t kRecordings = 20;
  const TemporaryDirectory directory;
  MailboxScheduler scheduler;
  std::vector<std::string> answered;
  const auto note = [&answered](const char* table) {
    return [&answered, table](const Result<Seq>& result) { answered.emplace_back(result ? table : "nobody"); };
  };
  FaultyVfs vfs;
  const auto journal = MustOpen(directory.File("openseat.db"));
  // The disk stalls until everything is appended.
  std::promise<void> disk;
  vfs.Watch([goes = disk.get_future().share()](const FaultyVfs::Disk&) { goes.wait(); });
  for (Seq seq = 0; seq < kRecordings; ++seq) {
    journal->Append(TableId("game"), seq, seq == 0 ? Opened() : Note(std::string(500'000, 'x')), scheduler,
                    note("game"), {.expendable = true});
  }
  journal->Append(TableId("match"), 0, Opened(), scheduler, note("match"));
  disk.set_value();
  while (answered.size() < kRecordings + 1) scheduler.RunSome();
  // What was in progress, and what goes along with the match.
  EXPECT_LT(std::ranges::find(answered, "match") - answered.begin(), 8);
  EXPECT_EQ(std::ranges::count(answered, "game"), kRecordings);
  vfs.Watch({});
}

// What is guaranteed to be on the disk at some moment, with the mark and the acknowledged appends.
struct Moment {
  FaultyVfs::Disk disk;
  std::string mark;
  Ledger::Told told;
};

std::vector<Moment> MomentsOfARun(std::uint64_t every, std::uint64_t offset) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("openseat.db");
  std::vector<Moment> moments;
  Ledger ledger;
  FaultyVfs vfs;
  std::uint64_t call = offset;
  vfs.Watch([&](const FaultyVfs::Disk& disk) {
    if (++call % every != 0) return;
    std::ifstream mark(path + kMarkSuffix, std::ios::binary);
    moments.push_back({disk, std::string(std::istreambuf_iterator<char>(mark), {}), ledger.told()});
  });
  Work(*MustOpen(path), ledger);
  vfs.Watch({});
  return moments;
}

TEST(SqliteJournalFaults, WhatWasAcknowledgedSurvivesAPowerCut) {
  std::minstd_rand random(20261122);
  const int rounds = std::max(Rounds(), 1);
  std::size_t moments = 0;
  std::size_t judged = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t every = Rounds() > 0 ? 1 : 4;
    for (const Moment& moment : MomentsOfARun(every, random() % every)) {
      ++moments;
      const TemporaryDirectory directory;
      FaultyVfs::WriteWhatIsLeft(moment.disk, directory.path(), random);
      const std::string path = directory.File("openseat.db");
      // As new as possible: of everything acknowledged.
      std::ofstream(path + kMarkSuffix, std::ios::binary) << moment.mark;
      auto journal = SqliteJournal::Open(path);
      ASSERT_TRUE(journal) << journal.error().message;
      for (const auto& [table, payloads] : moment.told.kept) {
        if (moment.told.gone.contains(table)) continue;
        const std::vector<std::string> left = PayloadsOf(**journal, table);
        ASSERT_GE(left.size(), payloads.size()) << "an acknowledged event is lost";
        ASSERT_LE(left.size(), payloads.size() + 1) << "only one append is under way";
        ASSERT_TRUE(std::equal(payloads.begin(), payloads.end(), left.begin()));
        ++judged;
        ASSERT_TRUE(AppendNow(**journal, table, left.size(), left.empty() ? Opened() : Note("goes on")));
      }
    }
  }
  EXPECT_GT(judged, 20u);
  std::printf("the power went %zu times, %zu tables were looked at\n", moments, judged);
}

}  // namespace
}  // namespace openseat::store
