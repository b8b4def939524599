// Rng: xoshiro256** seeded by splitmix64, specified bit for bit in docs/formats/rng.md, so that a seed gives the same
// numbers on every machine and in every version. Not for secrets (secure_random.h).
#pragma once

#include <array>
#include <cstdint>

namespace openseat {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  // Continues from a saved state().
  static Rng FromState(const std::array<std::uint64_t, 4>& state);

  std::uint64_t Next();
  // Uniform in [0, bound). REQUIRES bound > 0. Unbiased: draws again below 2^64 mod bound.
  std::uint64_t Below(std::uint64_t bound);
  // Uniform in [low, high], both included. REQUIRES low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high);
  // Uniform in [0, 1): the upper 53 bits of Next() times 2^-53.
  double Unit();
  // True with this probability.
  bool Chance(double probability) { return Unit() < probability; }

  const std::array<std::uint64_t, 4>& state() const { return state_; }
  bool operator==(const Rng&) const = default;

 private:
  Rng() = default;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace openseat
