#include "app/script_shelf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "app/ask_registry.h"
#include "app/script_files.h"
#include "games/script/script_game.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_registry.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

std::string NimText(const std::string& id = "nim") {
  std::ostringstream text;
  text << std::ifstream("games/nim.js").rdbuf();
  std::string nim = text.str();
  nim.replace(nim.find("id: 'nim'"), 9, "id: '" + id + "'");
  return nim;
}

class ScriptShelves : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("openseat-shelf-" + std::to_string(::getpid()) + "-" + name);
    fs::create_directories(folder_ / "games");
    Start();
  }
  void TearDown() override { fs::remove_all(folder_); }

  // As the server does, also after a restart.
  void Start() {
    list_ = std::make_unique<GameList>(std::span<const Game* const>());
    auto opened = ScriptShelf::Open((folder_ / "games").string(), (folder_ / "kept").string(),
                                    [](std::string_view id) { return id == "chess"; });
    ASSERT_TRUE(opened) << opened.error().message;
    shelf_ = *std::move(opened);
    shelf_->Serve(*list_);
    ASSERT_TRUE(shelf_->UseRegistry(registry_));
  }
  // As another node of the cluster does.
  void SaveElsewhere(const std::string& id, int version, std::vector<StoredFile> files) {
    ASSERT_TRUE(AskRegistry<StoredGame>([&](Scheduler& scheduler, const auto& done) {
      registry_.SaveGame(id, version, std::move(files), scheduler, done);
    }));
  }
  std::size_t Stored() {
    return AskRegistry<std::vector<StoredGame>>(
               [&](Scheduler& scheduler, const auto& done) { registry_.ListGames(true, scheduler, done); })
        ->size();
  }
  void Mark(const std::string& id, const std::string& text) const {
    fs::create_directories(folder_ / "kept" / id);
    std::ofstream(folder_ / "kept" / id / "uploaded") << text;
  }
  // Each text has another length than the one before: times are coarse.
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / "games" / name).parent_path());
    std::ofstream(folder_ / "games" / name) << text;
  }
  std::unique_ptr<Game> Made(const std::string& text) const { return *games::MakeScriptGame({{"up.js", text}}); }
  std::string ProblemOf(const std::string& id) const { return shelf_->Find(id)->problem; }

  fs::path folder_;
  testing::FakeClock clock_;
  testing::MemoryRegistry registry_{clock_};
  std::unique_ptr<ScriptShelf> shelf_;
  std::unique_ptr<GameList> list_;
};

TEST_F(ScriptShelves, OffersTheExamples) {
  const auto shelf = ScriptShelf::Open("games", (folder_ / "kept").string(), [](std::string_view) { return false; });
  ASSERT_TRUE(shelf) << shelf.error().message;
  EXPECT_GE((*shelf)->List().games.size(), 14u);
  EXPECT_TRUE((*shelf)->List().problems.empty());
}

TEST_F(ScriptShelves, StartsWithoutTheScriptsThatAreWrong) {
  Write("a.js", NimText());
  Write("b.js", NimText() + "\n");
  Write("broken.js", "export const info = {;");
  Write("chess.js", NimText("chess"));
  Start();
  EXPECT_EQ(shelf_->Find("nim")->file, "a.js");
  const auto problems = shelf_->List().problems;
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_NE(problems[0].problem.find("two games are called \"nim\": the other one is a.js"), std::string::npos);
  EXPECT_TRUE(problems[1].problem.starts_with("broken.js:1:")) << problems[1].problem;
  EXPECT_NE(problems[2].problem.find("\"chess\" is part of the program"), std::string::npos);
  fs::remove(folder_ / "games/a.js");
  shelf_->Refresh();
  EXPECT_EQ(shelf_->Find("nim")->file, "b.js") << "the id is free";
}

TEST_F(ScriptShelves, DoesNotStartWithoutItsFolder) {
  const std::string folder = (folder_ / "none").string();
  const auto opened = ScriptShelf::Open(folder, (folder_ / "kept").string(), [](std::string_view) { return false; });
  EXPECT_EQ(opened.error().message, "there is no folder of games " + folder);
}

TEST_F(ScriptShelves, AFileThatAGameImportsNeedNotBeAGame) {
  Write("lines.js", "export const lines = 1;");
  Write("loose.js", "export const loose = 1;");
  Write("nim.js", "import { lines } from './lines.js';\n" + NimText());
  Start();
  ASSERT_EQ(shelf_->List().problems.size(), 1u);
  EXPECT_EQ(shelf_->List().problems[0].file, "loose.js");
  Write("other.js", "import { loose } from './loose.js';\n" + NimText("other"));
  shelf_->Refresh();
  EXPECT_TRUE(shelf_->List().problems.empty());
  EXPECT_EQ(list_->Offered().size(), 2u);
}

