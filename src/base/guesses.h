// Guesses: how often an address may be wrong about a secret: a token, a key, the name of a match that is not public.
// What is guessed is too random to be found; the limit is for what guessing costs, and so that the record of it
// (Witness) stays readable. Whoever was wrong too often is not heard for a while, whatever it says next; but this
// machine's own programs, which have one address together, are only told that they were wrong too often.
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
  // Is told of each wrong guess within the limit: what was guessed, and the address.
  using Witness = std::function<void(std::string_view what, std::string_view from)>;

  // `clock` outlives it.
  Guesses(RateLimit limit, const Clock& clock, Witness witness);

  // Before a secret of this address is looked at: kBusy where it was wrong too often.
  Result<void> MayTry(std::string_view from) const;
  // It was wrong about `what`: "admin token". kBusy where that was once too often; else it may be told.
  Result<void> Wrong(std::string_view what, std::string_view from);

 private:
  const Clock& clock_;
  const Witness witness_;
  RateLimiter limiter_;
};

}  // namespace openseat
