#include "checker/fake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <ranges>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "checker/fake_kind.h"
#include "checker/fake_names.h"
#include "checker/fake_text.h"
#include "checker/fake_words.h"
#include "schema/generate/generate.h"

namespace openseat::checker {
namespace {

constexpr int kLists = static_cast<int>(WordList::kDomain) + 1;

bool IsIn(WordList list, std::string_view word) {
  return std::ranges::find(Words(list), word) != Words(list).end();
}

std::shared_ptr<const schema::Schema> Compiled(std::string_view text, bool assert_formats = false) {
  const auto source = json::Parse(text);
  EXPECT_TRUE(source) << text;
  schema::CompileOptions options;
  options.assert_formats = assert_formats;
  auto schema = schema::Schema::Compile(*source, options);
  EXPECT_TRUE(schema) << text << ": " << schema.error().message;
  return *schema;
}

json::Value Faked(std::string_view schema, std::string_view action, Rng& rng) {
  const auto compiled = Compiled(schema);
  auto value = FakeData(*compiled, action, rng);
  EXPECT_TRUE(value) << schema;
  if (!value) return nullptr;
  EXPECT_TRUE(compiled->IsValid(*value)) << schema << json::Write(*value);
  return *value;
}

TEST(FakeWordsTest, AreCleanTexts) {
  for (int list = 0; list < kLists; ++list) {
    const auto words = Words(static_cast<WordList>(list));
    ASSERT_FALSE(words.empty()) << list;
    EXPECT_LE(words.size(), 500u) << list;
    std::set<std::string_view> seen;
    for (const std::string_view word : words) {
      EXPECT_TRUE(seen.insert(word).second) << word;
      EXPECT_TRUE(!word.empty() && word.size() <= 60 && word.front() != ' ' && word.back() != ' ') << word;
      EXPECT_TRUE(IsValidUtf8(word)) << word;
      EXPECT_TRUE(std::ranges::none_of(word, [](unsigned char c) { return c < 0x20 || c == 0x7f; })) << word;
    }
  }
}

// What each list is for, so that a new version of the package cannot swap them.
TEST(FakeWordsTest, AreWhatTheyAreCalled) {
  EXPECT_TRUE(IsIn(WordList::kCountry, "Germany"));
  EXPECT_TRUE(IsIn(WordList::kCountryCode, "DE"));
  EXPECT_TRUE(IsIn(WordList::kLastName, "Abbott"));
  EXPECT_TRUE(IsIn(WordList::kColor, "black"));
  EXPECT_TRUE(IsIn(WordList::kAnimal, "bear"));
  EXPECT_TRUE(IsIn(WordList::kFruit, "apple"));
  EXPECT_TRUE(IsIn(WordList::kMonth, "April"));
  EXPECT_TRUE(IsIn(WordList::kCurrencyCode, "EUR"));
  EXPECT_TRUE(IsIn(WordList::kElement, "Hydrogen"));
  EXPECT_TRUE(IsIn(WordList::kDomain, "example.com"));
  EXPECT_EQ(Words(WordList::kWeekday).size(), 7u);
}

struct KindCase {
  std::vector<std::string_view> path;
  std::string_view action;
  FakeKind kind;
  std::string_view format = {};
};

TEST(FakeKindTest, IsReadFromNames) {
  using enum FakeKind;
  const std::vector<KindCase> cases = {
      {{"name"}, "", kFullName},
      {{"first_name"}, "", kFirstName},
      {{"firstName"}, "", kFirstName},
      {{"First-Name"}, "", kFirstName},
      {{"playerFirstName"}, "", kFirstName},
      {{"FIRST_NAME"}, "", kFirstName},
      {{"first_names"}, "", kFirstName},
      {{"last_name_2"}, "", kLastName},
      {{"email"}, "", kEmail},
      {{"email2"}, "", kEmail},
      {{"userEmail"}, "", kEmail},
      {{"email_address"}, "", kEmail},
      {{"ipv4"}, "", kIpv4},
      {{"city"}, "", kCity},
      {{"cities"}, "", kCity},
      {{"home_city"}, "", kCity},
      {{"city_name"}, "", kCity},
      {{"city_of_birth"}, "", kCity},
      {{"country"}, "", kCountry},
      {{"countryCode"}, "", kCountryCode},
      {{"color"}, "", kColor},
      {{"favouriteColours"}, "", kColor},
      {{"imageURL"}, "", kUrl},
      {{"URLPath"}, "", kPath},
      {{"phoneNumber"}, "", kPhone},
      {{"start_date"}, "", kDate},
      {{"date_of_birth"}, "", kDate},
      {{"username"}, "", kUsername},
      {{"user_name"}, "", kUsername},
      {{"message"}, "", kSentence},
      {{"text"}, "", kSentence},
      {{"message_text"}, "", kSentence},
      {{"description"}, "", kParagraph},
      {{"price"}, "", kPrice},
      {{"count"}, "", kCount},
      {{"number_of_players"}, "", kCount},
      {{"id"}, "", kIdentifier},
      {{"card_id"}, "", kIdentifier},
      {{"slice_of_fruit"}, "", kFruit},
      {{"uuid"}, "", kUuid},
      {{"animal"}, "", kAnimal},
      {{"food"}, "", kDish},
      {{"job"}, "", kJob},
      {{"job_title"}, "", kJob},
      {{"company"}, "", kCompany},
      {{"company_name"}, "", kCompany},
      {{"boxes"}, "", kNone},
      {{"address"}, "", kAddress},
      // surrounding names
      {{"city", "name"}, "", kCity},
      {{"user", "name"}, "", kFullName},
      {{"players", "name"}, "", kFullName},
      {{"user", "mood"}, "", kAdjective},
      {{"user", "wobble"}, "", kNone},
      {{"book", "title"}, "", kBookTitle},
      {{"title"}, "", kTitle},
      {{"value"}, "choose_color", kColor},
      {{"choice"}, "set_username", kUsername},
      {{"name"}, "order_food", kFullName},
      {{"name"}, "rename_city", kCity},
      {{"email", "name"}, "", kFullName},
      {{"email", "title"}, "", kTitle},
      {{"email", "text"}, "send_email", kSentence},
      {{"job", "title"}, "", kJob},
      {{"name"}, "name_pet", kPetName},
      {{}, "pick_country", kCountry},
      {{}, "jump", kNone},
      {{"value"}, "", kNone},
      {{"color", "value"}, "choose_city", kColor},
      {{"wobble"}, "choose_city", kNone},
      // formats take precedence
      {{"name"}, "", kEmail, "email"},
      {{"whatever"}, "", kDateTime, "date-time"},
      {{"color"}, "", kColor, "unheard-of"},
      // from strangers
      {{""}, "", kNone},
      {{"___"}, "---", kNone},
      {{"\xc3\xa4\xc3\xb6"}, "\xff", kNone},
      {{"123"}, "42", kNone},
      {{"of"}, "of", kNone},
  };
  for (const KindCase& each : cases) {
    EXPECT_EQ(static_cast<int>(KindOf(each.path, each.action, each.format)), static_cast<int>(each.kind))
        << (each.path.empty() ? "" : each.path.back()) << " in " << each.action;
  }
  const std::string huge(1 << 20, 'A');
  const std::vector<std::string_view> path(1000, huge);
  EXPECT_EQ(KindOf(path, huge, huge), kNone);
}

TEST(FakeKindTest, KnowsEachNameOnce) {
  std::set<std::string_view> seen;
  for (const NamedKind& known : KnownNames()) EXPECT_TRUE(seen.insert(known.name).second) << known.name;
  for (const NamedKind& generic : GenericNames()) EXPECT_TRUE(seen.insert(generic.name).second) << generic.name;
}

TEST(FakeTextTest, IsNeverEmpty) {
  Rng rng(1);
  for (int kind = 0; kind <= static_cast<int>(FakeKind::kSeconds); ++kind) {
    for (int i = 0; i < 50; ++i) {
      const std::string text = FakeText(static_cast<FakeKind>(kind), rng);
      EXPECT_FALSE(text.empty()) << kind;
      EXPECT_TRUE(IsValidUtf8(text)) << text;
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
    }
    const FakeRange range = RangeOf(static_cast<FakeKind>(kind));
    EXPECT_LT(range.low, range.high);
  }
}

std::string TextOf(const json::Value& value) {
  return value.is_string() ? std::string(json::View(value.get_string())) : json::Write(value);
}

struct Looks {
  std::string_view name;
  std::string_view schema;
  std::string_view pattern;  // of the text, or of the JSON of anything else
};

TEST(FakeDataTest, LooksLikeWhatItIsCalled) {
  const std::vector<Looks> cases = {
      {"name", R"({"type": "string"})", "[A-Z][^ ]+ [A-Z].+"},
      {"name", R"({})", "[A-Z][^ ]+ [A-Z].+"},
      {"name", R"({"type": ["null", "string"], "minLength": 1, "maxLength": 40})", "[A-Z][^ ]+ [A-Z].+"},
      {"email", R"({"type": "string"})", "[a-z0-9]+\\.[a-z0-9]+@example\\.(com|net|org)"},
      {"contact", R"({"type": "string", "format": "email"})", "[a-z0-9]+\\.[a-z0-9]+@example\\.(com|net|org)"},
      {"website", R"({"type": "string"})", "https://example\\.(com|net|org)/[a-z0-9-]+"},
      {"phone", R"({"type": "string"})", "\\+1-[0-9]{3}-555-01[0-9]{2}"},
      {"phone", R"({"type": "string", "pattern": "^[0-9]+$"})", "1[0-9]{3}55501[0-9]{2}"},
      {"birthday", R"({"type": "string"})", "(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}"},
      {"started", R"({"type": "string", "format": "date-time"})", "[0-9-]{10}T[0-9:]{8}Z"},
      {"uuid", R"({"type": "string"})", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
      {"id", R"({"type": "string"})", "[a-z0-9_]+_[0-9]+"},
      {"id", R"({"type": "integer"})", "[1-9][0-9]{0,3}"},
      {"hex_color", R"({"type": "string"})", "#[0-9a-f]{6}"},
      {"username", R"({"type": "string", "maxLength": 16})", "[a-z0-9_]{3,16}"},
      {"username", R"({"type": "string", "pattern": "^[a-z]{3,30}$"})", "[a-z]{3,30}"},
      {"message", R"({"type": "string"})", "[A-Z0-9].* .*[.!]"},
      {"question", R"({"type": "string"})", "[A-Z].* .*[?]"},
      {"message", R"({"type": "string", "maxLength": 10})", ".{1,10}"},
      {"message", R"({"type": "string", "minLength": 300, "maxLength": 300})", "[A-Z0-9].{299}"},
      {"price", R"({"type": "number"})", "[0-9]{1,3}(\\.[0-9]{1,2})?"},
      {"price", R"({"type": "string"})", "[0-9]{1,3}\\.[0-9]{2}"},
      {"price", R"({"type": "number", "minimum": 1000})", "1[0-9]{3}(\\.[0-9]{1,2})?"},
      {"count", R"({"type": "integer"})", "[1-9]|10"},
      {"count", R"({"type": "integer", "minimum": 3, "maximum": 5})", "[345]"},
      {"count", R"({"type": "integer", "minimum": 8})", "[89]|10"},
      {"count", R"({"type": "integer", "maximum": -5})", "-[0-9]+"},
      {"age", R"({"type": "integer", "minimum": 0})", "[1-8][0-9]"},
      {"age", R"({"type": ["string", "integer"]})", "[1-8][0-9]"},
      {"year", R"({"type": "integer"})", "(19|20)[0-9]{2}"},
      {"percent", R"({"type": "integer", "multipleOf": 5})", "[1-9]?[05]|100"},
      {"latitude", R"({"type": "number"})", "-?[0-9]{1,2}(\\.[0-9]{1,4})?(E-05)?"},
      {"version", R"({"type": "string", "pattern": "^\\d+\\.\\d+\\.\\d+$"})", "[0-9]\\.[0-9]+\\.[0-9]+"},
      {"zip", R"({"type": "string", "pattern": "^[0-9]{5}$"})", "[1-9][0-9]{4}"},
      {"code", R"({"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"})", "[A-Z]{3}-[0-9]{4}"},
      {"wobble", R"({"type": "string", "pattern": "^[a-z]+_[a-z]+$"})", "[a-z]+_[a-z]+"},
      {"wobble", R"({"type": "string"})", "[^ ]+ .+"},
  };
  Rng rng(2);
  for (const Looks& each : cases) {
    const std::string schema = R"({"type": "object", "properties": {")" + std::string(each.name) + R"(": )" +
                               std::string(each.schema) + R"(}, "required": [")" + std::string(each.name) + "\"]}";
    for (int i = 0; i < 40; ++i) {
      const json::Value value = Faked(schema, "act", rng);
      const std::string text = TextOf(value.at(each.name));
      ASSERT_TRUE(std::regex_match(text, std::regex(std::string(each.pattern)))) << schema << ": " << text;
    }
  }
}

TEST(FakeDataTest, TakesWordsOfTheRightList) {
  const std::vector<std::pair<std::string_view, WordList>> cases = {
      {"first_name", WordList::kFirstName},
      {"lastName", WordList::kLastName},
      {"city", WordList::kCity},
      {"country", WordList::kCountry},
      {"color", WordList::kColor},
      {"animal", WordList::kAnimal},
      {"food", WordList::kDish},
      {"fruit", WordList::kFruit},
      {"weekday", WordList::kWeekday},
      {"genre", WordList::kMusicGenre},
      {"language", WordList::kLanguage},
      {"song", WordList::kSong},
  };
  Rng rng(3);
  for (const auto& [name, list] : cases) {
    const std::string schema = R"({"type": "object", "properties": {")" + std::string(name) +
                               R"(": {"type": "string"}}, "required": [")" + std::string(name) + "\"]}";
    for (int i = 0; i < 20; ++i) {
      const std::string text = TextOf(Faked(schema, "act", rng).at(name));
      EXPECT_TRUE(IsIn(list, text)) << name << ": " << text;
    }
  }
}

// A first name of at most three letters is a short name, not a truncated one.
TEST(FakeDataTest, PrefersWordsThatFit) {
  Rng rng(4);
  int whole = 0;
  for (int i = 0; i < 100; ++i) {
    const json::Value value = Faked(
        R"({"type": "object", "properties": {"color": {"type": "string", "maxLength": 5}}, "required": ["color"]})",
        "act", rng);
    whole += IsIn(WordList::kColor, TextOf(value.at("color"))) ? 1 : 0;
  }
  EXPECT_GT(whole, 90);
}

TEST(FakeDataTest, FollowsWhatStandsAround) {
  Rng rng(5);
  const json::Value value = Faked(R"({"type": "object", "required": ["cities", "owner"], "properties": {
      "cities": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {"name": {"$ref": "#/$defs/text"}},
          "required": ["name"]}},
      "owner": {"type": "object", "properties": {"name": {"$ref": "#/$defs/text"}}, "required": ["name"]}},
      "$defs": {"text": {"type": "string"}}})",
                                  "act", rng);
  for (const json::Value& city : value.at("cities").as_array()) {
    EXPECT_TRUE(IsIn(WordList::kCity, TextOf(city.at("name")))) << json::Write(city);
  }
  EXPECT_NE(TextOf(value.at("owner").at("name")).find(' '), std::string::npos);
  EXPECT_TRUE(IsIn(WordList::kColor, TextOf(Faked(R"({"type": "string"})", "choose_color", rng))));
}

