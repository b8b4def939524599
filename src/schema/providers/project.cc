#include "schema/providers/project.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "schema/formats/uri.h"
#include "schema/keywords.h"
#include "schema/measure.h"

namespace openseat::schema {
namespace {

// The limits that the providers publish.
constexpr std::size_t kOpenAiProperties = 5'000;
constexpr std::size_t kOpenAiLevels = 10;  // nesting of objects and arrays
constexpr std::size_t kOpenAiEnumValues = 1'000;
constexpr std::size_t kOpenAiManyValues = 250;         // if one enum has more values than this …
constexpr std::size_t kOpenAiManyValuesText = 15'000;  // … the length of their text is limited
constexpr std::size_t kOpenAiText = 120'000;           // of all names and values
constexpr std::size_t kAnthropicName = 64;

// Our own limits: a schema that exceeds them when references are expanded becomes looser instead.
constexpr std::size_t kMaxNodes = 5'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxCopiedDepth = 1'000;
constexpr std::uint64_t kStepsOfPart = 40;

// Keywords that a model uses without being bound by them.
constexpr std::array<std::string_view, 2> kNotes{"title", "description"};
// The keywords of each dialect that need no special handling.
constexpr std::array<std::string_view, 9> kOpenAiPlain{"minimum",          "maximum",  "exclusiveMinimum",
                                                       "exclusiveMaximum", "minItems", "maxItems",
                                                       "multipleOf",       "title",    "description"};
constexpr std::array<std::string_view, 6> kGeminiPlain{"minimum",  "maximum", "minItems",
                                                       "maxItems", "title",   "description"};
constexpr std::array<std::string_view, 9> kOpenAiFormats{"date-time", "time", "date", "duration", "email",
                                                         "hostname",  "ipv4", "ipv6", "uuid"};

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string_view TypeOf(const json::Value& value) {
  return json::TypeName(value);
}

bool IsScalar(const json::Value& value) {
  return !value.is_array() && !value.is_object();
}

// {"anyOf": [schema, {"type": "null"}]}, or a shorter equivalent.
json::Value Nullable(json::Value schema) {
  json::Object& object = schema.get_object();
  const json::Value* type = json::Find(object, "type");
  if (type != nullptr && !object.contains("enum")) {
    json::Array types = type->is_array() ? type->get_array() : json::Array{*type};
    if (std::find(types.begin(), types.end(), json::Value("null")) == types.end()) types.emplace_back("null");
    object["type"] = std::move(types);
    return schema;
  }
  return json::Object{{"anyOf", json::Array{std::move(schema), json::Object{{"type", "null"}}}}};
}

class Projector {
 public:
  Projector(const json::Value& source, Dialect dialect, Budget& budget)
      : source_(source), dialect_(dialect), budget_(budget) {}

  Result<Projection> Run() {
    Projection out;
    open_.push_back(&source_);
    json::Value root = Schema(source_, "", 0, 0);
    if (root.is_object() && Closes() && !definitions_.empty()) {
      root.get_object()["$defs"] = std::move(definitions_);
    }
    if (!root.is_object()) root = json::Object();
    json::Object& object = root.get_object();
    if (dialect_ != Dialect::kGemini) {
      for (const char* keyword : {"anyOf", "oneOf", "allOf", "enum"}) {
        if (!object.contains(keyword)) continue;
        Drop(keyword, std::string("/") + keyword);
        object.erase(keyword);
        if (!object.contains("properties")) Inexpressible();
      }
    }
    object["type"] = "object";
    out.strict = Closes() && fits_ && properties_ <= kOpenAiProperties && enum_values_ <= kOpenAiEnumValues &&
                 text_ <= kOpenAiText && deepest_ <= kOpenAiLevels && object.contains("properties");
    if (Closes() && !out.strict) {
      root = source_.is_object() && SpendFor(source_) ? source_ : json::Value(json::Object{{"type", "object"}});
      dropped_.clear();
    }
    if (budget_.exhausted()) return Fail(budget_.Exceeded("be put into the provider's dialect"));
    out.schema = std::move(root);
    out.dropped = std::move(dropped_);
    return out;
  }

