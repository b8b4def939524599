#include "arena/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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
  // An older run: one file.
  void PutRun(const json::Object& run) const { Put(IdOf(run) + ".json", json::Write(run)); }
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

TEST_F(RunRecordTest, ReadsOlderRunsOfOneFile) {
  json::Object run = Run(1);
  run["name"] = "äöü \"first\"";
  PutRun(run);
  const Result<json::Object> read = ReadOldRun(dir_, IdOf(run));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(json::Equal(*read, run));
}

TEST_F(RunRecordTest, NewRunsHaveFolders) {
  const Time started(std::chrono::seconds(1795309380));
  EXPECT_THAT(NewRunPath(dir_, started, "rps"), MatchesRegex(".*/arena/20261122-010300000-rps-[a-z2-7]+"));
}

TEST_F(RunRecordTest, SaysWhyAFileIsNoRun) {
  const json::Object good = Run(1);
  PutRun(good);
  Put("broken.json", R"({"format": "openseat-run")");
  Put("else.json", R"({"some": "thing"})");
  Put("newer.json", R"({"format": "openseat-run", "version": 2, "id": "newer"})");
  Put("renamed.json", json::Write(good));
  Put("large.json", std::string(kMaxBytes + 10, ' '));
  const auto message = [this](std::string_view id) { return ReadOldRun(dir_, id).error().message; };
  EXPECT_THAT(message("broken"), HasSubstr("broken.json: "));
  EXPECT_THAT(message("else"), HasSubstr("is not a run record"));
  EXPECT_THAT(message("newer"), HasSubstr("has version 2; this program reads version 1"));
  EXPECT_THAT(message("renamed"), HasSubstr("the \"id\" in its name"));
  EXPECT_THAT(message("large"), HasSubstr("large.json: "));
  EXPECT_EQ(ReadOldRun(dir_, "else").error().code, ErrorCode::kParse);
  for (const char* id : {"20261122-010300-rps-aaaaaa", "../openseat"}) {
    EXPECT_EQ(ReadOldRun(dir_, id).error().code, ErrorCode::kNotFound) << id;
  }
}

}  // namespace
}  // namespace openseat::arena