TEST(FakeDataTest, TakesOnlyWhatIsListed) {
  Rng rng(6);
  std::set<std::string> seen;
  for (int i = 0; i < 60; ++i) {
    const json::Value value = Faked(R"({"type": "object", "properties": {"color": {"enum": ["mauve", "taupe"]},
        "name": {"const": 7}, "city": {"type": "string", "enum": ["Here"]}}, "required": ["color", "name", "city"]})",
                                    "act", rng);
    seen.insert(TextOf(value.at("color")));
    EXPECT_EQ(value.at("name"), 7);
    EXPECT_EQ(TextOf(value.at("city")), "Here");
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(FakeDataTest, HoldsAssertedFormats) {
  Rng rng(7);
  for (const char* format : {"email", "idn-email", "uri", "iri", "uri-reference", "iri-reference", "uuid", "hostname",
                             "idn-hostname", "ipv4", "ipv6", "date", "time", "date-time", "duration", "json-pointer",
                             "relative-json-pointer", "regex", "uri-template"}) {
    const auto schema = Compiled(std::string(R"({"type": "string", "format": ")") + format + "\"}", true);
    for (int i = 0; i < 200; ++i) {
      const auto value = FakeData(*schema, "act", rng);
      ASSERT_TRUE(value);
      EXPECT_TRUE(schema->IsValid(*value)) << format << ": " << json::Write(*value);
    }
  }
}

