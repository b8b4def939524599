#include "net/memory_cuts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/stranger.h"

namespace openseat::net {
namespace {

struct Holder {
  std::string address;
  std::uint64_t total = 0;
  std::vector<std::size_t> each;
};

}  // namespace

MemoryCuts ChooseCuts(const std::vector<HeldMemory>& held, std::uint64_t wanted, std::uint64_t of_ours) {
  std::unordered_map<std::string, std::size_t> index;
  std::vector<Holder> holders;
  for (const HeldMemory& one : held) {
    const auto [found, is_new] = index.try_emplace(one.address, holders.size());
    if (is_new) holders.push_back({.address = one.address, .total = 0, .each = {}});
    Holder& holder = holders[found->second];
    holder.total += one.bytes;
    holder.each.push_back(one.bytes);
  }
  std::ranges::sort(holders, std::greater<>(),
                    [](const Holder& holder) { return std::pair(IsStrangers(holder.address), holder.total); });
  MemoryCuts cuts;
  std::uint64_t covered = 0;
  for (Holder& holder : holders) {
    std::ranges::sort(holder.each, std::greater<>());
    const std::uint64_t most = IsStrangers(holder.address) ? wanted : std::min(wanted, of_ours);
    for (const std::size_t bytes : holder.each) {
      if (covered >= most) break;
      covered += bytes;
      cuts[holder.address] = bytes;
    }
  }
  return cuts;
}

}  // namespace openseat::net
