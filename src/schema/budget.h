// Budget: what one call may cost, counted where the work is done. Schemas and values come from strangers, and little
// text can ask for very much work; so each call of this module draws on a budget, and ends with an error that says so
// when nothing is left.
//
// A step is about ten nanoseconds of work: a subschema applied, a handful of items or characters looked at. Counting is
// exact and repeatable: the same call with the same budget ends in the same way on every machine.
//
// A value for one thread. Several calls may share one, so that what they cost together is bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openseat::schema {

// What may be done on an event loop: about three milliseconds. No schema that games are known to have comes near it.
inline constexpr std::uint64_t kCallSteps = 300'000;
// Strings and values that one call may make.
inline constexpr std::uint64_t kCallBytes = 1u << 20;

class Budget {
 public:
  explicit Budget(std::uint64_t steps = kCallSteps, std::uint64_t bytes = kCallBytes)
      : granted_(steps), left_(steps), bytes_granted_(bytes), bytes_left_(bytes) {}

  // False, from then on, where not so much is left.
  bool Spend(std::uint64_t steps) {
    if (left_ > steps) [[likely]] {
      left_ -= steps;
      return true;
    }
    left_ = 0;
    return false;
  }
  // Likewise for memory that is made, which takes time as well.
  bool Make(std::uint64_t bytes) {
    if (bytes > bytes_left_) {
      out_of_bytes_ = true;
      left_ = 0;
      return false;
    }
    bytes_left_ -= bytes;
    return Spend(bytes / 16);
  }
  // For loops that count in a variable of their own: it is taken from here, and put back.
  std::uint64_t left() const { return left_; }
  void SetLeft(std::uint64_t steps) { left_ = steps; }

  bool exhausted() const { return left_ == 0; }
  std::uint64_t granted() const { return granted_; }

  // kTooLarge: "the schema needs more than 300000 steps to be compiled". REQUIRES exhausted().
  Error Exceeded(std::string_view to) const {
    const std::string much =
        out_of_bytes_ ? std::to_string(bytes_granted_) + " bytes" : std::to_string(granted_) + " steps";
    return {ErrorCode::kTooLarge, "the schema needs more than " + much + " to " + std::string(to), {}};
  }

 private:
  std::uint64_t granted_;
  std::uint64_t left_;
  std::uint64_t bytes_granted_;
  std::uint64_t bytes_left_;
  bool out_of_bytes_ = false;
};

}  // namespace openseat::schema