TEST(FakeDataTest, IsRepeatable) {
  const auto schema =
      Compiled(R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"},
      "tags": {"type": "array", "items": {"type": "string"}}}})");
  Rng one(8);
  Rng two(8);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(*FakeData(*schema, "act", one), *FakeData(*schema, "act", two));
  EXPECT_EQ(one, two);
}

TEST(FakeDataTest, GivesUpWhereNothingIsValid) {
  Rng rng(9);
  for (const char* text : {"false", R"({"type": "string", "minLength": 3, "maxLength": 2})", R"({"enum": []})"}) {
    const auto value = FakeData(*Compiled(text), "act", rng);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kInvalid);
  }
}

// Random schemas with meaningful names.
class Source {
 public:
  explicit Source(std::uint64_t seed) : rng_(seed) {}

  // Never contradictory if `wild` is false: schemas that Generate always satisfies.
  json::Value Schema(bool wild, int depth = 3) {
    json::Object schema;
    switch (rng_.Below(depth > 0 ? 8 : 6)) {
      case 0:
        schema["type"] = rng_.Chance(0.5) ? "boolean" : "null";
        break;
      case 1:
      case 2:
        Number(schema, wild);
        break;
      case 3:
      case 4:
        String(schema, wild);
        break;
      case 5:
        schema["enum"] = json::Array{rng_.Between(0, 9), "a", nullptr};
        break;
      case 6:
        schema["type"] = "array";
        schema["items"] = Schema(wild, depth - 1);
        if (rng_.Chance(0.5)) schema["minItems"] = rng_.Between(0, 3);
        if (wild && rng_.Chance(0.5)) schema["uniqueItems"] = true;
        if (wild && rng_.Chance(0.3)) schema["maxItems"] = rng_.Between(0, 4);
        break;
      default:
        Object(schema, wild, depth);
    }
    if (wild && depth > 0 && rng_.Chance(0.2)) {
      constexpr std::array<const char*, 4> kCombiners = {"allOf", "anyOf", "oneOf", "not"};
      const char* combiner = kCombiners[rng_.Below(kCombiners.size())];
      const json::Value other = Schema(wild, depth - 1);
      schema[combiner] = std::string_view(combiner) == "not" ? other : json::Value(json::Array{other});
    }
    if (wild && rng_.Chance(0.1)) schema.erase("type");
    return json::Value(std::move(schema));
  }
  Rng& rng() { return rng_; }

