// What only the registry's file does: who may read it, other processes, earlier and later versions of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/digest.h"
#include "store/journal_test_support.h"
#include "store/registry_database.h"
#include "store/registry_file.h"
#include "store/registry_format.h"
#include "store/registry_test_support.h"
#include "store/sqlite.h"
#include "store/sqlite_registry.h"
#include "testing/fake_scheduler.h"

namespace openseat::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RegistryFile : public ::testing::Test {
 protected:
  RegistryDatabase Open() {
    auto opened = RegistryDatabase::Open(path_, clock_);
    OPENSEAT_CHECK(opened.has_value(), opened ? "" : opened.error().message.c_str());
    return std::move(*opened);
  }

  openseat::testing::FakeClock clock_;
  TemporaryDirectory directory_;
  const std::string path_ = directory_.File(kRegistryFileName);
};

TEST_F(RegistryFile, OnlyItsOwnerMayReadItAndNoSecretOfAKeyIsInIt) {
  std::string secret;
  {
    RegistryDatabase database = Open();
    secret = database.CreateKey({.label = "bot"})->secret;
    ASSERT_TRUE(database.SaveWebhook({.id = {}, .url = "https://x.example", .key = "webhook-key-abc", .created = {}}));
  }
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::ifstream file(path_, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_THAT(bytes.str(), Not(HasSubstr(secret.substr(kKeyHintLength))));
  EXPECT_THAT(bytes.str(), HasSubstr(Sha256Hex(secret)));
  EXPECT_THAT(bytes.str(), HasSubstr("webhook-key-abc"));
}

TEST_F(RegistryFile, AnotherProcessIsSeenAtOnce) {
  MailboxScheduler scheduler;
  auto server = std::move(*SqliteRegistry::Open(path_, clock_));
  RegistryDatabase beside = Open();
  const CreatedKey made = *beside.CreateKey({.label = "from the command line"});
  const auto authenticate = [&] {
    std::optional<Result<ApiKey>> out;
    server->Authenticate(made.secret, scheduler, [&](Result<ApiKey> result) { out = std::move(result); });
    while (!out) scheduler.RunSome();
    return *out;
  };
  EXPECT_TRUE(authenticate());
  ASSERT_TRUE(beside.RevokeKey(made.key.id));
  EXPECT_EQ(authenticate().error().code, ErrorCode::kDenied);
}

TEST_F(RegistryFile, WhenAKeyWasUsedIsWrittenAtMostOnceAMinute) {
  CreatedKey made;
  const auto use = [&] {
    MailboxScheduler scheduler;
    // The object's end ensures that notes are written.
    auto registry = std::move(*SqliteRegistry::Open(path_, clock_));
    bool answered = false;
    registry->Authenticate(made.secret, scheduler, [&](const Result<ApiKey>&) { answered = true; });
    while (!answered) scheduler.RunSome();
  };
  made = *Open().CreateKey({.label = "bot"});
  use();
  const Time first = clock_.Now();
  EXPECT_EQ(Open().ListKeys(false)->front().last_used, first);
  clock_.elapsed += std::chrono::seconds(59);
  use();
  EXPECT_EQ(Open().ListKeys(false)->front().last_used, first);
  clock_.elapsed += std::chrono::seconds(1);
  use();
  EXPECT_EQ(Open().ListKeys(false)->front().last_used, clock_.Now());
}

TEST_F(RegistryFile, EverythingOutlivesTheProcess) {
  const CreatedKey key = *Open().CreateKey({.label = "bot"});
  const Account account = *Open().CreateAccount("Alex");
  EXPECT_EQ(Open().FindBySecret(key.secret)->label, "bot");
  EXPECT_EQ(Open().FindAccount("Alex")->id, account.id);
}

TEST_F(RegistryFile, ManyCallsAtOnceAreAllAnsweredAndKept) {
  MailboxScheduler scheduler;
  std::size_t answered = 0;
  {
    auto registry = std::move(*SqliteRegistry::Open(path_, clock_));
    for (int i = 0; i < 300; ++i) {
      registry->CreateAccount("n" + std::to_string(i % 200), scheduler,
                              [&](const Result<Account>& made) { answered += made ? 1 : 1000; });
    }
    while (answered < 200 + 100 * 1000) scheduler.RunSome();
  }
  EXPECT_EQ(answered, 200u + 100 * 1000);
  EXPECT_EQ(Open().ListAccounts()->size(), 200u);
}

TEST_F(RegistryFile, OtherFilesAreRefused) {
  {
    std::ofstream file(path_);
    file << "this is not a database, but long enough to look like one";
  }
  EXPECT_EQ(RegistryDatabase::Open(path_, clock_).error().code, ErrorCode::kInvalid);
  const std::string journal = directory_.File("openseat.db");
  MustOpen(journal);
  const auto other = RegistryDatabase::Open(journal, clock_);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(other.error().message, HasSubstr("not a registry"));
}

TEST_F(RegistryFile, AnEarlierVersionIsBroughtUpToDate) {
  const WebhookId id = Open().SaveWebhook({.id = {}, .url = "http://x/", .key = "k", .created = {}})->id;
  {
    auto database = std::move(*Database::Open(path_, Database::Mode::kReadWrite));
    ASSERT_TRUE(
        database.Execute("DROP TABLE game_versions; DROP TABLE games; DROP TABLE shared; DROP TABLE deliveries; ALTER "
                         "TABLE webhooks DROP COLUMN sequence; "
                         "ALTER TABLE webhooks DROP COLUMN memory; PRAGMA user_version = 1"));
  }
  std::filesystem::remove(RegistryMarkPath(path_));  // it had none
  RegistryDatabase opened = Open();
  EXPECT_EQ(opened.FindWebhook(id)->key, "k");
  ASSERT_TRUE(opened.AddToOutbox(id, "m", {{1, "id-1", "prompt", "{}", clock_.Now()}}));
  EXPECT_EQ(Open().ReadOutbox(id)->waiting.size(), 1u) << "and is not brought there twice";
  EXPECT_TRUE(Open().SaveGame("nim", 1, {{"nim.js", "x"}}));
}

TEST_F(RegistryFile, ALaterVersionIsRefused) {
  {
    const RegistryDatabase made = Open();
  }
  auto database = std::move(*Database::Open(path_, Database::Mode::kReadWrite));
  ASSERT_TRUE(database.Execute("PRAGMA user_version = 99"));
  EXPECT_EQ(RegistryDatabase::Open(path_, clock_).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace openseat::store
