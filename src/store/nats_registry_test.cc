// The registry of a cluster: several nodes on one NATS server, which dies, freezes and comes back.
#include "store/nats_registry.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "base/rng.h"
#include "store/registry_test_support.h"
#include "testing/fake_scheduler.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// One node, with calls that wait.
class RegistryNode {
 public:
  RegistryNode(const NatsRegistryOptions& options, const Clock& clock)
      : registry_(MustOpenNatsRegistry(options, clock)) {}

  NatsRegistry& registry() { return *registry_; }
  MailboxScheduler& scheduler() { return scheduler_; }

  template <typename T, typename Call>
  Result<T> Ask(const Call& call) {
    return AskRegistry<T>(scheduler_, call);
  }
  Result<Account> CreateAccount(const std::string& name) {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->CreateAccount(name, scheduler, done); });
  }
  Result<Account> FindAccount(const std::string& name) {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->FindAccount(name, scheduler, done); });
  }
  std::vector<std::string> Accounts() {
    const auto accounts =
        *Ask<std::vector<Account>>([&](auto& scheduler, auto done) { registry_->ListAccounts(scheduler, done); });
    std::vector<std::string> names;
    for (const Account& account : accounts) names.push_back(account.name);
    return names;
  }
  Result<CreatedKey> CreateKey(const std::string& label) {
    return Ask<CreatedKey>(
        [&](auto& scheduler, auto done) { registry_->CreateKey({.label = label}, scheduler, done); });
  }
  Result<ApiKey> Authenticate(const std::string& secret) {
    return Ask<ApiKey>([&](auto& scheduler, auto done) { registry_->Authenticate(secret, scheduler, done); });
  }
  Result<ApiKey> RevokeKey(const KeyId& id) {
    return Ask<ApiKey>([&](auto& scheduler, auto done) { registry_->RevokeKey(id, scheduler, done); });
  }
  WebhookId SaveWebhook() {
    return Ask<WebhookTarget>([&](auto& scheduler, auto done) {
             registry_->SaveWebhook({.id = {}, .url = "http://x/", .key = "k", .created = {}}, scheduler, done);
           })
        ->id;
  }
  Result<WebhookOutbox> ReadOutbox(const WebhookId& id) {
    return Ask<WebhookOutbox>([&](auto& scheduler, auto done) { registry_->ReadOutbox(id, scheduler, done); });
  }
  Result<WebhookId> AddToOutbox(const WebhookId& id, std::uint64_t sequence, const std::string& body = "{}") {
    return Ask<WebhookId>([&](auto& scheduler, auto done) {
      registry_->AddToOutbox(id, "memory", {{sequence, "id", "prompt", body, Time()}}, scheduler, done);
    });
  }
  Result<std::size_t> KeepWebhooks(const std::vector<WebhookId>& kept) {
    return Ask<std::size_t>([&](auto& scheduler, auto done) { registry_->KeepWebhooks(kept, scheduler, done); });
  }

 private:
  MailboxScheduler scheduler_;
  std::unique_ptr<NatsRegistry> registry_;
};

std::int64_t ValueOf(Metrics& metrics, const char* gauge) {
  return metrics.AddGauge(gauge, "").value();
}
std::uint64_t CountOf(Metrics& metrics, const char* counter, const char* why = nullptr) {
  return metrics.AddCounter(counter, "", why == nullptr ? Metrics::Labels() : Metrics::Labels{{"why", why}}).value();
}

class NatsRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NatsTestServer::installed()) GTEST_SKIP() << NatsTestServer::kMissing;
  }

  NatsRegistryOptions Options(const std::string& node = "a") {
    NatsRegistryOptions options = NatsTestOptions(server(), cluster_);
    options.log.link.name = node;
    return options;
  }
  std::unique_ptr<RegistryNode> Node(const std::string& node = "a") {
    return std::make_unique<RegistryNode>(Options(node), clock_);
  }
  // The test's own server, if it stops it: then call this first.
  NatsTestServer& OwnServer() {
    if (!own_) own_.emplace();
    return *own_;
  }
  NatsTestServer& server() { return own_ ? *own_ : NatsTestServer::Shared(); }
  // The test's own look at the stream.
  std::unique_ptr<NatsLink> Link() {
    const NatsLinkOptions connect{.servers = server().url(), .name = "test"};
    return std::move(*NatsLink::Connect(connect, [](std::string_view, const NatsLink::Answer&) {}));
  }

  openseat::testing::FakeClock clock_;
  std::optional<NatsTestServer> own_;
  const std::string cluster_ = NatsTestServer::NewCluster();
};