 private:
  void Number(json::Object& schema, bool wild) {
    schema["type"] = rng_.Chance(0.5) ? "integer" : "number";
    const std::int64_t low = rng_.Between(-1000, 1000);
    if (rng_.Chance(0.5)) schema[rng_.Chance(0.5) ? "minimum" : "exclusiveMinimum"] = low;
    if (rng_.Chance(0.5)) schema[rng_.Chance(0.5) ? "maximum" : "exclusiveMaximum"] = low + rng_.Between(2, 300);
    if (wild && rng_.Chance(0.3)) schema["multipleOf"] = rng_.Chance(0.5) ? json::Value(3) : json::Value(0.25);
  }

  void String(json::Object& schema, bool wild) {
    schema["type"] = wild && rng_.Chance(0.2) ? json::Value(json::Array{"string", "integer"}) : json::Value("string");
    const std::int64_t low = rng_.Between(1, 30);
    if (rng_.Chance(0.4)) schema["minLength"] = low;
    if (rng_.Chance(0.4)) schema["maxLength"] = low + rng_.Between(0, 20);
    constexpr std::array<const char*, 6> kPatterns = {"^[a-z]*$", "[0-9]+",         "^(ab|c?d)*",
                                                      "^.+$",     "^\\w+( \\w+)*$", "^[A-Z]"};
    if (rng_.Chance(0.3)) schema["pattern"] = kPatterns[rng_.Below(kPatterns.size())];
    constexpr std::array<const char*, 5> kFormats = {"email", "date-time", "uuid", "uri", "made-up"};
    if (rng_.Chance(0.3)) schema["format"] = kFormats[rng_.Below(kFormats.size())];
  }

