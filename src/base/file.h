// Files that are opened and written. Any thread; blocks on the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openseat {

// kIo: "cannot write PATH: …", with what errno says and the path. `what`: "write", "open" …
Error FileError(std::string_view what, const std::string& path);

// How much of a disk of `size` bytes is set aside where `wanted` is: at most an eighth, so that a small disk is used,
// too.
constexpr std::uint64_t DiskReserve(std::uint64_t wanted, std::uint64_t size) {
  return std::min(wanted, size / 8);
}

enum class Pipes { kRefuse, kRead };
// Opens a file with these flags of open(2), creates it with this mode if they say so, and returns its descriptor.
// Refuses what may never end or waits for another process: devices, folders and pipes. kRead permits pipes that are
// read, and /dev/null. Errors: kIo.
Result<int> OpenRegularFile(const std::string& path, int flags, Pipes pipes = Pipes::kRefuse, unsigned mode = 0600);

// Writes all of `text` to a descriptor. Returns an errno, or 0.
int WriteAll(int descriptor, std::string_view text);

struct Replacing {
  unsigned mode = 0600;  // of the new file, less the process's umask
  bool synced = true;    // once it is on the disk: after a power cut, too, there is the old content or the new
};
// Replaces the file in one step: readers see the old content or the new, never a mix. No link is followed. Errors: kIo.
Result<void> ReplaceFile(const std::string& path, std::string_view text, Replacing how = {});

}  // namespace openseat
