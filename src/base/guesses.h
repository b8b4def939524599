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
#include "base/rate_limit.h"
#include "base/result.h"

namespace openseat {

class Guesses {
 public:
  // Called for each wrong guess within the limit, with what was guessed and the address.
  using Witness = std::function<void(std::string_view what, std::string_view from)>;

  // `clock` outlives it.
  Guesses(RateLimit limit, const Clock& clock, Witness witness);

  // Call before checking a secret from this address: kBusy if it was wrong too often.
  Result<void> MayTry(std::string_view from) const;
  // Records that the address was wrong about `what`: "admin token". kBusy if that was once too often; otherwise the
  // caller may say what was wrong.
  Result<void> Wrong(std::string_view what, std::string_view from);

 private:
  const Clock& clock_;
  const Witness witness_;
  RateLimiter limiter_;
};

}  // namespace openseat
