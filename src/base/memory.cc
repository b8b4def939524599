#include "base/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

// jemalloc, if the program is linked with it.
// NOLINTNEXTLINE(readability-identifier-naming): the library's own
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* value, std::size_t value_size)
    __attribute__((weak));

// What it reads at the start. Memory of half a MiB and more is given back as soon as it is freed: otherwise, buffers
// that grow leave so much behind that the process is far beyond max_memory before it can be measured.
// NOLINTNEXTLINE(readability-identifier-naming,misc-use-internal-linkage,cppcoreguidelines-avoid-non-const-global-variables)
extern "C" const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:524288";

namespace openseat {
namespace {

// jemalloc's index for all arenas at once.
constexpr const char* kPurgeAll = "arena.4096.purge";

// The first word, if it is a number.
std::optional<std::uint64_t> NumberIn(std::istream&& text) {
  std::string word;
  std::uint64_t number = 0;
  if (!(text >> word)) return std::nullopt;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
  // "max" and "unlimited" mean no limit.
  if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

// The smallest limit of a group and of its parents, up to the root of its hierarchy.
void Narrow(std::uint64_t& least, const std::string& hierarchy, std::string group, const char* file) {
  for (;;) {
    if (const auto limit = NumberIn(std::ifstream(hierarchy + group + "/" + file)); limit && *limit > 0)
      least = std::min(least, *limit);
    if (group.empty() || group == "/") return;
    group.erase(group.rfind('/'));
  }
}

}  // namespace

std::uint64_t MemoryAvailableBelow(const std::string& root) {
  std::uint64_t least = UINT64_MAX;
  std::ifstream info(root + "/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemTotal:") least = kibibytes << 10;
  }
  // ulimit -v and ulimit -d: "Max data size   8192000   unlimited   bytes", of which the first number applies.
  std::ifstream limits(root + "/proc/self/limits");
  for (std::string line; std::getline(limits, line);) {
    for (const std::string_view name : {"Max address space ", "Max data size "}) {
      if (!line.starts_with(name)) continue;
      if (const auto limit = NumberIn(std::istringstream(line.substr(name.size())))) least = std::min(least, *limit);
    }
  }
  // "0::/user.slice/…" is version 2, "4:memory:/docker/…" version 1.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (!group.starts_with('/')) continue;
    if (controllers == ",,") Narrow(least, root + "/sys/fs/cgroup", group, "memory.max");
    if (controllers.find(",memory,") != std::string::npos) {
      Narrow(least, root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
  }
  return least == UINT64_MAX ? 0 : least;
}

std::uint64_t MemoryAvailableInAll() {
  return MemoryAvailableBelow("");
}

std::uint64_t ResidentMemory() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  if (size <= 0) return 0;
  const char* const end = text + size;
  const char* second = std::find(static_cast<const char*>(text), end, ' ');
  std::uint64_t pages = 0;
  if (second == end || std::from_chars(second + 1, end, pages).ec != std::errc()) return 0;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void ReleaseFreedMemory() {
  if (mallctl != nullptr) mallctl(kPurgeAll, nullptr, nullptr, nullptr, 0);
}

}  // namespace openseat
