#include "arena/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class RunRecordTest : public ::testing::Test {
 public:
  RunRecordTest() { fs::remove_all(dir_); }
  ~RunRecordTest() override { fs::remove_all(dir_); }

 protected:
  // A run that began this many seconds after 2026-11-22, 01:03.
  static json::Object Run(int second) {
    const Time started(std::chrono::seconds(1795309380 + second));
    return {{"format", kFormat}, {"version", kVersion}, {"id", NewRunId(started, "rps")}, {"games", second}};
  }
  static std::string IdOf(const json::Object& run) { return std::string(json::View(run.at("id").as_string())); }
  void Put(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(dir_) / kFolder);
    std::ofstream(fs::path(dir_) / kFolder / file) << text;
  }

  const std::string dir_ = ::testing::TempDir() + "run_record_test." + NewRunId(Time(), "dir");
};

TEST_F(RunRecordTest, IdsSortByTimeAndAreNoPaths) {
  const Time started(std::chrono::seconds(1795309380));
  EXPECT_THAT(NewRunId(started, "tictactoe"), MatchesRegex("20261122-010300000-tictactoe-[a-z2-7]+"));
  EXPECT_THAT(NewRunId(started, "../Odd"), MatchesRegex("20261122-010300000-----dd-[a-z2-7]+"));
  EXPECT_NE(NewRunId(started, "rps"), NewRunId(started, "rps"));
  EXPECT_TRUE(IsRunId(NewRunId(started, "rps")));
  for (const char* bad : {"", "-a", "a/b", "a.b", "..", "A", "a b"}) EXPECT_FALSE(IsRunId(bad)) << bad;
  EXPECT_FALSE(IsRunId(std::string(101, 'a')));
}

TEST_F(RunRecordTest, WhatIsWrittenIsRead) {
  json::Object run = Run(1);
  run["name"] = "äöü \"first\"";
  const Result<std::string> path = WriteRun(dir_, run);
  ASSERT_TRUE(path.has_value()) << path.error().message;
  EXPECT_EQ(*path, dir_ + "/arena/" + IdOf(run) + ".json");
  EXPECT_EQ(fs::status(*path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const Result<json::Object> read = ReadRun(dir_, IdOf(run));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(json::Equal(*read, run));
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(dir_) / kFolder), fs::directory_iterator()), 1);
}

TEST_F(RunRecordTest, ListsTheNewestFirst) {
  std::vector<std::string> ids;
  for (int second = 0; second < 5; ++second) {
    const json::Object run = Run(second);
    ids.push_back(IdOf(run));
    ASSERT_TRUE(WriteRun(dir_, run).has_value());
  }
  const Result<RunList> newest = ListRuns(dir_, 2);
  ASSERT_TRUE(newest.has_value());
  ASSERT_EQ(newest->runs.size(), 2U);
  EXPECT_EQ(IdOf(newest->runs[0]), ids[4]);
  EXPECT_EQ(IdOf(newest->runs[1]), ids[3]);
  EXPECT_FALSE(newest->next.empty());
  const Result<RunList> older = ListRuns(dir_, 10, ids[3]);
  ASSERT_TRUE(older.has_value());
  ASSERT_EQ(older->runs.size(), 3U);
  EXPECT_EQ(IdOf(older->runs[0]), ids[2]);
  EXPECT_EQ(older->next, "");
}

TEST_F(RunRecordTest, NoFolderIsNoRuns) {
  const Result<RunList> list = ListRuns(dir_, 10);
  ASSERT_TRUE(list.has_value());
  EXPECT_TRUE(list->runs.empty());
  EXPECT_EQ(list->next, "");
  const Result<json::Object> none = ReadRun(dir_, "20261122-010300-rps-aaaaaa");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadRun(dir_, "../openseat").error().code, ErrorCode::kNotFound);
}

TEST_F(RunRecordTest, SaysWhichFilesAreNoRuns) {
  const json::Object good = Run(1);
  ASSERT_TRUE(WriteRun(dir_, good).has_value());
  Put("broken.json", R"({"format": "openseat-run")");
  Put("else.json", R"({"some": "thing"})");
  Put("newer.json", R"({"format": "openseat-run", "version": 2, "id": "newer"})");
  Put("renamed.json", json::Write(good));
  Put("large.json", std::string(kMaxBytes + 10, ' '));
  Put("half.json.unfinished", "{");
  Put("Not An Id.json", "{");
  const Result<RunList> list = ListRuns(dir_, 10);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->runs.size(), 1U);
  std::map<std::string, std::string> messages;
  for (const RunList::Unreadable& file : list->unreadable) messages[file.file] = file.message;
  EXPECT_EQ(messages.size(), 5U);
  EXPECT_THAT(messages["broken.json"], HasSubstr("broken.json: "));
  EXPECT_THAT(messages["else.json"], HasSubstr("is not a run record"));
  EXPECT_THAT(messages["newer.json"], HasSubstr("has version 2; this program reads version 1"));
  EXPECT_THAT(messages["renamed.json"], HasSubstr("the \"id\" in its name"));
  EXPECT_THAT(messages["large.json"], HasSubstr("large.json: "));
  EXPECT_EQ(ReadRun(dir_, "else").error().code, ErrorCode::kParse);
}

TEST_F(RunRecordTest, SaysWhyNothingCanBeWritten) {
  fs::create_directories(dir_);
  std::ofstream(fs::path(dir_) / kFolder) << "in the way";
  const Result<std::string> path = WriteRun(dir_, Run(1));
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().code, ErrorCode::kIo);
  EXPECT_THAT(path.error().message, HasSubstr("/arena"));
}

}  // namespace
}  // namespace openseat::arena
