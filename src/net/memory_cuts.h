// Which connections MemoryGuard cuts: those of the addresses that hold most in all. Internal; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace openseat::net {

// What a connection holds, and for which address (AddressOf).
struct HeldMemory {
  std::string address;
  std::size_t bytes = 0;
};

// By address: of its connections, those that hold this much or more.
using MemoryCuts = std::unordered_map<std::string, std::size_t>;

// Covers `wanted` bytes if strangers hold them; this machine's connections are added only until `of_ours` are covered.
// The address that holds most comes first, this machine last; of its connections, the largest.
MemoryCuts ChooseCuts(const std::vector<HeldMemory>& held, std::uint64_t wanted, std::uint64_t of_ours);

}  // namespace openseat::net