TEST_F(NatsRegistryTest, ARevokedKeyIsRefusedByEveryNode) {
  const auto a = Node("a");
  const auto b = Node("b");
  const CreatedKey key = *a->CreateKey("bot");
  EXPECT_EQ(b->Authenticate(key.secret)->id, key.key.id) << "what a node was answered is known to all";
  ASSERT_TRUE(a->RevokeKey(key.key.id));
  // For at most half a second, the other node may answer from what it knew before.
  Result<ApiKey> found = b->Authenticate(key.secret);
  for (const Patience patience; found; found = b->Authenticate(key.secret)) {
    if (patience.over()) FAIL() << "a revoked key is still good";
  }
  EXPECT_EQ(found.error().code, ErrorCode::kDenied);
}

TEST_F(NatsRegistryTest, ARevokedKeyIsRefusedAtOnceWhereKeysAreNeverCheckedFromMemory) {
  NatsRegistryOptions options = Options("b");
  options.key_age = Duration(0);
  const auto a = Node("a");
  RegistryNode b(options, clock_);
  for (int i = 0; i < 20; ++i) {
    const CreatedKey key = *a->CreateKey("bot");
    ASSERT_TRUE(b.Authenticate(key.secret));
    ASSERT_TRUE(a->RevokeKey(key.key.id));
    ASSERT_EQ(b.Authenticate(key.secret).error().code, ErrorCode::kDenied);
  }
}

TEST_F(NatsRegistryTest, OfTwoNodesThatMakeTheSameAccountOneSucceeds) {
  const auto a = Node("a");
  const auto b = Node("b");
  for (int i = 0; i < 30; ++i) {
    const std::string name = "n" + std::to_string(i);
    std::optional<Result<Account>> left;
    std::optional<Result<Account>> right;
    a->registry().CreateAccount(name, a->scheduler(), [&](Result<Account> made) { left = std::move(made); });
    b->registry().CreateAccount(name, b->scheduler(), [&](Result<Account> made) { right = std::move(made); });
    while (!left) a->scheduler().RunSome();
    while (!right) b->scheduler().RunSome();
    ASSERT_NE(left->has_value(), right->has_value());
    const Result<Account>& lost = *left ? *right : *left;
    const Result<Account>& won = *left ? *left : *right;
    EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
    // Who was answered knows everything before.
    EXPECT_EQ(a->FindAccount(name)->id, (*won).id);
    EXPECT_EQ(b->FindAccount(name)->id, (*won).id);
  }
}

TEST_F(NatsRegistryTest, ManyCallsOfSeveralNodesAreAllAnsweredOnce) {
  constexpr int kEach = 300;
  const auto a = Node("a");
  const auto b = Node("b");
  const auto write = [](RegistryNode& node) {
    int made = 0;
    int refused = 0;
    for (int i = 0; i < kEach; ++i) {
      node.registry().CreateAccount("n" + std::to_string(i), node.scheduler(),
                                    [&](const Result<Account>& account) { account ? ++made : ++refused; });
    }
    while (made + refused < kEach) node.scheduler().RunSome();
    return made;
  };
  int made_by_a = 0;
  std::thread beside([&] { made_by_a = write(*a); });
  const int made_by_b = write(*b);
  beside.join();
  EXPECT_EQ(made_by_a + made_by_b, kEach);
  EXPECT_THAT(Node("c")->Accounts(), SizeIs(kEach));
}

TEST_F(NatsRegistryTest, ANodeThatStartsLateKnowsEverything) {
  const auto a = Node("a");
  const CreatedKey key = *a->CreateKey("bot");
  ASSERT_TRUE(a->CreateAccount("Alex"));
  const auto b = Node("b");
  EXPECT_THAT(b->Accounts(), ElementsAre("Alex"));
  EXPECT_TRUE(b->Authenticate(key.secret));
}

TEST_F(NatsRegistryTest, EverythingOutlivesAllNodes) {
  ASSERT_TRUE(Node()->CreateAccount("Alex"));
  EXPECT_THAT(Node()->Accounts(), ElementsAre("Alex"));
}

