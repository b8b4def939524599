#include "app/run_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/run_command.h"
#include "arena/run_folder.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

arena::RunSpec Playing(std::vector<std::string> agents) {
  arena::RunSpec spec;
  spec.command = "play";
  spec.games.push_back(*NamedGame("tictactoe", json::Value()));
  spec.agents = std::move(agents);
  spec.wanted = 2;
  return spec;
}

class RunTrustTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (fs::temp_directory_path() / "openseat-trust-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    UseDataDir("mine");
    setenv("OPENAI_API_KEY", "sk-test-of-the-operator", 1);
  }
  void TearDown() override {
    unsetenv("XDG_DATA_HOME");
    unsetenv("OPENAI_API_KEY");
    fs::remove_all(dir_);
  }

  std::string Path(const std::string& name) const { return dir_ + "/" + name; }
  void UseDataDir(const std::string& name) const { setenv("XDG_DATA_HOME", Path(name).c_str(), 1); }
  static void Put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }
  static std::string Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The exit code; what is printed as an error is in said_.
  int Execute(RunFlags flags) {
    flags.json = true;
    ::testing::internal::CaptureStderr();
    const int code =
        ExecuteRun(flags, {.name = "play",
                           .asked = []() -> Result<arena::RunSpec> { return Playing({"random", "random"}); },
                           .check_resumed = [](const arena::RunSpec&) { return Result<void>(); },
                           .print = [](const RunResult&) {}});
    said_ = ::testing::internal::GetCapturedStderr();
    return code;
  }
  int Begin(std::vector<std::string> models) {
    RunFlags flags;
    flags.out = Path("run");
    flags.models = std::move(models);
    return Execute(flags);
  }
  int Resume(bool trust = false) {
    RunFlags flags;
    flags.resume = Path("run");
    flags.trust = trust;
    return Execute(flags);
  }

  std::string dir_;
  std::string said_;
};

TEST_F(RunTrustTest, BotsOnlyThink) {
  for (const char* agent : {"random", "random:seed=7,delay_ms=5", "bot", "search:level=3", "storyteller"}) {
    EXPECT_FALSE(ReachesOut(agent)) << agent;
  }
  for (const char* agent : {"cmd:./bot", "neuro:ws://127.0.0.1:8000", "llm:a", "script:moves.json", "external",
                            "webhook:https://there.example", "unheard-of", "open", ""}) {
    EXPECT_TRUE(ReachesOut(agent)) << agent;
  }
}

TEST_F(RunTrustTest, ARunThatOnlyThinksNeedsNoMark) {
  EXPECT_FALSE(ReachesOut(Playing({"random", "bot"})));
  EXPECT_TRUE(ReachesOut(Playing({"random", "llm:a"})));
  arena::RunSpec spec = Playing({"random", "random"});
  spec.model_flags = {"a=openai:m"};
  EXPECT_TRUE(ReachesOut(spec));
  spec.model_flags.clear();
  spec.config = "/there/models.toml";
  EXPECT_TRUE(ReachesOut(spec));
  spec.config.clear();
  spec.pool = {.file = "/there/ladder.json", .runs = {}};
  EXPECT_TRUE(ReachesOut(spec));
}

TEST_F(RunTrustTest, SaysWhatARunDoes) {
  arena::RunSpec spec = Playing({"cmd:/there/bot,log=/home/me/.bashrc", "neuro:ws://there.example:1",
                                 "script:file=/etc/passwd", "llm:m", "llm:c", "llm:other", "random"});
  spec.model_flags = {"m=openai:x@http://there.example"};
  spec.config = Path("models.toml");
  Put(spec.config,
      "[models.c]\nprovider = \"openai\"\nmodel = \"y\"\nbase_url = \"http://c.example/v1\"\napi_key_env = "
      "\"OPENAI_API_KEY\"\n[models.unused]\nprovider = \"openai\"\nmodel = \"z\"\n");
  spec.budget.cost = 5;
  spec.pool = {.file = "/there/\x1b]52;c;eA==\x07.json", .runs = {}};
  EXPECT_THAT(DeedsOf(spec),
              ElementsAre("run the program \"/there/bot\"", "append to the file \"/home/me/.bashrc\"",
                          "connect to \"ws://there.example:1\"", "read the file \"/etc/passwd\"",
                          "ask the model \"m\" (openai, x) at http://there.example/v1, with OPENAI_API_KEY",
                          "take the models of the file \"" + spec.config + "\"",
                          "ask the model \"c\" (openai, y) at http://c.example/v1, with the key that it names",
                          "ask the model \"other\"", "spend up to $5 on models",
                          "read the ladder \"/there/\\x1b]52;c;eA==\\x07.json\" with its runs, and write it"));
  EXPECT_THAT(DeedsOf(Playing({"webhook:key=k", "unheard-of", "random"})),
              ElementsAre("play with the agent \"webhook:key=k\"", "play with the agent \"unheard-of\""));
  EXPECT_THAT(DeedsOf(Playing({"random", "bot"})), IsEmpty());
}

