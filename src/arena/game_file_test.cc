#include "arena/game_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "base/secure_random.h"

namespace openseat::arena {
namespace {

using ::testing::HasSubstr;

class GameFileTest : public ::testing::Test {
 public:
  ~GameFileTest() override { std::remove(path_.c_str()); }

 protected:
  Result<std::vector<GameLine>> Read(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadGameFile(path_);
  }
  std::string MessageFor(const std::string& text) const {
    const Result<std::vector<GameLine>> games = Read(text);
    return games ? "" : games.error().message;
  }
  static std::string Line(int game) {
    return R"({"game": )" + std::to_string(game) +
           R"(, "pair": 0, "seats": ["a", "b"], "result": "win", "winners": [0]})" + "\n";
  }

  const std::string path_ = ::testing::TempDir() + "game_file_test." + SecureToken(8);
};

TEST_F(GameFileTest, ReadsGamesByNumber) {
  const Result<std::vector<GameLine>> games = Read(Line(4) + "\n" + Line(2) + "  \r\n" + Line(3));
  ASSERT_TRUE(games.has_value()) << games.error().message;
  ASSERT_EQ(games->size(), 3U);
  EXPECT_EQ(games->front().game, 2U);
  EXPECT_EQ(games->back().game, 4U);
  EXPECT_EQ(Read("")->size(), 0U);
}

TEST_F(GameFileTest, SaysWhichLineIsWrong) {
  const std::string whole = Line(0) + Line(1);
  for (std::size_t size = Line(0).size() + 1; size < whole.size() - 1; ++size) {
    EXPECT_THAT(MessageFor(whole.substr(0, size)), HasSubstr(path_ + ":2: the last line is cut off")) << size;
  }
  EXPECT_EQ(MessageFor(whole.substr(0, whole.size() - 1)), "");
  EXPECT_THAT(MessageFor(Line(0) + "{\"game\": 1,\n" + Line(2)), HasSubstr(path_ + ":2: a line must be a JSON object"));
  EXPECT_THAT(MessageFor(Line(0) + "\n{\"game\": 1}\n"), HasSubstr(path_ + ":3: \"pair\" is missing"));
  EXPECT_THAT(MessageFor(Line(0) + Line(1) + Line(0)), HasSubstr(path_ + ":3: game 0 is in line 1 already"));
  EXPECT_THAT(MessageFor(std::string(kMaxGameLineBytes + 10, 'x')), HasSubstr(path_ + ":1: a line has at most"));
}

TEST_F(GameFileTest, SaysThatThereIsNoFile) {
  const Result<std::vector<GameLine>> games = ReadGameFile(path_);
  ASSERT_FALSE(games.has_value());
  EXPECT_EQ(games.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(games.error().message, HasSubstr(path_));
}

TEST_F(GameFileTest, ReadsOnlyFiles) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(ReadGameFile(path_).error(),
            (Error{ErrorCode::kIo, "cannot read " + path_ + ": it is not a regular file", path_}));
}

}  // namespace
}  // namespace openseat::arena
