#include "app/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

TEST_F(AuditLogTest, WhatIsLostIsCounted) {
  Metrics metrics;
  {
    AuditLog audit(dir_ + "/none");
    audit.CountIn(metrics);
    audit.Write({"admin", "POST /", "127.0.0.1", ""});
  }
  EXPECT_THAT(metrics.Text(), HasSubstr("openseat_audit_lost_total 1"));
}

TEST_F(AuditLogTest, SecretsOfPathsAreLeftOut) {
  EXPECT_EQ(WithoutSecrets("/api/v1/tables/a-b.k3fq2ab7cd/control"), "/api/v1/tables/a-b./control");
  EXPECT_EQ(WithoutSecrets("/api/v1/tables/a-b.0.secret"), "/api/v1/tables/a-b.");
  EXPECT_EQ(WithoutSecrets("/api/v1/matches"), "/api/v1/matches");
}

}  // namespace
}  // namespace openseat::app