 private:
  // Whether objects are closed, and have all of their members.
  bool Closes() const { return dialect_ == Dialect::kOpenAi || dialect_ == Dialect::kCommon; }

  // The cost of looking at all of a value, and of copying it.
  bool SpendFor(const json::Value& value) {
    const Measure measure = MeasureValue(value, {budget_.left() * 4, budget_.left(), kMaxCopiedDepth});
    return budget_.Spend(measure.nodes * 4 + measure.bytes / 4);
  }

  void Drop(std::string_view keyword, std::string pointer) {
    budget_.Spend(4 + pointer.size() / 16);
    DroppedKeyword use{std::string(keyword), std::move(pointer)};
    if (dropped_.empty() || dropped_.back() != use) dropped_.push_back(std::move(use));
  }
  void Inexpressible() { fits_ = false; }

  // A subschema in the dialect: an object. `levels` counts the objects and arrays around it.
  json::Value Schema(const json::Value& source, const std::string& pointer, std::size_t depth, std::size_t levels) {
    deepest_ = std::max(deepest_, levels);
    const json::Object* object = source.if_object();
    if (object == nullptr || depth > kMaxDepth || ++nodes_ > kMaxNodes ||
        !budget_.Spend(kStepsOfPart + object->size() * 8 + pointer.size() / 4)) {
      Inexpressible();  // true, false, or more than fits
      return json::Object();
    }
    if (const json::Value* reference = json::Find(*object, "$ref"); reference != nullptr && reference->is_string()) {
      return Reference(*object, std::string(json::View(reference->get_string())), pointer, depth, levels);
    }
    if (json::Find(*object, "allOf") != nullptr) {
      const json::Value merged = Merged(*object, pointer);
      if (!json::Find(merged, "allOf")) return Schema(merged, pointer, depth + 1, levels);
    }
    json::Object out;
    Annotate(*object, out);
    if (const json::Array* values = ValuesOf(*object)) {
      Enumerate(*values, pointer + (object->contains("enum") ? "/enum" : "/const"), out);
      DropRest(*object, pointer);
      return out;
    }
    const std::vector<std::string> types = TypesOf(*object);
    if (types.size() == 1) {
      out["type"] = types.front();
    } else if (!types.empty()) {
      out["type"] = json::Array(types.begin(), types.end());
    }
    for (const auto& member : *object)
      Keyword(json::KeyOf(member), member.value(), *object, pointer, depth, levels, out);
    const bool chooses = out.contains("anyOf");
    const bool says_object = std::find(types.begin(), types.end(), "object") != types.end();
    if (says_object || (types.empty() && (object->contains("properties") || object->contains("required") ||
                                          object->contains("additionalProperties")))) {
      Members(*object, pointer, depth, levels, out);
    }
    const bool says_array = std::find(types.begin(), types.end(), "array") != types.end();
    if (says_array && Closes() && !out.contains("items")) Inexpressible();
    if (Closes() && chooses && out.contains("properties")) {
      // Closed objects in both places would accept nothing together; keywords next to the alternatives are kept.
      Drop("anyOf", pointer + "/anyOf");
      out.erase("anyOf");
    }
    if (types.empty() && !out.contains("anyOf")) Inexpressible();
    return out;
  }

  static void Annotate(const json::Object& source, json::Object& out) {
    for (const std::string_view note : kNotes) {
      if (const json::Value* text = json::Find(source, note); text != nullptr && text->is_string()) out[note] = *text;
    }
  }

  // The values of `enum` or `const`; nullptr for neither.
  const json::Array* ValuesOf(const json::Object& source) {
    if (const json::Value* list = json::Find(source, "enum"); list != nullptr && list->is_array()) {
      return &list->get_array();
    }
    if (const json::Value* value = json::Find(source, "const")) {
      single_ = SpendFor(*value) ? json::Array{*value} : json::Array{json::Value()};
      return &single_;
    }
    return nullptr;
  }

