// The memory of the machine, and how much of it this process uses. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace openseat {

// The most bytes that this process may have: the least of the machine's memory, the process's own limits (ulimit -v and
// -d), and those of its control group and that group's parents. 0 if unknown.
std::uint64_t MemoryAvailableInAll();
// The same for a file system below `root` ("" for this machine's): "/proc/meminfo", "/sys/fs/cgroup/…".
std::uint64_t MemoryAvailableBelow(const std::string& root);

// Resident bytes of this process; 0 if unknown. Takes some microseconds.
std::uint64_t ResidentMemory();
// Asks the allocator to return freed memory to the system, if it can. Takes milliseconds.
void ReleaseFreedMemory();

}  // namespace openseat