TEST_F(ScriptShelves, NewMatchesTakeTheNewRulesAndOldOnesKeepTheirs) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  const Game* first = list_->FindOffered("nim");
  ASSERT_NE(first, nullptr);
  const auto match = first->NewGame(nullptr, 1, {"A", "B"});
  Write("nim.js", NimText() + "// changed\n");
  shelf_->Refresh();
  const Game* second = list_->FindOffered("nim");
  EXPECT_NE(second, first);
  EXPECT_EQ(list_->Offered().size(), 1u);
  EXPECT_EQ(second->OfVersion(first->info().rules_version), first);
  EXPECT_EQ((*match)->Moves(0, {}), 12u);
  // Nothing changed: nothing is loaded.
  shelf_->Refresh();
  EXPECT_EQ(list_->FindOffered("nim"), second);
}

TEST_F(ScriptShelves, ABrokenFileKeepsTheOldVersionAndSaysSo) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  const Game* good = list_->FindOffered("nim");
  Write("nim.js", NimText() + "\n}");
  Write("new.js", "export const info = 5;");
  shelf_->Refresh();
  EXPECT_EQ(list_->FindOffered("nim"), good);
  EXPECT_TRUE(ProblemOf("nim").starts_with("nim.js:")) << ProblemOf("nim");
  const ScriptShelf::Listing listing = shelf_->List();
  ASSERT_EQ(listing.problems.size(), 1u);
  EXPECT_EQ(listing.problems[0].file, "new.js");
  EXPECT_NE(listing.problems[0].problem.find("info"), std::string::npos);
  Write("nim.js", NimText() + "\n\n");
  fs::remove(folder_ / "games/new.js");
  shelf_->Refresh();
  EXPECT_EQ(ProblemOf("nim"), "");
  EXPECT_NE(list_->FindOffered("nim"), good);
  EXPECT_TRUE(shelf_->List().problems.empty());
}

TEST_F(ScriptShelves, AFileMayGetAnotherNameAndAGameAnotherId) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  fs::rename(folder_ / "games/nim.js", folder_ / "games/nim2.js");
  shelf_->Refresh();
  EXPECT_EQ(shelf_->Find("nim")->file, "nim2.js");
  EXPECT_NE(list_->FindOffered("nim"), nullptr);
  Write("nim2.js", NimText("other-nim"));
  shelf_->Refresh();
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  EXPECT_NE(list_->FindOffered("other-nim"), nullptr);
  EXPECT_NE(list_->Find("nim"), nullptr) << "for its matches";
}

TEST_F(ScriptShelves, AGameThatIsGoneIsKnownForItsMatchesAlsoAfterARestart) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  const int version = list_->FindOffered("nim")->info().rules_version;
  Write("nim.js", NimText() + "// changed\n");
  shelf_->Refresh();
  fs::remove(folder_ / "games/nim.js");
  shelf_->Refresh();
  for (int starts = 0; starts < 2; ++starts) {
    EXPECT_EQ(list_->FindOffered("nim"), nullptr);
    EXPECT_TRUE(list_->Offered().empty());
    ASSERT_NE(list_->Find("nim"), nullptr);
    const Game* old = list_->Find("nim")->OfVersion(version);
    ASSERT_NE(old, nullptr);
    EXPECT_EQ(old->info().rules_version, version);
    EXPECT_EQ(list_->Find("nim")->OfVersion(7), nullptr);
    Start();
  }
}

TEST_F(ScriptShelves, CompletesACopyThatWasNotWrittenToItsEnd) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  const std::string version = std::to_string(list_->Find("nim")->info().rules_version);
  fs::remove(folder_ / "kept/nim" / version / "script");
  Start();
  EXPECT_TRUE(fs::exists(folder_ / "kept/nim" / version / "script"));
}

TEST_F(ScriptShelves, KeepsWhatWasUploaded) {
  EXPECT_TRUE(*shelf_->Upload(*Made(NimText())));
  EXPECT_FALSE(*shelf_->Upload(*Made(NimText() + "\n"))) << "a new version";
  const int version = list_->FindOffered("nim")->info().rules_version;
  Start();
  ASSERT_NE(list_->FindOffered("nim"), nullptr);
  EXPECT_EQ(list_->FindOffered("nim")->info().rules_version, version);
  EXPECT_EQ(shelf_->Find("nim")->from, ScriptShelf::From::kUpload);
  EXPECT_EQ(shelf_->Find("nim")->file, "up.js");
}

