#include "arena/run_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "arena/run_folder.h"
#include "arena/run_reader.h"
#include "base/secure_random.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunShelfTest : public ::testing::Test {
 public:
  ~RunShelfTest() override { fs::remove_all(dir_); }

 protected:
  // A run that began so many seconds after 2026-11-22, 01:03, with this many games.
  static void PutFolder(const std::string& path, int second, std::uint64_t games) {
    const Time started(std::chrono::seconds(1795309380 + second));
    RunSpec spec;
    spec.command = "play";
    spec.games = {{"rps", "Rock-Paper-Scissors", 1, nullptr}};
    spec.agents = {"random", "bot"};
    spec.parts = {{started, std::nullopt, {}}};
    const auto folder = RunFolder::Create(path, spec);
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    for (std::uint64_t game = 0; game < games; ++game) AddGame(**folder, game, "small");
  }
  static void AddGame(RunFolder& folder, std::uint64_t game, const std::string& observation) {
    GameRecord record;
    record.line.game = game;
    record.line.game_id = "rps";
    record.line.seats = {"random", "bot"};
    record.line.result = GameResult::kDraw;
    for (int decision = 0; decision < 3; ++decision) {
      record.decisions.push_back({0, {{"game", game}, {"decision", decision}, {"observation", observation}}});
    }
    record.replay = {{"game", game}, {"table", "game-" + std::to_string(game)}, {"game_id", "rps"}};
    record.replay["events"] = json::Array();
    ASSERT_TRUE(folder.Add(record).has_value());
  }
  void PutText(const std::string& file, const std::string& text) const {
    const fs::path path = fs::path(dir_) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::vector<std::string> Ids(RunShelf& shelf) {
    std::vector<std::string> ids;
    const Result<RunShelf::List> list = shelf.All();
    EXPECT_TRUE(list.has_value()) << (list ? "" : list.error().message);
    for (const json::Object& run : list->runs) ids.emplace_back(json::TextOf(run, "id"));
    return ids;
  }

  const std::string dir_ = ::testing::TempDir() + "run_shelf_test." + SecureToken(8);
};

TEST_F(RunShelfTest, ListsRunsOfItsFoldersNewestFirst) {
  RunShelf empty(dir_, {});
  EXPECT_THAT(Ids(empty), ElementsAre());
  PutFolder(dir_ + "/arena/first", 1, 1);
  PutFolder(dir_ + "/arena/third", 3, 2);
  PutFolder(dir_ + "/other/second", 2, 0);
  PutFolder(dir_ + "/one", 4, 0);
  fs::create_directories(dir_ + "/arena/no-run");
  PutText(
      "arena/20201122-rps-aaaaaa.json",
      R"({"format": "openseat-run", "version": 1, "id": "20201122-rps-aaaaaa", "started": "2020-11-22T01:03:00.000Z",)"
      R"("games": 5, "seats": [{"agent": "random"}, {"agent": 7}]})");
  PutText("other/20211122-rps-aaaaaa.json", "{}");
  // A trailing slash is part of many paths.
  RunShelf shelf(dir_, {dir_ + "/other/", dir_ + "/one/"});
  EXPECT_THAT(Ids(shelf), ElementsAre("one", "third", "second", "first", "20201122-rps-aaaaaa"));
  EXPECT_EQ(shelf.All()->runs[1].at("games"), 2);
  EXPECT_EQ(shelf.Find("one")->path, dir_ + "/one");
  EXPECT_FALSE(shelf.Find("20201122-rps-aaaaaa")->folder);
  for (const char* id : {"no-run", "20211122-rps-aaaaaa", "..", "", "other/second", "arena"}) {
    EXPECT_EQ(shelf.Find(id).error().code, ErrorCode::kNotFound) << id;
  }
}

