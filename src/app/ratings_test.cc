#include "app/ratings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/json_document.h"
#include "base/secure_random.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RatingsCommandTest : public ::testing::Test {
 public:
  RatingsCommandTest() {
    Put("one", Lines("a", "b", 3) + Lines("b", "c", 4, 10));
    Put("two", Lines("a", "c", 5));
  }
  ~RatingsCommandTest() override { fs::remove_all(dir_); }

 protected:
  // Games won by the first, except the last.
  static std::string Lines(const std::string& first, const std::string& second, int games, int from = 0) {
    std::string text;
    for (int game = from; game < from + games; ++game) {
      text += R"({"game": )" + std::to_string(game) + R"(, "pair": )" + std::to_string(game / 2) +
              R"(, "game_id": "chess", "seats": [")" + first + R"(", ")" + second +
              R"("], "result": "win", "winners": [)" + (game == from + games - 1 ? "1" : "0") + "]}\n";
    }
    return text;
  }
  void Put(const std::string& folder, const std::string& games) const {
    fs::create_directories(dir_ / folder);
    std::ofstream(dir_ / folder / "games.jsonl") << games;
  }
  std::string Folder(const std::string& name) const { return (dir_ / name).string(); }

  struct Ran {
    int code = 0;
    std::string out;
    std::string err;
  };
  static Ran Run(std::vector<std::string> arguments) {
    cli::CommandLine line("openseat", "", "1");
    AddRatings(line.root());
    arguments.insert(arguments.begin(), "ratings");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto run = line.Parse(arguments);
    Ran ran{.code = run ? (*run)() : kUsage, .out = "", .err = ""};
    std::fflush(stdout);
    ran.out = ::testing::internal::GetCapturedStdout();
    ran.err = ::testing::internal::GetCapturedStderr();
    if (!run) ran.err = run.error().message;
    return ran;
  }
  static json::Value JsonOf(const Ran& ran) {
    EXPECT_EQ(ran.code, kDone) << ran.err;
    const Result<json::Value> value = json::Parse(ran.out);
    return value ? *value : json::Value();
  }

  const fs::path dir_ = fs::path(::testing::TempDir()) / ("ratings_test." + SecureToken(8));
};

TEST_F(RatingsCommandTest, RatesOneRunAndWritesItsFile) {
  const json::Value out = JsonOf(Run({Folder("one"), "--json"}));
  ASSERT_EQ(out.at("agents").as_array().size(), 3U);
  EXPECT_EQ(out.at("agents").at(0).at("agent"), "a");
  EXPECT_EQ(out.at("games").at("chess").at("agents").as_array().size(), 3U);
  const Result<std::string> file = json::ReadFile(Folder("one") + "/ratings.json");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_TRUE(json::Equal(*json::Parse(*file), out));
  EXPECT_THAT(Run({Folder("one")}).out, HasSubstr("95 % interval"));
}

TEST_F(RatingsCommandTest, CombinesRuns) {
  const json::Value out = JsonOf(Run({Folder("one"), Folder("two"), "--json"}));
  EXPECT_EQ(out.at("agents").at(0).at("games").to_number<int>(), 8);
  EXPECT_FALSE(fs::exists(dir_ / "one" / "ratings.json"));
}

TEST_F(RatingsCommandTest, MeasuresFromAnAnchor) {
  const auto rating_of = [](const json::Value& out, std::string_view agent) {
    for (const json::Value& each : out.at("agents").as_array()) {
      if (json::TextOf(each, "agent") == agent) return each.at("rating").to_number<double>();
    }
    return 0.0;
  };
  EXPECT_EQ(rating_of(JsonOf(Run({Folder("one"), "--anchor", "b", "--json"})), "b"), 1500);
  EXPECT_EQ(rating_of(JsonOf(Run({Folder("one"), "--anchor", "b=-20.5", "--json"})), "b"), -20.5);
  // An agent's own options are part of its name.
  Put("search", Lines("search:level=3", "a", 4));
  EXPECT_EQ(rating_of(JsonOf(Run({Folder("search"), "--anchor", "search:level=3", "--json"})), "search:level=3"), 1500);
  EXPECT_EQ(rating_of(JsonOf(Run({Folder("search"), "--anchor", "search:level=3=900", "--json"})), "search:level=3"),
            900);
  EXPECT_THAT(Run({Folder("one"), "--anchor", "b=x"}).err, HasSubstr("expected AGENT=RATING"));
  EXPECT_THAT(Run({Folder("one"), "--anchor", "b=nan"}).err, HasSubstr("expected AGENT=RATING"));
  EXPECT_THAT(Run({Folder("one"), "--anchor", "x"}).err, HasSubstr("the anchor \"x\" has no game that counts"));
}

TEST_F(RatingsCommandTest, SaysWhatItCannotRead) {
  const Ran none = Run({Folder("nowhere")});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_THAT(none.err, HasSubstr("nowhere is not the folder of a run: it has no games.jsonl"));
  EXPECT_EQ(none.out, "");
  Put("torn", Lines("a", "b", 2) + R"({"game": 7, "pa)");
  const Ran torn = Run({Folder("torn"), "--json"});
  EXPECT_EQ(torn.code, kFailed);
  EXPECT_THAT(torn.err, HasSubstr("torn/games.jsonl:3: the last line is cut off"));
  EXPECT_EQ(torn.out, "");
  Put("wrong", Lines("a", "b", 1) + R"({"game": 7, "pair": 3, "seats": ["a", "b"], "result": "lost"})" + "\n");
  EXPECT_THAT(Run({Folder("wrong")}).err,
              HasSubstr(R"(wrong/games.jsonl:2: "result" must be "win", "draw" or "void")"));
  EXPECT_THAT(Run({Folder("one"), Folder("one") + "/."}).err, HasSubstr("is given twice"));
  EXPECT_EQ(Run({}).code, kUsage);
}

TEST_F(RatingsCommandTest, RatesAFolderThatItCannotWriteTo) {
  // A directory in the way of the file, because root may write anywhere.
  fs::create_directories(dir_ / "two" / "ratings.json" / "in the way");
  const Ran ran = Run({Folder("two"), "--json"});
  EXPECT_EQ(ran.code, kDone);
  EXPECT_THAT(ran.out, HasSubstr("\"agents\""));
  EXPECT_THAT(ran.err, HasSubstr("ratings.json"));
}

}  // namespace
}  // namespace openseat::app
