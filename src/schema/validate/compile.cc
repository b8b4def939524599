#include "schema/validate/compile.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "schema/formats/uri.h"
#include "schema/keywords.h"
#include "schema/measure.h"
#include "schema/numbers.h"
#include "schema/validate/dynamic.h"
#include "schema/validate/kernels.h"
#include "schema/validate/registry.h"

namespace openseat::schema {
namespace {

std::uint8_t TypesOf(std::string_view name) {
  if (name == "null") return kNull;
  if (name == "boolean") return kBoolean;
  if (name == "integer") return kInteger;
  if (name == "number") return kInteger | kFraction;
  if (name == "string") return kString;
  if (name == "array") return kArray;
  return kObject;
}

// A keyword's non-negative integer, which may be written as 3.0 or be huge.
std::uint64_t CountOf(const json::Value& value) {
  if (const std::int64_t* whole = value.if_int64()) return static_cast<std::uint64_t>(*whole);
  if (const std::uint64_t* whole = value.if_uint64()) return *whole;
  const double real = value.get_double();
  return real >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(real);
}

template <typename T>
std::uint32_t Append(std::vector<T>& table, T value) {
  table.push_back(std::move(value));
  return static_cast<std::uint32_t>(table.size() - 1);
}

// Looking up each keyword, and choosing the kernel.
constexpr std::uint64_t kStepsOfNode = 60;

class Compiler {
 public:
  Compiler(Program& program, const Registry& registry, const CompileOptions& options, Budget& budget)
      : program_(program), registry_(registry), options_(options), budget_(budget) {}

  Result<bool> Run() {
    // A dynamic reference can only lead to a different place if two resources have an anchor of its name.
    for (const Resource& resource : registry_.resources()) {
      for (const auto& [name, schema] : resource.dynamic_anchors) ++dynamic_anchors_[name];
    }
    program_.has_dynamic_references =
        registry_.has_dynamic_references() &&
        std::ranges::any_of(dynamic_anchors_, [](const auto& anchor) { return anchor.second > 1; });
    program_.root = NodeFor(program_.source);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if (!budget_.Spend(kStepsOfNode)) break;
      CompileNode(queue_[i].first, *queue_[i].second);
      if (error_) return Fail(*error_);
    }
    if (budget_.exhausted()) return Fail(budget_.Exceeded("be compiled"));
    return true;
  }

 private:
  // The value of a keyword, if the schema's vocabularies include it.
  struct Keywords {
    const json::Object& object;
    std::uint8_t vocabularies;
    const json::Value* operator()(std::string_view name) const {
      const json::Value* value = json::Find(object, name);
      return value != nullptr && (FindKeyword(name)->vocabulary & vocabularies) != 0 ? value : nullptr;
    }
  };

  Keywords KeywordsOf(const json::Value& schema) const {
    std::uint8_t vocabularies = registry_.resources()[registry_.LocationOf(schema).resource].vocabularies;
    if ((vocabularies & kFormatAssertion) != 0) vocabularies |= kFormatAnnotation;
    return {schema.get_object(), vocabularies};
  }

  // A schema that is only a reference is replaced by its target, unless the path there matters to a
  // $dynamicRef.
  const json::Value* SkipReferences(const json::Value* schema) const {
    for (int steps = 0; steps < 64; ++steps) {
      const json::Object* object = schema->if_object();
      const json::Value* reference = object == nullptr ? nullptr : json::Find(*object, "$ref");
      if (reference == nullptr || !budget_.Spend(4 + object->size())) return schema;
      for (const auto& member : *object) {
        const KeywordInfo* keyword = FindKeyword(json::KeyOf(member));
        const bool asserts = keyword != nullptr && keyword->name != "$ref" && keyword->name != "$comment" &&
                             keyword->name != "$defs" && keyword->name != "definitions" && keyword->name != "$schema" &&
                             keyword->vocabulary != kMetaData;
        if (asserts) return schema;
      }
      const json::Value* target = registry_.ReferenceOf(*reference).target;
      if (program_.has_dynamic_references &&
          registry_.LocationOf(*target).resource != registry_.LocationOf(*schema).resource) {
        return schema;
      }
      schema = target;
    }
    return schema;
  }

