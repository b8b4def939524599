#include "schema/validate/key_table.h"

#include <algorithm>

namespace openseat::schema {
namespace {

// For a table that is at most half full; by chance, fewer than one in a million searches take this long.
constexpr std::size_t kMaxSearch = 48;

}  // namespace

std::uint32_t KeyTable::Add(std::string_view text) {
  if (!is_crowded() && texts_.size() * 2 >= slots_.size()) {
    // Grows by rebuilding; tables are small and filled once.
    const std::size_t slots = std::max<std::size_t>(4, std::bit_ceil((texts_.size() + 1) * 4));
    slots_.assign(slots, Slot{});
    mask_ = slots - 1;
    shift_ = 64 - std::countr_zero(slots);
    for (std::uint32_t number = 0; number < texts_.size(); ++number) Place(number);
  }
  if (const std::uint32_t known = Find(text); known != kNone) return known;
  texts_.emplace_back(text);
  Place(static_cast<std::uint32_t>(texts_.size() - 1));
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void KeyTable::Place(std::uint32_t number) {
  if (is_crowded()) {
    in_order_.emplace(texts_[number], number);
    return;
  }
  const PackedKey key = PackedKey::Of(texts_[number]);
  std::size_t at = Hash(key) >> shift_;
  for (std::size_t steps = 0; slots_[at].number != kNone; at = (at + 1) & mask_) {
    if (++steps < kMaxSearch) continue;
    slots_.clear();
    for (std::uint32_t i = 0; i <= number; ++i) in_order_.emplace(texts_[i], i);
    return;
  }
  slots_[at] = {key, number};
}

std::uint32_t KeyTable::FindInOrder(std::string_view text) const {
  const auto at = in_order_.find(text);
  return at == in_order_.end() ? kNone : at->second;
}

}  // namespace openseat::schema