TEST_F(NatsRegistryTest, WhatIsWaitingIsWrittenWhenANodeStops) {
  MailboxScheduler scheduler;
  int made = 0;
  {
    const auto registry = MustOpenNatsRegistry(Options(), clock_);
    for (int i = 0; i < 100; ++i) {
      registry->CreateAccount("n" + std::to_string(i), scheduler,
                              [&](const Result<Account>& account) { made += account ? 1 : 0; });
    }
  }
  while (made < 100) scheduler.RunSome();
  EXPECT_THAT(Node()->Accounts(), SizeIs(100));
}

TEST_F(NatsRegistryTest, CountsWhatItWritesAndAppliesAndHowOldItsViewIs) {
  Metrics metrics;
  NatsRegistryOptions options = Options();
  options.log.metrics = &metrics;
  RegistryNode node(options, clock_);
  const auto other = Node("b");
  ASSERT_TRUE(other->CreateAccount("Alex"));
  ASSERT_FALSE(node.CreateAccount("Alex"));
  ASSERT_TRUE(node.CreateAccount("Bo"));
  EXPECT_EQ(CountOf(metrics, "openseat_registry_writes_total"), 2u) << "also the one that found the name taken";
  EXPECT_EQ(CountOf(metrics, "openseat_registry_messages_total"), 3u);
  const WebhookId target = node.SaveWebhook();
  EXPECT_FALSE(node.AddToOutbox(target, 1, std::string(std::size_t{17} << 20, 'x')));
  EXPECT_EQ(CountOf(metrics, "openseat_registry_refused_total", "too-large"), 1u);
  EXPECT_EQ(CountOf(metrics, "openseat_registry_refused_total", "timeout"), 0u);
  // Nobody writes, and still it knows that it has everything.
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().Now().time_since_epoch()).count();
  const Gauge& current = metrics.AddGauge("openseat_registry_current_timestamp_seconds", "");
  for (const Patience patience; current.value() < now; std::this_thread::yield()) {
    if (patience.over()) FAIL() << "the view was last current at " << current.value();
  }
}

TEST_F(NatsRegistryTest, SnapshotsReplaceTheBeginningOfTheStream) {
  Metrics metrics;
  NatsRegistryOptions options = Options();
  options.log.metrics = &metrics;
  options.log.snapshot_bytes = 100'000;
  RegistryNode node(options, clock_);
  const auto link = Link();
  const std::string stream = "openseat_" + cluster_ + "_registry";
  // The position of the first message that is left.
  const auto first = [&] {
    std::uint64_t position = 0;
    EXPECT_TRUE(link->Read({stream, "openseat." + cluster_ + ".registry.>", 1, *link->LastPosition(stream), true},
                           [&](const NatsMessage& message) {
                             position = message.position;
                             return false;
                           }));
    return position;
  };
  ASSERT_TRUE(node.CreateAccount("before"));
  const WebhookId target = node.SaveWebhook();
  std::uint64_t sequence = 0;
  std::uint64_t seen = first();
  EXPECT_EQ(seen, 1u);
  // Twice.
  for (int round = 0; round < 2; ++round) {
    for (const Patience patience; first() == seen;) {
      if (patience.over()) FAIL() << "nothing was removed in round " << round;
      ++sequence;
      ASSERT_TRUE(node.AddToOutbox(target, sequence));
    }
    seen = first();
  }
  ASSERT_TRUE(node.CreateAccount("after"));
  EXPECT_GT(ValueOf(metrics, "openseat_registry_snapshot_bytes"), 0);
  Metrics of_late;
  NatsRegistryOptions late_options = Options("late");
  late_options.log.metrics = &of_late;
  const auto late = std::make_unique<RegistryNode>(late_options, clock_);
  for (const char* const what : {"openseat_registry_snapshot_bytes", "openseat_registry_snapshot_timestamp_seconds"}) {
    EXPECT_EQ(ValueOf(of_late, what), ValueOf(metrics, what)) << what;
  }
  EXPECT_THAT(late->Accounts(), ElementsAre("after", "before"));
  EXPECT_THAT(late->ReadOutbox(target)->waiting, SizeIs(sequence));
  EXPECT_TRUE(late->CreateAccount("later"));
  EXPECT_THAT(node.ReadOutbox(target)->waiting, SizeIs(sequence));
  EXPECT_THAT(node.Accounts(), ElementsAre("after", "before", "later"));
}

