// What only the journal on NATS does: other owners, servers that stop, and damage.
#include "store/nats_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

#include "store/journal_test_support.h"
#include "store/nats_test_server.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NatsJournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NatsTestServer::installed()) GTEST_SKIP() << NatsTestServer::kMissing;
  }
  // Reads, and owns nothing.
  std::unique_ptr<NatsJournal> OpenReader(const NatsTestServer& server) const { return MustOpen(Options(server)); }
  NatsJournalOptions Options(const NatsTestServer& server, std::size_t shards = 4) const {
    NatsJournalOptions options;
    options.link.servers = server.url();
    options.cluster = cluster_;
    options.shards = shards;
    return options;
  }
  static std::unique_ptr<NatsJournal> MustOpen(const NatsJournalOptions& options) {
    auto journal = NatsJournal::Open(options);
    if (!journal) {
      ADD_FAILURE() << journal.error().message;
      std::abort();
    }
    return std::move(*journal);
  }
  // A journal with room for 150 kB that wait, and with the tables "stranger" and "own". The server then stands still.
  std::unique_ptr<NatsJournal> FreezeWithTwoTables(const NatsTestServer& server) const {
    NatsJournalOptions options = Options(server, 1);
    options.backlog_bytes = 150'000;
    auto journal = MustClaim(options);
    for (const char* table : {"stranger", "own"}) EXPECT_TRUE(AppendNow(*journal, table, 0, Opened()));
    server.Freeze();
    return journal;
  }
  // With all shards.
  static std::unique_ptr<NatsJournal> MustClaim(NatsJournalOptions options) {
    options.settle_timeout = std::chrono::minutes(2);
    auto journal = MustOpen(options);
    const Result<void> claimed = journal->ClaimAll();
    EXPECT_TRUE(claimed) << claimed.error().message;
    return journal;
  }

  const std::string cluster_ = NatsTestServer::NewCluster();
};