  void Object(json::Object& schema, bool wild, int depth) {
    constexpr auto kSomeNames = std::to_array<std::string_view>(
        {"name",     "first_name", "email",    "city",        "country",  "color", "url",     "phone", "date",
         "username", "message",    "text",     "description", "price",    "count", "id",      "uuid",  "animal",
         "food",     "job",        "company",  "age",         "x",        "y",     "value",   "tags",  "players",
         "wobble",   "",           "password", "rating",      "latitude", "month", "question"});
    schema["type"] = "object";
    json::Object properties;
    json::Array required;
    for (std::uint64_t i = rng_.Below(5); i > 0; --i) {
      const std::string_view name = kSomeNames[rng_.Below(kSomeNames.size())];
      if (rng_.Chance(0.5) && !properties.contains(name)) required.emplace_back(boost::json::string_view(name));
      properties.insert_or_assign(name, Schema(wild, depth - 1));
    }
    schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    if (wild && rng_.Chance(0.3)) schema["additionalProperties"] = Schema(wild, depth - 1);
    if (wild && rng_.Chance(0.2)) schema["minProperties"] = rng_.Between(0, 4);
  }

  Rng rng_;
};

TEST(FakePropertyTest, AlwaysHoldsForPlainSchemas) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Source source(seed);
    const json::Value text = source.Schema(false);
    const auto schema = schema::Schema::Compile(text);
    ASSERT_TRUE(schema) << json::Write(text) << schema.error().message;
    const auto value = FakeData(**schema, "say_name", source.rng());
    ASSERT_TRUE(value) << "seed " << seed << ": " << json::Write(text);
    ASSERT_TRUE((*schema)->IsValid(*value)) << json::Write(text) << json::Write(*value);
  }
}

TEST(FakePropertyTest, SucceedsWhereGenerateDoes) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Source source(seed);
    const json::Value text = source.Schema(true);
    schema::CompileOptions options;
    // A format and a pattern together usually contradict one another, and a futile search takes long.
    options.assert_formats = json::Write(text).find("pattern") == std::string::npos;
    const auto schema = schema::Schema::Compile(text, options);
    ASSERT_TRUE(schema) << json::Write(text) << schema.error().message;
    Rng same = source.rng();
    const bool can = schema::Generate(**schema, same).has_value();
    const auto value = FakeData(**schema, "act", source.rng());
    if (can) {
      ASSERT_TRUE(value) << "seed " << seed << ": " << json::Write(text);
    }
    if (value) {
      ASSERT_TRUE((*schema)->IsValid(*value)) << json::Write(text) << json::Write(*value);
      ++made;
    }
  }
  EXPECT_GT(made, 4000);
}

}  // namespace
}  // namespace openseat::checker
