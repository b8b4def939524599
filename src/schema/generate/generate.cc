#include "schema/generate/generate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/generate/wanted.h"
#include "schema/measure.h"
#include "schema/utf8.h"
#include "schema/validate/program.h"
#include "schema/validate/run.h"

namespace openseat::schema {
namespace {

constexpr int kTriesWithin = 3;           // for a value inside another
constexpr int kTriesOfString = 100;       // for patterns with look-arounds
constexpr int kTriesOfItem = 20;          // for uniqueItems
constexpr std::size_t kWorkPerValue = 8;  // total values drawn, relative to the values in a result
constexpr std::size_t kManyValues = 200;  // in a result that may have fewer
constexpr std::uint64_t kStepsOfTry = 60;
constexpr std::uint64_t kStepsOfName = 6;
constexpr std::size_t kHardDepth = 100;

using MaybeValue = std::optional<json::Value>;

// Distinct names in order of insertion.
class Names {
 public:
  // Returns whether it is new.
  bool Add(std::string_view name) {
    if (Has(name)) return false;
    list_.emplace_back(name);
    if (list_.size() > kFew) known_.insert(known_.empty() ? list_.begin() : list_.end() - 1, list_.end());
    return true;
  }
  bool Has(std::string_view name) const {
    return known_.empty() ? std::ranges::find(list_, name) != list_.end() : known_.contains(name);
  }
  std::size_t size() const { return list_.size(); }
  const std::vector<std::string>& list() const { return list_; }

 private:
  static constexpr std::size_t kFew = 16;  // up to this many, looking at each is faster
  std::vector<std::string> list_;
  std::set<std::string, std::less<>> known_;  // the same, once there are more
};

class Generator {
 public:
  Generator(const Program& program, Rng& rng, const GenerateOptions& options, Budget& budget)
      : program_(program), rng_(rng), options_(options), budget_(budget), collector_(program, budget) {}

  MaybeValue Run() {
    left_in_all_ = options_.max_values * kWorkPerValue;
    for (int tries = 0; tries < std::max(options_.max_tries, 1) && left_in_all_ > 0 && !budget_.exhausted(); ++tries) {
      left_ = std::min(options_.max_values, left_in_all_);
      if (MaybeValue value = Try({&program_.root, 1}, 0)) return value;
    }
    return std::nullopt;
  }

 private:
  bool Accepts(NodeId node, const json::Value& value) {
    return budget_.Spend(1) && RunFast(program_, node, value, budget_);
  }
  bool AllAccept(std::span<const NodeId> nodes, const json::Value& value) {
    return std::ranges::all_of(nodes, [&](NodeId node) { return Accepts(node, value); });
  }

  // Whether it is enough: optional growth stops at a few hundred values, far from the maximum allowed.
  bool IsDeep(std::size_t depth) const {
    return depth >= options_.max_depth ||
           options_.max_values - left_ > std::min(kManyValues, options_.max_values / 4 * 3);
  }

  MaybeValue Value(std::span<const NodeId> roots, std::size_t depth) {
    for (int tries = 0; tries < kTriesWithin; ++tries) {
      if (MaybeValue value = Try(roots, depth)) return value;
      if (left_ == 0 || budget_.exhausted()) break;
    }
    return std::nullopt;
  }

  MaybeValue Try(std::span<const NodeId> roots, std::size_t depth) {
    if (left_ == 0 || depth > kHardDepth || !budget_.Spend(kStepsOfTry) || !budget_.Make(sizeof(json::Value))) {
      return std::nullopt;
    }
    --left_;
    --left_in_all_;
    Wanted wanted;
    wanted.roots = roots;
    for (const NodeId node : roots) collector_.Add(node, IsDeep(depth), rng_, wanted);
    if (wanted.types == 0) return std::nullopt;
    if (wanted.constant != nullptr) {
      return AllAccept(wanted.roots, *wanted.constant) ? Copied(*wanted.constant) : std::nullopt;
    }
    if (wanted.values != nullptr) return OneOf(wanted, wanted.values->values);
    if (MaybeValue value = FromSchema(wanted)) return value;
    if (MaybeValue value = Suggested(wanted)) return value;
    MaybeValue value = OfType(PickType(wanted, depth), wanted, depth);
    if (!value) return std::nullopt;
    return Checked(wanted, std::move(*value));
  }

  MaybeValue Checked(const Wanted& wanted, json::Value value) {
    if (!AllAccept(wanted.roots, value)) return std::nullopt;
    return value;
  }