  NodeId NodeFor(const json::Value& written) {
    const json::Value* schema = SkipReferences(&written);
    const auto [at, is_new] = nodes_.try_emplace(schema, static_cast<NodeId>(program_.nodes.size()));
    if (is_new) {
      const Location& location = registry_.LocationOf(*schema);
      program_.nodes.emplace_back();
      program_.nodes.back().resource = location.resource;
      program_.origins.push_back({schema, location.path});
      queue_.emplace_back(at->second, schema);
    }
    return at->second;
  }

  std::uint32_t ListOf(const json::Array& schemas) {
    std::vector<NodeId> list;
    for (const json::Value& schema : schemas) list.push_back(NodeFor(schema));
    return Append(program_.lists, std::move(list));
  }

  void Emit(Group group, Op op, std::uint32_t a = 0, std::uint64_t count = 0) {
    Instruction instruction;
    instruction.op = op;
    instruction.a = a;
    instruction.count = count;
    groups_[group].push_back(instruction);
  }

  void CompileNode(NodeId id, const json::Value& schema) {
    if (const bool* everything = schema.if_bool()) {
      program_.nodes[id].types = *everything ? kAllTypes : 0;
      return;
    }
    current_ = id;
    for (auto& group : groups_) group.clear();
    const Keywords get = KeywordsOf(schema);
    std::uint8_t types = kAllTypes;
    if (const json::Value* type = get("type")) {
      types = 0;
      if (const json::Array* names = type->if_array()) {
        for (const json::Value& name : *names) types |= TypesOf(json::View(name.get_string()));
      } else {
        types = TypesOf(json::View(type->get_string()));
      }
    }
    const bool applies_in_place = AppliesInPlace(get);
    CompileNumbers(get);
    CompileStrings(get);
    const bool items_known = CompileArrays(get, applies_in_place);
    const bool members_known = CompileObjects(get, applies_in_place);
    CompileAnyType(get);
    const json::Value* unevaluated_items = get("unevaluatedItems");
    const json::Value* unevaluated_properties = get("unevaluatedProperties");
    bool tracks = false;
    if (unevaluated_items != nullptr && !items_known) {
      Emit(kEverything, Op::kUnevaluatedItems, NodeFor(*unevaluated_items));
      tracks = true;
    }
    if (unevaluated_properties != nullptr && !members_known) {
      Emit(kEverything, Op::kUnevaluatedProperties, NodeFor(*unevaluated_properties));
      tracks = true;
    }

    Node& node = program_.nodes[id];
    node.types = types;
    node.tracks = tracks;
    node.is_plain = true;
    for (int group = 0; group < kGroupCount; ++group) {
      node.begin[group] = static_cast<std::uint32_t>(program_.code.size());
      program_.code.insert(program_.code.end(), groups_[group].begin(), groups_[group].end());
      if (!groups_[group].empty()) node.is_plain = false;
    }
    node.begin[kGroupCount] = static_cast<std::uint32_t>(program_.code.size());
  }

  // Whether other schemas are applied to the same instance, so that what they evaluated matters for unevaluated*.
  static bool AppliesInPlace(const Keywords& get) {
    constexpr std::array kInPlace = {"$ref", "$dynamicRef",      "allOf",       "anyOf", "oneOf",
                                     "if",   "dependentSchemas", "dependencies"};
    return std::ranges::any_of(kInPlace, [&](const char* name) { return get(name) != nullptr; });
  }

  void CompileBound(const json::Value* limit, Op op, bool lower, bool exclusive) {
    if (limit == nullptr) return;
    const WholeBound bound = lower ? LowerBound(*limit, exclusive) : UpperBound(*limit, exclusive);
    Emit(kNumbers, op, Append(program_.numbers, limit));
    groups_[kNumbers].back().whole = bound.whole;
    groups_[kNumbers].back().never = bound.never;
  }