  // `at` is where the values are.
  void Enumerate(const json::Array& values, const std::string& at, json::Object& out) {
    for (const json::Value& value : values) {
      if (!SpendFor(value)) return;
    }
    if (dialect_ == Dialect::kAnthropicTool) {
      out["enum"] = values;
      return;
    }
    std::vector<std::string> types;
    bool scalars = true;
    bool arrays = true;
    std::size_t text = 0;
    for (const json::Value& value : values) {
      const std::string type(TypeOf(value));
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
      scalars = scalars && IsScalar(value);
      arrays = arrays && value.is_array();
      if (value.is_string()) text += value.get_string().size();
    }
    if (values.empty()) return Inexpressible();
    if (!scalars && arrays) return EnumerateArrays(values, at, out);
    if (!scalars) {
      Drop("enum", at);
      if (types.size() == 1 && !Closes()) out["type"] = types.front();
      return Inexpressible();
    }
    const bool has_null = std::find(types.begin(), types.end(), "null") != types.end();
    const bool has_boolean = std::find(types.begin(), types.end(), "boolean") != types.end();
    if (dialect_ == Dialect::kGemini && (has_null || has_boolean)) {
      // Gemini lists only strings and numbers.
      out["type"] =
          types.size() == 1 ? json::Value(types.front()) : json::Value(json::Array(types.begin(), types.end()));
      return Drop("enum", at);
    }
    out["type"] = types.size() == 1 ? json::Value(types.front()) : json::Value(json::Array(types.begin(), types.end()));
    if (Closes() && values.size() > kOpenAiManyValues && text > kOpenAiManyValuesText) {
      return Drop("enum", at);
    }
    if (Closes() && values.size() > kOpenAiEnumValues) return Drop("enum", at);
    enum_values_ += values.size();
    text_ += text;
    out["enum"] = values;
  }

  // A list of arrays cannot be enumerated; their length and their items can be constrained.
  void EnumerateArrays(const json::Array& values, const std::string& pointer, json::Object& out) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    json::Array items;
    for (const json::Value& value : values) {
      least = std::min(least, value.get_array().size());
      most = std::max(most, value.get_array().size());
      for (const json::Value& item : value.get_array()) {
        if (!budget_.Spend(1 + items.size())) return;
        const bool known =
            std::any_of(items.begin(), items.end(), [&](const json::Value& each) { return json::Equal(each, item); });
        if (!known && items.size() <= kOpenAiEnumValues) items.push_back(item);
      }
    }
    Drop("enum", pointer);
    out["type"] = "array";
    if (dialect_ != Dialect::kCommon) {
      out["minItems"] = least;
      out["maxItems"] = most;
    }
    json::Object each;
    if (items.empty()) {
      each["type"] = "null";
    } else {
      Enumerate(items, pointer, each);
    }
    out["items"] = std::move(each);
  }

