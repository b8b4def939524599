// Lists in pages: a route with a list takes `limit` and `cursor`, and returns `next`, the cursor of the next page, if
// there is one. The content of a cursor is the route's own; clients send it back unchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "net/http.h"
#include "net/router.h"

namespace openseat::net {

inline constexpr std::size_t kDefaultPage = 100;
inline constexpr std::size_t kMaxPage = 1000;

struct Page {
  std::size_t limit = kDefaultPage;
  std::string cursor{};  // "": the first page
};

// kInvalid if the limit is not valid; a limit beyond kMaxPage counts as kMaxPage.
Result<Page> PageOf(const HttpRequest& request);
// Describes both parameters and the 400 of a route with a list.
void AddPageTo(RouteInfo& info);
// {"type": "object", …} of an answer with the list as `member`, and "next".
json::Object PageSchema(std::string_view member, json::Value items);
// {member: items, "next": …}; without "next" if it is "".
json::Object PageBody(std::string_view member, json::Array items, std::string_view next);

// Sorts `items` by their keys and keeps only those of the page: after the cursor, which is the key of the last item on
// the previous page. Returns the next cursor, or "".
template <typename T, typename KeyOf>
std::string CutPage(std::vector<T>& items, const Page& page, KeyOf key_of, bool descending = false) {
  std::vector<std::pair<std::string, T>> keyed;
  for (T& item : items) {
    std::string key = key_of(item);
    if (page.cursor.empty() || (descending ? key < page.cursor : page.cursor < key)) {
      keyed.emplace_back(std::move(key), std::move(item));
    }
  }
  std::ranges::sort(
      keyed, [descending](const auto& a, const auto& b) { return descending ? b.first < a.first : a.first < b.first; });
  items.clear();
  const bool more = keyed.size() > page.limit;
  if (more) keyed.erase(keyed.begin() + static_cast<std::ptrdiff_t>(page.limit), keyed.end());
  for (auto& [key, item] : keyed) items.push_back(std::move(item));
  return more ? keyed.back().first : std::string();
}

}  // namespace openseat::net
