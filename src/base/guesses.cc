#include "base/guesses.h"

#include <string>
#include <utility>

#include "base/budget.h"
#include "base/stranger.h"

namespace openseat {

Guesses::Guesses(RateLimit limit, const Clock& clock, Witness witness, Metrics* metrics)
    : clock_(clock),
      witness_(std::move(witness)),
      refused_(metrics != nullptr ? &CountRefused(*metrics, Limit::kWrongGuesses) : nullptr),
      limiter_(limit) {}

tl::unexpected<Error> Guesses::TooMany(Duration wait) const {
  if (refused_ != nullptr) refused_->Add();
  return Fail(Error{ErrorCode::kBusy,
                    "too many wrong tokens, keys or names came from this address; try again in " +
                        RetryAfterSeconds(wait) + " s ([access] wrong_per_minute)",
                    {},
                    wait});
}

Result<void> Guesses::MayTry(std::string_view from) const {
  const std::string address = AddressKey(from);
  if (address == kLoopback) return {};
  const Duration wait = limiter_.Wait(address, clock_.Monotonic());
  if (wait > Duration(0)) return TooMany(wait);
  return {};
}

Result<void> Guesses::Wrong(std::string_view what, std::string_view from, std::string_view who) {
  const Duration wait = limiter_.Take(AddressKey(from), clock_.Monotonic());
  if (wait > Duration(0)) return TooMany(wait);
  witness_(what, from, who);
  return {};
}

}  // namespace openseat
