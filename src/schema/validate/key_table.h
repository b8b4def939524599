// KeyTable: a fast map from short strings to small numbers, for property names and enum strings.
// Filled once, then read from any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace openseat::schema {

// A string as two words: all of it up to 16 bytes; for longer ones, the first and last eight.
struct PackedKey {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint32_t size = 0;

  static PackedKey Of(std::string_view text) {
    PackedKey key;
    key.size = static_cast<std::uint32_t>(text.size());
    const char* data = text.data();
    const std::size_t size = text.size();
    if (size >= 8) {
      std::memcpy(&key.head, data, 8);
      std::memcpy(&key.tail, data + size - 8, 8);
    } else if (size >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, data, 4);
      std::memcpy(&last, data + size - 4, 4);
      key.head = first | (std::uint64_t{last} << 32);
    } else if (size >= 2) {
      std::uint16_t first = 0;
      std::uint16_t last = 0;
      std::memcpy(&first, data, 2);
      std::memcpy(&last, data + size - 2, 2);
      key.head = first | (std::uint64_t{last} << 16);
    } else if (size == 1) {
      key.head = static_cast<unsigned char>(*data);
    }
    return key;
  }
  bool operator==(const PackedKey&) const = default;
};

// Whether `data`, of `size` bytes, begins and ends with the bytes packed in `head` and `tail`; up to 16 bytes, this
// compares the whole string.
inline bool HasEnds(const char* data, std::uint32_t size, std::uint64_t head, std::uint64_t tail) {
  if (size >= 8) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::memcpy(&first, data, 8);
    std::memcpy(&last, data + size - 8, 8);
    return first == head && last == tail;
  }
  if (size >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, data, 4);
    std::memcpy(&last, data + size - 4, 4);
    return first == static_cast<std::uint32_t>(head) && last == static_cast<std::uint32_t>(head >> 32);
  }
  return PackedKey::Of({data, size}).head == head;
}

class KeyTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // The number of `text`, assigned on first use: 0, 1, 2 … in order.
  std::uint32_t Add(std::string_view text);

  // kNone if it was not added. Takes a few steps for any texts.
  std::uint32_t Find(std::string_view text) const {
    if (slots_.empty()) [[unlikely]]
      return FindInOrder(text);
    const PackedKey key = PackedKey::Of(text);
    for (std::size_t at = Hash(key) >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.key == key) {
        if (text.size() <= 16 || texts_[slot.number] == text) return slot.number;
      } else if (slot.number == kNone) {
        return kNone;
      }
    }
  }

  std::size_t size() const { return texts_.size(); }
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  // Whether the texts collide, for tests.
  bool is_crowded() const { return !in_order_.empty(); }

 private:
  struct Slot {
    PackedKey key{0, 0, kNone};  // no text is that long
    std::uint32_t number = kNone;
  };

  static std::uint64_t Hash(const PackedKey& key) {
    return (key.head ^ std::rotl(key.tail, 29) ^ key.size) * 0x9E3779B97F4A7C15u;
  }
  void Place(std::uint32_t number);
  std::uint32_t FindInOrder(std::string_view text) const;

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
  // Texts that all collide (on purpose, or long and equal at both ends) are found by binary search instead;
  // there are no slots then.
  std::map<std::string, std::uint32_t, std::less<>> in_order_;
};

}  // namespace openseat::schema
