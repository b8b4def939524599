// Random schemas: what must hold for every schema and every instance.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "schema/generate/generate.h"
#include "schema/inspect.h"
#include "schema/schema.h"
#include "schema/validate/run.h"

namespace openseat::schema {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"a", "b", "name", "position", "x-1", "a name of many bytes"};

// Draws schemas and instances from small worlds, so that they meet often.
class Source {
 public:
  explicit Source(std::uint64_t seed) : rng_(seed) {}
  Rng& rng() { return rng_; }

  json::Value Instance(int depth = 3) {
    switch (rng_.Below(depth > 0 ? 8 : 6)) {
      case 0:
        return json::Value(nullptr);
      case 1:
        return json::Value(rng_.Chance(0.5));
      case 2:
        return json::Value(rng_.Between(-3, 12));
      case 3:
        return json::Value(static_cast<double>(rng_.Between(-6, 24)) / 4);
      case 4:
      case 5:
        return json::Value(Text());
      case 6: {
        json::Array array;
        for (std::uint64_t i = rng_.Below(5); i > 0; --i) array.push_back(Instance(depth - 1));
        return json::Value(std::move(array));
      }
      default: {
        json::Object object;
        for (std::uint64_t i = rng_.Below(5); i > 0; --i) object.insert_or_assign(Name(), Instance(depth - 1));
        return json::Value(std::move(object));
      }
    }
  }

  // Of the keywords that the Neuro API recommends, never contradictory.
  json::Value Recommended(int depth = 4) {
    json::Object schema;
    const std::uint64_t kind = rng_.Below(depth > 0 ? 7 : 5);
    switch (kind) {
      case 0:
        schema["type"] = rng_.Chance(0.5) ? "boolean" : "null";
        break;
      case 1:
      case 2: {
        schema["type"] = kind == 1 ? "integer" : "number";
        const std::int64_t low = rng_.Between(-100, 100);
        const std::int64_t high = low + rng_.Between(0, 50);
        if (rng_.Chance(0.6)) schema[rng_.Chance(0.5) ? "minimum" : "exclusiveMinimum"] = low;
        if (rng_.Chance(0.6)) schema[rng_.Chance(0.5) ? "maximum" : "exclusiveMaximum"] = high + 2;
        break;
      }
      case 3: {
        schema["type"] = "string";
        constexpr std::array<const char*, 5> kPatterns = {"^[a-z]*$", "[0-9]+", "^(ab|c?d)*", "^.+$", "^\\w+( \\w+)*$"};
        if (rng_.Chance(0.3)) schema["pattern"] = kPatterns[rng_.Below(kPatterns.size())];
        const std::int64_t low = rng_.Between(1, 20);
        if (rng_.Chance(0.4)) schema["minLength"] = low;
        if (rng_.Chance(0.4)) schema["maxLength"] = low + rng_.Between(0, 20);
        if (rng_.Chance(0.2)) schema["format"] = rng_.Chance(0.5) ? "email" : "date-time";
        break;
      }
      case 4: {
        json::Array values;
        for (std::uint64_t i = rng_.Below(4) + 1; i > 0; --i) values.push_back(Instance(1));
        if (rng_.Chance(0.5)) {
          schema["enum"] = std::move(values);
        } else {
          schema["const"] = values[0];
        }
        break;
      }
      case 5: {
        schema["type"] = "array";
        const std::int64_t low = rng_.Between(0, 3);
        if (rng_.Chance(0.7)) schema["items"] = Recommended(depth - 1);
        if (rng_.Chance(0.3)) schema["prefixItems"] = json::Array{Recommended(depth - 1), Recommended(depth - 1)};
        if (rng_.Chance(0.5)) schema["minItems"] = low;
        if (rng_.Chance(0.5)) schema["maxItems"] = low + 3;
        if (rng_.Chance(0.2) && !schema.contains("items") && !schema.contains("prefixItems")) {
          schema["contains"] = Recommended(depth - 1);
        }
        break;
      }
      default: {
        schema["type"] = "object";
        json::Object properties;
        json::Array required;
        for (std::uint64_t i = rng_.Below(5); i > 0; --i) {
          const std::string_view name = Name();
          if (rng_.Chance(0.5) && !properties.contains(name)) required.emplace_back(boost::json::string_view(name));
          properties.insert_or_assign(name, Recommended(depth - 1));
        }
        schema["properties"] = std::move(properties);
        if (!required.empty()) schema["required"] = std::move(required);
        break;
      }
    }
    return json::Value(std::move(schema));
  }