  // Any of the values that all accept, with equal probability.
  MaybeValue OneOf(const Wanted& wanted, std::span<const json::Value> values) {
    const json::Value* chosen = nullptr;
    std::uint64_t seen = 0;
    for (const json::Value& value : values) {
      if (AllAccept(wanted.roots, value) && rng_.Below(++seen) == 0) chosen = &value;
    }
    return chosen == nullptr ? std::nullopt : Copied(*chosen);
  }

  MaybeValue Copied(const json::Value& value) {
    constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
    const Measure measure = MeasureValue(value, {kNoLimit, kNoLimit, kNoLimit});
    if (!budget_.Spend(measure.nodes * 4) || !budget_.Make(measure.bytes)) return std::nullopt;
    return value;
  }

  MaybeValue FromSchema(const Wanted& wanted) {
    if (!rng_.Chance(options_.examples)) return std::nullopt;
    for (const NodeId node : wanted.nodes) {
      const json::Value& schema = *program_.origins[node].schema;
      const json::Value* examples = json::Find(schema, "examples");
      if (examples != nullptr && examples->is_array()) {
        if (MaybeValue value = OneOf(wanted, {examples->get_array().data(), examples->get_array().size()}))
          return value;
      }
      if (const json::Value* value = json::Find(schema, "default");
          value != nullptr && AllAccept(wanted.roots, *value)) {
        return Copied(*value);
      }
    }
    return std::nullopt;
  }

  MaybeValue Suggested(const Wanted& wanted) {
    if (!options_.suggest || !suggesting_) return std::nullopt;
    const std::uint8_t hinted = wanted.types & wanted.hinted_types;
    const std::uint8_t types = hinted != 0 ? hinted : wanted.types;
    if ((types & ~(kArray | kObject | kNull)) == 0) return std::nullopt;
    std::vector<const json::Object*> subschemas;
    for (const NodeId node : wanted.nodes) {
      if (const json::Object* schema = program_.origins[node].schema->if_object()) subschemas.push_back(schema);
    }
    Blank blank;
    blank.path = path_;
    blank.subschemas = subschemas;
    blank.may_be_string = (types & kString) != 0;
    blank.may_be_integer = (types & kInteger) != 0;
    blank.may_be_fraction = (types & kFraction) != 0;
    blank.min_length = wanted.min_length;
    blank.max_length = wanted.max_length;
    blank.has_pattern = !wanted.patterns.empty();
    if (wanted.numbers.lower.value != nullptr) blank.minimum = AsDouble(*wanted.numbers.lower.value);
    if (wanted.numbers.upper.value != nullptr) blank.maximum = AsDouble(*wanted.numbers.upper.value);
    for (; blank.attempt < options_.max_suggestions && budget_.Spend(kStepsOfTry); ++blank.attempt) {
      MaybeValue value = options_.suggest(blank, rng_);
      if (!value) return std::nullopt;
      if (!value->is_object() && !value->is_array() && AllAccept(wanted.roots, *value)) return value;
    }
    return std::nullopt;
  }

  TypeBit PickType(const Wanted& wanted, std::size_t depth) {
    constexpr std::array<TypeBit, 7> kTypes = {kNull, kBoolean, kInteger, kFraction, kString, kArray, kObject};
    std::uint8_t types = wanted.types;
    const bool hinted = (types & wanted.hinted_types) != 0;
    if (hinted && rng_.Chance(0.9)) types &= wanted.hinted_types;
    if (!hinted && (types & ~(kArray | kObject)) != 0 && (IsDeep(depth) || rng_.Chance(0.7)))
      types &= ~(kArray | kObject);
    std::array<TypeBit, kTypes.size()> good{};
    std::size_t count = 0;
    for (const TypeBit type : kTypes) {
      if ((types & type) != 0) good[count++] = type;
    }
    return good[rng_.Below(count)];
  }

  // An object may add to what is wanted.
  MaybeValue OfType(TypeBit type, Wanted& wanted, std::size_t depth) {
    switch (type) {
      case kNull:
        return json::Value(nullptr);
      case kBoolean:
        return json::Value(rng_.Chance(0.5));
      case kInteger:
        return GenerateNumber(wanted.numbers, true, rng_);
      case kFraction:
        return GenerateNumber(wanted.numbers, false, rng_);
      case kString:
        return String(wanted);
      case kArray:
        return Array(wanted, depth);
      case kObject:
        return Object(wanted, depth);
    }
    return std::nullopt;
  }