TEST_F(RunShelfTest, SaysWhatItCannotShow) {
  PutFolder(dir_ + "/arena/same", 1, 0);
  PutFolder(dir_ + "/other/same", 2, 0);
  PutFolder(dir_ + "/other/what?", 2, 0);
  PutText("other/newer/run.json", R"({"format": "openseat-run", "version": 99})");
  PutText("arena/odd.json", "[]");
  RunShelf shelf(dir_, {dir_ + "/other"});
  const Result<RunShelf::List> list = shelf.All();
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->runs.size(), 1U);
  std::string all;
  for (const RunShelf::Unreadable& each : list->unreadable) all += each.message + "\n";
  EXPECT_THAT(all, HasSubstr("/other/same: " + dir_ + "/arena/same is shown under the same name"));
  EXPECT_THAT(all, HasSubstr("what?: the name of a run's folder has at most 100"));
  EXPECT_THAT(all, HasSubstr("newer/run.json: it has version 99"));
  EXPECT_THAT(all, HasSubstr("odd.json is not a run record"));
  RunShelf gone(dir_, {dir_ + "/gone"});
  EXPECT_THAT(gone.All().error().message, HasSubstr("cannot read the folder " + dir_ + "/gone"));
}

TEST_F(RunShelfTest, AReaderFollowsAFileThatGrows) {
  PutFolder(dir_ + "/run", 1, 2);
  RunReader reader;
  const std::string run = dir_ + "/run";
  const auto games = reader.ReadGames(run);
  ASSERT_TRUE(games.has_value());
  EXPECT_EQ((*games)->size(), 2U);
  EXPECT_EQ(*reader.ReadGames(run), *games);  // the same, not read again
  {
    auto folder = RunFolder::Resume(run, Time(), [](const WrittenRun&) -> Result<void> { return {}; });
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    AddGame(**folder, 2, std::string(RunReader::kMaxDecisionBytes - 1000, 'x'));
    EXPECT_EQ(reader.ReadDecisions(run, 2, 0, 0)->total, 3U);
    AddGame(**folder, 3, std::string(RunReader::kMaxDecisionBytes, 'x'));
  }
  EXPECT_EQ(reader.ReadDecisions(run, 3, 0, 0)->total, 3U);  // of the same file, which has grown
  EXPECT_EQ((*reader.ReadGames(run))->size(), 4U);
  // Three are more than an answer holds.
  const auto half = reader.ReadDecisions(run, 2, 0, 100);
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(half->total, 3U);
  EXPECT_EQ(half->lines.size(), 2U);
  EXPECT_EQ(half->next, 2U);
  // Each is too long to be shown at all.
  const auto omitted = reader.ReadDecisions(run, 3, 1, 100);
  ASSERT_TRUE(omitted.has_value());
  ASSERT_EQ(omitted->lines.size(), 2U);
  EXPECT_GT(json::Find(omitted->lines[0], "omitted")->to_number<std::uint64_t>(), RunReader::kMaxDecisionBytes);
  const auto few = reader.ReadDecisions(run, 0, 1, 1);
  ASSERT_EQ(few->lines.size(), 1U);
  EXPECT_EQ(few->next, 2U);
  const auto replay = *reader.ReadReplay(run, 1);
  EXPECT_EQ(replay->table.str(), "game-1");
  EXPECT_EQ(*reader.ReadReplay(run, 1), replay) << "it is kept for the next page";
  EXPECT_EQ(reader.ReadReplay(run, 9).error().code, ErrorCode::kNotFound);
}

TEST_F(RunShelfTest, MissingFilesAreEmpty) {
  PutText("run/run.json", "{}");
  RunReader reader;
  EXPECT_TRUE((*reader.ReadGames(dir_ + "/run"))->empty());
  EXPECT_EQ(reader.ReadDecisions(dir_ + "/run", 0, 0, 1)->total, 0U);
  EXPECT_EQ(reader.ReadReplay(dir_ + "/run", 0).error().code, ErrorCode::kNotFound);
  PutText("run/games.jsonl", "no line\n");
  EXPECT_THAT(reader.ReadGames(dir_ + "/run").error().message, HasSubstr("games.jsonl:1: "));
}

TEST_F(RunShelfTest, AFileThatIsTooLargeIsNotRead) {
  PutText("run/run.json", "{}");
  for (const char* file : {kGamesFile, kDecisionsFile}) {
    PutText("run/" + std::string(file), "");
    fs::resize_file(dir_ + "/run/" + file, RunReader::kMaxFileBytes + 1);  // sparse
  }
  RunReader reader;
  EXPECT_THAT(reader.ReadGames(dir_ + "/run").error().message, HasSubstr("too large to be shown: at most 64 MiB"));
  EXPECT_THAT(reader.ReadDecisions(dir_ + "/run", 0, 0, 1).error().message, HasSubstr("at most 8192 MiB"));
}

}  // namespace
}  // namespace openseat::arena