  // Any keywords, in any combination.
  json::Value Any(int depth = 3) {
    if (rng_.Chance(0.1)) return json::Value(rng_.Chance(0.7));
    json::Object schema;
    for (std::uint64_t i = rng_.Below(4) + 1; i > 0; --i) AddKeyword(schema, depth);
    return json::Value(std::move(schema));
  }

 private:
  std::string_view Name() { return kNames[rng_.Below(kNames.size())]; }
  std::string Text() {
    constexpr std::array<const char*, 7> kTexts = {"", "a", "b", "name", "ab12", "äöü", "a text of many more bytes"};
    return kTexts[rng_.Below(kTexts.size())];
  }
  json::Array List(int depth) {
    json::Array list;
    for (std::uint64_t i = rng_.Below(3) + 1; i > 0; --i) list.push_back(Any(depth));
    return list;
  }
  json::Object Map(int depth) {
    json::Object map;
    for (std::uint64_t i = rng_.Below(4); i > 0; --i) map.insert_or_assign(Name(), Any(depth));
    return map;
  }
  json::Array Names() {
    json::Array names;
    for (const std::string_view name : kNames) {
      if (rng_.Chance(0.25)) names.emplace_back(boost::json::string_view(name));
    }
    return names;
  }

  void AddKeyword(json::Object& schema, int depth) {
    constexpr std::array<const char*, 7> kTypes = {"null", "boolean", "integer", "number", "string", "array", "object"};
    const auto type = [&] { return kTypes[rng_.Below(kTypes.size())]; };
    switch (rng_.Below(depth > 0 ? 38 : 18)) {
      case 0:
        schema["type"] = type();
        break;
      case 1: {
        const std::uint64_t first = rng_.Below(kTypes.size() - 1);
        schema["type"] = json::Array{kTypes[first], kTypes[first + 1]};
        break;
      }
      case 2:
        schema["enum"] = json::Array{Instance(2), Instance(1), Instance(0)};
        break;
      case 3:
        schema["const"] = Instance(2);
        break;
      case 4:
        schema["minimum"] = Instance(0).is_double() ? json::Value(1.25) : json::Value(rng_.Between(-2, 5));
        break;
      case 5:
        schema["maximum"] = rng_.Between(0, 9);
        break;
      case 6:
        schema["exclusiveMinimum"] = static_cast<double>(rng_.Between(-4, 8)) / 2;
        break;
      case 7:
        schema["exclusiveMaximum"] = static_cast<double>(rng_.Between(0, 20)) / 2;
        break;
      case 8:
        schema["multipleOf"] = rng_.Chance(0.5) ? json::Value(2) : json::Value(0.25);
        break;
      case 9:
        schema["minLength"] = rng_.Between(0, 4);
        break;
      case 10:
        schema["maxLength"] = rng_.Between(0, 8);
        break;
      case 11:
        schema["pattern"] = rng_.Chance(0.5) ? "^[a-z]+$" : "(?!a)\\w";
        break;
      case 12:
        schema["format"] = rng_.Chance(0.5) ? "date" : "hostname";
        break;
      case 13:
        schema["minItems"] = rng_.Between(0, 3);
        break;
      case 14:
        schema["maxItems"] = rng_.Between(0, 5);
        break;
      case 15:
        schema["uniqueItems"] = rng_.Chance(0.8);
        break;
      case 16:
        schema["required"] = Names();
        break;
      case 17:
        schema[rng_.Chance(0.5) ? "minProperties" : "maxProperties"] = rng_.Between(0, 4);
        break;
      case 18:
        schema["items"] = Any(depth - 1);
        break;
      case 19:
        schema["prefixItems"] = List(depth - 1);
        break;
      case 20:
        schema["contains"] = Any(depth - 1);
        break;
      case 21:
        schema[rng_.Chance(0.5) ? "minContains" : "maxContains"] = rng_.Between(0, 3);
        break;
      case 22:
      case 23:
        schema["properties"] = Map(depth - 1);
        break;
      case 24:
        schema["additionalProperties"] = Any(depth - 1);
        break;
      case 25:
        schema["patternProperties"] = json::Object{{rng_.Chance(0.5) ? "^[ab]" : "e", Any(depth - 1)}};
        break;
      case 26:
        schema["propertyNames"] = Any(depth - 1);
        break;
      case 27:
        schema["dependentRequired"] = json::Object{{Name(), Names()}};
        break;
      case 28:
        schema["dependentSchemas"] = Map(depth - 1);
        break;
      case 29:
        schema["allOf"] = List(depth - 1);
        break;
      case 30:
        schema["anyOf"] = List(depth - 1);
        break;
      case 31:
        schema["oneOf"] = List(depth - 1);
        break;
      case 32:
        schema["not"] = Any(depth - 1);
        break;
      case 33:
        schema["if"] = Any(depth - 1);
        schema[rng_.Chance(0.5) ? "then" : "else"] = Any(depth - 1);
        break;
      case 34:
        schema["unevaluatedItems"] = Any(depth - 1);
        break;
      case 35:
        schema["unevaluatedProperties"] = Any(depth - 1);
        break;
      case 36:
        schema["$ref"] = "#";
        break;
      default:
        schema["$ref"] = "https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray";
        break;
    }
  }

