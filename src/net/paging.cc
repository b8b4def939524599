#include "net/paging.h"

#include "net/json_request.h"

namespace openseat::net {

Result<Page> PageOf(const HttpRequest& request) {
  const Result<std::uint64_t> limit = NumberQuery(request, "limit", kDefaultPage);
  if (!limit) return Fail(limit.error());
  if (*limit == 0) return Fail(ErrorCode::kInvalid, "limit must be a whole number from 1; got 0", "limit");
  Page page;
  page.limit = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, kMaxPage));
  if (const std::string* cursor = request.Query("cursor")) page.cursor = *cursor;
  return page;
}

void AddPageTo(RouteInfo& info) {
  info.parameters.push_back(
      {RouteParameter::In::kQuery, "limit", "How many at most.",
       json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxPage}, {"default", kDefaultPage}}});
  info.parameters.push_back({RouteParameter::In::kQuery, "cursor",
                             "Where the page starts: `next` of the previous page, unchanged.", nullptr});
  if (std::ranges::find(info.answers, 400, &RouteAnswer::status) == info.answers.end()) {
    info.answers.insert(info.answers.begin(), RouteAnswer{400, "The limit or the cursor is not valid."});
  }
}

json::Object PageSchema(std::string_view member, json::Value items) {
  return {{"type", "object"},
          {"required", json::Array{member}},
          {"properties",
           json::Object{{member, json::Object{{"type", "array"}, {"items", std::move(items)}}},
                        {"next", json::Object{{"type", "string"},
                                              {"description", "The cursor of the next page, if there is one."}}}}}};
}

json::Object PageBody(std::string_view member, json::Array items, std::string_view next) {
  json::Object body{{member, std::move(items)}};
  if (!next.empty()) body["next"] = next;
  return body;
}

}  // namespace openseat::net