// A message to a shard's stream that no journal sends.
void PublishRaw(const NatsTestServer& server, const std::string& subject, const std::string& header,
                const std::string& body) {
  std::promise<std::optional<std::uint64_t>> answer;
  auto link = NatsLink::Connect({server.url(), "test"},
                                [&](std::string_view, const NatsLink::Answer& got) { answer.set_value(got.position); });
  ASSERT_TRUE(link) << link.error().message;
  ASSERT_TRUE((*link)->Publish({subject, header, 0, "raw", body}));
  std::future<std::optional<std::uint64_t>> answered = answer.get_future();
  ASSERT_EQ(answered.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  ASSERT_TRUE(answered.get().has_value());
}

TEST_F(NatsJournalTest, AnotherNodesClaimEndsOurs) {
  const NatsTestServer& server = NatsTestServer::Shared();
  const auto old_owner = MustOpenNats(server, cluster_);
  ASSERT_TRUE(AppendNow(*old_owner, "a", 0, Opened("one")));
  ASSERT_TRUE(old_owner->Owns(TableId("a")));
  const auto new_owner = MustOpenNats(server, cluster_);
  // It does not know yet.
  ASSERT_TRUE(old_owner->Owns(TableId("a")));
  const Result<Seq> refused = AppendNow(*old_owner, "a", 1, Note("not two"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("another node"));
  EXPECT_FALSE(old_owner->Owns(TableId("a")));
  EXPECT_EQ(AppendNow(*old_owner, "a", 1, Note("not two")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(old_owner->owned() & (std::uint64_t{1} << old_owner->ShardNumber(TableId("a"))), 0u);

  EXPECT_EQ(AppendNow(*new_owner, "a", 1, Note("two")), Seq{2});
  EXPECT_THAT(Payloads(new_owner->Read(TableId("a"), 0, kAll)), ElementsAre("one", "two"));
  // Who owns nothing reads the same, and the former owner may claim again.
  EXPECT_THAT(Payloads(old_owner->Read(TableId("a"), 0, kAll)), ElementsAre("one", "two"));
  EXPECT_THAT(Payloads(OpenReader(server)->Read(TableId("a"), 0, kAll)), ElementsAre("one", "two"));
  ASSERT_TRUE(old_owner->ClaimAll());
  EXPECT_EQ(AppendNow(*old_owner, "a", 2, Note("three")), Seq{3});
  EXPECT_EQ(AppendNow(*new_owner, "a", 2, Note("not three")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(AppendNow(*old_owner, "a", 3, Note("four")), Seq{4});
}

// Two owners that both append without waiting, and claim in turn: what was acknowledged is there once, in order.
TEST_F(NatsJournalTest, OfRacingOwnersEveryAcknowledgedEventCounts) {
  const NatsTestServer& server = NatsTestServer::Shared();
  const std::unique_ptr<NatsJournal> nodes[] = {MustOpenNats(server, cluster_), MustOpenNats(server, cluster_)};
  ASSERT_TRUE(AppendNow(*nodes[1], "a", 0, Opened("opened")));
  MailboxScheduler scheduler;
  std::vector<std::string> acknowledged;
  std::size_t answers = 0;
  std::size_t calls = 0;
  for (int round = 0; round < 20; ++round) {
    NatsJournal& owner = *nodes[round % 2];
    NatsJournal& other = *nodes[1 - round % 2];
    ASSERT_TRUE(owner.ClaimAll());
    const Seq last = owner.Find(TableId("a"))->last_seq;
    for (Seq i = 0; i < 10; ++i) {
      for (NatsJournal* node : {&owner, &other}) {
        const std::string text = std::to_string(round) + "." + std::to_string(i) + (node == &owner ? "" : " stale");
        ++calls;
        node->Append(TableId("a"), last + i, Note(text), scheduler, [&, text](const Result<Seq>& result) {
          if (result) acknowledged.push_back(text);
          ++answers;
        });
      }
    }
    while (answers < calls) scheduler.RunSome();
  }
  std::vector<std::string> read = Payloads(nodes[1]->Read(TableId("a"), 0, kAll));
  ASSERT_FALSE(read.empty());
  read.erase(read.begin());
  EXPECT_EQ(read, acknowledged);
  EXPECT_EQ(read.size(), 200u);
  EXPECT_EQ(Payloads(OpenReader(server)->Read(TableId("a"), 1, kAll)), acknowledged);
}

TEST_F(NatsJournalTest, WhatDoesNotCountChangesNothing) {
  const NatsTestServer& server = NatsTestServer::Shared();
  const auto journal = MustOpenNats(server, cluster_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("one")));
  const NatsShardNames names(cluster_, 4, NatsShardOf(TableId("a"), 4));
  // Of a writer that was replaced, and of one that lost a message: the server compared nothing.
  ChunkBuilder chunk;
  chunk.Add(MakeEvent(EventKind::kNote, "not two"));
  const auto number = journal->Find(TableId("a"))->number;
  const std::string body(chunk.Finish(number, 2));
  PublishRaw(server, names.TableSubject(TableId("a")), WriteNatsStamp({{1, 5, 1}, 1, 1, number, 2, 1, 0, false}), body);
  PublishRaw(server, names.TableSubject(TableId("b")), WriteNatsStamp({{1, 5, 9}, 1, 1, number, 1, 1, 0, false}), body);
  EXPECT_EQ(AppendNow(*journal, "a", 1, Note("two")), Seq{2});
  EXPECT_EQ(AppendNow(*journal, "a", 2, Note("three")), Seq{3});
  const auto other = OpenReader(server);
  for (NatsJournal* reader : {journal.get(), other.get()}) {
    EXPECT_THAT(Payloads(reader->Read(TableId("a"), 0, kAll)), ElementsAre("one", "two", "three"));
    EXPECT_EQ(reader->Find(TableId("b")).error().code, ErrorCode::kNotFound);
  }
}

TEST_F(NatsJournalTest, AMessageThatItDoesNotUnderstandStopsTheShard) {
  const NatsTestServer& server = NatsTestServer::Shared();
  ASSERT_TRUE(AppendNow(*MustOpenNats(server, cluster_), "a", 0, Opened("one")));
  PublishRaw(server, NatsShardNames(cluster_, 4, 0).claim, "2 of a later version", "");
  NatsJournalOptions options;
  options.link.servers = server.url();
  options.cluster = cluster_;
  options.shards = 4;
  EXPECT_EQ(NatsJournal::Open(options).error().code, ErrorCode::kUnsupported);
}

TEST_F(NatsJournalTest, SaysWhyItCannotStart) {
  EXPECT_EQ(ShownServers("nats://a:p@ss@host:1,tls://b"), "nats://host:1,tls://b");
  NatsJournalOptions options;
  options.link.servers = "nats://127.0.0.1:1";
  EXPECT_EQ(NatsJournal::Open(options).error().code, ErrorCode::kIo);
  EXPECT_THAT(NatsJournal::Open(options).error().message, HasSubstr("cannot connect to NATS at nats://127.0.0.1:1"));
  options.cluster = "a.b";
  EXPECT_EQ(NatsJournal::Open(options).error().code, ErrorCode::kInvalid);
}

TEST_F(NatsJournalTest, WaitsWhileTheServerIsFrozenAndGoesOn) {
  NatsTestServer server;
  const auto journal = MustOpenNats(server, cluster_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("1")));
  MailboxScheduler scheduler;
  std::vector<Result<Seq>> results;
  server.Freeze();
  for (Seq seq = 1; seq < 100; ++seq) {
    journal->Append(TableId("a"), seq, Note(std::to_string(seq + 1)), scheduler,
                    [&results](Result<Seq> result) { results.push_back(std::move(result)); });
  }
  // It looks for the messages whose answers do not come, and cannot.
  WaitUntil("the journal notices", [&] { return !journal->Writable(); });
  EXPECT_EQ(journal->Writable().error().code, ErrorCode::kIo);
  EXPECT_EQ(scheduler.posts(), 0u);
  server.Thaw();
  while (results.size() < 99) scheduler.RunSome();
  for (Seq i = 0; i < 99; ++i) EXPECT_EQ(results[i], i + 2);
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), 100u);
  WaitUntil("it is asked whether a majority is there", [&] { return journal->Writable().has_value(); });
}

TEST_F(NatsJournalTest, NoticesWhileNothingIsWritten) {
  NatsTestServer server;
  const auto journal = MustOpenNats(server, cluster_);
  EXPECT_TRUE(journal->Writable());
  server.Freeze();
  WaitUntil("the journal notices", [&] { return !journal->Writable(); });
  EXPECT_THAT(journal->Writable().error().message, HasSubstr("is a majority of its servers running?"));
  // Also where it looked whether the shards are still its own, in vain at first.
  std::thread check([&journal] { journal->CheckClaims(); });
  WaitUntil("the check fails", [&] {
    const Result<void> writable = journal->Writable();
    return !writable && writable.error().message.find("STREAM.INFO") != std::string::npos;
  });
  server.Thaw();
  check.join();
  WaitUntil("the journal can be written", [&] { return journal->Writable().has_value(); });
}

TEST_F(NatsJournalTest, NothingIsLostOrDoubledWhenTheServerIsKilled) {
  NatsTestServer server;
  const auto journal = MustOpenNats(server, cluster_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("1")));
  MailboxScheduler scheduler;
  Seq answered = 1;
  Seq made = 1;
  for (int kill = 0; kill < 3; ++kill) {
    for (int i = 0; i < 200; ++i, ++made) {
      journal->Append(TableId("a"), made, Note(std::to_string(made + 1)), scheduler,
                      [&answered](const Result<Seq>& result) {
                        ASSERT_TRUE(result) << result.error().message;
                        ASSERT_EQ(*result, answered + 1);
                        ++answered;
                      });
    }
    // Some are acknowledged, and some are on the way.
    const Seq before = answered;
    while (answered == before) scheduler.RunSome();
    server.Kill();
    server.Restart();
  }
  while (answered < made) scheduler.RunSome();
  const auto read = journal->Read(TableId("a"), 0, kAll);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), made);
  for (Seq i = 0; i < made; ++i) EXPECT_EQ((*read)[i].event.payload, std::to_string(i + 1));
}

