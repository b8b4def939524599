// uniqueItems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/json.h"

namespace openseat::schema {

// Two equal items, by index, deterministic; nullopt if all differ. Takes one of `steps` per item examined
// and per pair compared; stops, with steps at 0, when they run out.
std::optional<std::pair<std::size_t, std::size_t>> FindEqualItems(const json::Array& items, std::uint64_t& steps);

}  // namespace openseat::schema
