// What memory there is and how much of it this process has. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace openseat {

// Bytes that this process may have at most: the machine's, or those of the smallest limit of its control group and the
// groups around it. 0 where that cannot be found out.
std::uint64_t MemoryAvailableInAll();
// The same for a file system that lies below `root` ("" for this machine's): "/proc/meminfo", "/sys/fs/cgroup/…".
std::uint64_t MemoryAvailableBelow(const std::string& root);

// Bytes of this process that are resident; 0 where that cannot be found out. Some microseconds.
std::uint64_t ResidentMemory();
// Has the allocator give back to the system what was freed, where it can be asked to. Milliseconds.
void ReleaseFreedMemory();

}  // namespace openseat
