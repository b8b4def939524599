#include "relay/difference.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace openseat::relay {
namespace {

constexpr std::size_t kMaxChanges = 5;    // of one message
constexpr std::size_t kShownBytes = 160;  // of a value
constexpr json::Limits kMessageLimits{.max_bytes = 64u << 20, .max_depth = 128, .max_values = 2'000'000};

std::string Shown(const json::Value& value) {
  return json::Excerpt(value, kShownBytes);
}

// A document within a string.
std::optional<json::Value> Nested(const json::Value& value) {
  const json::String* text = value.if_string();
  if (text == nullptr || text->empty() || ((*text)[0] != '{' && (*text)[0] != '[')) return std::nullopt;
  Result<json::Value> parsed = json::Parse(json::View(*text), kMessageLimits);
  if (!parsed) return std::nullopt;
  return std::move(*parsed);
}

std::string NameOf(const json::Value& item) {
  return item.is_string() ? std::string(json::View(item.get_string())) : std::string(json::TextOf(item, "name"));
}

// Lists of actions are sets.
json::Array SortedActions(const json::Array& array) {
  json::Array sorted = array;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const json::Value& a, const json::Value& b) { return NameOf(a) < NameOf(b); });
  return sorted;
}

class Comparer {
 public:
  Comparer(std::string command, const std::vector<IgnoreRule>& ignored)
      : command_(std::move(command)), ignored_(ignored) {}

  void Walk(const json::Value& expected, const json::Value& found, const std::string& path) {
    if (changes_.size() >= kMaxChanges || IsIgnoredPath(path) || json::Equal(expected, found)) return;
    if (expected.is_object() && found.is_object()) return WalkObject(expected.get_object(), found.get_object(), path);
    if (expected.is_array() && found.is_array()) {
      if (path == "data.actions" || path == "data.action_names") {
        return WalkArray(SortedActions(expected.get_array()), SortedActions(found.get_array()), path);
      }
      return WalkArray(expected.get_array(), found.get_array(), path);
    }
    const std::optional<json::Value> left = Nested(expected);
    const std::optional<json::Value> right = Nested(found);
    if (left && right && left->kind() == right->kind()) return Walk(*left, *right, path);
    Add(path, Shown(expected), Shown(found));
  }
  std::vector<Change> Take() { return std::move(changes_); }

 private:
  void WalkObject(const json::Object& expected, const json::Object& found, const std::string& path) {
    const std::string prefix = path.empty() ? path : path + ".";
    for (const auto& member : expected) {
      const std::string inner = prefix + std::string(json::KeyOf(member));
      if (const json::Value* other = json::Find(found, json::KeyOf(member))) {
        Walk(member.value(), *other, inner);
      } else {
        Add(inner, Shown(member.value()), "");
      }
    }
    for (const auto& member : found) {
      if (json::Find(expected, json::KeyOf(member)) == nullptr) {
        Add(prefix + std::string(json::KeyOf(member)), "", Shown(member.value()));
      }
    }
  }
  void WalkArray(const json::Array& expected, const json::Array& found, const std::string& path) {
    const std::size_t common = std::min(expected.size(), found.size());
    for (std::size_t i = 0; i < common; ++i) Walk(expected[i], found[i], At(path, i));
    for (std::size_t i = common; i < expected.size(); ++i) Add(At(path, i), Shown(expected[i]), "");
    for (std::size_t i = common; i < found.size(); ++i) Add(At(path, i), "", Shown(found[i]));
  }
  static std::string At(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }
  bool IsIgnoredPath(const std::string& path) const {
    return std::ranges::any_of(ignored_, [&](const IgnoreRule& rule) {
      if (rule.command != command_ || rule.path.empty() || !path.starts_with(rule.path)) return false;
      return path.size() == rule.path.size() || path[rule.path.size()] == '.' || path[rule.path.size()] == '[';
    });
  }
  void Add(const std::string& path, std::string expected, std::string found) {
    if (changes_.size() < kMaxChanges && !IsIgnoredPath(path)) {
      changes_.push_back({path, std::move(expected), std::move(found)});
    }
  }

  const std::string command_;
  const std::vector<IgnoreRule>& ignored_;
  std::vector<Change> changes_;
};

std::string TextMember(std::string_view message, std::string_view outer, std::string_view name) {
  const Result<json::Value> parsed = json::Parse(message, kMessageLimits);
  if (!parsed) return {};
  if (outer.empty()) return std::string(json::TextOf(*parsed, name));
  const json::Value* inner = json::Find(*parsed, outer);
  return inner == nullptr ? std::string() : std::string(json::TextOf(*inner, name));
}

}  // namespace

Result<IgnoreRule> ParseIgnoreRule(std::string_view text) {
  const std::size_t colon = text.find(':');
  IgnoreRule rule{std::string(text.substr(0, colon)),
                  colon == std::string_view::npos ? std::string() : std::string(text.substr(colon + 1))};
  if (rule.command.empty() || (colon != std::string_view::npos && rule.path.empty())) {
    return Fail(ErrorCode::kInvalid,
                "what is ignored must be COMMAND or COMMAND:PATH, as in actions/force:data.state; got \"" +
                    std::string(text) + "\"");
  }
  return rule;
}

Comparison Compare(std::string_view expected, std::string_view found, const std::vector<IgnoreRule>& ignored) {
  if (expected == found) return {.same_bytes = true, .changes = {}};
  const Result<json::Value> left = json::Parse(expected, kMessageLimits);
  const Result<json::Value> right = json::Parse(found, kMessageLimits);
  if (!left || !right) {
    return {.same_bytes = false,
            .changes = {{"", Ellipsize(EscapeControls(SanitizeUtf8(expected)), kShownBytes),
                         Ellipsize(EscapeControls(SanitizeUtf8(found)), kShownBytes)}}};
  }
  const std::string command(json::TextOf(*left, "command"));
  if (command == json::TextOf(*right, "command") && IsIgnored(command, ignored)) return {};
  Comparer comparer(command, ignored);
  comparer.Walk(*left, *right, "");
  return {.same_bytes = false, .changes = comparer.Take()};
}

std::string CommandOf(std::string_view message) {
  return TextMember(message, "", "command");
}

std::string SlotOf(std::string_view message) {
  return TextMember(message, "data", "id");
}

bool IsIgnored(std::string_view command, const std::vector<IgnoreRule>& ignored) {
  return std::ranges::any_of(ignored,
                             [&](const IgnoreRule& rule) { return rule.command == command && rule.path.empty(); });
}

}  // namespace openseat::relay
