// Budget: the cost limit of one call, counted where the work is done. Schemas and values are untrusted, and a short
// text can require a lot of work; so each call of this module draws on a budget, and fails with an error that says so
// when it is used up.
//
// A step is about ten nanoseconds of work: a subschema applied, a handful of items or characters examined. Counting is
// exact and repeatable: the same call with the same budget ends the same way on every machine.
//
// A value for one thread. Several calls may share one to bound their total cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openseat::schema {

// The limit on an event loop: about three milliseconds. No known game's schema comes close.
inline constexpr std::uint64_t kCallSteps = 300'000;
// Strings and values that one call may create.
inline constexpr std::uint64_t kCallBytes = 1u << 20;

class Budget {
 public:
  explicit Budget(std::uint64_t steps = kCallSteps, std::uint64_t bytes = kCallBytes)
      : granted_(steps), left_(steps), bytes_granted_(bytes), bytes_left_(bytes) {}

  // Returns false, from then on, if not enough is left.
  bool Spend(std::uint64_t steps) {
    if (left_ > steps) [[likely]] {
      left_ -= steps;
      return true;
    }
    left_ = 0;
    return false;
  }
  // The same for allocated memory, which takes time as well.
  bool Make(std::uint64_t bytes) {
    if (bytes > bytes_left_) {
      out_of_bytes_ = true;
      left_ = 0;
      return false;
    }
    bytes_left_ -= bytes;
    return Spend(bytes / 16);
  }
  // For loops that count in their own variable: take steps from here, and put the rest back.
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