  void CompileNumbers(const Keywords& get) {
    CompileBound(get("minimum"), Op::kMinimum, true, false);
    CompileBound(get("exclusiveMinimum"), Op::kExclusiveMinimum, true, true);
    CompileBound(get("maximum"), Op::kMaximum, false, false);
    CompileBound(get("exclusiveMaximum"), Op::kExclusiveMaximum, false, true);
    if (const json::Value* divisor = get("multipleOf")) {
      Emit(kNumbers, Op::kMultipleOf, Append(program_.numbers, divisor));
    }
  }

  void CompileStrings(const Keywords& get) {
    if (const json::Value* least = get("minLength")) Emit(kStrings, Op::kMinLength, 0, CountOf(*least));
    if (const json::Value* most = get("maxLength")) Emit(kStrings, Op::kMaxLength, 0, CountOf(*most));
    if (const json::Value* pattern = get("pattern")) {
      Emit(kStrings, Op::kPattern, PatternFor(json::View(pattern->get_string()), "pattern", {}));
    }
    const json::Value* format = get("format");
    if (format != nullptr && (options_.assert_formats || (get.vocabularies & kFormatAssertion) != 0)) {
      if (const auto known = FindFormat(json::View(format->get_string()))) {
        Emit(kStrings, Op::kFormat, Append(program_.formats, *known));
      }
    }
  }

  std::uint32_t PatternFor(std::string_view text, std::string_view keyword, std::string_view name) {
    const auto [at, is_new] =
        patterns_.try_emplace(std::string(text), static_cast<std::uint32_t>(program_.patterns.size()));
    if (!is_new) return at->second;
    const auto where = [&] {
      std::string pointer = registry_.paths().PointerOf(program_.origins[current_].path, keyword);
      if (!name.empty()) AppendPointerToken(pointer, name);
      return pointer;
    };
    if (patterns_.size() > options_.limits.max_patterns) {
      SetError({ErrorCode::kTooLarge,
                "a schema may have at most " + std::to_string(options_.limits.max_patterns) + " regular expressions",
                where()});
      return 0;
    }
    Result<Regex> regex = Regex::Compile(text, options_.limits.max_pattern_bytes, budget_);
    if (!regex) {
      Error error = regex.error();
      error.message = Brief(json::Value(boost::json::string_view(text.data(), text.size()))) + " is " + error.message;
      error.path = where();
      SetError(std::move(error));
      return 0;
    }
    program_.patterns.push_back(std::move(*regex));
    program_.pattern_texts.emplace_back(text);
    return at->second;
  }

  // Returns whether unevaluatedItems has nothing left to do.
  bool CompileArrays(const Keywords& get, bool applies_in_place) {
    if (const json::Value* least = get("minItems")) Emit(kArrays, Op::kMinItems, 0, CountOf(*least));
    if (const json::Value* most = get("maxItems")) Emit(kArrays, Op::kMaxItems, 0, CountOf(*most));
    const json::Value* contains = get("contains");
    const json::Value* rest = get("items");
    const json::Value* unevaluated = get("unevaluatedItems");
    bool known = rest != nullptr;
    Items items;
    if (rest == nullptr && unevaluated != nullptr && !applies_in_place && contains == nullptr) {
      rest = unevaluated;
      items.rest_is_unevaluated = true;
      known = true;
    }
    if (const json::Value* prefix = get("prefixItems")) {
      for (const json::Value& schema : prefix->get_array()) items.prefix.push_back(NodeFor(schema));
    }
    if (rest != nullptr) items.rest = NodeFor(*rest);
    if (rest != nullptr || !items.prefix.empty()) Emit(kArrays, Op::kItems, Append(program_.items, std::move(items)));
    if (contains != nullptr) {
      Contains rule;
      rule.node = NodeFor(*contains);
      if (const json::Value* least = get("minContains")) {
        rule.min = CountOf(*least);
        rule.has_min = true;
      }
      if (const json::Value* most = get("maxContains")) rule.max = CountOf(*most);
      Emit(kArrays, Op::kContains, Append(program_.contains, rule));
    }
    const json::Value* unique = get("uniqueItems");
    if (unique != nullptr && unique->get_bool()) Emit(kArrays, Op::kUniqueItems);
    return known;
  }

