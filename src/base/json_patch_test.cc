#include "base/json_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"

namespace openseat::json {
namespace {

Value Read(std::string_view text) {
  return *Parse(text);
}

// Applies a patch as RFC 6902 says, without what MakePatch does not use. Written apart from it.
Value Applied(Value value, const Array& patch) {
  for (const Value& entry : patch) {
    const std::string path(View(entry.at("path").as_string()));
    const std::string_view operation = View(entry.at("op").as_string());
    if (path.empty()) {
      value = entry.at("value");
      continue;
    }
    Value* at = &value;
    std::size_t start = 1;
    for (;;) {
      const std::size_t slash = path.find('/', start);
      std::string part;
      for (std::size_t i = start; i < std::min(slash, path.size()); ++i) {
        if (path[i] != '~') {
          part.push_back(path[i]);
        } else {
          part.push_back(path[++i] == '1' ? '/' : '~');
        }
      }
      const bool last = slash == std::string::npos;
      if (at->is_object() && !last) {
        at = &at->get_object().at(part);
      } else if (!last) {
        at = &at->get_array().at(std::stoul(part));
      } else if (at->is_object()) {
        if (operation == "remove") {
          EXPECT_EQ(at->get_object().erase(part), 1u);
        } else {
          EXPECT_EQ(at->get_object().contains(part), operation == "replace");
          at->get_object()[part] = entry.at("value");
        }
      } else {
        Array& list = at->as_array();
        const auto place = list.begin() + static_cast<std::ptrdiff_t>(std::stoul(part));
        if (operation == "remove") {
          list.erase(place);
        } else if (operation == "add") {
          list.insert(place, entry.at("value"));
        } else {
          *place = entry.at("value");
        }
      }
      if (last) break;
      start = slash + 1;
    }
  }
  return value;
}

std::string Patch(std::string_view before, std::string_view after) {
  const Array patch = MakePatch(Read(before), Read(after));
  EXPECT_EQ(Write(Applied(Read(before), patch)), Write(Read(after)));
  return Write(patch);
}

TEST(JsonPatch, SaysWhatChanged) {
  EXPECT_EQ(Patch("{\"a\":1,\"b\":[]}", "{\"a\":1,\"b\":[]}"), "[]");
  EXPECT_EQ(Patch("{\"a\":1}", "{\"a\":null}"), R"([{"op":"replace","path":"/a","value":null}])");
  EXPECT_EQ(Patch("{\"a\":{\"b/c~\":1}}", "{\"a\":{\"b/c~\":2}}"),
            R"([{"op":"replace","path":"/a/b~1c~0","value":2}])");
  EXPECT_EQ(Patch("{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":3}"),
            R"([{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":3}])");
  EXPECT_EQ(Patch("{}", "[]"), R"([{"op":"replace","path":"","value":[]}])");
}

TEST(JsonPatch, OfAListIsWhatWasAddedOrRemoved) {
  EXPECT_EQ(Patch("[1,2]", "[1,2,3,4]"), R"([{"op":"add","path":"/2","value":3},{"op":"add","path":"/3","value":4}])");
  EXPECT_EQ(Patch("[1,2,3]", "[0,1,2,3]"), R"([{"op":"add","path":"/0","value":0}])");
  EXPECT_EQ(Patch("[1,2,3,4]", "[1,4]"), R"([{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}])");
  EXPECT_EQ(Patch("[1,1]", "[1,1,1]"), R"([{"op":"add","path":"/2","value":1}])");
  EXPECT_EQ(Patch("[1,2,3,4]", "[3,4,5]"),
            R"([{"op":"remove","path":"/0"},{"op":"remove","path":"/0"},{"op":"add","path":"/2","value":5}])");
  EXPECT_EQ(Patch("[0,1,2,3,9]", "[0,2,3,4,9]"), R"([{"op":"remove","path":"/1"},{"op":"add","path":"/3","value":4}])");
  EXPECT_EQ(Patch("[{\"a\":1},2]", "[{\"a\":3},2]"), R"([{"op":"replace","path":"/0/a","value":3}])");
}

Value Any(Rng& rng, int depth) {
  switch (rng.Below(depth > 0 ? 6 : 4)) {
    case 0:
      return nullptr;
    case 1:
      return rng.Below(3);
    case 2:
      return rng.Below(2) == 1;
    case 3:
      return rng.Below(2) == 1 ? "x" : "y";
    case 4: {
      Array list;
      for (std::uint64_t i = rng.Below(5); i > 0; --i) list.push_back(Any(rng, depth - 1));
      return list;
    }
    default: {
      Object object;
      for (std::uint64_t i = rng.Below(4); i > 0; --i) {
        object[std::string(1, "ab/~"[rng.Below(4)])] = Any(rng, depth - 1);
      }
      return object;
    }
  }
}

TEST(JsonPatch, LeadsFromAnyValueToAnyOther) {
  Rng rng(11);
  for (int i = 0; i < 3000; ++i) {
    const Value before = Any(rng, 4);
    const Value after = Any(rng, 4);
    EXPECT_EQ(Applied(before, MakePatch(before, after)), after);
  }
}

}  // namespace
}  // namespace openseat::json
