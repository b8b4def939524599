#include "base/json_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace openseat::json {
namespace {

using ::testing::HasSubstr;

std::string Diff(std::string_view before, std::string_view after) {
  std::string out;
  WriteDiff(*Parse(before), *Parse(after), out);
  return out;
}

std::string Patched(std::string_view before, std::string_view patch) {
  Value value = *Parse(before);
  const Result<void> done = ApplyDiff(*Parse(patch), value);
  return done ? Write(value) : "error: " + done.error().message;
}

// A small value from few names and numbers, so that two of them have much in common.
Value AnyValue(Rng& rng, int depth) {
  const auto kind = rng.Below(depth > 0 ? 6 : 4);
  if (kind < 2) return static_cast<std::int64_t>(rng.Below(3));
  if (kind == 2) return nullptr;
  if (kind == 3) return json::Value("~/" + std::to_string(rng.Below(2)));
  const auto size = rng.Below(5);
  if (kind == 4) {
    Array array;
    for (std::uint64_t i = 0; i < size; ++i) array.push_back(AnyValue(rng, depth - 1));
    return array;
  }
  const char* const names[] = {"a", "~1", "/", "", "é"};
  Object object;
  for (std::uint64_t i = 0; i < size; ++i) object[names[rng.Below(5)]] = AnyValue(rng, depth - 1);
  return object;
}

TEST(JsonDiff, SaysOnlyWhatChanged) {
  EXPECT_EQ(Diff(R"({"a":1,"b":[1,2]})", R"({"b":[1,2],"a":1.0})"), "[]");
  EXPECT_EQ(Diff(R"({"board":[[null,"X"],[null,null]],"turn":"O"})", R"({"board":[[null,"X"],["O",null]],"turn":"X"})"),
            R"([{"op":"replace","path":"/board/1/0","value":"O"},{"op":"replace","path":"/turn","value":"X"}])");
  EXPECT_EQ(Diff(R"({"a":1,"b":2})", R"({"b":2,"c/~":3})"),
            R"([{"op":"remove","path":"/a"},{"op":"add","path":"/c~1~0","value":3}])");
  EXPECT_EQ(Diff("1", "[]"), R"([{"op":"replace","path":"","value":[]}])");
}

TEST(JsonDiff, ItemsAroundAChangeOfAnArrayAreNotRepeated) {
  EXPECT_EQ(Diff("[1,2,3,4]", "[1,2,9,3,4]"), R"([{"op":"add","path":"/2","value":9}])");
  EXPECT_EQ(Diff("[1,2,3,4,5]", "[1,4,5]"), R"([{"op":"remove","path":"/1"},{"op":"remove","path":"/1"}])");
  EXPECT_EQ(Diff("[1,2,3,4]", "[3,4,5]"),
            R"([{"op":"remove","path":"/0"},{"op":"remove","path":"/0"},{"op":"add","path":"/2","value":5}])");
  EXPECT_EQ(Diff("[1,1]", "[1,1,1]"), R"([{"op":"add","path":"/2","value":1}])");
}

TEST(JsonDiff, LeadsFromAnyValueToAnyOther) {
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const Value before = AnyValue(rng, 3);
    const Value after = AnyValue(rng, 3);
    std::string patch;
    WriteDiff(before, after, patch);
    Value value = before;
    const Result<void> done = ApplyDiff(*Parse(patch), value);
    ASSERT_TRUE(done.has_value()) << Write(before) << " " << patch << ": " << done.error().message;
    ASSERT_TRUE(Equal(value, after)) << Write(before) << " " << patch << " " << Write(after);
    ASSERT_EQ(patch == "[]", Equal(before, after)) << patch;
  }
}

TEST(JsonDiff, WhatFitsNowhereIsRefused) {
  EXPECT_EQ(Patched("{}", "{}"), "error: a patch must be a list; got object");
  EXPECT_THAT(Patched("{}", R"([{"op":"add","path":"/a","value":1},{"op":"test","path":"/a","value":1}])"),
              HasSubstr("operation 1 of a patch: it is not an \"add\""));
  for (const char* patch : {
           R"([{"op":"add","path":"/0"}])",
           R"([{"op":"add","path":"/4","value":1}])",
           R"([{"op":"add","path":"/-","value":1}])",
           R"([{"op":"add","path":"/01x","value":1}])",
           R"([{"op":"add","path":"/18446744073709551616","value":1}])",
           R"([{"op":"remove","path":"/3"}])",
           R"([{"op":"remove","path":""}])",
           R"([{"op":"replace","path":"0","value":1}])",
           R"([{"op":"replace","path":"/2/b","value":1}])",
           R"([{"op":"remove","path":"/2/b"}])",
           R"([{"op":"add","path":"/0/0","value":1}])",
           R"([{"op":"add","path":"/2/a/b/c","value":1}])",
           R"([7])",
       }) {
    EXPECT_THAT(Patched(R"([1,2,{"a":1}])", patch), HasSubstr("error: operation 0 of a patch: ")) << patch;
  }
}

}  // namespace
}  // namespace openseat::json
