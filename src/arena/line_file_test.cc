#include "arena/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/secure_random.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LineFileTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }

  void Put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string Text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string dir_ = ::testing::TempDir() + "line_file_test." + SecureToken(8);
  const std::string path_ = dir_ + "/lines.jsonl";
};

TEST_F(LineFileTest, AppendsAndReads) {
  {
    Result<LineFile> file = LineFile::Open(path_, true);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_TRUE(file->lines().empty());
    ASSERT_TRUE(file->Append(3, "{\"game\":3,\"a\":1}\n{\"game\":3,\"a\":2}\n").has_value());
    ASSERT_TRUE(file->Append(4, "").has_value());
    EXPECT_EQ(*file->Read(1), "{\"game\":3,\"a\":2}");
  }
  const Result<LineFile> again = LineFile::Open(path_, false);
  ASSERT_EQ(again->lines().size(), 2U);
  EXPECT_EQ(again->lines()[1].game, 3U);
  EXPECT_EQ(*again->Read(0), "{\"game\":3,\"a\":1}");
  EXPECT_EQ(again->Where(1), path_ + ":2");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(LineFile::Open(dir_ + "/none", false).error().code, ErrorCode::kIo);
}

TEST_F(LineFileTest, OpensOnlyFiles) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  for (const bool writable : {false, true}) {
    EXPECT_THAT(LineFile::Open(path_, writable).error().message, HasSubstr(path_ + ": it is not a regular file"));
  }
  EXPECT_THAT(LineFile::Open("/dev/zero", false).error().message, HasSubstr("it is not a regular file"));
}

TEST_F(LineFileTest, DropsWhatIsTorn) {
  const std::string whole = "{\"game\":0,\"a\":1}\n";
  const std::string torn = "{\"game\":12,\"text\":\"abc\"}";
  for (std::size_t cut = 1; cut <= torn.size(); ++cut) {
    Put(whole + torn.substr(0, cut));
    EXPECT_EQ(LineFile::Open(path_, false)->lines().size(), 1U);
    EXPECT_NE(Text(), whole) << "a reader changes nothing";
    Result<LineFile> file = LineFile::Open(path_, true);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(Text(), whole);
    ASSERT_TRUE(file->Append(1, "{\"game\":1,\"a\":1}\n").has_value());
    EXPECT_EQ(Text(), whole + "{\"game\":1,\"a\":1}\n");
  }
}

TEST_F(LineFileTest, SaysWhereALineIsWrong) {
  for (const char* bad : {"", "{}", "[1]", "{\"game\":}", "{\"game\":1}", "{\"game\":-1,\"a\":1}",
                          "{\"game\":1,\"a\":1", "{\"game\":99999999999999999999,\"a\":1}", "{\"a\":1,\"game\":1}"}) {
    Put("{\"game\":1,\"a\":1}\n" + std::string(bad) + "\n{\"game\":2,\"a\":1}\n");
    const Result<LineFile> file = LineFile::Open(path_, true);
    ASSERT_FALSE(file.has_value()) << bad;
    EXPECT_EQ(file.error().code, ErrorCode::kParse);
    EXPECT_THAT(file.error().message, HasSubstr(path_ + ":2: a line of a run is a JSON object that begins with"));
  }
}

TEST_F(LineFileTest, TidiesInOneStep) {
  Put("{\"game\":2,\"a\":1}\n{\"game\":0,\"a\":1}\n{\"game\":2,\"a\":2}\n{\"game\":1,\"a\":1}\n");
  Result<LineFile> file = LineFile::Open(path_, true);
  ASSERT_TRUE(file->Tidy([](std::uint64_t game) { return game != 1; }).has_value());
  const std::string tidy = "{\"game\":0,\"a\":1}\n{\"game\":2,\"a\":1}\n{\"game\":2,\"a\":2}\n";
  EXPECT_EQ(Text(), tidy);
  ASSERT_EQ(file->lines().size(), 3U);
  EXPECT_EQ(*file->Read(2), "{\"game\":2,\"a\":2}");
  ASSERT_TRUE(file->Append(3, "{\"game\":3,\"a\":1}\n").has_value());
  EXPECT_EQ(Text(), tidy + "{\"game\":3,\"a\":1}\n");
  ASSERT_TRUE(file->Tidy([](std::uint64_t) { return false; }).has_value());
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 1) << "nothing else is left";
}

}  // namespace
}  // namespace openseat::arena
