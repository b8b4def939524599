// Random bytes from the operating system, for tokens, keys and ids that must not be guessable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace openseat {

// Fills `bytes` from the kernel's generator; aborts if the kernel has none.
void SecureRandom(std::span<std::byte> bytes);
std::uint64_t SecureRandom64();
// `length` characters of a-z and 2-7 (five bits each).
std::string SecureToken(std::size_t length);

}  // namespace openseat
