// Random bytes of the operating system, for tokens, keys and ids that nobody may guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace openseat {

// Fills `bytes` from the kernel's generator; aborts where the kernel has none.
void SecureRandom(std::span<std::byte> bytes);
std::uint64_t SecureRandom64();
// `length` characters of a-z and 2-7 (five bits each).
std::string SecureToken(std::size_t length);

}  // namespace openseat