// What an earlier program kept only in the data directory.
TEST_F(ScriptShelves, TakesOverWhatWasUploadedBefore) {
  for (const char* id : {"one", "two"}) {
    const auto game = Made(NimText(id));
    const int version = game->info().rules_version;
    ASSERT_TRUE(KeepVersion((folder_ / "kept").string(), id, version, games::FilesOf(*game)));
    Mark(id, std::to_string(version));
  }
  Mark("lost", "17");
  // The registry's version counts.
  SaveElsewhere("two", 3, {{"up.js", NimText("two") + "\n"}});
  Start();
  EXPECT_EQ(shelf_->List().games.size(), 2u);
  EXPECT_EQ(list_->FindOffered("one")->info().rules_version, Made(NimText("one"))->info().rules_version);
  EXPECT_EQ(list_->FindOffered("two")->info().rules_version, Made(NimText("two") + "\n")->info().rules_version);
  EXPECT_EQ(Stored(), 2u);
  EXPECT_FALSE(fs::exists(folder_ / "kept/one/uploaded"));
  // What was removed stays so.
  ASSERT_TRUE(shelf_->Remove("one"));
  Start();
  EXPECT_EQ(list_->FindOffered("one"), nullptr);
  EXPECT_NE(list_->FindOffered("two"), nullptr);
}

TEST_F(ScriptShelves, OffersWhatAnotherNodeUploads) {
  const std::string first = NimText();
  const int first_version = Made(first)->info().rules_version;
  SaveElsewhere("nim", first_version, {{"up.js", first}});
  SaveElsewhere("other", 5, {{"o.js", NimText("other")}});
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  ASSERT_TRUE(shelf_->Sync(true));
  ASSERT_NE(list_->FindOffered("nim"), nullptr);
  EXPECT_EQ(shelf_->Find("nim")->file, "up.js");
  EXPECT_NE(list_->FindOffered("other"), nullptr);
  const std::string second = NimText() + "\n";
  const int second_version = Made(second)->info().rules_version;
  EXPECT_EQ(list_->Find("nim")->OfVersion(second_version), nullptr);
  SaveElsewhere("nim", second_version, {{"up.js", second}});
  ASSERT_TRUE(shelf_->Sync(true));
  EXPECT_EQ(list_->FindOffered("nim")->info().rules_version, second_version);
  // Matches may need a version that is offered no more, or come with a game that this node never offered.
  EXPECT_NE(list_->Find("nim")->OfVersion(first_version), nullptr);
  ASSERT_TRUE(AskRegistry<StoredGame>(
      [&](Scheduler& scheduler, const auto& done) { registry_.WithdrawGame("nim", scheduler, done); }));
  ASSERT_TRUE(shelf_->Sync(true));
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  fs::remove_all(folder_ / "kept");
  Start();
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  ASSERT_NE(list_->Find("nim"), nullptr);
  EXPECT_NE(list_->Find("nim")->OfVersion(first_version), nullptr);
  EXPECT_NE(list_->Find("nim")->OfVersion(second_version), nullptr);
}

// The files of a version are another one under another engine, and a match may be played by either.
TEST_F(ScriptShelves, FindsAVersionUnderTheNumberOfAnotherEngine) {
  SaveElsewhere("nim", 4, {{"up.js", NimText()}});
  SaveElsewhere("nim", 5, {{"up.js", NimText() + "\n"}});
  ASSERT_TRUE(shelf_->Sync(true));
  const int first = Made(NimText())->info().rules_version;
  EXPECT_NE(list_->Find("nim")->OfVersion(first), nullptr);
  EXPECT_EQ(list_->Find("nim")->OfVersion(4), nullptr);
  ASSERT_TRUE(shelf_->Remove("nim"));
  shelf_->Forget("nim", {first});
  EXPECT_EQ(Stored(), 1u);
}

TEST_F(ScriptShelves, AnUploadedGameThatCannotBeLoadedHereIsAProblem) {
  SaveElsewhere("nim", 4, {{"up.js", NimText()}});
  ASSERT_TRUE(shelf_->Sync(true));
  const Game* good = list_->FindOffered("nim");
  SaveElsewhere("nim", 5, {{"up.js", NimText() + "\n}"}});
  SaveElsewhere("chess", 6, {{"chess.js", NimText("chess")}});
  SaveElsewhere("../up", 7, {{"up.js", NimText()}});
  ASSERT_TRUE(shelf_->Sync(true));
  EXPECT_EQ(list_->FindOffered("nim"), good) << "the last version that is right";
  EXPECT_NE(ProblemOf("nim"), "");
  EXPECT_GE(shelf_->List().problems.size(), 1u);
  EXPECT_FALSE(fs::exists(folder_ / "up"));
  SaveElsewhere("nim", 8, {{"../../../up.js", NimText()}});
  ASSERT_TRUE(shelf_->Sync(true));
  EXPECT_FALSE(fs::exists(folder_ / "up.js"));
}

