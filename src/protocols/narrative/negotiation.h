// Which version of the result's schema a client wants, and gets. A client names it by "schemaVersion" in the body or
// the query, or as a parameter of a media range in Accept ("application/json; schemaVersion=2"); if it names none, any
// version is fine. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace openseat::narrative {

class VersionWish {
 public:
  // `asked` is the value in the body.
  VersionWish(const net::HttpRequest& request, std::optional<std::int64_t> asked);

  // The best version for the client among those that are `offered`, by our preference; nullopt if none fits.
  std::optional<int> BestOf(const std::vector<int>& offered) const;

 private:
  struct Range {
    std::optional<std::int64_t> version;  // none: any
    double quality = 1;
  };
  static Range ReadRange(std::string_view range);

  std::vector<Range> accepted_;  // best first
  std::optional<std::int64_t> asked_;
  std::optional<std::int64_t> query_;
};

}  // namespace openseat::narrative
