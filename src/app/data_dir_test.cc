#include "app/data_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace openseat::app {
namespace {

class DataDirTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-data-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  static unsigned ModeOf(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  std::string Make(const std::string& name, mode_t mode, const std::string& file = {}) const {
    const std::string path = dir_ + "/" + name;
    std::filesystem::create_directory(path);
    if (!file.empty()) std::ofstream(path + "/" + file) << "x";
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }

  std::string dir_;
};

TEST_F(DataDirTest, IsItsOwnersAlone) {
  const std::string path = dir_ + "/a/b/openseat";
  ASSERT_TRUE(OpenDataDir(path).has_value());
  EXPECT_EQ(ModeOf(path), 0700u);
  ASSERT_TRUE(OpenDataDir(path).has_value()) << "again";
}

TEST_F(DataDirTest, OneThatIsThereIsClosedToOthers) {
  const std::string empty = Make("empty", 0755);
  const std::string used = Make("used", 0755, "openseat.db");
  ASSERT_TRUE(OpenDataDir(empty).has_value());
  ASSERT_TRUE(OpenDataDir(used).has_value());
  EXPECT_EQ(ModeOf(empty), 0700u);
  EXPECT_EQ(ModeOf(used), 0700u);
}

TEST_F(DataDirTest, WhatIsNotOursStaysOpen) {
  const std::string other = Make("other", 0755, "letter.txt");
  const std::string shared = Make("shared", 01777, "openseat.db");
  ASSERT_TRUE(OpenDataDir(other).has_value());
  ASSERT_TRUE(OpenDataDir(shared).has_value());
  EXPECT_EQ(ModeOf(other), 0755u);
  EXPECT_EQ(ModeOf(shared), 01777u);
}

TEST_F(DataDirTest, SaysWhyThereIsNone) {
  std::ofstream(dir_ + "/file") << "x";
  EXPECT_THAT(OpenDataDir(dir_ + "/file").error().message, ::testing::HasSubstr("a file has that name"));
  EXPECT_EQ(OpenDataDir(dir_ + "/file/below").error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace openseat::app