TEST_F(RunTrustTest, TheKeyIsMadeOnceAndForThisUserAlone) {
  const std::string dir = Path("a/data");
  EXPECT_EQ(ReadRunKey(dir).error().code, ErrorCode::kNotFound);
  const Result<std::string> key = MakeRunKey(dir);
  ASSERT_TRUE(key.has_value()) << key.error().message;
  EXPECT_EQ(*MakeRunKey(dir), *key);
  EXPECT_EQ(*ReadRunKey(dir), *key);
  EXPECT_NE(*MakeRunKey(Path("b")), *key);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 1) << "nothing else is left there";
  EXPECT_EQ(fs::status(dir + "/run-key").permissions(), fs::perms::owner_read | fs::perms::owner_write);

  ASSERT_EQ(chmod((dir + "/run-key").c_str(), 0644), 0);
  EXPECT_EQ(ReadRunKey(dir).error().code, ErrorCode::kDenied);
  EXPECT_EQ(MakeRunKey(dir).error().code, ErrorCode::kDenied);
  ASSERT_EQ(chmod((dir + "/run-key").c_str(), 0600), 0);
  Put(dir + "/run-key", "short");
  EXPECT_EQ(ReadRunKey(dir).error().code, ErrorCode::kParse);
  fs::remove(dir + "/run-key");
  fs::create_symlink(Path("b/run-key"), dir + "/run-key");
  EXPECT_EQ(ReadRunKey(dir).error().code, ErrorCode::kIo) << "a link";
  Put(Path("file"), "");
  EXPECT_EQ(MakeRunKey(Path("file")).error().code, ErrorCode::kIo);
}

TEST_F(RunTrustTest, OnesOwnRunGoesOnAndAChangedOneDoesNot) {
  ASSERT_EQ(Begin({"m=openai:x@http://127.0.0.1:1/v1"}), kDone) << said_;
  EXPECT_EQ(Resume(), kDone) << said_;
  std::string text = Text(Path("run/run.json"));
  const std::string address = "127.0.0.1:1";
  text.replace(text.find(address), address.size(), "there.example");
  Put(Path("run/run.json"), text);
  EXPECT_EQ(Resume(), kUsage);
  EXPECT_THAT(said_, HasSubstr("has no mark of yours"));
  EXPECT_THAT(said_,
              HasSubstr("\n  ask the model \"m\" (openai, x) at http://there.example/v1, with OPENAI_API_KEY\n"));
  EXPECT_THAT(said_, HasSubstr("add --trust"));
  EXPECT_THAT(said_, Not(HasSubstr("sk-test-of-the-operator")));
  EXPECT_EQ(Text(Path("run/run.json")), text) << "nothing was changed";
  EXPECT_EQ(Resume(true), kDone) << said_;
  EXPECT_EQ(Resume(), kDone) << "it is one's own from then on: " << said_;
  UseDataDir("theirs");
  EXPECT_EQ(Resume(), kUsage) << "another user";
  EXPECT_FALSE(fs::exists(Path("theirs"))) << "nothing is made for a run that does not begin";
  // With models of one's own, its bots only think.
  RunFlags flags;
  flags.resume = Path("run");
  flags.models = {"m=openai:x@http://127.0.0.1:2/v1"};
  EXPECT_EQ(Execute(flags), kDone) << said_;
}

TEST_F(RunTrustTest, BotsGoOnWithoutAMark) {
  ASSERT_EQ(Begin({}), kDone) << said_;
  EXPECT_FALSE(fs::exists(Path("run/run.mark")));
  EXPECT_FALSE(fs::exists(Path("mine"))) << "no key is made for it";
  UseDataDir("theirs");
  EXPECT_EQ(Resume(), kDone) << said_;
}

TEST_F(RunTrustTest, WithoutADataDirectoryARunBeginsAllTheSame) {
  Put(Path("file"), "");
  UseDataDir("file");
  ASSERT_EQ(Begin({"m=openai:x@http://127.0.0.1:1/v1"}), kDone) << said_;
  EXPECT_THAT(said_, HasSubstr("--resume will need --trust"));
  EXPECT_EQ(Resume(), kUsage);
  EXPECT_EQ(Resume(true), kDone) << said_;
}

TEST_F(RunTrustTest, TrustIsForAFolder) {
  RunFlags flags;
  flags.trust = true;
  EXPECT_EQ(Execute(flags), kUsage);
  EXPECT_THAT(said_, HasSubstr("--trust is for the folder of --resume"));
}

}  // namespace
}  // namespace openseat::app
