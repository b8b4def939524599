#include "schema/paths.h"

#include <gtest/gtest.h>

namespace openseat::schema {
namespace {

TEST(PathsTest, SpellsPointers) {
  Paths paths;
  const PathId source = paths.AddRoot("");
  const PathId other = paths.AddRoot("http://a/b#");
  EXPECT_EQ(paths.PointerOf(source), "");
  EXPECT_EQ(paths.PointerOf(source, "type"), "/type");
  EXPECT_EQ(paths.PointerOf(paths.Add(paths.Add(source, "a/b~"), std::size_t{7})), "/a~1b~0/7");
  EXPECT_EQ(paths.PointerOf(paths.Add(source, std::string_view())), "/");
  EXPECT_EQ(paths.PointerOf(paths.Add(other, "$defs"), "x"), "http://a/b#/$defs/x");
}

}  // namespace
}  // namespace openseat::schema