TEST_F(NatsRegistryTest, ASnapshotOfManyPartsIsFollowedByAnotherOnlyWhenAsMuchWasWritten) {
  NatsRegistryOptions options = Options();
  options.log.snapshot_bytes = 1'600'000;
  auto node = std::make_unique<RegistryNode>(options, clock_);
  const auto link = Link();
  const std::string stream = "openseat_" + cluster_ + "_registry";
  // The snapshots in the stream, by the position up to which they go: how many of their parts are there.
  const auto snapshots = [&] {
    std::map<std::uint64_t, RegistryStamp> last;
    EXPECT_TRUE(
        link->Read({stream, "openseat." + cluster_ + ".registry.snapshot", 1, *link->LastPosition(stream), true},
                   [&](const NatsMessage& message) {
                     const RegistryStamp stamp = *ReadRegistryStamp(message.header);
                     last[stamp.number] = stamp;
                     return true;
                   }));
    return last;
  };
  const auto whole = [&] {
    return std::ranges::any_of(snapshots(), [](const auto& each) { return each.second.part == each.second.parts; });
  };
  // Bytes that do not become fewer.
  Rng rng(7);
  const auto body = [&rng] {
    std::string out;
    while (out.size() < 100'000) out += static_cast<char>(' ' + rng.Below(90));
    return out;
  };
  const WebhookId target = node->SaveWebhook();
  std::uint64_t sequence = 0;
  while (sequence < 20) ASSERT_TRUE(node->AddToOutbox(target, ++sequence, body()));
  for (const Patience patience; !whole(); std::this_thread::yield()) {
    if (patience.over()) FAIL() << "the snapshot is not written to its end";
  }
  EXPECT_GE(snapshots().begin()->second.parts, 3u);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(node->AddToOutbox(target, ++sequence, body()));
  EXPECT_THAT(Node("late")->ReadOutbox(target)->waiting, SizeIs(sequence));
  node.reset();  // has written what it had to
  EXPECT_THAT(snapshots(), SizeIs(1));
}

TEST_F(NatsRegistryTest, WhileTheServerIsFrozenListsGoOnAndNothingIsWritten) {
  OwnServer();
  NatsRegistryOptions options = Options("b");
  options.log.link.call_timeout = std::chrono::milliseconds(200);
  options.log.answer_timeout = std::chrono::milliseconds(200);
  options.log.write_timeout = std::chrono::milliseconds(300);
  options.key_age = Duration(0);
  Metrics metrics;
  options.log.metrics = &metrics;
  RegistryNode node(options, clock_);
  const CreatedKey key = *node.CreateKey("bot");
  ASSERT_TRUE(node.CreateAccount("before"));
  const WebhookId target = node.SaveWebhook();
  server().Freeze();
  const Result<Account> refused = node.CreateAccount("meanwhile");
  EXPECT_EQ(refused.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(refused.error().message, HasSubstr("is a majority of its servers running?"));
  EXPECT_EQ(node.Authenticate(key.secret).error().code, ErrorCode::kTimeout) << "it may have been revoked";
  EXPECT_FALSE(node.registry().Writable());
  EXPECT_THAT(node.Accounts(), ElementsAre("before"));
  // A match's events wait as long as it takes.
  std::optional<Result<WebhookId>> kept;
  node.registry().AddToOutbox(target, "memory", {{1, "id", "prompt", "{}", Time()}}, node.scheduler(),
                              [&](Result<WebhookId> done) { kept = std::move(done); });
  EXPECT_EQ(node.CreateAccount("late").error().code, ErrorCode::kTimeout);
  EXPECT_FALSE(kept);
  EXPECT_EQ(CountOf(metrics, "openseat_registry_refused_total", "timeout"), 3u);
  server().Thaw();
  while (!kept) node.scheduler().RunSome();
  EXPECT_TRUE(*kept);
  for (const Patience patience; !node.registry().Writable(); std::this_thread::yield()) {
    if (patience.over()) FAIL() << "nothing can be written after the thaw";
  }
  Result<ApiKey> found = node.Authenticate(key.secret);
  for (const Patience patience; !found; found = node.Authenticate(key.secret)) {
    if (patience.over()) FAIL() << found.error().message;
  }
  EXPECT_FALSE(node.FindAccount("late")) << "it was never sent, and its caller was told so";
}

TEST_F(NatsRegistryTest, SaysThatTheServerIsFull) {
  own_.emplace("", "  max_file_store: 1MB");
  NatsRegistryOptions options = Options();
  options.log.answer_timeout = std::chrono::milliseconds(200);
  options.log.write_timeout = std::chrono::milliseconds(300);
  RegistryNode node(options, clock_);
  const auto link = Link();
  ASSERT_TRUE(link->MakeStream("others", "others"));
  const std::string large(std::size_t{500'000}, 'x');
  std::optional<Error> refused;
  for (int i = 0; i < 20 && !refused; ++i) {
    ASSERT_TRUE(link->Publish({"others", "x", 0, "others", large}));
    const Result<Account> made = node.CreateAccount("account" + std::to_string(i));
    if (!made) refused = made.error();
  }
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::kTimeout);
  EXPECT_THAT(refused->message, HasSubstr("; it has no room left (max_file_store"));
  WaitUntil("it cannot be written", [&] {
    const Result<void> writable = node.registry().Writable();
    return !writable && writable.error().message.find("; it has no room left (max_file_store") != std::string::npos;
  });
  ASSERT_TRUE(link->Purge("others", *link->LastPosition("others") + 1));
  WaitUntil("there is room again", [&] { return node.registry().Writable().has_value(); });
}

TEST_F(NatsRegistryTest, AServerThatIsKilledAndComesBackHasEverythingOnce) {
  OwnServer();
  NatsRegistryOptions options = Options();
  options.log.link.call_timeout = std::chrono::milliseconds(300);
  options.log.answer_timeout = std::chrono::milliseconds(300);
  RegistryNode node(options, clock_);
  const WebhookId target = node.SaveWebhook();
  std::uint64_t kept = 0;
  for (std::uint64_t sequence = 1; sequence <= 300; ++sequence) {
    node.registry().AddToOutbox(target, "memory", {{sequence, "id", "prompt", "{}", Time()}}, node.scheduler(),
                                [&](const Result<WebhookId>& done) { kept += done ? 1 : 1000; });
    if (sequence % 100 == 50) server().Kill();
    if (sequence % 100 == 99) server().Restart();
  }
  while (kept < 300) node.scheduler().RunSome();
  EXPECT_EQ(kept, 300u) << "none was refused as a second one";
  EXPECT_THAT(Node("b")->ReadOutbox(target)->waiting, SizeIs(300));
}

// Nodes tell each other where the stream ends.
TEST_F(NatsRegistryTest, NothingIsWrittenWhileTheStreamLacksMessages) {
  NatsRegistryOptions options = Options();
  options.log.write_timeout = std::chrono::milliseconds(300);
  options.key_age = Duration(0);
  RegistryNode node(options, clock_);
  const CreatedKey key = *node.CreateKey("bot");
  const std::unique_ptr<NatsLink> link = Link();
  const std::string stream = "openseat_" + cluster_ + "_registry";
  const std::uint64_t last = *link->LastPosition(stream);
  ASSERT_TRUE(link->Tell("openseat." + cluster_ + ".registry-end", std::to_string(last + 2)));
  const std::string lacks =
      "NATS has only " + std::to_string(last) + " of the " + std::to_string(last + 2) + " messages";
  for (const Patience patience; node.registry().Writable(); std::this_thread::yield()) {
    if (patience.over()) FAIL() << "it does not notice";
  }
  EXPECT_THAT(node.registry().Writable().error().message, HasSubstr(lacks));
  const Result<Account> refused = node.CreateAccount("meanwhile");
  EXPECT_EQ(refused.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(refused.error().message, HasSubstr(lacks));
  EXPECT_THAT(node.Authenticate(key.secret).error().message, HasSubstr(lacks));
  EXPECT_EQ(*link->LastPosition(stream), last);
  // It is whole again: with parts of a snapshot, which change nothing.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(link->Publish(
        {"openseat." + cluster_ + ".registry.snapshot", WriteRegistryStamp({7, last, 1, 2}), 0, "part", "x"}));
  }
  for (const Patience patience; !node.registry().Writable(); std::this_thread::yield()) {
    if (patience.over()) FAIL() << node.registry().Writable().error().message;
  }
  for (const Patience patience; !node.CreateAccount("after") && !node.FindAccount("after");) {
    if (patience.over()) FAIL() << "nothing can be written";
  }
}

// A node does not go on from an earlier state of the stream, and does not forget what it knows.
TEST_F(NatsRegistryTest, AnEarlierStateOfTheStreamStopsTheNodes) {
  OwnServer();
  NatsRegistryOptions options = Options();
  options.log.link.call_timeout = std::chrono::milliseconds(300);
  options.log.answer_timeout = std::chrono::milliseconds(300);
  options.log.write_timeout = std::chrono::milliseconds(300);
  RegistryNode writer(options, clock_);
  RegistryNode reader(options, clock_);
  ASSERT_TRUE(writer.CreateAccount("first"));
  server().Kill();
  server().Keep("before");
  server().Restart();
  for (const Patience patience; !writer.CreateAccount("second") && !writer.FindAccount("second");) {
    if (patience.over()) FAIL() << "nothing can be written after the restart";
  }
  for (const Patience patience; !reader.FindAccount("second");) {
    if (patience.over()) FAIL() << "it is not read";
  }
  server().Kill();
  server().TakeBack("before");
  server().Restart();
  for (RegistryNode* node : {&writer, &reader}) {
    for (const Patience patience; node->registry().Writable() || node->registry().Writable().error().message.find(
                                                                     "NATS has only") == std::string::npos;
         std::this_thread::yield()) {
      if (patience.over()) FAIL() << "it does not notice";
    }
    EXPECT_FALSE(node->CreateAccount("third"));
    EXPECT_THAT(node->Accounts(), ElementsAre("first", "second"));
  }
}

// Runs in another process, for the next test: makes accounts until it is killed, and says which ones it was answered.
TEST_F(NatsRegistryTest, WritesUntilItIsKilled) {
  const char* cluster = std::getenv("OPENSEAT_TEST_CLUSTER");
  if (cluster == nullptr) GTEST_SKIP() << "only for ANodeThatIsKilledLosesNothingThatItWasAnswered";
  NatsRegistryOptions options;  // not Options(), which would start a server
  options.log.cluster = cluster;
  options.log.link.servers = std::getenv("OPENSEAT_TEST_SERVERS");
  RegistryNode node(options, clock_);
  const std::string life = std::to_string(getpid());
  for (int i = 0;; ++i) {
    const std::string name = "n" + life + "-" + std::to_string(i);
    ASSERT_TRUE(node.CreateAccount(name));
    std::cout << "answered " << name << std::endl;
  }
}

TEST_F(NatsRegistryTest, ANodeThatIsKilledLosesNothingThatItWasAnswered) {
  const auto watcher = Node("watcher");
  std::set<std::string> answered;
  for (int life = 0; life < 3; ++life) {
    int out[2];
    ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(out[1], STDOUT_FILENO);
      setenv("OPENSEAT_TEST_CLUSTER", cluster_.c_str(), 1);
      setenv("OPENSEAT_TEST_SERVERS", server().url().c_str(), 1);
      execl("/proc/self/exe", "openseat_store_test", "--gtest_filter=NatsRegistryTest.WritesUntilItIsKilled", nullptr);
      _exit(127);
    }
    close(out[1]);
    FILE* const lines = fdopen(out[0], "r");
    char line[200];
    int heard = 0;
    while (heard < 40 && std::fgets(line, sizeof line, lines) != nullptr) {
      std::string_view text(line);
      if (!text.starts_with("answered ")) continue;
      text.remove_prefix(9);
      answered.insert(std::string(text.substr(0, text.find('\n'))));
      ++heard;
    }
    // In the middle of a command.
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (std::fgets(line, sizeof line, lines) != nullptr) {
      std::string_view text(line);
      if (text.starts_with("answered ") && text.ends_with('\n'))
        answered.insert(std::string(text.substr(9, text.size() - 10)));
    }
    std::fclose(lines);
    ASSERT_EQ(heard, 40);
  }
  ASSERT_TRUE(watcher->CreateAccount("the last one"));
  const std::vector<std::string> names = watcher->Accounts();
  const std::set<std::string> known(names.begin(), names.end());
  for (const std::string& name : answered) EXPECT_TRUE(known.contains(name)) << name;
  // Of each life, one command may have been on its way.
  EXPECT_LE(names.size(), answered.size() + 3 + 1);
  EXPECT_EQ(Node("late")->Accounts(), names);
}