// A replica that has not caught up answers like a server that has lost the messages.
TEST_F(NatsJournalTest, WhatAServerDoesNotFindNowIsNotMissingForGood) {
  const NatsTestServer& server = NatsTestServer::Shared();
  NatsJournalOptions options;
  options.link.servers = server.url();
  options.cluster = cluster_;
  options.shards = 1;
  const auto opened = NatsJournal::Open(options);
  ASSERT_TRUE(opened) << opened.error().message;
  NatsJournal& journal = **opened;
  ASSERT_TRUE(journal.ClaimAll());
  ASSERT_TRUE(AppendNow(journal, "large", 0, Opened(std::string(3 * kNatsPartBytes, 'x'))));
  ASSERT_TRUE(AppendNow(journal, "lost", 0, Opened("lost")));
  auto link = NatsLink::Connect({server.url(), "test"}, [](std::string_view, const NatsLink::Answer&) {});
  ASSERT_TRUE(link) << link.error().message;
  const std::string stream = NatsShardNames(cluster_, 1, 0).stream;
  const std::uint64_t last = *(*link)->LastPosition(stream);
  ASSERT_TRUE(AppendNow(journal, "kept", 0, Opened("kept")));
  const auto expect_unread = [&](const char* table) {
    EXPECT_EQ(journal.Read(TableId(table), 0, kAll).error().code, ErrorCode::kIo);
    EXPECT_EQ(journal.Find(TableId(table)).error().code, ErrorCode::kIo);
  };
  ASSERT_TRUE((*link)->Purge(stream, last - 1));  // the large one's last part is there
  expect_unread("large");
  ASSERT_TRUE((*link)->Purge(stream, last + 1));
  expect_unread("lost");
  // The others are listed nevertheless.
  const Result<std::vector<TableRecord>> tables = journal.OpenTablesOf(0);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 3u);
  EXPECT_EQ(tables->at(0).opened_payload, "");
  EXPECT_EQ(tables->at(1).opened_payload, "");
  EXPECT_EQ(tables->at(2).opened_payload, "kept");
}