  // --- strings

  static json::Value Text(std::string_view text) {
    return json::Value(boost::json::string_view(text.data(), text.size()));
  }

  MaybeValue String(const Wanted& wanted) {
    if (wanted.min_length > wanted.max_length) return std::nullopt;
    constexpr std::uint64_t kMaxText = 100'000;
    const std::uint64_t min = std::min(wanted.min_length, kMaxText);
    const std::uint64_t max = std::min(wanted.max_length, kMaxText);
    if (!wanted.patterns.empty()) return FromPattern(wanted, min, max);
    if (wanted.format) {
      for (int tries = 0; tries < 5; ++tries) {
        std::string text = GenerateFormatted(*wanted.format, rng_);
        if (text.size() >= min && text.size() <= max) return Text(text);
      }
    }
    const std::uint64_t usual_min = std::min<std::uint64_t>(std::max<std::uint64_t>(min, 3), max);
    const std::uint64_t usual_max = std::min(max, std::max(usual_min, min + options_.preferred_length));
    const std::uint64_t low = rng_.Chance(0.1) ? min : usual_min;
    const std::uint64_t length = low + rng_.Below(usual_max - low + 1);
    if (!budget_.Make(length) || !budget_.Spend(length / 2)) return std::nullopt;
    return Text(GenerateText(length, rng_));
  }

  MaybeValue FromPattern(const Wanted& wanted, std::uint64_t min, std::uint64_t max) {
    const LengthRange range{min, std::min<std::uint64_t>(max, kMaxGeneratedLength)};
    for (const std::uint32_t first : wanted.patterns) {
      PatternGenerator generator(program_.patterns[first].syntax(), range, options_.preferred_length, budget_);
      for (int tries = 0; tries < kTriesOfString; ++tries) {
        const std::optional<std::string> text = generator.Next(rng_);
        if (!text || !budget_.Make(text->size())) break;
        json::Value value = Text(*text);
        if (AllAccept(wanted.roots, value)) return value;
      }
    }
    return std::nullopt;
  }

  // --- arrays

  // What all `items` and `prefixItems` require of the item at `index`.
  static std::vector<NodeId> ItemNodes(const Wanted& wanted, std::size_t index) {
    std::vector<NodeId> nodes;
    for (const Items* items : wanted.items) {
      const NodeId node = index < items->prefix.size() ? items->prefix[index] : items->rest;
      if (node != kNoNode) nodes.push_back(node);
    }
    return nodes;
  }

  // The first index at which no item is allowed.
  std::uint64_t ItemLimit(const Wanted& wanted) const {
    std::uint64_t limit = wanted.max_items;
    const auto is_never = [&](NodeId node) { return node != kNoNode && program_.nodes[node].types == 0; };
    for (const Items* items : wanted.items) {
      if (is_never(items->rest)) limit = std::min<std::uint64_t>(limit, items->prefix.size());
      const auto never = std::ranges::find_if(items->prefix, is_never);
      if (never != items->prefix.end()) limit = std::min<std::uint64_t>(limit, never - items->prefix.begin());
    }
    return limit;
  }

  MaybeValue Array(const Wanted& wanted, std::size_t depth) {
    std::uint64_t least = wanted.min_items;
    std::vector<std::pair<NodeId, std::uint64_t>> contained;
    for (const Contains* contains : wanted.contains) {
      least = std::max(least, contains->min);
      if (contains->min > 0) contained.emplace_back(contains->node, contains->min);
    }
    const std::uint64_t limit = ItemLimit(wanted);
    if (least > limit || least > left_) return std::nullopt;
    std::uint64_t size = least;
    if (!IsDeep(depth)) size += rng_.Below(std::min<std::uint64_t>(limit - least, options_.preferred_items) + 1);
    // Which items must match which `contains`: any, chosen at random.
    std::vector<std::vector<NodeId>> extra(size);
    for (const auto& [node, count] : contained) {
      std::uint64_t open = count;
      for (std::uint64_t i = 0; i < size && open > 0; ++i) {
        if (rng_.Below(size - i) >= open) continue;
        extra[i].push_back(node);
        --open;
      }
    }
    json::Array array;
    for (std::uint64_t i = 0; i < size; ++i) {
      std::vector<NodeId> nodes = ItemNodes(wanted, array.size());
      nodes.insert(nodes.end(), extra[i].begin(), extra[i].end());
      MaybeValue item = Item(wanted, nodes, array, depth);
      if (item) {
        array.push_back(std::move(*item));
      } else if (size - i + array.size() <= least) {
        return std::nullopt;
      }
    }
    if (array.size() < least) return std::nullopt;
    return json::Value(std::move(array));
  }