TEST_F(NatsRegistryTest, TheNextOwnerOfAWebhookGoesOnAndTheLastOneCannot) {
  const auto a = Node("a");
  const auto b = Node("b");
  const WebhookId target = a->SaveWebhook();
  ASSERT_TRUE(a->AddToOutbox(target, 1));
  ASSERT_TRUE(a->AddToOutbox(target, 2));
  const WebhookOutbox outbox = *b->ReadOutbox(target);
  EXPECT_EQ(outbox.sequence, 2u) << "everything that the other node was answered";
  EXPECT_THAT(outbox.waiting, SizeIs(2));
  ASSERT_TRUE(b->AddToOutbox(target, 3));
  EXPECT_EQ(a->AddToOutbox(target, 3).error().code, ErrorCode::kConflict);
}

TEST_F(NatsRegistryTest, ANodeForgetsNoWebhookTargetsAtItsStart) {
  const WebhookId target = Node("a")->SaveWebhook();
  EXPECT_EQ(Node("a")->KeepWebhooks({}), std::size_t{0});
  EXPECT_TRUE(Node("b")->ReadOutbox(target));
}

TEST_F(NatsRegistryTest, LargeWritesAreKeptOrRefusedWithASentence) {
  const auto node = Node();
  const WebhookId target = node->SaveWebhook();
  EXPECT_TRUE(node->AddToOutbox(target, 1, std::string(std::size_t{10} << 20, 'x')));
  const Result<WebhookId> refused = node->AddToOutbox(target, 2, std::string(std::size_t{17} << 20, 'x'));
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("at most 16777216 bytes"));
  ASSERT_TRUE(node->AddToOutbox(target, 2));
  EXPECT_EQ(Node("b")->ReadOutbox(target)->waiting[0].body.size(), std::size_t{10} << 20);
}

