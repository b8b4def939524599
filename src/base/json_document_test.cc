#include "base/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace openseat::json {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(std::string_view text) {
  const Result<Value> value = ParseDocument(text);
  return value ? "none" : value.error().message;
}

TEST(JsonDocument, AnErrorHasItsPlace) {
  EXPECT_THAT(ErrorOf("{\"a\": 1,\n  \"b\" 2}"), StartsWith("line 2, column 7: not valid JSON"));
  EXPECT_THAT(ErrorOf("{\"ä\": }"), StartsWith("line 1, column 7: ")) << "columns are characters";
  EXPECT_THAT(ErrorOf("{\"a\": {}\n"), StartsWith("line 2, column 1: ")) << "where something is missing at the end";
  EXPECT_THAT(ErrorOf("{} {}"), StartsWith("line 1, column 4: "));
  EXPECT_EQ(ErrorOf(""), "not valid JSON: expected a JSON value, got nothing");
}

TEST(JsonDocument, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(ErrorOf("\xEF\xBB\xBF{\"a\": 1}"), "none");
  EXPECT_THAT(ErrorOf("\xEF\xBB\xBF{\"a\" 1}"), StartsWith("line 1, column 6: "));
}

TEST(JsonDocument, FilesAreReadWhole) {
  const std::string path = ::testing::TempDir() + "json_document_" + std::to_string(getpid());
  for (const std::string& text : {std::string(), std::string("{}\n"), std::string("a\0b\xff", 4)}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const Result<std::string> read = ReadFile(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, text);
  }
  std::remove(path.c_str());
  EXPECT_THAT(ReadFile(path).error().message, HasSubstr("cannot read"));
  EXPECT_THAT(ReadFile(::testing::TempDir()).error().message, HasSubstr("cannot read"));
}

TEST(JsonDocument, FilesThatMayNeverEndAreRefused) {
  EXPECT_THAT(ReadFile("/dev/zero").error().message, HasSubstr("it is not a regular file"));
  EXPECT_EQ(*ReadFile("/dev/null"), "");
  const std::string path = ::testing::TempDir() + "json_document_" + std::to_string(getpid());
  std::ofstream(path) << "12345";
  EXPECT_EQ(*ReadFile(path, 5), "12345");
  EXPECT_EQ(ReadFile(path, 4).error().code, ErrorCode::kTooLarge);
  std::remove(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(*ReadFile(path), "") << "nobody writes, and nobody is waited for";
  std::remove(path.c_str());
}

TEST(JsonDocument, PipesAreReadWhole) {
  int ends[2];  // as of <(command) in a shell
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  EXPECT_EQ(*ReadFile("/dev/fd/" + std::to_string(ends[0])), "piped");
  close(ends[0]);
}

}  // namespace
}  // namespace openseat::json