  MaybeValue Item(const Wanted& wanted, const std::vector<NodeId>& nodes, const json::Array& before,
                  std::size_t depth) {
    for (int tries = 0; tries < (wanted.unique ? kTriesOfItem : 1); ++tries) {
      // A small stock of suggestions may be used up.
      const bool suggesting = std::exchange(suggesting_, suggesting_ && tries < kTriesOfItem / 2);
      MaybeValue item = Value(nodes, depth + 1);
      suggesting_ = suggesting;
      if (!item) return std::nullopt;
      const bool known =
          wanted.unique && budget_.Spend(before.size()) &&
          std::ranges::any_of(before, [&](const json::Value& other) { return json::Equal(other, *item); });
      if (!known) return item;
    }
    return std::nullopt;
  }

  // --- objects

  // What all schemas require of the member called `name`.
  std::vector<NodeId> MemberNodes(const Wanted& wanted, std::string_view name) {
    std::vector<NodeId> nodes;
    budget_.Spend(4 + wanted.members.size() * 4);
    for (const Members* members : wanted.members) {
      bool known = false;
      const std::uint32_t number = members->names.Find(name);
      if (number != KeyTable::kNone && members->properties[number].node != kNoNode) {
        nodes.push_back(members->properties[number].node);
        known = true;
      }
      std::uint64_t steps = budget_.left();
      for (const auto& [pattern, node] : members->patterns) {
        if (program_.patterns[pattern].Match(name, steps) != Regex::Outcome::kYes) continue;
        nodes.push_back(node);
        known = true;
      }
      budget_.SetLeft(steps);
      if (!known && members->additional != kNoNode) nodes.push_back(members->additional);
    }
    return nodes;
  }

  bool IsAllowedName(const Wanted& wanted, std::string_view name) {
    const std::vector<NodeId> nodes = MemberNodes(wanted, name);
    return std::ranges::none_of(nodes, [&](NodeId node) { return program_.nodes[node].types == 0; }) &&
           AllAccept(wanted.property_names, Text(name));
  }

  // Adds what `names` require: by required, by dependentRequired, by dependentSchemas (which may add to `wanted`).
  void Close(Wanted& wanted, Names& names, bool smallest) {
    constexpr std::size_t kMaxNames = 10'000;
    const auto add = [&](std::string_view name) { return budget_.Spend(kStepsOfName) && names.Add(name); };
    std::size_t before = 0;
    do {
      before = names.size() + wanted.nodes.size();
      for (const Members* members : wanted.members) {
        for (const std::uint32_t number : members->required) add(members->names.text(number));
      }
      for (const DependentRequired* rule : wanted.dependent_required) {
        for (const DependentRequired::Entry& entry : rule->entries) {
          if (!budget_.Spend(kStepsOfName) || !names.Has(entry.name)) continue;
          for (const std::string& name : entry.required) add(name);
        }
      }
      const std::vector<const DependentSchemas*> rules = wanted.dependent_schemas;
      for (const DependentSchemas* rule : rules) {
        for (const auto& [name, node] : rule->entries) {
          if (budget_.Spend(kStepsOfName) && names.Has(name)) collector_.Add(node, smallest, rng_, wanted);
        }
      }
      // Only these may require more of what was added.
      if (wanted.dependent_required.empty() && wanted.dependent_schemas.empty()) break;
    } while (before != names.size() + wanted.nodes.size() && names.size() < kMaxNames && !budget_.exhausted());
  }

  MaybeValue Object(Wanted& wanted, std::size_t depth) {
    const bool deep = IsDeep(depth);
    Names names;
    Close(wanted, names, deep);
    if (names.size() > wanted.max_properties) return std::nullopt;
    AddOptionalNames(wanted, names, deep);
    for (int tries = 0; names.size() < wanted.min_properties && tries < 200; ++tries) {
      std::optional<std::string> name = NewName(wanted);
      if (!name) break;
      if (names.Has(*name) || !IsAllowedName(wanted, *name)) continue;
      names.Add(*name);
      Close(wanted, names, deep);
    }
    json::Object object(names.size());
    for (const std::string& name : names.list()) {
      if (!budget_.Make(name.size())) return std::nullopt;
      path_.push_back(name);
      MaybeValue value = Value(MemberNodes(wanted, name), depth + 1);
      path_.pop_back();
      if (value) {
        object.emplace(name, std::move(*value));
      } else if (IsRequired(wanted, name)) {
        return std::nullopt;
      }
    }
    return json::Value(std::move(object));
  }

