#include "base/json_diff.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace openseat::json {
namespace {

class DiffWriter {
  static constexpr std::size_t kMostGone = 64;

 public:
  explicit DiffWriter(std::string& out) : out_(out) {}

  void Compare(const Value& before, const Value& after) {
    if (before.is_object() && after.is_object()) {
      CompareObjects(before.get_object(), after.get_object());
    } else if (before.is_array() && after.is_array()) {
      CompareArrays(before.get_array(), after.get_array());
    } else if (!Equal(before, after)) {
      Write("replace", &after);
    }
  }

 private:
  void CompareObjects(const Object& before, const Object& after) {
    // Usually they have the same members in the same order.
    auto same = before.begin();
    for (const auto& member : after) {
      if (same == before.end() || KeyOf(*same) != KeyOf(member)) return CompareMembers(before, after);
      ++same;
    }
    if (same != before.end()) return CompareMembers(before, after);
    same = before.begin();
    for (const auto& member : after) {
      steps_.push_back({KeyOf(member), 0});
      Compare((same++)->value(), member.value());
      steps_.pop_back();
    }
  }

  void CompareMembers(const Object& before, const Object& after) {
    for (const auto& member : before) {
      if (after.contains(member.key())) continue;
      steps_.push_back({KeyOf(member), 0});
      Write("remove", nullptr);
      steps_.pop_back();
    }
    for (const auto& member : after) {
      steps_.push_back({KeyOf(member), 0});
      if (const Value* old = Find(before, KeyOf(member))) {
        Compare(*old, member.value());
      } else {
        Write("add", &member.value());
      }
      steps_.pop_back();
    }
  }

  void CompareArrays(const Array& before, const Array& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && Equal(before[same], after[same])) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same && Equal(before[before.size() - 1 - tail], after[after.size() - 1 - tail])) ++tail;
    const std::size_t gone = MovedBy(before, after, same, tail);
    const auto remove = [&](std::size_t at, std::size_t count) {
      steps_.push_back({{}, at});
      for (; count > 0; --count) Write("remove", nullptr);
      steps_.pop_back();
    };
    remove(same, gone);
    const std::size_t left = before.size() - gone;
    std::size_t at = same;
    for (; at < std::min(left, after.size()) - tail; ++at) {
      steps_.push_back({{}, at});
      Compare(before[at + gone], after[at]);
      steps_.pop_back();
    }
    if (left > after.size()) remove(at, left - after.size());
    for (std::size_t size = left; size < after.size(); ++size, ++at) {
      steps_.push_back({{}, at});
      Write("add", &after[at]);
      steps_.pop_back();
    }
  }

  // How many items are gone from the front of what differs, if that is all that happened but for new items behind: a
  // list of the latest lines has moved on. 0 if not.
  static std::size_t MovedBy(const Array& before, const Array& after, std::size_t same, std::size_t tail) {
    const std::size_t old = before.size() - same - tail;
    for (std::size_t gone = 1; gone < std::min(old, kMostGone); ++gone) {
      const std::size_t kept = old - gone;
      if (kept > after.size() - same - tail) continue;
      std::size_t i = 0;
      while (i < kept && Equal(before[same + gone + i], after[same + i])) ++i;
      if (i == kept) return gone;
    }
    return 0;
  }

  // A member, or an item.
  struct Step {
    std::string_view key;  // of no bytes at no address: an item
    std::size_t index = 0;
  };

  // Most of what is compared is equal: a path is written only where something is not.
  std::string Path() const {
    std::string path;
    for (const Step& step : steps_) {
      path += '/';
      if (step.key.data() == nullptr) {
        path += std::to_string(step.index);
        continue;
      }
      for (const char c : step.key) {
        if (c == '~') {
          path += "~0";
        } else if (c == '/') {
          path += "~1";
        } else {
          path += c;
        }
      }
    }
    return path;
  }

  void Write(std::string_view op, const Value* value) {
    if (out_.back() != '[') out_ += ',';
    out_ += "{\"op\":\"";
    out_ += op;
    out_ += "\",\"path\":";
    WriteString(Path(), out_);
    if (value != nullptr) {
      out_ += ",\"value\":";
      json::Write(*value, out_);
    }
    out_ += '}';
  }

  std::string& out_;
  std::vector<Step> steps_;
};