  // The types that a schema names or, if it names none and OpenAI requires one, implies.
  std::vector<std::string> TypesOf(const json::Object& source) const {
    std::vector<std::string> types;
    if (const json::Value* type = json::Find(source, "type")) {
      if (type->is_string()) types.emplace_back(json::View(type->get_string()));
      if (const json::Array* list = type->if_array()) {
        for (const json::Value& each : *list) {
          if (each.is_string()) types.emplace_back(json::View(each.get_string()));
        }
      }
      return types;
    }
    if (!Closes()) return types;
    const auto has = [&](std::initializer_list<std::string_view> keywords) {
      return std::any_of(keywords.begin(), keywords.end(),
                         [&](std::string_view keyword) { return source.contains(keyword); });
    };
    if (has({"properties", "required", "additionalProperties", "patternProperties", "propertyNames"})) {
      return {"object"};
    }
    if (has({"anyOf", "oneOf"})) return {};
    if (has({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"})) return {"array"};
    if (has({"minLength", "maxLength", "pattern", "format"})) return {"string"};
    if (has({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})) return {"number"};
    return {};
  }

  void Keyword(std::string_view name, const json::Value& value, const json::Object& source, const std::string& pointer,
               std::size_t depth, std::size_t levels, json::Object& out) {
    if (!budget_.Spend(8 + pointer.size() / 16)) return;
    std::string at = pointer;
    AppendPointerToken(at, name);
    if (name == "type" || IsOneOf(kNotes, name) || name == "properties" || name == "required" ||
        name == "additionalProperties" || name == "patternProperties" || name == "$defs" || name == "definitions") {
      return;  // handled already, or by Members
    }
    if (name == "anyOf" || name == "oneOf") {
      if (!value.is_array()) return;
      // Its alternatives have become looser, so more than one may match.
      if (name == "oneOf" || out.contains("anyOf")) Drop(name, at);
      if (out.contains("anyOf")) return;
      json::Array all;
      for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        all.push_back(Schema(value.get_array()[i], at + "/" + std::to_string(i), depth + 1, levels));
      }
      out["anyOf"] = std::move(all);
      return;
    }
    if (name == "items") {
      if (Closes() && source.contains("prefixItems")) return;
      if (value.is_object()) {
        out["items"] = Schema(value, at, depth + 1, levels + 1);
      } else if (value.is_bool() && !value.get_bool() && !Closes()) {
        out["items"] = value;
      }
      return;
    }
    if (name == "prefixItems" && value.is_array()) return Prefix(value.get_array(), source, at, depth, levels, out);
    switch (dialect_) {
      case Dialect::kOpenAi:
        if (IsOneOf(kOpenAiPlain, name)) {
          out[name] = value;
        } else if (name == "pattern" && value.is_string() &&
                   json::View(value.get_string()).find("(?") == std::string_view::npos) {
          out[name] = value;
        } else if (name == "format" && value.is_string() && IsOneOf(kOpenAiFormats, json::View(value.get_string()))) {
          out[name] = value;
        } else {
          DropIfItBinds(name, at);
        }
        return;
      case Dialect::kCommon:
        DropIfItBinds(name, at);
        return;
      case Dialect::kGemini:
        if (IsOneOf(kGeminiPlain, name) || name == "format") {
          out[name] = value;
        } else if (name == "exclusiveMinimum" || name == "exclusiveMaximum") {
          Drop(name, at);
          const char* closed = name == "exclusiveMinimum" ? "minimum" : "maximum";
          if (!source.contains(closed)) out[closed] = value;
        } else {
          DropIfItBinds(name, at);
        }
        return;
      case Dialect::kAnthropicTool:
        if (name.starts_with('$')) return;
        Copy(name, value, at, depth, levels, out);
        return;
    }
  }

  // Anthropic accepts JSON Schema unchanged, except for references, wherever they are.
  void Copy(std::string_view name, const json::Value& value, const std::string& at, std::size_t depth,
            std::size_t levels, json::Object& out) {
    const KeywordInfo* keyword = FindKeyword(name);
    constexpr std::uint8_t kApplies = kApplicator | kUnevaluated;
    if (name == "propertyNames" && value.is_object()) {
      out[name] = Schema(value, at, depth + 1, levels + 1);
    } else if (keyword != nullptr && (keyword->vocabulary & kApplies) != 0) {
      // A looser schema inside a `not` or an `if`, or next to others, makes the whole stricter; and references may be
      // there.
      Drop(name, at);
    } else if (SpendFor(value)) {
      out[name] = value;
    }
  }

  void DropIfItBinds(std::string_view name, const std::string& at) {
    const KeywordInfo* keyword = FindKeyword(name);
    if (keyword == nullptr) return;
    constexpr std::uint8_t kBinding = kApplicator | kUnevaluated | kValidation | kFormatAnnotation;
    if ((keyword->vocabulary & kBinding) != 0) Drop(name, at);
  }
  void DropRest(const json::Object& source, const std::string& pointer) {
    for (const auto& member : source) {
      const std::string_view name = json::KeyOf(member);
      if (name == "enum" || name == "const" || name == "type") continue;
      std::string at = pointer;
      AppendPointerToken(at, name);
      DropIfItBinds(name, at);
    }
  }

  void Prefix(const json::Array& items, const json::Object& source, const std::string& at, std::size_t depth,
              std::size_t levels, json::Object& out) {
    json::Array all;
    for (std::size_t i = 0; i < items.size(); ++i) {
      all.push_back(Schema(items[i], at + "/" + std::to_string(i), depth + 1, levels + 1));
    }
    if (!Closes()) {
      out["prefixItems"] = std::move(all);
      return;
    }
    // Tuples are not supported: any of the items at any position.
    Drop("prefixItems", at);
    if (const json::Value* rest = json::Find(source, "items"); rest != nullptr && rest->is_object()) {
      std::string place = at.substr(0, at.size() - std::string_view("prefixItems").size()) + "items";
      all.push_back(Schema(*rest, place, depth + 1, levels + 1));
    }
    json::Array different;
    for (json::Value& item : all) {
      if (!SpendFor(item) || !budget_.Spend(different.size() * 4)) return;
      if (std::find(different.begin(), different.end(), item) == different.end()) different.push_back(std::move(item));
    }
    out["items"] = different.size() == 1 ? std::move(different.front())
                                         : json::Value(json::Object{{"anyOf", std::move(different)}});
  }

  void Members(const json::Object& source, const std::string& pointer, std::size_t depth, std::size_t levels,
               json::Object& out) {
    const json::Value* named = json::Find(source, "properties");
    const json::Value* others = json::Find(source, "additionalProperties");
    const json::Value* patterns = json::Find(source, "patternProperties");
    std::set<std::string, std::less<>> required;
    if (const json::Value* list = json::Find(source, "required"); list != nullptr && list->is_array()) {
      for (const json::Value& name : list->get_array()) {
        if (!budget_.Spend(8)) return;
        if (name.is_string()) required.emplace(json::View(name.get_string()));
      }
    }
    json::Object properties;
    json::Array must;
    bool left_out = false;
    if (named != nullptr && named->is_object()) {
      for (const auto& member : named->get_object()) {
        const std::string_view name = json::KeyOf(member);
        if (!budget_.Spend(kStepsOfPart + (pointer.size() + name.size()) / 4)) return;
        std::string at = pointer + "/properties";
        AppendPointerToken(at, name);
        if (member.value().is_bool() && !member.value().get_bool()) continue;  // may be missing altogether
        if (dialect_ == Dialect::kAnthropicTool && !IsAnthropicName(name)) {
          Drop("properties", at);
          left_out = true;
          continue;
        }
        json::Value projected = Schema(member.value(), at, depth + 1, levels + 1);
        ++properties_;
        text_ += name.size();
        const bool is_required = required.contains(name);
        if (Closes() && !is_required) projected = Nullable(std::move(projected));
        if (Closes() || is_required) must.emplace_back(name);
        properties[name] = std::move(projected);
      }
    }
    if (Closes()) {
      const bool open = others != nullptr && !(others->is_bool());
      const bool unnamed = std::any_of(required.begin(), required.end(),
                                       [&](const std::string& name) { return !properties.contains(name); });
      // A closed object cannot express free names, nor can an object of which nothing is known.
      if (open || patterns != nullptr || unnamed || (properties.empty() && !IsClosed(others)) ||
          NamesElsewhere(source)) {
        Inexpressible();
      }
      out["properties"] = std::move(properties);
      out["required"] = std::move(must);
      out["additionalProperties"] = false;
      return;
    }
    if (!properties.empty() || named != nullptr) out["properties"] = std::move(properties);
    if (!must.empty()) out["required"] = std::move(must);
    if (patterns != nullptr) Drop("patternProperties", pointer + "/patternProperties");
    if (others == nullptr) return;
    if (left_out || patterns != nullptr) {
      Drop("additionalProperties", pointer + "/additionalProperties");
    } else if (others->is_object()) {
      out["additionalProperties"] = Schema(*others, pointer + "/additionalProperties", depth + 1, levels + 1);
    } else {
      out["additionalProperties"] = *others;
    }
  }

  // Whether alternatives or conditions next to `properties` may refer to members that it does not have.
  bool NamesElsewhere(const json::Object& source) {
    const json::Value* named = json::Find(source, "properties");
    for (const char* keyword : {"then", "else", "dependentSchemas", "dependencies"}) {
      if (source.contains(keyword)) return true;
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const json::Value* all = json::Find(source, keyword);
      if (all == nullptr || !all->is_array()) continue;
      for (const json::Value& each : all->get_array()) {
        const json::Object* object = each.if_object();
        if (object == nullptr) continue;
        if (!budget_.Spend(4 + object->size())) return true;
        for (const auto& member : *object) {
          if (json::KeyOf(member) != "required" && json::KeyOf(member) != "properties") return true;
        }
        const json::Value* properties = json::Find(*object, "properties");
        if (properties == nullptr || !properties->is_object()) continue;
        if (!budget_.Spend(properties->get_object().size() * 4)) return true;
        for (const auto& member : properties->get_object()) {
          if (named == nullptr || json::Find(*named, json::KeyOf(member)) == nullptr) return true;
        }
      }
    }
    return false;
  }

  static bool IsClosed(const json::Value* others) {
    return others != nullptr && others->is_bool() && !others->get_bool();
  }

  static bool IsAnthropicName(std::string_view name) {
    if (name.empty() || name.size() > kAnthropicName) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '-';
    });
  }