  // Returns whether unevaluatedProperties has nothing left to do.
  bool CompileObjects(const Keywords& get, bool applies_in_place) {
    if (const json::Value* least = get("minProperties")) Emit(kObjects, Op::kMinProperties, 0, CountOf(*least));
    if (const json::Value* most = get("maxProperties")) Emit(kObjects, Op::kMaxProperties, 0, CountOf(*most));
    Members members;
    const auto number_of = [&](std::string_view name) {
      const std::uint32_t number = members.names.Add(name);
      if (number == members.properties.size()) members.properties.emplace_back();
      return number;
    };
    if (const json::Value* properties = get("properties")) {
      for (const auto& member : properties->get_object()) {
        members.properties[number_of(json::KeyOf(member))].node = NodeFor(member.value());
      }
    }
    if (const json::Value* required = get("required")) {
      for (const json::Value& name : required->get_array()) {
        const std::uint32_t number = number_of(json::View(name.get_string()));
        members.properties[number].required = true;
        members.required.push_back(number);
        ++members.required_count;
      }
    }
    if (const json::Value* patterns = get("patternProperties")) {
      for (const auto& member : patterns->get_object()) {
        const std::uint32_t regex = PatternFor(json::KeyOf(member), "patternProperties", json::KeyOf(member));
        members.patterns.emplace_back(regex, NodeFor(member.value()));
      }
    }
    const json::Value* additional = get("additionalProperties");
    const json::Value* unevaluated = get("unevaluatedProperties");
    bool known = additional != nullptr;
    if (additional == nullptr && unevaluated != nullptr && !applies_in_place) {
      additional = unevaluated;
      members.additional_is_unevaluated = true;
      known = true;
    }
    if (additional != nullptr) members.additional = NodeFor(*additional);
    if (additional != nullptr || !members.properties.empty() || !members.patterns.empty()) {
      Emit(kObjects, Op::kMembers, Append(program_.members, std::move(members)));
    }
    if (const json::Value* names = get("propertyNames")) Emit(kObjects, Op::kPropertyNames, NodeFor(*names));
    CompileDependencies(get);
    return known;
  }

  void CompileDependencies(const Keywords& get) {
    DependentRequired required;
    DependentSchemas schemas;
    for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
      const json::Value* entries = get(keyword);
      if (entries == nullptr) continue;
      for (const auto& member : entries->get_object()) {
        if (const json::Array* names = member.value().if_array()) {
          DependentRequired::Entry entry{std::string(json::KeyOf(member)), {}, keyword};
          for (const json::Value& name : *names) entry.required.emplace_back(json::View(name.get_string()));
          required.entries.push_back(std::move(entry));
        } else {
          schemas.entries.emplace_back(json::KeyOf(member), NodeFor(member.value()));
        }
      }
    }
    if (!required.entries.empty()) {
      Emit(kObjects, Op::kDependentRequired, Append(program_.dependent_required, std::move(required)));
    }
    if (!schemas.entries.empty()) {
      Emit(kObjects, Op::kDependentSchemas, Append(program_.dependent_schemas, std::move(schemas)));
    }
  }

  void CompileAnyType(const Keywords& get) {
    if (const json::Value* values = get("enum")) {
      budget_.Spend(values->get_array().size() * 8);
      Emit(kEverything, Op::kEnum,
           Append(program_.enums, EnumOf({values->get_array().data(), values->get_array().size()})));
    }
    if (const json::Value* value = get("const")) {
      constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
      const std::size_t weight = MeasureValue(*value, {kNoLimit, kNoLimit, kNoLimit}).nodes;
      Emit(kEverything, Op::kConst, Append(program_.constants, value), weight / 4);
    }
    if (const json::Value* reference = get("$ref")) {
      Emit(kEverything, Op::kReference, NodeFor(*registry_.ReferenceOf(*reference).target));
    }
    if (const json::Value* reference = get("$dynamicRef")) CompileDynamicReference(*reference);
    if (const json::Value* list = get("allOf")) Emit(kEverything, Op::kAllOf, ListOf(list->get_array()));
    if (const json::Value* list = get("anyOf")) Emit(kEverything, Op::kAnyOf, ListOf(list->get_array()));
    if (const json::Value* list = get("oneOf")) Emit(kEverything, Op::kOneOf, ListOf(list->get_array()));
    if (const json::Value* schema = get("not")) Emit(kEverything, Op::kNot, NodeFor(*schema));
    if (const json::Value* condition = get("if")) {
      Conditional conditional;
      conditional.condition = NodeFor(*condition);
      if (const json::Value* schema = get("then")) conditional.then = NodeFor(*schema);
      if (const json::Value* schema = get("else")) conditional.otherwise = NodeFor(*schema);
      Emit(kEverything, Op::kIf, Append(program_.conditionals, conditional));
    }
  }

