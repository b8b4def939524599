// Usage: the tokens of one answer, by what they cost.
#pragma once

#include <cstdint>

namespace openseat::llm {

struct Usage {
  std::uint64_t input = 0;      // read at the full price
  std::uint64_t cached = 0;     // read from the provider's cache
  std::uint64_t created = 0;    // read, and written to the provider's cache
  std::uint64_t output = 0;     // written, including `reasoning`
  std::uint64_t reasoning = 0;  // of these, the model's own thinking; 0 if the provider does not say

  std::uint64_t tokens_in() const { return input + cached + created; }
  std::uint64_t tokens() const { return tokens_in() + output; }
  Usage& operator+=(const Usage& more) {
    input += more.input;
    cached += more.cached;
    created += more.created;
    output += more.output;
    reasoning += more.reasoning;
    return *this;
  }
  bool operator==(const Usage&) const = default;
};

}  // namespace openseat::llm