  // The target of a reference within the document; nullptr for other references.
  const json::Value* Follow(std::string_view reference) const {
    if (!reference.starts_with('#')) return nullptr;
    const auto tokens = SplitPointer(PercentDecode(reference.substr(1)));
    if (!tokens) return nullptr;
    const json::Value* at = &source_;
    for (const std::string& token : *tokens) {
      if (const json::Array* list = at->if_array()) {
        std::size_t index = 0;
        for (const char c : token) {
          if (c < '0' || c > '9' || index > list->size()) return nullptr;
          index = index * 10 + static_cast<std::size_t>(c - '0');
        }
        if (token.empty() || index >= list->size()) return nullptr;
        at = &(*list)[index];
        continue;
      }
      at = json::Find(*at, token);
      if (at == nullptr) return nullptr;
    }
    return at;
  }

  json::Value Reference(const json::Object& source, const std::string& reference, const std::string& pointer,
                        std::size_t depth, std::size_t levels) {
    const json::Value* target = budget_.Spend(kStepsOfPart + reference.size() * 2) ? Follow(reference) : nullptr;
    if (target == nullptr) {
      Drop("$ref", pointer + "/$ref");
      Inexpressible();
      return json::Object();
    }
    for (const auto& member : source) {
      const std::string_view name = json::KeyOf(member);
      if (name == "$ref" || name.starts_with('$')) continue;
      std::string at = pointer;
      AppendPointerToken(at, name);
      DropIfItBinds(name, at);
    }
    const bool recursive = std::find(open_.begin(), open_.end(), target) != open_.end();
    if (Closes() && recursive) return Definition(*target, reference, depth);
    if (recursive) {  // expanded once; what lies deeper is not described
      Drop("$ref", pointer + "/$ref");
      json::Object loose;
      const json::Object* object = target->if_object();
      if (object != nullptr) {
        const std::vector<std::string> types = TypesOf(*object);
        if (types.size() == 1) loose["type"] = types.front();
      }
      return loose;
    }
    open_.push_back(target);
    json::Value out = Schema(*target, FragmentOf(reference).empty() ? "" : reference.substr(1), depth + 1, levels);
    open_.pop_back();
    return out;
  }