  void CompileDynamicReference(const json::Value& value) {
    const Reference& reference = registry_.ReferenceOf(value);
    DynamicReference dynamic;
    dynamic.fallback = NodeFor(*reference.target);
    if (!program_.has_dynamic_references || reference.dynamic_anchor.empty() ||
        dynamic_anchors_[reference.dynamic_anchor] < 2) {
      Emit(kEverything, Op::kReference, dynamic.fallback);
      return;
    }
    const auto [at, is_new] = program_.dynamic_targets.try_emplace(reference.dynamic_anchor);
    dynamic.targets = &at->second;
    for (std::uint32_t index = 0; is_new && index < registry_.resources().size(); ++index) {
      const auto& anchors = registry_.resources()[index].dynamic_anchors;
      const auto anchor = anchors.find(reference.dynamic_anchor);
      if (anchor != anchors.end()) at->second.emplace_back(index, NodeFor(*anchor->second));
    }
    Emit(kEverything, Op::kDynamicReference, Append(program_.dynamic_references, dynamic));
  }

  void SetError(Error error) {
    if (!error_) error_ = std::move(error);
  }

  Program& program_;
  const Registry& registry_;
  const CompileOptions& options_;
  Budget& budget_;
  std::unordered_map<const json::Value*, NodeId> nodes_;
  std::vector<std::pair<NodeId, const json::Value*>> queue_;
  std::map<std::string, std::uint32_t, std::less<>> patterns_;
  std::map<std::string, int, std::less<>> dynamic_anchors_;
  std::array<std::vector<Instruction>, kGroupCount> groups_;
  NodeId current_ = 0;
  std::optional<Error> error_;
};

// With the tables' parts, of which a value of the source or a subschema has several.
std::size_t MemoryOf(const Program& program, const Measure& source) {
  constexpr std::size_t kOfValue = 192;
  constexpr std::size_t kOfNode = 400;
  std::size_t bytes = source.bytes * 2 + source.nodes * kOfValue + program.nodes.size() * kOfNode;
  for (const Regex& pattern : program.patterns) bytes += pattern.Memory();
  return bytes;
}

}  // namespace

Result<std::unique_ptr<const Program>> CompileProgram(const json::Value& source, const CompileOptions& options) {
  const CompileLimits& limits = options.limits;
  Budget own(limits.max_steps);
  Budget& budget = options.budget == nullptr ? own : *options.budget;
  // Before the copy, which recurses.
  const Measure measure = MeasureValue(source, {limits.max_bytes, limits.max_nodes, limits.max_depth});
  if (std::optional<Error> error = SizeError(measure, limits)) return Fail(std::move(*error));
  // Measured twice, copied, and walked.
  if (!budget.Spend(measure.nodes * 20 + measure.bytes / 8)) return Fail(budget.Exceeded("be compiled"));
  auto program = std::make_unique<Program>();
  program->source = source;
  program->limits = limits;
  Registry registry(options, budget);
  if (const Result<bool> loaded = registry.Load(program->source); !loaded) return Fail(loaded.error());
  if (const Result<bool> compiled = Compiler(*program, registry, options, budget).Run(); !compiled)
    return Fail(compiled.error());
  ResolveDynamicReferences(*program);
  ChooseKernels(*program);
  program->paths = registry.TakePaths();
  program->documents = registry.TakeDocuments();
  program->memory = MemoryOf(*program, measure);
  return std::unique_ptr<const Program>(std::move(program));
}

}  // namespace openseat::schema
