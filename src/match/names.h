// Two words that name a match: "magnificent-platypus".
#pragma once

#include <cstdint>
#include <string>

namespace openseat {

// An adjective and an animal, picked by `number`'s bits; the same number gives the same words.
std::string TwoWords(std::uint64_t number);

}  // namespace openseat