  Rng rng_;
};

TEST(PropertyTest, RecommendedSchemasAreAlwaysGenerated) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Source source(seed);
    const json::Value text = source.Recommended();
    const auto schema = Schema::Compile(text);
    ASSERT_TRUE(schema) << json::Write(text) << schema.error().message;
    const auto value = Generate(**schema, source.rng());
    ASSERT_TRUE(value) << "seed " << seed << ": " << json::Write(text);
    ASSERT_TRUE((*schema)->IsValid(*value)) << json::Write(text) << json::Write(*value);
  }
}

TEST(PropertyTest, BothQuestionsHaveTheSameAnswer) {
  int valid = 0;
  int generated = 0;
  int total = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Source source(seed);
    const json::Value text = source.Any();
    CompileOptions options;
    options.assert_formats = source.rng().Chance(0.5);
    options.limits.max_run_steps = 1'000'000;
    const auto schema = Schema::Compile(text, options);
    ASSERT_TRUE(schema) << json::Write(text) << schema.error().message;
    std::vector<json::Value> instances;
    for (int i = 0; i < 8; ++i) instances.push_back(source.Instance());
    GenerateOptions generate;
    generate.max_tries = 3;
    generate.max_values = 200;
    if (const auto value = Generate(**schema, source.rng(), generate)) {
      ++generated;
      ASSERT_TRUE((*schema)->IsValid(*value)) << json::Write(text) << json::Write(*value);
      instances.push_back(*value);
    }
    for (const json::Value& instance : instances) {
      const bool is_valid = (*schema)->IsValid(instance);
      const auto violations = (*schema)->Validate(instance, 3);
      ASSERT_EQ(is_valid, violations.empty()) << "seed " << seed << ": " << json::Write(text) << " on "
                                              << json::Write(instance) << ": " << Explain(violations);
      ASSERT_EQ(violations, (*schema)->Validate(instance, 3));
      // The general way alone comes to the same.
      Budget budget(options.limits.max_run_steps);
      const auto general = RunCollecting((*schema)->program(), (*schema)->program().root, instance, 3, budget);
      ASSERT_EQ(is_valid, general.empty()) << "seed " << seed << ": " << json::Write(text) << json::Write(instance);
      valid += is_valid ? 1 : 0;
      ++total;
    }
  }
  // The worlds meet: neither answer is rare.
  EXPECT_GT(valid, total / 4);
  EXPECT_LT(valid, total * 3 / 4);
  EXPECT_GT(generated, 3000);
}

