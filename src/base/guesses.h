// Guesses: how often an address may be wrong about a secret: a token, a key, the name of a match that is not public.
// The secrets are too random to be guessed; the limit bounds the cost of guessing, and keeps the record of it (Witness)
// readable. After too many wrong guesses an address is refused for a while, whatever it sends next. This machine's own
// programs share one address, so they are only told that there were too many.
//
// Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/rate_limit.h"
#include "base/result.h"

namespace openseat {

class Guesses {
 public:
  // Called for each wrong guess within the limit, with what was guessed, the address, and who guessed ("" if unknown).
  using Witness = std::function<void(std::string_view what, std::string_view from, std::string_view who)>;

  // `clock` and `metrics` outlive it; without `metrics`, refusals are not counted.
  Guesses(RateLimit limit, const Clock& clock, Witness witness, Metrics* metrics = nullptr);

  // Call before checking a secret from this address: kBusy if it was wrong too often.
  Result<void> MayTry(std::string_view from) const;
  // Records that the address was wrong about `what`: "admin token". kBusy if that was once too often; otherwise the
  // caller may say what was wrong. `who`: whose valid key came along, for the record; "" if that is unknown.
  Result<void> Wrong(std::string_view what, std::string_view from, std::string_view who = {});

 private:
  // kBusy, counted.
  tl::unexpected<Error> TooMany(Duration wait) const;

  const Clock& clock_;
  const Witness witness_;
  Counter* const refused_;
  RateLimiter limiter_;
};

}  // namespace openseat
