#include "protocols/narrative/negotiation.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace openseat::narrative {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool Same(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + ('a' - 'A') : x) == y; });
}

// "2", "v2"; for anything else a version that never exists.
std::int64_t VersionOf(std::string_view text) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
  std::int64_t version = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), version);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? version : 0;
}

// Removes and returns the text before the next `separator`, which is removed, too.
std::string_view Cut(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return Trimmed(part);
}

}  // namespace

VersionWish::Range VersionWish::ReadRange(std::string_view range) {
  Range read;
  Cut(range, ';');  // the media type
  while (!range.empty()) {
    std::string_view value = Cut(range, ';');
    const std::string_view name = Cut(value, '=');
    value = Trimmed(value);
    if (Same(name, "schemaversion")) read.version = VersionOf(value);
    if (!Same(name, "q")) continue;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), read.quality);
    // Also "nan", which cannot be sorted.
    if (parsed.ec != std::errc() || !(read.quality >= 0 && read.quality <= 1)) read.quality = 1;
  }
  return read;
}

VersionWish::VersionWish(const net::HttpRequest& request, std::optional<std::int64_t> asked) : asked_(asked) {
  for (const auto& [name, value] : request.headers.all()) {
    if (!Same(name, "accept")) continue;
    for (std::string_view rest = value; !rest.empty();) accepted_.push_back(ReadRange(Cut(rest, ',')));
  }
  if (accepted_.empty()) accepted_.emplace_back();
  std::ranges::stable_sort(accepted_, [](const Range& a, const Range& b) { return a.quality > b.quality; });
  if (const std::string* query = request.Query("schemaVersion")) query_ = VersionOf(*query);
}

std::optional<int> VersionWish::BestOf(const std::vector<int>& offered) const {
  for (const Range& range : accepted_) {
    if (range.quality <= 0) continue;
    for (const int version : offered) {
      const auto fits = [version](const std::optional<std::int64_t>& wish) { return !wish || *wish == version; };
      if (fits(range.version) && fits(asked_) && fits(query_)) return version;
    }
  }
  return std::nullopt;
}

}  // namespace openseat::narrative