  // A definition that refers to itself: the one thing that cannot be expanded.
  json::Value Definition(const json::Value& target, const std::string& reference, std::size_t depth) {
    if (&target == &source_) return json::Object{{"$ref", "#"}};
    auto known = std::find(defined_.begin(), defined_.end(), &target);
    const std::size_t index = static_cast<std::size_t>(known - defined_.begin());
    const std::string name = "d" + std::to_string(index);
    if (known == defined_.end()) {
      defined_.push_back(&target);
      definitions_[name] = Schema(target, reference.substr(1), depth + 1, 0);
    }
    return json::Object{{"$ref", "#/$defs/" + name}};
  }

  // `source` with its allOf merged into it, as far as that can be expressed: if a keyword occurs twice, the first
  // stays. An allOf that cannot be merged is dropped.
  json::Value Merged(const json::Object& source, const std::string& pointer) {
    for (const auto& member : source) {
      if (!SpendFor(member.value())) return json::Object();
    }
    json::Object out = source;
    const json::Value* all = json::Find(source, "allOf");
    out.erase("allOf");
    if (!all->is_array()) return out;
    for (std::size_t i = 0; i < all->get_array().size(); ++i) {
      const std::string at = pointer + "/allOf/" + std::to_string(i);
      const json::Value* part = &all->get_array()[i];
      for (int hops = 0; hops < 8; ++hops) {
        const json::Value* reference = json::Find(*part, "$ref");
        if (reference == nullptr || !reference->is_string()) break;
        const std::string_view where = json::View(reference->get_string());
        const json::Value* target = budget_.Spend(kStepsOfPart + where.size() * 2) ? Follow(where) : nullptr;
        if (target == nullptr) break;
        part = target;
      }
      if (!part->is_object() || part->get_object().contains("$ref") || part->get_object().contains("allOf")) {
        Drop("allOf", at);
        Inexpressible();
        continue;
      }
      for (const auto& member : part->get_object()) Draw(json::KeyOf(member), member.value(), at, out);
    }
    return out;
  }

