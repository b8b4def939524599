// Bits: a fixed-size set of small numbers, as the words of a bitboard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace openseat::games {

template <std::size_t kWords>
class Bits {
 public:
  static constexpr int kCapacity = static_cast<int>(64 * kWords);

  constexpr bool Test(int bit) const { return (words_[Word(bit)] >> (bit % 64) & 1) != 0; }
  constexpr void Set(int bit) { words_[Word(bit)] |= std::uint64_t{1} << (bit % 64); }
  constexpr bool Any() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words_) any |= word;
    return any != 0;
  }
  // Subtracts `by` from every number and drops those that fall below zero. REQUIRES 0 < by < kCapacity.
  constexpr Bits Down(int by) const {
    Bits out;
    const std::size_t words = Word(by);
    const int rest = by % 64;
    for (std::size_t i = 0; i + words < kWords; ++i) {
      out.words_[i] = words_[i + words] >> rest;
      if (rest != 0 && i + words + 1 < kWords) out.words_[i] |= words_[i + words + 1] << (64 - rest);
    }
    return out;
  }
  // Adds `by` to every number and drops those that no longer fit. REQUIRES 0 < by < kCapacity.
  constexpr Bits Up(int by) const {
    Bits out;
    const std::size_t words = Word(by);
    const int rest = by % 64;
    for (std::size_t i = words; i < kWords; ++i) {
      out.words_[i] = words_[i - words] << rest;
      if (rest != 0 && i > words) out.words_[i] |= words_[i - words - 1] >> (64 - rest);
    }
    return out;
  }
  constexpr Bits operator|(const Bits& other) const {
    Bits out;
    for (std::size_t i = 0; i < kWords; ++i) out.words_[i] = words_[i] | other.words_[i];
    return out;
  }
  constexpr Bits operator&(const Bits& other) const {
    Bits out;
    for (std::size_t i = 0; i < kWords; ++i) out.words_[i] = words_[i] & other.words_[i];
    return out;
  }
  constexpr bool operator==(const Bits&) const = default;

 private:
  static constexpr std::size_t Word(int bit) { return static_cast<std::size_t>(bit) / 64; }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace openseat::games
