#include "schema/key_table.h"

#include <algorithm>

namespace openseat::schema {

std::uint32_t KeyTable::Add(std::string_view text) {
  if (slots_.empty() || texts_.size() * 2 >= slots_.size()) {
    // Grow by rebuilding; tables are small and filled once.
    texts_.reserve(texts_.size() + 1);
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
  const PackedKey key = PackedKey::Of(texts_[number]);
  std::size_t at = Hash(key) >> shift_;
  while (slots_[at].number != kNone) at = (at + 1) & mask_;
  slots_[at] = {key, number};
}

}  // namespace openseat::schema