  static bool IsRequired(const Wanted& wanted, const std::string& name) {
    return std::ranges::any_of(wanted.members, [&](const Members* members) {
      const std::uint32_t number = members->names.Find(name);
      return number != KeyTable::kNone && members->properties[number].required;
    });
  }

  void AddOptionalNames(Wanted& wanted, Names& names, bool deep) {
    std::vector<std::string_view> optional;
    for (const Members* members : wanted.members) {
      for (std::uint32_t number = 0; number < members->properties.size(); ++number) {
        const std::string& name = members->names.text(number);
        const NodeId node = members->properties[number].node;
        if (!budget_.Spend(kStepsOfName)) return;
        if (node == kNoNode || names.Has(name) || collector_.HeightOf(node) == Collector::kNever) continue;
        optional.push_back(name);
      }
    }
    std::size_t left = optional.size();
    for (const std::string_view name : optional) {
      // Below minProperties, other members must fill the gap.
      const bool needed = names.size() + left <= wanted.min_properties;
      --left;
      const bool wished = !deep && rng_.Chance(options_.optional_property);
      if (!budget_.Spend(kStepsOfName)) return;
      if (names.Has(name) || !(needed || wished) || names.size() >= wanted.max_properties) continue;
      if (!IsAllowedName(wanted, name)) continue;
      if (wanted.dependent_required.empty() && wanted.dependent_schemas.empty()) {
        names.Add(name);
        continue;
      }
      // It may require more members than are allowed.
      if (!budget_.Spend(kStepsOfTry + names.size() * kStepsOfName)) return;
      Names more = names;
      more.Add(name);
      Wanted with = wanted;
      Close(with, more, deep);
      if (more.size() > with.max_properties || with.types == 0) continue;
      names = std::move(more);
      wanted = std::move(with);
    }
  }

  // A name that no schema lists: matching propertyNames or patternProperties, or any.
  std::optional<std::string> NewName(const Wanted& wanted) {
    if (!wanted.property_names.empty()) {
      const bool suggesting = std::exchange(suggesting_, false);
      const MaybeValue name = Value(wanted.property_names, kHardDepth);
      suggesting_ = suggesting;
      if (!name || !name->is_string()) return std::nullopt;
      return std::string(json::View(name->get_string()));
    }
    std::vector<std::uint32_t> patterns;
    for (const Members* members : wanted.members) {
      for (const auto& [pattern, node] : members->patterns) {
        if (program_.nodes[node].types != 0) patterns.push_back(pattern);
      }
    }
    if (!patterns.empty() && rng_.Chance(0.8)) {
      PatternGenerator generator(program_.patterns[patterns[rng_.Below(patterns.size())]].syntax(), {0, 40}, 8,
                                 budget_);
      return generator.Next(rng_);
    }
    return GenerateText(static_cast<std::size_t>(rng_.Between(3, 8)), rng_);
  }

  const Program& program_;
  Rng& rng_;
  const GenerateOptions& options_;
  Budget& budget_;
  Collector collector_;
  std::vector<std::string_view> path_;  // names of the properties around the current value; Object owns them
  bool suggesting_ = true;
  std::size_t left_ = 0;         // values still allowed in this attempt
  std::size_t left_in_all_ = 0;  // and in all attempts
};

}  // namespace

std::string_view Blank::Text(std::string_view keyword) const {
  for (const json::Object* schema : subschemas) {
    const json::Value* value = json::Find(*schema, keyword);
    if (value != nullptr && value->is_string()) return json::View(value->get_string());
  }
  return "";
}

Result<json::Value> Generate(const Schema& schema, Rng& rng, const GenerateOptions& options) {
  const Program& program = schema.program();
  Budget own;
  Budget& budget = options.budget == nullptr ? own : *options.budget;
  if (std::optional<json::Value> value = Generator(program, rng, options, budget).Run()) return std::move(*value);
  if (budget.exhausted()) return Fail(budget.Exceeded("generate a value"));
  return Fail(ErrorCode::kInvalid,
              "found no value that the schema accepts: the schema may be contradictory, or use keywords in a way that "
              "the generator cannot follow (not, unevaluatedItems and unevaluatedProperties are left to chance)");
}

}  // namespace openseat::schema
