// kill -9 at any moment: everything acknowledged is there, in order, once, without gaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <random>

#include "store/journal_test_support.h"

namespace openseat::store {
namespace {

constexpr std::uint32_t kTables = 3;

struct Acknowledged {
  std::uint32_t table;
  std::uint64_t last_seq;
};

std::string TableName(std::uint32_t table) {
  return "table-" + std::to_string(table);
}
std::string PayloadOf(Seq seq) {
  return "event " + std::to_string(seq) + std::string(seq % 700, '.');
}

// The child: appends to all tables without pause, a window of calls each, and writes every answer to `out`. Continues
// where the file ends. Never returns.
[[noreturn]] void AppendForEver(const std::string& path, int out) {
  auto journal = SqliteJournal::Open(path);
  if (!journal) _exit(2);
  MailboxScheduler scheduler;
  std::array<Seq, kTables> heads{};
  const auto tables = (*journal)->Tables(kTables);
  if (!tables) _exit(3);
  for (const TableRecord& table : *tables) heads[std::stoul(table.id.str().substr(6))] = table.last_seq;
  std::size_t in_flight = 0;
  for (std::uint32_t turn = 0;; ++turn) {
    const std::uint32_t table = turn % kTables;
    Seq& head = heads[table];
    std::vector<Event> events;
    for (std::uint32_t i = 0; i <= turn % 6; ++i) {
      const Seq seq = head + 1 + i;
      events.push_back(MakeEvent(seq == 1 ? EventKind::kOpened : EventKind::kNote, PayloadOf(seq)));
    }
    const std::size_t count = events.size();
    ++in_flight;
    (*journal)->Append(TableId(TableName(table)), head, std::move(events), scheduler,
                       [&in_flight, table, out](Result<Seq> last) {
                         if (!last) _exit(4);
                         --in_flight;
                         const Acknowledged message{table, *last};
                         if (write(out, &message, sizeof(message)) != sizeof(message)) _exit(5);
                       });
    head += count;
    while (in_flight > 8 * kTables) scheduler.RunSome();
  }
}

TEST(SqliteJournalDurability, WhatWasAcknowledgedSurvivesAKill) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("openseat.db");
  std::array<Seq, kTables> acknowledged{};
  std::minstd_rand random(20261120);
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      AppendForEver(path, ends[1]);
    }
    close(ends[1]);
    // The moment is counted in answers and spread by their timing: no clock, and never the same point twice.
    auto answers_left = static_cast<int>(random() % 400);
    bool killed = false;
    Acknowledged message;
    while (read(ends[0], &message, sizeof(message)) == static_cast<ssize_t>(sizeof(message))) {
      ASSERT_GT(message.last_seq, acknowledged[message.table]);
      acknowledged[message.table] = message.last_seq;
      if (--answers_left < 0 && !killed) {
        ASSERT_EQ(kill(child, SIGKILL), 0);
        killed = true;
      }
    }
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(killed && WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);

    const auto journal = MustOpen(path);
    for (std::uint32_t table = 0; table < kTables; ++table) {
      const auto events = journal->Read(TableId(TableName(table)), 0, std::numeric_limits<std::size_t>::max());
      if (!events) {
        ASSERT_EQ(events.error().code, ErrorCode::kNotFound);
        ASSERT_EQ(acknowledged[table], 0u);
        continue;
      }
      ASSERT_GE(events->size(), acknowledged[table]) << "an acknowledged event is lost";
      for (std::size_t i = 0; i < events->size(); ++i) {
        ASSERT_EQ((*events)[i].seq, i + 1);
        ASSERT_EQ((*events)[i].event.payload, PayloadOf(i + 1));
      }
      acknowledged[table] = events->size();
    }
  }
  EXPECT_THAT(acknowledged, ::testing::Each(::testing::Gt(100u)));
}

}  // namespace
}  // namespace openseat::store
