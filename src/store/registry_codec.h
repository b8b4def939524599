// The messages of a cluster's registry: headers and bodies. Pure functions; docs/cluster.md, "The registry".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openseat::store {

inline constexpr std::uint64_t kRegistryMessageVersion = 1;
// What the text of a message's commands has at most, and a snapshot.
inline constexpr std::size_t kMaxCommandBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxSnapshotBytes = std::size_t{2} << 30;
inline constexpr std::uint64_t kMaxSnapshotParts = 1 << 14;

// The header of a message.
struct RegistryStamp {
  std::uint64_t session = 0;  // of its writer
  std::uint64_t number = 0;   // of a message of commands, from 1; of a snapshot: the position up to which it goes
  std::uint64_t part = 0;     // of a snapshot, from 1; 0: commands
  std::uint64_t parts = 0;

  bool operator==(const RegistryStamp&) const = default;
};

std::string WriteRegistryStamp(const RegistryStamp& stamp);
// kParse for anything that WriteRegistryStamp does not write; kUnsupported if a later version wrote it.
Result<RegistryStamp> ReadRegistryStamp(std::string_view text);

// `text`, compressed, with its size in front.
std::string Pack(std::string_view text);
// kTooLarge for a text of more bytes; kParse for anything that Pack does not write.
Result<std::string> Unpack(std::string_view bytes, std::size_t max_bytes);

// A number as eight bytes, the least significant first.
void AppendSize(std::string& out, std::uint64_t size);
// Takes them from the front of `in`; kParse if there are fewer.
Result<std::uint64_t> TakeSize(std::string_view& in);

}  // namespace openseat::store
