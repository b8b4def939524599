// SeatSet: a set of seats of one table, as a value of eight bytes. Iterates in ascending order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/ids.h"

namespace openseat {

class SeatSet {
 public:
  static constexpr SeatIndex kMaxSeats = 64;

  constexpr SeatSet() = default;
  // REQUIRES every seat < kMaxSeats, here and below.
  constexpr SeatSet(std::initializer_list<SeatIndex> seats) {
    for (const SeatIndex seat : seats) Insert(seat);
  }
  // The seats 0 … count - 1.
  static constexpr SeatSet FirstOf(SeatIndex count) {
    SeatSet set;
    set.bits_ = count == kMaxSeats ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    return set;
  }

  constexpr void Insert(SeatIndex seat) { bits_ |= std::uint64_t{1} << seat; }
  // Any seat may be passed.
  constexpr bool Contains(SeatIndex seat) const { return seat < kMaxSeats && ((bits_ >> seat) & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  // The lowest. REQUIRES !empty().
  constexpr SeatIndex First() const { return static_cast<SeatIndex>(std::countr_zero(bits_)); }
  constexpr bool operator==(const SeatSet&) const = default;

  // For range-for.
  class Iterator {
   public:
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint64_t bits) : bits_(bits) {}
    constexpr SeatIndex operator*() const { return static_cast<SeatIndex>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint64_t bits_ = 0;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace openseat