// A schema wrapped in what means the same goes another way through the engine.
TEST(PropertyTest, WrappingChangesNothing) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Source source(seed);
    const json::Value inner = source.Any();
    const json::Value document = json::Object{{"$id", "https://example.com/inner"}, {"allOf", json::Array{inner}}};
    const auto plain = Schema::Compile(document);
    ASSERT_TRUE(plain);
    std::vector<json::Value> wraps = {
        json::Object{{"allOf", json::Array{true, document}}}, json::Object{{"not", json::Object{{"not", document}}}},
        json::Object{{"oneOf", json::Array{false, document}}}, json::Object{{"if", true}, {"then", document}},
        json::Object{{"$ref", "#/$defs/x"},
                     {"$defs", json::Object{{"x", document}}},
                     {"unevaluatedItems", true},
                     {"unevaluatedProperties", true}},
        // Two resources with one dynamic anchor: references go through the dynamic scope.
        json::Object{
            {"$dynamicRef", "#there"},
            {"$defs", json::Object{{"x", json::Object{{"$dynamicAnchor", "there"}, {"allOf", json::Array{document}}}},
                                   {"y", json::Object{{"$id", "other"}, {"$dynamicAnchor", "there"}}}}}}};
    std::vector<std::shared_ptr<const Schema>> schemas;
    for (const json::Value& wrap : wraps) {
      const auto schema = Schema::Compile(wrap);
      ASSERT_TRUE(schema) << json::Write(wrap) << schema.error().message;
      schemas.push_back(*schema);
    }
    for (int i = 0; i < 6; ++i) {
      const json::Value instance = source.Instance();
      const auto violations = (*plain)->Validate(instance);
      if (!violations.empty() && violations[0].keyword == "limit") continue;
      for (const auto& schema : schemas) {
        // Where everything must be noted, an alternative is tried that may lead in circles.
        const auto wrapped = schema->Validate(instance);
        if (!wrapped.empty() && wrapped[0].keyword == "limit") continue;
        ASSERT_EQ((*plain)->IsValid(instance), schema->IsValid(instance))
            << "seed " << seed << ": " << json::Write(schema->source()) << " on " << json::Write(instance);
      }
    }
  }
}

// Compile refuses what the meta-schema refuses, and nothing else.
TEST(PropertyTest, CompileAgreesWithTheMetaSchema) {
  const auto meta = Schema::Compile(json::Object{{"$ref", "https://json-schema.org/draft/2020-12/schema"}});
  ASSERT_TRUE(meta);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Source source(seed);
    json::Value text = source.Any();
    // Spoil one keyword, or none.
    json::Object* object = text.if_object();
    if (object != nullptr && !object->empty() && source.rng().Chance(0.6)) {
      auto* const member = object->begin() + source.rng().Below(object->size());
      const bool is_reference = member->key() == "$ref";
      json::Value value = source.Instance(2);
      if (!is_reference || !value.is_string()) member->value() = std::move(value);
    }
    const auto schema = Schema::Compile(text);
    ASSERT_EQ(schema.has_value(), (*meta)->IsValid(text))
        << json::Write(text) << ": " << (schema ? "" : schema.error().message) << Explain((*meta)->Validate(text));
    refused += schema ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(PropertyTest, InspectSeesEveryKeyword) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Source source(seed);
    const json::Value text = source.Any();
    Budget budget;
    const Inspection inspection = Inspect(text, budget).value();
    EXPECT_TRUE(inspection.unknown.empty()) << json::Write(text);
    EXPECT_GE(inspection.uses.size(), text.is_object() ? text.get_object().size() : 0);
    EXPECT_GE(inspection.nodes, inspection.subschemas);
  }
}

}  // namespace
}  // namespace openseat::schema