TEST_F(NatsRegistryTest, WhatIsTooLargeFailsAloneAndNotWhatWaitsInFrontOfIt) {
  OwnServer();
  const auto node = Node();
  const WebhookId target = node->SaveWebhook();
  std::optional<Result<Account>> first;
  std::optional<Result<WebhookOutbox>> read;
  std::optional<Result<WebhookId>> large;
  server().Freeze();
  node->registry().CreateAccount("first", node->scheduler(), [&](Result<Account> made) { first = std::move(made); });
  node->registry().ReadOutbox(target, node->scheduler(), [&](Result<WebhookOutbox> got) { read = std::move(got); });
  node->registry().AddToOutbox(target, "", {{1, "id", "prompt", std::string(std::size_t{17} << 20, 'x'), Time()}},
                               node->scheduler(), [&](Result<WebhookId> done) { large = std::move(done); });
  server().Thaw();
  while (!first || !read || !large) node->scheduler().RunSome();
  EXPECT_TRUE(*first);
  EXPECT_TRUE(*read) << "it has no command, and so no size";
  EXPECT_EQ(large->error().code, ErrorCode::kTooLarge);
}

TEST_F(NatsRegistryTest, AMessageThatItDoesNotUnderstandStopsANodeAndTheNextDoesNotStart) {
  const auto node = Node();
  const CreatedKey key = *node->CreateKey("bot");
  const auto link = Link();
  ASSERT_TRUE(link->Publish({"openseat." + cluster_ + ".registry.write", "2 later", 0, "t", "body"}));
  Result<Account> made = node->CreateAccount("x");
  const Patience patience;
  for (int i = 0; made; ++i) {
    if (patience.over()) FAIL() << "the message is not noticed";
    made = node->CreateAccount("x" + std::to_string(i));
  }
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(made.error().message, HasSubstr("has version 2; this program supports version 1"));
  EXPECT_FALSE(node->registry().Writable());
  Result<ApiKey> found = node->Authenticate(key.secret);
  for (; found; found = node->Authenticate(key.secret)) {
    if (patience.over()) FAIL() << "keys are still found";
  }
  EXPECT_EQ(found.error().code, ErrorCode::kUnsupported) << "it may have been revoked";
  EXPECT_EQ(NatsRegistry::Open(Options(), clock_).error().code, ErrorCode::kUnsupported);
}

TEST_F(NatsRegistryTest, ServersThatAreNotThereAndNamesThatCannotBeAreRefused) {
  NatsRegistryOptions options = Options();
  options.log.cluster = "two words";
  EXPECT_EQ(NatsRegistry::Open(options, clock_).error().code, ErrorCode::kInvalid);
  options = Options();
  options.log.link.servers = "nats://127.0.0.1:1";
  EXPECT_EQ(NatsRegistry::Open(options, clock_).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace openseat::store