TEST_F(ScriptShelves, AnUploadedGameWaitsForTheIdOfAFile) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  SaveElsewhere("nim", 4, {{"up.js", NimText() + "\n"}});
  ASSERT_TRUE(shelf_->Sync(true));
  EXPECT_EQ(shelf_->Find("nim")->from, ScriptShelf::From::kFolder);
  EXPECT_EQ(shelf_->List().problems.size(), 1u);
  fs::remove(folder_ / "games/nim.js");
  shelf_->Refresh();
  ASSERT_TRUE(shelf_->Find("nim"));
  EXPECT_EQ(shelf_->Find("nim")->from, ScriptShelf::From::kUpload);
  EXPECT_TRUE(shelf_->List().problems.empty());
}

TEST_F(ScriptShelves, TellsTheProblemsOfUploadsAndOfFilesOfTheSameNameApart) {
  for (const char* id : {"one", "two"}) SaveElsewhere(id, 1, {{"up.js", "wrong"}});
  ASSERT_TRUE(shelf_->Sync(true));
  ASSERT_EQ(shelf_->List().problems.size(), 2u);
  Write("up.js", NimText("three"));
  shelf_->Refresh();
  EXPECT_EQ(shelf_->List().problems.size(), 2u) << "a file of the folder is not the upload";
  EXPECT_EQ(shelf_->Find("three")->problem, "");
  Write("up.js", "wrong");
  shelf_->Refresh();
  EXPECT_EQ(shelf_->List().problems.size(), 2u) << "the problem of an offered game is told with it";
  EXPECT_NE(shelf_->Find("three")->problem, "");
  fs::remove(folder_ / "games" / "up.js");
  shelf_->Refresh();
  EXPECT_EQ(shelf_->List().problems.size(), 2u);
  EXPECT_EQ(shelf_->List().problems[0].from, ScriptShelf::From::kUpload);
}

TEST_F(ScriptShelves, RefusesToUploadOverOtherGames) {
  Write("nim.js", NimText());
  shelf_->Refresh();
  EXPECT_EQ(shelf_->Upload(*Made(NimText())).error().code, ErrorCode::kConflict);
  EXPECT_EQ(shelf_->Upload(*Made(NimText("chess"))).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(shelf_->Upload(*Made(NimText("mine"))));
  Write("mine.js", NimText("mine"));
  shelf_->Refresh();
  ASSERT_EQ(shelf_->List().problems.size(), 1u);
  EXPECT_NE(shelf_->List().problems[0].problem.find("uploaded"), std::string::npos);
}

TEST_F(ScriptShelves, KeepsEveryFileInItsOrder) {
  const std::vector<games::ScriptFile> files{{"game.js", "export {};"}, {"unused.js", "1;"}, {"a/b.js", "2;"}};
  ASSERT_TRUE(KeepVersion(folder_ / "kept", "many", 7, files));
  const auto kept = ReadKept(folder_ / "kept", "many", 7);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 3u);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ((*kept)[i].name, files[i].name);
    EXPECT_EQ((*kept)[i].text, files[i].text);
  }
}

TEST_F(ScriptShelves, RemovesAnUploadedGameAndTheVersionsThatNoMatchNeeds) {
  ASSERT_TRUE(shelf_->Upload(*Made(NimText())));
  const int first = list_->FindOffered("nim")->info().rules_version;
  ASSERT_TRUE(shelf_->Upload(*Made(NimText() + "\n")));
  const int second = list_->FindOffered("nim")->info().rules_version;
  EXPECT_EQ(shelf_->Remove("mine").error().code, ErrorCode::kNotFound);
  shelf_->Forget("nim", {});
  EXPECT_EQ(Stored(), 2u) << "it is offered";
  ASSERT_TRUE(shelf_->Remove("nim"));
  shelf_->Forget("nim", {first});
  EXPECT_EQ(Stored(), 1u);
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  EXPECT_TRUE(fs::exists(folder_ / "kept/nim" / std::to_string(first)));
  EXPECT_FALSE(fs::exists(folder_ / "kept/nim" / std::to_string(second)));
  Start();
  EXPECT_EQ(list_->FindOffered("nim"), nullptr);
  EXPECT_NE(list_->Find("nim"), nullptr);
  // Uploaded again, and removed when nothing needs it.
  ASSERT_TRUE(shelf_->Upload(*Made(NimText())));
  ASSERT_TRUE(shelf_->Remove("nim"));
  shelf_->Forget("nim", {});
  EXPECT_EQ(Stored(), 0u);
  EXPECT_FALSE(fs::exists(folder_ / "kept/nim"));
  Write("nim.js", NimText());
  shelf_->Refresh();
  EXPECT_EQ(shelf_->Remove("nim").error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace openseat::app
