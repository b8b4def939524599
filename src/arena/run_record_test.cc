#include "arena/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "arena/run_folder.h"

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
  const Result<json::Object> read = ReadRun(dir_, IdOf(run));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(json::Equal(*read, run));
}

TEST_F(RunRecordTest, ReadsFolders) {
  const Time started(std::chrono::seconds(1795309380));
  const std::string path = NewRunPath(dir_, started, "rps");
  EXPECT_THAT(path, MatchesRegex(".*/arena/20261122-010300000-rps-[a-z2-7]+"));
  RunSpec spec;
  spec.command = "play";
  spec.name = "by folder";
  spec.games = {{"rps", "Rock-Paper-Scissors", 1, nullptr}};
  spec.agents = {"random", "script:a.json"};
  spec.wanted = 2;
  spec.parts = {{started, std::nullopt, {}}};
  const auto folder = RunFolder::Create(path, spec);
  ASSERT_TRUE(folder.has_value()) << folder.error().message;
  GameRecord record;
  record.line.game_id = "rps";
  record.line.seats = {"script:a.json", "random"};
  record.line.result = GameResult::kWin;
  record.line.winners = {0};
  record.replay = {{"game", 0}, {"table", "game-0"}};
  ASSERT_TRUE((*folder)->Add(record).has_value());
  // While it goes on, its games are counted.
  const std::string id = fs::path(path).filename();
  const Result<json::Object> running = ReadRun(dir_, id);
  ASSERT_TRUE(running.has_value()) << running.error().message;
  EXPECT_EQ(running->at("id"), json::Value(id));
  EXPECT_EQ(running->at("name"), "by folder");
  EXPECT_EQ(running->at("games"), 1);
  EXPECT_EQ(running->at("wanted"), 2);
  EXPECT_EQ(running->at("seats").at(1).at("wins"), 1);
  EXPECT_EQ(running->at("seats").at(0).at("losses"), 1);
  // Later, its own summary counts.
  ASSERT_TRUE((*folder)->Finish(1.5, {}, {{"games", 2}}, {}).has_value());
  EXPECT_EQ(ReadRun(dir_, id)->at("games"), 2);
  PutRun(Run(1));
  fs::create_directories(fs::path(dir_) / kFolder / "no-run");
  const Result<RunList> list = ListRuns(dir_, 10);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->runs.size(), 2U);
  EXPECT_EQ(IdOf(list->runs[1]), id);
  EXPECT_TRUE(list->unreadable.empty());
  std::ofstream(path + "/run.json") << "{";
  EXPECT_THAT(ListRuns(dir_, 10)->unreadable.at(0).message, HasSubstr("/run.json: "));
}

TEST_F(RunRecordTest, ListsTheNewestFirst) {
  std::vector<std::string> ids;
  for (int second = 0; second < 5; ++second) {
    const json::Object run = Run(second);
    ids.push_back(IdOf(run));
    PutRun(run);
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
  PutRun(good);
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

}  // namespace
}  // namespace openseat::arena