TEST_F(NatsJournalTest, DoesNotGoOnFromAStreamThatLacksMessages) {
  NatsTestServer server;
  const auto owner = MustOpenNats(server, cluster_);
  const auto other = OpenReader(server);
  const std::size_t shard = other->ShardNumber(TableId("a"));
  const auto nothing = [](std::string_view, std::string_view) {};
  ASSERT_TRUE(other->ListenToNodes(nothing, [](std::size_t) {}));
  ASSERT_TRUE(AppendNow(*owner, "a", 0, Opened("1")));
  server.Kill();
  server.Keep("early");
  server.Restart();
  ASSERT_TRUE(AppendNow(*owner, "a", 1, Note("2")));
  // The other node has not read it, but was told.
  while (other->End(shard) < owner->End(shard)) std::this_thread::yield();
  server.Kill();
  server.Keep("late");
  server.TakeBack("early");
  server.Restart();
  MailboxScheduler scheduler;
  std::optional<Result<Seq>> result;
  owner->Append(TableId("a"), 2, Note("3"), scheduler, [&result](Result<Seq> done) { result = std::move(done); });
  std::thread claim([&other, shard] {
    while (!other->Claim(shard)) std::this_thread::yield();
  });
  for (const NatsJournal* each : {owner.get(), other.get()}) {
    while (each->Writable() || each->Writable().error().message.find("NATS has only") == std::string::npos) {
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(scheduler.posts(), 0u);
  server.Kill();
  server.TakeBack("late");
  server.Restart();
  claim.join();
  while (!result) scheduler.RunSome();
  // Either the append or the claim came first.
  const auto read = other->Read(TableId("a"), 0, kAll);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->size(), *result ? 3u : 2u);
}

TEST_F(NatsJournalTest, HasTheShardsOfACluster) {
  const NatsTestServer& server = NatsTestServer::Shared();
  {
    const auto journal = MustOpenNats(server, cluster_, kNatsShards);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(AppendNow(*journal, std::to_string(i), 0, Opened(std::to_string(i))));
  }
  const auto journal = MustOpenNats(server, cluster_, kNatsShards);
  const auto tables = journal->Tables(50);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(tables->at(i).opened_payload, std::to_string(199 - i));
  EXPECT_EQ(journal->Tables(kAll, tables->back().number)->size(), 150u);
  // Those of some shards, without some.
  const std::uint64_t half = 0x5555'5555'5555'5555;
  const auto some = journal->TablesOf(half, kAll, Journal::kNewest, [](const TableId& id) { return id.str() != "7"; });
  ASSERT_TRUE(some) << some.error().message;
  std::size_t expected = 0;
  for (int i = 0; i < 200; ++i)
    expected += i != 7 && ((half >> NatsShardOf(TableId(std::to_string(i)), kNatsShards)) & 1);
  EXPECT_EQ(some->size(), expected);
  for (const TableRecord& record : *some) {
    EXPECT_NE(record.id, TableId("7"));
    EXPECT_EQ((half >> NatsShardOf(record.id, kNatsShards)) & 1, 1u);
  }
  // They are as many as are asked for, whatever is left out.
  const std::string newest = journal->Tables(1)->front().id.str();
  const auto two = journal->TablesOf(~std::uint64_t{0}, 2, Journal::kNewest,
                                     [&newest](const TableId& id) { return id.str() != newest; });
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ(two->front().id, TableId("198"));
  ASSERT_TRUE(AppendNow(*journal, "new", 0, Opened("new")));
  EXPECT_EQ(journal->Tables(1)->front().id, TableId("new"));
  // A shard whose tables are not served yet, or no more, gives no names; it is still written.
  journal->NameOnly(0);
  EXPECT_FALSE(journal->Owns(TableId("new")));
  EXPECT_TRUE(journal->OpenTables(kAll, 0)->empty()) << "nor is there one to go on with";
  EXPECT_NE(journal->owned(), 0u);
  EXPECT_TRUE(AppendNow(*journal, "new", 1, Note("more")));
  journal->NameOnly(journal->owned());
  EXPECT_TRUE(journal->Owns(TableId("new")));
}

// How many events of `bytes` each a table of this name gets before one is refused, and why.
std::pair<Seq, std::string> Fill(NatsJournal& journal, const std::string& table, std::size_t bytes, AppendTerms terms) {
  constexpr Seq kMostEvents = 1000;
  Result<Seq> result = AppendNow(journal, table, 0, Opened(), terms);
  Seq made = 0;
  while (result && made < kMostEvents) {
    made = *result;
    result = AppendNow(journal, table, made, Note(std::string(bytes, 'x')), terms);
  }
  if (result) return {made, "no end"};
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  return {made, result.error().message};
}

TEST_F(NatsJournalTest, RecordingsAndStrangersLeaveTheReserve) {
  const NatsTestServer& server = NatsTestServer::Shared();
  NatsJournalOptions options = Options(server);
  options.room = {.max_bytes = 2'000'000, .reserve_bytes = 800'000};
  Metrics metrics;
  options.metrics = &metrics;
  const auto journal = MustClaim(options);
  const auto recording = Fill(*journal, "game", 20'000, {.expendable = true});
  EXPECT_GT(recording.first, 40u);
  EXPECT_LT(recording.first, 65u);
  EXPECT_THAT(recording.second, HasSubstr("the rest is reserved for hosted matches"));
  EXPECT_TRUE(journal->Writable());
  const auto stranger = Fill(*journal, "stranger", 20'000, {.of_stranger = true});
  EXPECT_GT(stranger.first, 10u);
  EXPECT_LT(stranger.first, 30u);
  EXPECT_THAT(stranger.second, HasSubstr("the rest is reserved for matches of this machine and the administrator"));
  const auto own = Fill(*journal, "own", 20'000, {});
  EXPECT_GT(own.first, 10u);
  EXPECT_THAT(own.second, HasSubstr("the journal has reached its limit of 2000000 bytes"));
  // Up to the last bytes, which NATS may count a little later than this node.
  int tables = 0;
  const auto is_full = [&tables](NatsJournal& node) {
    Fill(node, "short" + std::to_string(++tables), 1'000, {});
    return !node.Writable();
  };
  WaitUntil("it cannot be written", [&] { return is_full(*journal); });
  WaitUntil("refusals are counted", [&] {
    return metrics.Text().find(R"(openseat_refused_total{budget="journal.max_bytes"} 2)") != std::string::npos;
  });

  // Another node may claim all that, and finds as little room.
  const auto other = MustClaim(options);
  WaitUntil("the other node cannot write", [&] { return is_full(*other); });
  EXPECT_THAT(Fill(*other, "second-game", 20'000, {.expendable = true}).second, HasSubstr("its limit of 2000000"));
  // One with a higher limit goes on.
  options.room.max_bytes = 20'000'000;
  const auto higher = MustClaim(options);
  EXPECT_TRUE(AppendNow(*higher, "own", own.first, Note("more")));
}

TEST_F(NatsJournalTest, LeavesTheReserveOfWhatTheAccountHas) {
  const NatsTestServer server(
      "accounts { a { jetstream { max_mem: 1M, max_file: 32M }, users: [ {user: a, password: a} ] } }\n"
      "no_auth_user: a\n");
  NatsJournalOptions options = Options(server, 1);
  options.room = {.max_bytes = 0, .reserve_bytes = 8'000'000};
  const auto journal = MustClaim(options);
  const auto recording = Fill(*journal, "game", 400'000, {.expendable = true});
  EXPECT_GT(recording.first, 40u);
  EXPECT_LT(recording.first, 70u);
  EXPECT_THAT(recording.second, HasSubstr("NATS is nearly full; the rest ([journal] reserve_bytes) is reserved for"));
  EXPECT_THAT(Fill(*journal, "own", 400'000, {}).second, HasSubstr("NATS has no room left for the journal"));
  // Claims have room.
  MustClaim(options);
}

TEST_F(NatsJournalTest, RecordingsStopWhenTheServerIsFullAndTheRestWaits) {
  const NatsTestServer server("", "  max_file_store: 4MB");
  auto link = NatsLink::Connect({server.url(), "test"}, [](std::string_view, const NatsLink::Answer&) {});
  ASSERT_TRUE(link) << link.error().message;
  ASSERT_TRUE((*link)->MakeStream("others", "others"));
  const std::string large(std::size_t{500'000}, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE((*link)->Publish({"others", "x", 0, "others", large}));
  NatsJournalOptions later = Options(server, 1);
  later.cluster = NatsTestServer::NewCluster();
  later.settle_timeout = std::chrono::seconds(1);
  const auto claims_later = MustOpen(later);
  const auto journal = MustClaim(Options(server, 2));
  // Of different shards.
  const std::string own = "a";
  std::string game = "b";
  while (journal->ShardNumber(TableId(game)) == journal->ShardNumber(TableId(own))) game += "b";
  MailboxScheduler scheduler;
  std::vector<Result<Seq>> results;
  constexpr Seq kAppends = 8;
  for (Seq seq = 0; seq < kAppends; ++seq) {
    journal->Append(TableId(own), seq, seq == 0 ? Opened(large) : Note(large), scheduler,
                    [&results](Result<Seq> result) { results.push_back(std::move(result)); });
  }
  WaitUntil("NATS is full", [&] {
    const Result<void> writable = journal->Writable();
    return !writable && writable.error().message.find("NATS has no room left (max_file_store") != std::string::npos;
  });
  for (const AppendTerms& terms : {AppendTerms{.expendable = true}, AppendTerms{.of_stranger = true}}) {
    const Result<Seq> refused = AppendNow(*journal, game, 0, Opened(), terms);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, HasSubstr("once it has room again, that is reserved for"));
  }
  WaitUntil("a claim is refused, too", [&] {
    const Result<void> claimed = claims_later->Claim(0);
    return !claimed && claimed.error().code == ErrorCode::kTimeout &&
           claimed.error().message.find("; it has no room left (max_file_store") != std::string::npos;
  });
  const Result<std::uint64_t> last = (*link)->LastPosition("others");
  ASSERT_TRUE(last) << last.error().message;
  ASSERT_TRUE((*link)->Purge("others", *last + 1));
  while (results.size() < kAppends) scheduler.RunSome();
  for (Seq i = 0; i < kAppends; ++i) EXPECT_EQ(results[i], i + 1);
}

TEST_F(NatsJournalTest, AppendNeverWaits) {
  NatsTestServer server;
  const auto journal = FreezeWithTwoTables(server);
  MailboxScheduler scheduler;
  constexpr Seq kAppends = 200;
  const auto fill = [&](const std::string& table, AppendTerms terms, std::vector<Result<Seq>>& results) {
    for (Seq seq = 1; seq <= kAppends; ++seq) {
      journal->Append(
          TableId(table), seq, Note(std::string(1000, 'x')), scheduler,
          [&results](Result<Seq> result) { results.push_back(std::move(result)); }, terms);
    }
  };
  std::vector<Result<Seq>> stranger;
  std::vector<Result<Seq>> own;
  fill("stranger", {.of_stranger = true}, stranger);
  fill("own", {}, own);
  server.Thaw();
  while (stranger.size() < kAppends || own.size() < kAppends) scheduler.RunSome();
  for (const std::vector<Result<Seq>>* results : {&stranger, &own}) {
    const auto refused = std::ranges::find_if(*results, [](const Result<Seq>& result) { return !result; });
    ASSERT_NE(refused, results->end());
    EXPECT_EQ(refused->error().code, ErrorCode::kIo);
    EXPECT_THAT(refused->error().message, HasSubstr("NATS is too slow for the events to record"));
    EXPECT_TRUE(std::all_of(refused, results->end(), [](const Result<Seq>& result) { return !result; }));
    const auto kept = static_cast<Seq>(refused - results->begin());
    EXPECT_GT(kept, 10u) << "strangers who are refused leave a third";
    const std::string table = results == &own ? "own" : "stranger";
    EXPECT_EQ(journal->Read(TableId(table), 0, kAll)->size(), kept + 1);
    // It goes on.
    EXPECT_TRUE(AppendNow(*journal, table, kept + 1, Note("more")));
  }
}

TEST_F(NatsJournalTest, RefusalsThatWaitCountToo) {
  NatsTestServer server;
  const auto journal = FreezeWithTwoTables(server);
  MailboxScheduler scheduler;
  constexpr std::size_t kAppends = 10'000;
  std::vector<Result<Seq>> results;
  const auto append = [&](const std::string& table, Seq expected, AppendTerms terms) {
    journal->Append(
        TableId(table), expected, Note("x"), scheduler,
        [&results](Result<Seq> result) { results.push_back(std::move(result)); }, terms);
  };
  for (Seq seq = 1; seq < kAppends; ++seq) append("stranger", seq, {.of_stranger = true});
  append("own", 1, {});
  server.Thaw();
  while (results.size() < kAppends) scheduler.RunSome();
  EXPECT_TRUE(results.front());
  EXPECT_FALSE(results.back()) << "after so many refusals";
  EXPECT_TRUE(AppendNow(*journal, "own", 1, Note("more")));
}

TEST_F(NatsJournalTest, OldClosedTablesAreReadFromTheStream) {
  const NatsTestServer& server = NatsTestServer::Shared();
  NatsJournalOptions options = Options(server, 1);
  options.closed_tables = 3;
  constexpr Seq kLong = 100;  // more messages than the index keeps of a closed table
  const auto owner = MustClaim(options);
  ASSERT_TRUE(AppendNow(*owner, "open", 0, Opened("open")));
  ASSERT_TRUE(AppendNow(*owner, "long", 0, Opened("long")));
  for (Seq seq = 1; seq < kLong; ++seq) ASSERT_TRUE(AppendNow(*owner, "long", seq, Note(std::to_string(seq))));
  ASSERT_TRUE(AppendNow(*owner, "long", kLong, Closed()));
  // Its places are only in the stream now.
  EXPECT_EQ(owner->Read(TableId("long"), 0, kAll)->size(), kLong + 1);
  for (int i = 0; i < 5; ++i) {
    const std::string table = std::to_string(i);
    ASSERT_TRUE(AppendNow(*owner, table, 0, Opened(table)));
    // A message that does not count.
    const NatsShardNames names(cluster_, 1, 0);
    PublishRaw(server, names.TableSubject(TableId(table)), WriteNatsStamp({{1, 5, 9}, 1, 1, 64, 2, 1, 0, false}), "");
    ASSERT_TRUE(AppendNow(*owner, table, 1, Closed()));
  }
  const auto reader = MustOpen(options);
  for (NatsJournal* node : {owner.get(), reader.get()}) {
    std::vector<std::string> listed;
    const Result<std::vector<TableRecord>> tables = node->Tables(kAll);
    ASSERT_TRUE(tables) << tables.error().message;
    for (const TableRecord& record : *tables) listed.push_back(record.id.str());
    EXPECT_THAT(listed, ElementsAre("4", "3", "2", "open"));
    const Result<TableRecord> found = node->Find(TableId("0"));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->opened_payload, "0");
    EXPECT_EQ(found->last_seq, 2u);
    EXPECT_TRUE(found->closed);
    EXPECT_THAT(Payloads(node->Read(TableId("0"), 0, kAll)), ElementsAre("0", "{}"));
    EXPECT_EQ(node->Read(TableId("long"), 0, kAll)->size(), kLong + 1);
    EXPECT_EQ(node->Read(TableId("long"), kLong - 2, 2)->front().event.payload, std::to_string(kLong - 2));
    EXPECT_EQ(node->Find(TableId("none")).error().code, ErrorCode::kNotFound);
  }
  EXPECT_EQ(AppendNow(*owner, "0", 0, Opened("again")).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(AppendNow(*owner, "open", 1, Note("more")));
}

// A connection whose consumers end after some messages.
class ShortLink final : public NatsLink {
 public:
  explicit ShortLink(std::unique_ptr<NatsLink> link) : link_(std::move(link)) {}
  Result<void> MakeStream(const std::string& stream, const std::string& subjects) override {
    return link_->MakeStream(stream, subjects);
  }
  Result<std::uint64_t> LastPosition(const std::string& stream) override { return link_->LastPosition(stream); }
  Result<void> Read(const Reading& reading, const std::function<bool(NatsMessage)>& got) override {
    std::size_t count = 0;
    return link_->Read(reading, [&](NatsMessage message) { return got(std::move(message)) && ++count < most; });
  }
  Result<void> Follow(const std::string& stream, std::uint64_t from,
                      const std::function<bool(NatsMessage)>& got) override {
    return link_->Follow(stream, from, got);
  }
  Result<void> MoveLeader(const std::string& stream) override { return link_->MoveLeader(stream); }
  Result<void> Purge(const std::string& stream, std::uint64_t before) override { return link_->Purge(stream, before); }
  Result<std::vector<NatsMessage>> Get(const std::vector<std::pair<std::string, std::uint64_t>>& places) override {
    return link_->Get(places);
  }
  Result<void> Publish(const Post& post) override { return link_->Publish(post); }
  Result<void> AskAboutStream(const std::string& stream, const std::string& token) override {
    return link_->AskAboutStream(stream, token);
  }
  Result<void> AskForRoom(const std::string& token) override { return link_->AskForRoom(token); }
  Result<void> Listen(const std::string& subjects, Heard heard) override {
    return link_->Listen(subjects, std::move(heard));
  }
  void StopListening() override { link_->StopListening(); }
  Result<void> Tell(const std::string& subject, std::string_view body) override { return link_->Tell(subject, body); }
  std::size_t max_bytes() const override { return link_->max_bytes(); }

  std::size_t most = SIZE_MAX;

 private:
  const std::unique_ptr<NatsLink> link_;
};

TEST_F(NatsJournalTest, AnOldTableWithoutItsEndIsNotRead) {
  const NatsTestServer& server = NatsTestServer::Shared();
  const auto owner = MustClaim(Options(server, 1));
  for (const char* table : {"old", "new"}) {
    ASSERT_TRUE(AppendNow(*owner, table, 0, Opened(table)));
    ASSERT_TRUE(AppendNow(*owner, table, 1, Closed()));
  }
  auto connected = NatsLink::Connect({server.url(), "test"}, [](std::string_view, const NatsLink::Answer&) {});
  ASSERT_TRUE(connected) << connected.error().message;
  ShortLink link(std::move(*connected));
  NatsShardsWorld world;
  world.closed_tables = 1;
  NatsShard shard(link, world, NatsShardNames(cluster_, 1, 0), 0);
  ASSERT_TRUE(shard.Open());
  link.most = 1;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(shard.Read(TableId("old"), 0, kAll).error().code, ErrorCode::kIo);
  link.most = SIZE_MAX;
  EXPECT_THAT(Payloads(shard.Read(TableId("old"), 0, kAll)), ElementsAre("old", "{}"));
}

}  // namespace
}  // namespace openseat::store
