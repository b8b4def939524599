#include "base/json_patch.h"

#include <algorithm>
#include <utility>

namespace openseat::json {
namespace {

// A member's name as a part of a JSON Pointer (RFC 6901).
std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

class PatchMaker {
 public:
  // `path` is left as it was.
  void Compare(const Value& before, const Value& after, std::string& path) {
    if (before.is_object() && after.is_object()) return Members(before.get_object(), after.get_object(), path);
    if (before.is_array() && after.is_array()) return Elements(before.get_array(), after.get_array(), path);
    if (before != after) Add("replace", path, &after);
  }
  Array TakePatch() { return std::move(patch_); }

 private:
  void Add(std::string_view operation, const std::string& path, const Value* value) {
    Object entry{{"op", operation}, {"path", path}};
    if (value != nullptr) entry["value"] = *value;
    patch_.push_back(std::move(entry));
  }

  template <typename Work>
  static void Below(std::string& path, const std::string& part, Work work) {
    const std::size_t length = path.size();
    path.append("/").append(part);
    work();
    path.resize(length);
  }

  void Members(const Object& before, const Object& after, std::string& path) {
    for (const auto& member : before) {
      if (after.contains(member.key())) continue;
      Below(path, Escaped(KeyOf(member)), [&] { Add("remove", path, nullptr); });
    }
    for (const auto& member : after) {
      const Value* old = before.if_contains(member.key());
      Below(path, Escaped(KeyOf(member)), [&] {
        if (old == nullptr) return Add("add", path, &member.value());
        Compare(*old, member.value(), path);
      });
    }
  }

  // By how many elements the list moved up, if that makes what is left of it the beginning of the other: a log that
  // keeps its latest lines. 0 if it did not.
  static std::size_t Slid(const Array& before, const Array& after, std::size_t front, std::size_t old_end,
                          std::size_t new_end) {
    constexpr std::size_t kMost = 64;
    for (std::size_t slid = 1; slid <= kMost && front + slid < old_end; ++slid) {
      const std::size_t left = old_end - front - slid;
      if (front + left > new_end) continue;
      if (std::equal(before.begin() + static_cast<std::ptrdiff_t>(front + slid),
                     before.begin() + static_cast<std::ptrdiff_t>(old_end),
                     after.begin() + static_cast<std::ptrdiff_t>(front))) {
        return slid;
      }
    }
    return 0;
  }

  void Elements(const Array& before, const Array& after, std::string& path) {
    const std::size_t most = std::min(before.size(), after.size());
    std::size_t front = 0;
    while (front < most && before[front] == after[front]) ++front;
    std::size_t back = 0;
    while (back < most - front && before[before.size() - 1 - back] == after[after.size() - 1 - back]) ++back;
    const std::size_t old_end = before.size() - back;
    const std::size_t new_end = after.size() - back;
    std::size_t at = front;
    if (const std::size_t slid = Slid(before, after, front, old_end, new_end)) {
      for (std::size_t i = 0; i < slid; ++i) {
        Below(path, std::to_string(front), [&] { Add("remove", path, nullptr); });
      }
      at = old_end - slid;
      for (; at < new_end; ++at) Below(path, std::to_string(at), [&] { Add("add", path, &after[at]); });
      return;
    }
    for (; at < std::min(old_end, new_end); ++at) {
      Below(path, std::to_string(at), [&] { Compare(before[at], after[at], path); });
    }
    for (std::size_t gone = old_end; gone > at; --gone) {
      Below(path, std::to_string(gone - 1), [&] { Add("remove", path, nullptr); });
    }
    for (; at < new_end; ++at) {
      Below(path, std::to_string(at), [&] { Add("add", path, &after[at]); });
    }
  }

  Array patch_;
};

}  // namespace

Array MakePatch(const Value& before, const Value& after) {
  PatchMaker maker;
  std::string path;
  maker.Compare(before, after, path);
  return maker.TakePatch();
}

}  // namespace openseat::json