// The first step of a pointer, unescaped; removes it from `pointer`. REQUIRES a pointer that begins with '/'.
std::string TakeStep(std::string_view& pointer) {
  const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
  std::string step;
  for (std::size_t i = 1; i < end; ++i) {
    const bool escaped = pointer[i] == '~' && i + 1 < end;
    step += escaped ? (pointer[++i] == '0' ? '~' : '/') : pointer[i];
  }
  pointer.remove_prefix(end);
  return step;
}

Result<std::size_t> IndexOf(const std::string& step, std::size_t limit) {
  std::size_t index = 0;
  const auto read = std::from_chars(step.data(), step.data() + step.size(), index);
  if (read.ec == std::errc() && read.ptr == step.data() + step.size() && index < limit) return index;
  return Fail(ErrorCode::kInvalid, "there is no item \"" + step + "\"");
}

Result<Value*> Enter(Value& parent, const std::string& step) {
  if (parent.is_array()) {
    const Result<std::size_t> index = IndexOf(step, parent.get_array().size());
    if (!index) return Fail(index.error());
    return &parent.get_array()[*index];
  }
  Value* const child = parent.is_object() ? parent.get_object().if_contains(step) : nullptr;
  if (child == nullptr) return Fail(ErrorCode::kInvalid, "there is no member \"" + step + "\"");
  return child;
}

Result<void> ApplyToItem(std::string_view op, const std::string& step, const Value* value, Array& array) {
  const Result<std::size_t> index = IndexOf(step, array.size() + (op == "add" ? 1 : 0));
  if (!index) return Fail(index.error());
  const auto place = array.begin() + static_cast<std::ptrdiff_t>(*index);
  if (op == "add") {
    array.insert(place, *value);
  } else if (op == "remove") {
    array.erase(place);
  } else {
    *place = *value;
  }
  return {};
}

Result<void> ApplyToMember(std::string_view op, const std::string& step, const Value* value, Object& object) {
  if (op != "add" && !object.contains(step)) return Fail(ErrorCode::kInvalid, "there is no member \"" + step + "\"");
  if (op == "remove") {
    object.erase(step);
  } else {
    object[step] = *value;
  }
  return {};
}

Result<void> ApplyOne(const Value& change, Value& value) {
  const std::string_view op = TextOf(change, "op");
  const Value* const to = Find(change, "value");
  const Value* const path = Find(change, "path");
  if ((op != "add" && op != "remove" && op != "replace") || path == nullptr || !path->is_string() ||
      (op != "remove" && to == nullptr)) {
    return Fail(ErrorCode::kInvalid, "it is not an \"add\", \"remove\" or \"replace\" with a path");
  }
  std::string_view pointer = View(path->get_string());
  if (pointer.empty() && to != nullptr) {
    value = *to;
    return {};
  }
  if (!pointer.starts_with('/')) return Fail(ErrorCode::kInvalid, "its path does not begin with \"/\"");
  Value* parent = &value;
  std::string step = TakeStep(pointer);
  while (!pointer.empty()) {
    const Result<Value*> child = Enter(*parent, step);
    if (!child) return Fail(child.error());
    parent = *child;
    step = TakeStep(pointer);
  }
  if (parent->is_array()) return ApplyToItem(op, step, to, parent->get_array());
  if (parent->is_object()) return ApplyToMember(op, step, to, parent->get_object());
  return Fail(ErrorCode::kInvalid, "there is no member \"" + step + "\"");
}

}  // namespace

void WriteDiff(const Value& before, const Value& after, std::string& out) {
  out += '[';
  DiffWriter(out).Compare(before, after);
  out += ']';
}

Result<void> ApplyDiff(const Value& patch, Value& value) {
  if (!patch.is_array())
    return Fail(ErrorCode::kInvalid, "a patch must be a list; got " + std::string(TypeName(patch)));
  for (std::size_t i = 0; i < patch.get_array().size(); ++i) {
    if (const Result<void> done = ApplyOne(patch.get_array()[i], value); !done) {
      return Fail(ErrorCode::kInvalid, "operation " + std::to_string(i) + " of a patch: " + done.error().message);
    }
  }
  return {};
}

}  // namespace openseat::json