  void Draw(std::string_view name, const json::Value& value, const std::string& pointer, json::Object& out) {
    if (!SpendFor(value)) return;
    json::Value* there = out.if_contains(name);
    std::string at = pointer;
    AppendPointerToken(at, name);
    if (there == nullptr) {
      out[name] = value;
    } else if (name == "properties" && there->is_object() && value.is_object()) {
      for (const auto& member : value.get_object()) {
        if (there->get_object().contains(member.key())) {
          std::string deeper = at;
          AppendPointerToken(deeper, json::KeyOf(member));
          Drop("properties", std::move(deeper));
        } else {
          there->get_object()[member.key()] = member.value();
        }
      }
    } else if (name == "required" && there->is_array() && value.is_array()) {
      for (const json::Value& each : value.get_array()) {
        json::Array& list = there->get_array();
        if (!budget_.Spend(list.size())) return;
        if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
      }
    } else if (*there != value && !IsOneOf(kNotes, name)) {
      Drop(name, std::move(at));
    }
  }

  const json::Value& source_;
  const Dialect dialect_;
  Budget& budget_;
  bool fits_ = true;
  std::size_t nodes_ = 0;
  std::size_t properties_ = 0;
  std::size_t enum_values_ = 0;
  std::size_t text_ = 0;
  std::size_t deepest_ = 0;
  json::Array single_;
  json::Object definitions_;
  std::vector<const json::Value*> open_;     // references being expanded
  std::vector<const json::Value*> defined_;  // by their index in definitions_
  std::vector<DroppedKeyword> dropped_;
};

}  // namespace

Result<Projection> Project(const json::Value& source, Dialect dialect, Budget& budget) {
  return Projector(source, dialect, budget).Run();
}

}  // namespace openseat::schema
