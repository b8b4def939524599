// LineSieve: which of the lines that strangers can cause are written to a log, so that nobody fills the disk or pushes
// out other lines: as many as the rates of each address, and of all of them, allow. The others are counted, and now and
// then a line says how many they were. The audit log (app/audit_log.h) and the log (base/log.h) each have one. The time
// is passed in. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/rate_limit.h"
#include "base/time.h"

namespace openseat {

class LineSieve {
 public:
  struct Rates {
    RateLimit of_address;  // for each kind of line
    RateLimit of_all;
    Duration tell_every{};
  };
  struct LeftOut {
    std::uint64_t lines = 0;
    std::string from;  // the address, or "several addresses"

    std::string Count() const { return std::to_string(lines) + (lines == 1 ? " line" : " lines"); }
  };

  explicit LineSieve(const Rates& rates) : rates_(rates), of_address_(rates.of_address, 1024) {}

  // Whether to write a line of that kind that somebody at `from` caused, an address without a port. If not, it counts
  // as left out.
  bool Take(std::string_view kind, std::string_view from, Instant now);
  // What was left out since this was told last; nullopt if nothing was, or if that is less than Rates::tell_every ago.
  std::optional<LeftOut> TellLeftOut(Instant now);

 private:
  const Rates rates_;
  RateLimiter of_address_;
  TokenBucket of_all_;
  std::uint64_t left_out_ = 0;
  std::string from_;      // the address of the first of them
  bool several_ = false;  // others were from elsewhere
  std::optional<Instant> told_;
};

}  // namespace openseat
