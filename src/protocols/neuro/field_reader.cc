#include "protocols/neuro/field_reader.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace openseat::neuro {
namespace {

// The content of a member: a short text of the value itself if that says more than its type.
std::string Describe(const json::Value& value) {
  if (value.is_string()) return json::Excerpt(value, kMaxQuoted);
  return std::string(json::TypeName(value));
}

}  // namespace

std::string Backticked(std::string_view name) {
  return "`" + std::string(name) + "`";
}

std::string MustBe(std::string_view path, std::string_view expected, const json::Value& got) {
  std::string out = Backticked(path);
  out.append(" must be ").append(expected).append("; got ").append(json::TypeName(got));
  return out;
}

void FieldReader::Add(Diagnostic diagnostic, std::string path, std::string detail) {
  if (issues_.size() >= max_issues_) {
    ++dropped_;
    return;
  }
  issues_.push_back({diagnostic, std::move(path), std::move(detail)});
}

void FieldReader::Finish() {
  if (!unknown_.empty()) {
    std::string detail = unknown_.size() == 1 && more_unknown_ == 0 ? "not a member that the API knows: "
                                                                    : "not members that the API knows: ";
    for (std::size_t i = 0; i < unknown_.size(); ++i) {
      if (i > 0) detail += ", ";
      detail += Backticked(unknown_[i]);
    }
    if (more_unknown_ > 0) detail += " and " + std::to_string(more_unknown_) + " more";
    std::string path = unknown_.front();
    Add(Diagnostic::kUnknownField, std::move(path), std::move(detail));
  }
  if (dropped_ > 0 && !issues_.empty()) {
    issues_.back().detail += " (and " + std::to_string(dropped_) + " more issues in this message)";
  }
}

void FieldReader::Take(const json::Object& object, std::span<const Slot> slots, std::string_view prefix) {
  const auto path = [&](std::string_view name) {
    std::string out(prefix);
    return out.append(name);
  };
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    const auto slot = std::ranges::find(slots, name, &Slot::name);
    if (slot == slots.end()) {
      std::string unknown = path(Ellipsize(name, kMaxQuoted));
      if (std::ranges::find(unknown_, unknown) != unknown_.end()) continue;
      if (unknown_.size() < kMaxUnknown) {
        unknown_.push_back(std::move(unknown));
      } else {
        ++more_unknown_;
      }
    } else if (slot->meant.empty()) {
      *slot->value = &member.value();
    } else {
      Add(Diagnostic::kMisspelt, path(name), Backticked(path(name)) + " should be " + Backticked(path(slot->meant)));
      if (!object.contains(slot->meant)) *slot->value = &member.value();
    }
  }
}

void FieldReader::AddMissing(const json::Value* value, std::string_view path, std::string_view taken) {
  Add(Diagnostic::kMissingField, std::string(path),
      Backticked(path) + (value == nullptr ? " is missing; " : " is null; ") + std::string(taken));
}

void FieldReader::AddNull(std::string_view path) {
  Add(Diagnostic::kNullField, std::string(path), Backticked(path) + " is null; leave it out instead");
}

bool FieldReader::Text(const json::Value* value, std::string_view path, Need need, std::string& out) {
  if (value != nullptr && value->is_string()) {
    out = json::View(value->get_string());
    return true;
  }
  if (value == nullptr || value->is_null()) {
    if (need == Need::kRequired) {
      AddMissing(value, path, "an empty text was used");
    } else if (value != nullptr) {
      AddNull(path);
    }
    return false;
  }
  Add(Diagnostic::kInvalidField, std::string(path), MustBe(path, "a string", *value) + "; its JSON text was used");
  out = json::Write(*value);
  return true;
}

std::optional<bool> FieldReader::Flag(const json::Value& value, std::string_view path) {
  if (value.is_bool()) return value.get_bool();
  std::optional<bool> read;
  if (json::Equal(value, 1) || json::Equal(value, "true")) read = true;
  if (json::Equal(value, 0) || json::Equal(value, "false")) read = false;
  const std::string_view consequence = !read ? "; it was ignored" : *read ? "; read as true" : "; read as false";
  Add(Diagnostic::kInvalidField, std::string(path),
      Backticked(path) + " must be true or false; got " + Describe(value) + std::string(consequence));
  return read;
}

bool FieldReader::FlagOr(const json::Value* value, std::string_view path, Need need, bool fallback) {
  if (value != nullptr && !value->is_null()) return Flag(*value, path).value_or(fallback);
  if (need == Need::kRequired) {
    AddMissing(value, path, fallback ? "true was used" : "false was used");
  } else if (value != nullptr) {
    AddNull(path);
  }
  return fallback;
}

std::size_t FieldReader::Read(const json::Array& list, std::string_view path) {
  if (list.size() <= kMaxItems) return list.size();
  Add(Diagnostic::kInvalidField, std::string(path),
      Backticked(path) + " must have at most " + std::to_string(kMaxItems) + " items; got " +
          std::to_string(list.size()) + ", and those beyond were ignored");
  return kMaxItems;
}

std::vector<std::string> FieldReader::Names(const json::Value* value, std::string_view path) {
  std::vector<std::string> names;
  if (value == nullptr) {
    AddMissing(value, path, "an empty list was used");
    return names;
  }
  if (value->is_null()) {
    Add(Diagnostic::kNullField, std::string(path), Backticked(path) + " is null; an empty list was used");
    return names;
  }
  if (value->is_string()) {
    Add(Diagnostic::kInvalidField, std::string(path),
        MustBe(path, "an array of strings", *value) + "; it was read as a list of one");
    names.emplace_back(json::View(value->get_string()));
    return names;
  }
  const json::Array* list = value->if_array();
  if (list == nullptr) {
    const bool empty = value->is_object() && value->get_object().empty();  // an empty table, in some encoders
    Add(Diagnostic::kInvalidField, std::string(path),
        MustBe(path, "an array of strings", *value) + (empty ? "; read as an empty list" : "; it was ignored"));
    return names;
  }
  const std::size_t count = Read(*list, path);
  names.reserve(count);
  std::unordered_set<std::string_view> seen;  // only for long lists; views into the values
  constexpr std::size_t kShort = 16;
  for (std::size_t i = 0; i < count; ++i) {
    const json::Value* item = &(*list)[i];
    const auto place = [&] { return std::string(path) + "[" + std::to_string(i) + "]"; };
    if (!item->is_string()) {
      // A whole action where its name is expected: the name in it is what was meant.
      const json::Value* within = json::Find(*item, "name");
      const bool usable = within != nullptr && within->is_string();
      Add(Diagnostic::kInvalidField, place(),
          MustBe(place(), "a string", *item) + (usable ? "; its `name` was used" : "; it was skipped"));
      if (!usable) continue;
      item = within;
    }
    const std::string_view name = json::View(item->get_string());
    bool first = true;
    if (list->size() <= kShort) {
      first = std::ranges::find(names, name) == names.end();
    } else {
      first = seen.insert(name).second;
    }
    if (first) {
      names.emplace_back(name);
    } else {
      Add(Diagnostic::kDuplicateEntry, place(), Backticked(Ellipsize(name, kMaxQuoted)) + " is in the list already");
    }
  }
  return names;
}

}  // namespace openseat::neuro
