// How much memory Compile and Inspect ask for in all, counted by an operator new of this program's own. It must grow as
// the schema does, whatever the schema says: what is copied per subschema shows here as a square.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "base/json.h"
#include "schema/inspect.h"
#include "schema/schema.h"

namespace {
std::atomic<std::size_t> allocated{0};
}  // namespace

void* operator new(std::size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  allocated += size;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace openseat::schema {
namespace {

std::size_t BytesOf(const std::function<void()>& work) {
  const std::size_t before = allocated;
  work();
  return allocated - before;
}

void InspectOnce(const json::Value& source) {
  Budget budget(CompileLimits{}.max_steps);
  EXPECT_TRUE(Inspect(source, budget));
}

std::string Times(int count, const std::function<std::string(const std::string&)>& part) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + part(std::to_string(i));
  return out;
}

// Schemas of a size that grows with `count`, each with something long that many small subschemas share.
std::string LongName(int count) {
  return R"({"properties":{")" + std::string(static_cast<std::size_t>(count) * 20, 'n') + R"(":{"properties":{)" +
         Times(count, [](const std::string& i) { return "\"p" + i + R"(":{"type":"string"})"; }) + "}}}}";
}
std::string LongNames(int count) {
  const std::string name(static_cast<std::size_t>(count), 'n');
  std::string schema = "{\"anyOf\":[" + Times(count, [](const std::string&) { return R"({"maximum":1})"; }) + "]}";
  for (int i = 0; i < 20; ++i) schema = "{\"properties\":{\"" + name + "\":" + schema + "}}";
  return schema;
}
std::string LongReferences(int count) {
  return R"({"$defs":{")" + std::string(static_cast<std::size_t>(count) * 20, 'n') + R"(":{"x":{"allOf":[)" +
         Times(count, [](const std::string&) { return R"({"$ref":"#/$defs/short"})"; }) +
         R"(]}}, "short": {}}, "$ref": "#/$defs/)" + std::string(static_cast<std::size_t>(count) * 20, 'n') + R"(/x"})";
}
std::string ManyAnchors(int count) {
  const auto resource = [](const std::string& i) {
    return R"({"$id":"r)" + i + R"(","$dynamicAnchor":"x","not":{"$dynamicRef":"#x"}})";
  };
  return R"({"$id":"http://a/","$dynamicAnchor":"x","anyOf":[)" + Times(count, resource) + "]}";
}

// The walk that resolves the second anchor's references meets all of the first's.
std::string TwoAnchors(int count) {
  const auto resource = [](const std::string& i) {
    return R"({"$id":"r)" + i + R"(","$dynamicAnchor":"x","not":{"$dynamicRef":"#x"}})";
  };
  return R"({"$id":"http://a/","anyOf":[{"$id":"y0","$dynamicAnchor":"y"},)"
         R"({"$id":"y1","$dynamicAnchor":"y","not":{"$dynamicRef":"#y"}},)" +
         Times(count, resource) + "]}";
}

// A set of properties that is part of many others, which the kernels merge.
std::string SharedProperties(int count) {
  const auto properties = [&](const std::string& begin) {
    return R"({"properties":{)" +
           Times(count, [&](const std::string& i) { return "\"" + begin + i + R"(":{"type":"string"})"; }) + "}}";
  };
  const auto both = [](const std::string&) { return R"({"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]})"; };
  return R"({"$defs":{"a":)" + properties("a") + R"(,"b":)" + properties("b") + R"(},"anyOf":[)" + Times(count, both) +
         "]}";
}

TEST(MemoryTest, GrowsAsTheSchemaDoes) {
  for (const auto& [name, make] :
       {std::pair("LongName", &LongName), std::pair("LongNames", &LongNames),
        std::pair("LongReferences", &LongReferences), std::pair("ManyAnchors", &ManyAnchors),
        std::pair("TwoAnchors", &TwoAnchors), std::pair("SharedProperties", &SharedProperties)}) {
    const json::Value small = *json::Parse(make(500));
    const json::Value large = *json::Parse(make(4000));
    const auto compile = [](const json::Value& source) {
      return BytesOf([&] {
        const auto compiled = Schema::Compile(source);
        ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
      });
    };
    const auto inspect = [](const json::Value& source) { return BytesOf([&] { InspectOnce(source); }); };
    // Eight times the schema: eight times the memory and some, where squares would make it 64.
    EXPECT_LT(compile(large), 16 * compile(small)) << name;
    EXPECT_LT(inspect(large), 16 * inspect(small)) << name;
  }
}

// 132 KB that once took 579 MB.
TEST(MemoryTest, TakesLittleForALongName) {
  const json::Value source = *json::Parse(LongName(3000));
  EXPECT_LT(BytesOf([&] { ASSERT_TRUE(Schema::Compile(source).has_value()); }), 16u << 20);
  EXPECT_LT(BytesOf([&] { InspectOnce(source); }), 4u << 20);
}

TEST(MemoryTest, BoundsUris) {
  const std::string base = "http://a/" + std::string(4000, 'b') + "/";
  const auto compile = [&](int count) {
    return Schema::Compile(*json::Parse(
        R"({"$id":")" + base + R"(","$defs":{)" +
        Times(count, [](const std::string& i) { return "\"d" + i + R"(":{"$id":"r)" + i + "\"}"; }) + "}}"));
  };
  EXPECT_TRUE(compile(100).has_value());
  const auto many = compile(1000);
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code, ErrorCode::kTooLarge);
  const auto longer = Schema::Compile(*json::Parse(R"({"$id":"http://a/)" + std::string(5000, 'b') + "\"}"));
  ASSERT_FALSE(longer.has_value());
  EXPECT_EQ(longer.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace openseat::schema
