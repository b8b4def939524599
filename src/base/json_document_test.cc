#include "base/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

}  // namespace
}  // namespace openseat::json
