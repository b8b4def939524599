// The registry's mark: the next program that opens it notices that acknowledged changes are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"
#include "store/faulty_vfs.h"
#include "store/journal_format.h"
#include "store/journal_test_support.h"
#include "store/journal_tools.h"
#include "store/registry_database.h"
#include "store/registry_file.h"
#include "store/registry_format.h"
#include "store/sqlite_registry.h"
#include "testing/fake_scheduler.h"

namespace openseat::store {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RegistryMarkTest : public ::testing::Test {
 protected:
  RegistryDatabase Open() {
    auto opened = RegistryDatabase::Open(path_, clock_);
    OPENSEAT_CHECK(opened.has_value(), opened ? "" : opened.error().message.c_str());
    return std::move(*opened);
  }
  // The server, `openseat key create` and `openseat key list` find the same.
  std::string Refused() {
    const auto server = SqliteRegistry::Open(path_, clock_);
    const auto command = RegistryDatabase::Open(path_, clock_);
    const auto list = RegistryDatabase::OpenToRead(path_, clock_);
    EXPECT_FALSE(server || command || list);
    if (server || command || list) return "";
    EXPECT_EQ(server.error().code, ErrorCode::kParse);
    EXPECT_EQ(server.error(), command.error());
    EXPECT_EQ(server.error(), list.error());
    return server.error().message;
  }
  std::vector<std::string> Findings() {
    const Result<VerifyReport> report = Verify(directory_.path().string(), {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->findings : std::vector<std::string>();
  }
  static std::string Contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void Write(const std::string& path, const std::string& contents) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
  }
  // As `rm registry.db*` does.
  void RemoveDatabase() {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }
  // Two accounts, of which only the write-ahead log has the second, as after a kill.
  void LeaveAsKilled() {
    ASSERT_TRUE(Open().CreateAccount("ann"));
    RegistryDatabase killed = Open();
    ASSERT_TRUE(killed.CreateAccount("bo"));
    const std::string database = Contents(path_);
    const std::string log = Contents(path_ + "-wal");
    ASSERT_FALSE(log.empty());
    {
      const RegistryDatabase ends = std::move(killed);
    }
    Write(path_, database);
    Write(path_ + "-wal", log);
  }

  openseat::testing::FakeClock clock_;
  TemporaryDirectory directory_;
  const std::string path_ = directory_.File(kRegistryFileName);
  const std::string mark_ = directory_.File(kRegistryMarkFileName);
};

TEST_F(RegistryMarkTest, AnEmptyOrMissingRegistryIsNoticedAndLeftAsItIs) {
  ASSERT_TRUE(Open().CreateAccount("ann"));
  {
    const auto journal = MustOpen(directory_.File(kJournalFileName));
  }
  EXPECT_THAT(Findings(), IsEmpty());
  Write(path_, "");
  EXPECT_THAT(Refused(), HasSubstr("the registry \"" + path_ + "\" is empty, but by "));
  EXPECT_THAT(Findings(), Contains(HasSubstr("is empty, but by ")));
  EXPECT_EQ(Contents(path_), "");
  RemoveDatabase();
  EXPECT_THAT(Refused(), HasSubstr("is gone, but by "));
  EXPECT_THAT(Refused(), HasSubstr("to continue with what is there, delete \"" + mark_ + "\""));
  EXPECT_THAT(Findings(), Contains(HasSubstr("is gone, but by ")));
  EXPECT_FALSE(std::filesystem::exists(path_));
  // It goes on if told to.
  std::filesystem::remove(mark_);
  EXPECT_THAT(*Open().ListAccounts(), IsEmpty());
  EXPECT_THAT(Findings(), IsEmpty());
}

TEST_F(RegistryMarkTest, ARegistryInWhichNothingWasKeptYetIsMissedToo) {
  {
    const RegistryDatabase made = Open();
  }
  RemoveDatabase();
  EXPECT_THAT(Refused(), HasSubstr("is gone, but by "));
}

TEST_F(RegistryMarkTest, ALogThatIsGoneOrDamagedIsNoticed) {
  LeaveAsKilled();
  {
    const auto journal = MustOpen(directory_.File(kJournalFileName));
  }
  const std::string database = Contents(path_);
  std::string log = Contents(path_ + "-wal");
  Write(path_ + "-wal", "");
  EXPECT_THAT(Refused(), HasSubstr("has 2 changes, but by "));
  EXPECT_THAT(Refused(), HasSubstr(" 3 had been acknowledged"));
  EXPECT_THAT(Findings(), Contains(HasSubstr("has 2 changes, but by ")));
  EXPECT_EQ(Contents(path_), database);
  Write(path_ + "-wal", log);
  EXPECT_THAT(*Open().ListAccounts(), SizeIs(2));

  Write(path_, database);
  log[log.size() / 2] ^= 1;
  Write(path_ + "-wal", log);
  EXPECT_THAT(Refused(), HasSubstr("changes, but by "));
  EXPECT_EQ(Contents(path_ + "-wal"), log);
  std::filesystem::remove(mark_);
  EXPECT_THAT(*Open().ListAccounts(), SizeIs(1));
}

TEST_F(RegistryMarkTest, AnOlderCopyIsNoticed) {
  ASSERT_TRUE(Open().CreateAccount("ann"));
  const std::string older = Contents(path_);
  ASSERT_TRUE(Open().CreateKey({.label = "bot"}));
  Write(path_, older);
  EXPECT_THAT(Refused(), HasSubstr("has 2 changes, but by "));
}

TEST_F(RegistryMarkTest, ARegistryOfAnEarlierVersionHasNoneAndGoesOn) {
  ASSERT_TRUE(Open().CreateAccount("ann"));
  std::filesystem::remove(mark_);
  {
    auto database = std::move(*Database::Open(path_, Database::Mode::kReadWrite));
    ASSERT_TRUE(database.Execute("DELETE FROM shared"));
  }
  {
    const auto journal = MustOpen(directory_.File(kJournalFileName));
  }
  EXPECT_THAT(Findings(), IsEmpty());
  EXPECT_THAT(*RegistryDatabase::OpenToRead(path_, clock_)->ListAccounts(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(mark_)) << "reading writes nothing";
  EXPECT_THAT(*Open().ListAccounts(), SizeIs(1));
  // From then on it has one.
  Write(path_, "");
  EXPECT_THAT(Refused(), HasSubstr("is empty, but by "));
}

TEST_F(RegistryMarkTest, AMarkThatIsDamagedHoldsNobodyUpAndIsMadeNew) {
  ASSERT_TRUE(Open().CreateAccount("ann"));
  const std::string mark = Contents(mark_);
  ASSERT_EQ(mark.size(), 80u);
  std::string flipped = mark;
  flipped[40] ^= 1;
  for (const std::string& damaged : {std::string(), mark.substr(1), mark + "x", flipped}) {
    Write(mark_, damaged);
    ASSERT_THAT(*Open().ListAccounts(), SizeIs(1)) << damaged;
    EXPECT_EQ(Contents(mark_).size(), 80u);
    ASSERT_NE(Contents(mark_), damaged);
  }
  RemoveDatabase();
  EXPECT_THAT(Refused(), HasSubstr("is gone, but by "));
}

TEST_F(RegistryMarkTest, WhatChangesNothingIsNotCounted) {
  RegistryDatabase registry = Open();
  ASSERT_TRUE(registry.CreateAccount("ann"));
  const std::string mark = Contents(mark_);
  clock_.elapsed += std::chrono::hours(1);
  EXPECT_FALSE(registry.CreateAccount("ann"));
  EXPECT_FALSE(registry.RevokeKey(KeyId("k-none")));
  EXPECT_EQ(registry.KeepWebhooks({}), std::size_t{0});
  EXPECT_EQ(Contents(mark_), mark);
  ASSERT_TRUE(registry.CreateAccount("bo"));
  EXPECT_NE(Contents(mark_), mark);
}

TEST_F(RegistryMarkTest, ABackupHasAMarkOfItsOwn) {
  ASSERT_TRUE(Open().CreateAccount("ann"));
  {
    const auto journal = MustOpen(directory_.File(kJournalFileName));
  }
  const TemporaryDirectory target;
  const std::string to = target.path().string();
  ASSERT_TRUE(BackUp(directory_.path().string(), to, {}));
  // A later, smaller registry replaces it.
  RemoveDatabase();
  std::filesystem::remove(mark_);
  {
    const RegistryDatabase fresh = Open();
  }
  const std::string registry = to + "/" + kRegistryFileName;
  ASSERT_TRUE(CheckRegistryMark(registry));
  EXPECT_EQ((*ReadRegistryMark(registry))->last, 2u);
  ASSERT_TRUE(BackUp(directory_.path().string(), to, {}));
  EXPECT_EQ((*ReadRegistryMark(registry))->last, 1u);
  EXPECT_THAT(Verify(to, {})->findings, IsEmpty());
  Write(registry, "");
  EXPECT_THAT(Verify(to, {})->findings, Contains(HasSubstr("is empty, but by ")));
}

// A change that is refused with the others of its commit is not kept.
TEST_F(RegistryMarkTest, NothingOfACommitIsKeptOnceAChangeOfItFailedForTheDisk) {
  FaultyVfs vfs;
  RegistryDatabase registry = Open();
  ASSERT_TRUE(registry.CreateAccount("ann"));
  ASSERT_TRUE(Open().CreateAccount("bo")) << "so that the first one reads its pages again";
  ASSERT_TRUE(registry.Begin());
  vfs.FailAt(1, false);
  EXPECT_EQ(registry.CreateAccount("cy").error().code, ErrorCode::kIo);
  vfs.Heal();
  EXPECT_EQ(registry.CreateAccount("di").error().code, ErrorCode::kIo);
  EXPECT_EQ(registry.RevokeKey(KeyId("k-none")).error().code, ErrorCode::kIo);
  EXPECT_EQ(registry.Commit().error().code, ErrorCode::kIo);
  EXPECT_THAT(*registry.ListAccounts(), SizeIs(2));
  ASSERT_TRUE(registry.CreateAccount("ed")) << "the next one is kept";
  EXPECT_THAT(*Open().ListAccounts(), SizeIs(3));
}

}  // namespace
}  // namespace openseat::store
