#include "app/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/json.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class AuditLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string Text(const std::string& name = "audit.log") const {
    std::ifstream file(dir_ + "/" + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  std::size_t Lines(const std::string& name = "audit.log") const {
    const std::string text = Text(name);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::string dir_;
};

TEST_F(AuditLogTest, EachEntryIsALineOfJson) {
  {
    AuditLog audit(dir_);
    audit.Write({"wrong-secret", "admin token", "203.0.113.9", ""});
    audit.Write({"admin", "POST /api/v1/matches\nx", "127.0.0.1", "this machine"});
  }
  const std::string text = Text();
  const std::size_t end = text.find('\n');
  const Result<json::Value> first = json::Parse(text.substr(0, end));
  const Result<json::Value> second = json::Parse(text.substr(end + 1));
  ASSERT_TRUE(first && second) << text;
  EXPECT_EQ(first->at("event"), json::Value("wrong-secret"));
  EXPECT_EQ(first->at("from"), json::Value("203.0.113.9"));
  EXPECT_FALSE(first->as_object().contains("who"));
  EXPECT_EQ(second->at("what"), json::Value("POST /api/v1/matches\nx"));
  EXPECT_EQ(second->at("who"), json::Value("this machine"));
  struct stat status{};
  ASSERT_EQ(stat((dir_ + "/audit.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, ItTakesNoMoreThanItsFiles) {
  const AuditEntry entry{"admin", "POST /api/v1/matches", "127.0.0.1", "this machine"};
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(AppendAudit(dir_, entry, Time(), 1000).has_value());
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(dir_)) {
    ++files;
    EXPECT_LE(std::filesystem::file_size(file), 1000u);
  }
  EXPECT_EQ(files, 4u);
  EXPECT_EQ(Lines("audit.log.1"), Lines("audit.log.3"));
  EXPECT_GT(Lines("audit.log.1"), 3u);
}

TEST_F(AuditLogTest, NoDescriptorIsNeededForMoreLines) {
  AuditFile file(dir_);
  const AuditEntry entry{"wrong-secret", "admin token", "203.0.113.9", ""};
  ASSERT_TRUE(file.Append(entry, Time()));
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const bool written = file.Append(entry, Time()).has_value();
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(written);
  EXPECT_EQ(Lines(), 2u);
}

TEST_F(AuditLogTest, AFileThatWasMovedOrDeletedIsMadeAgain) {
  AuditFile file(dir_);
  const AuditEntry entry{"admin", "POST /", "127.0.0.1", ""};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(file.Append(entry, Time()));
  std::filesystem::rename(dir_ + "/audit.log", dir_ + "/old");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(file.Append(entry, Time()));
  EXPECT_EQ(Lines("old"), 3u);
  EXPECT_EQ(Lines(), 2u);
  std::filesystem::remove(dir_ + "/audit.log");
  ASSERT_TRUE(file.Append(entry, Time()));
  EXPECT_EQ(Lines(), 1u);
  std::filesystem::rename(dir_ + "/audit.log", dir_ + "/old");
  std::filesystem::create_symlink("old", dir_ + "/audit.log");
  EXPECT_FALSE(file.Append(entry, Time())) << "no link is followed";
}

TEST_F(AuditLogTest, AnOpenFileTakesNoMoreThanItsFiles) {
  AuditFile file(dir_, 1000);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(file.Append({"admin", "POST /api/v1/matches", "127.0.0.1", "this machine"}, Time()));
  }
  for (const auto& each : std::filesystem::directory_iterator(dir_)) {
    EXPECT_LE(std::filesystem::file_size(each), 1000u);
  }
  EXPECT_EQ(Lines("audit.log.1"), Lines("audit.log.3"));
}

TEST_F(AuditLogTest, WhatIsLostIsCounted) {
  Metrics metrics;
  {
    AuditLog audit(dir_ + "/none");
    audit.CountIn(metrics);
    audit.Write({"admin", "POST /", "127.0.0.1", ""});
  }
  EXPECT_THAT(metrics.Text(), HasSubstr("openseat_audit_lost_total 1"));
}

TEST(AuditSieve, WhatOneAddressCausesIsLimited) {
  AuditSieve sieve;
  const auto at = [](int seconds) { return Instant() + std::chrono::seconds(seconds); };
  const auto taken = [&](const AuditEntry& entry, int times, Instant now) {
    int count = 0;
    for (int i = 0; i < times; ++i) count += sieve.Take(entry, now) ? 1 : 0;
    return count;
  };
  const AuditEntry code{"player", "seat code made", "2001:db8::7", ""};
  EXPECT_EQ(taken(code, 5000, at(0)), 100);
  EXPECT_EQ(taken({"player", "seat code made", "2001:db8::8", ""}, 1, at(0)), 0) << "the same /64";
  EXPECT_EQ(taken({"wrong-secret", "match", "2001:db8::7", ""}, 1, at(0)), 1);
  EXPECT_EQ(taken({"player", "signed in", "192.0.2.7", "a-1"}, 1, at(0)), 1);
  EXPECT_EQ(taken({"admin", "POST /api/v1/matches", "2001:db8::7", ""}, 5000, at(0)), 5000);
  const std::optional<AuditEntry> told = sieve.TellLeftOut(at(0));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->event, "left-out");
  EXPECT_EQ(told->what, "4901 lines");
  EXPECT_EQ(told->from, "2001:db8::/64");
  EXPECT_FALSE(sieve.TellLeftOut(at(61)));
  EXPECT_EQ(taken(code, 100, at(60)), 6);
  EXPECT_EQ(taken({"player", "signed in", "192.0.2.7", "a-1"}, 101, at(60)), 100);
  EXPECT_FALSE(sieve.TellLeftOut(at(59)));
  EXPECT_EQ(sieve.TellLeftOut(at(60))->from, "several addresses");
}

TEST(AuditSieve, WhatManyAddressesCauseIsLimited) {
  AuditSieve sieve;
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string from = "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
    taken += sieve.Take({"wrong-secret", "match", from, ""}, Instant()) ? 1 : 0;
  }
  EXPECT_EQ(taken, 2000);
}

TEST_F(AuditLogTest, LinesOfPlayersDoNotPushOutTheAdministrators) {
  Metrics metrics;
  {
    AuditLog audit(dir_, 20'000);
    audit.CountIn(metrics);
    audit.Write({"admin", "POST /api/v1/matches", "127.0.0.1", "admin token"});
    for (int i = 0; i < 5000; ++i) audit.Write({"player", "seat code made", "203.0.113.9", ""});
  }
  EXPECT_THAT(Text(), HasSubstr(R"("event":"admin")"));
  EXPECT_THAT(Text(), HasSubstr(R"("event":"left-out","what":")"));
  EXPECT_LT(Lines(), 200u);
  EXPECT_THAT(metrics.Text(), HasSubstr("openseat_audit_left_out_total 4"));
}

TEST_F(AuditLogTest, SecretsOfPathsAreLeftOut) {
  EXPECT_EQ(WithoutSecrets("/api/v1/tables/a-b.k3fq2ab7cd/control"), "/api/v1/tables/a-b./control");
  EXPECT_EQ(WithoutSecrets("/api/v1/tables/a-b.0.secret"), "/api/v1/tables/a-b.");
  EXPECT_EQ(WithoutSecrets("/api/v1/matches"), "/api/v1/matches");
}

}  // namespace
}  // namespace openseat::app
