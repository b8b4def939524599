#include "agents/command/cpu_time.h"

#include <dirent.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace openseat {
namespace {

constexpr std::size_t kMostProcesses = 4096;  // that are looked at

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct ProcessStat {
  pid_t parent = 0;
  std::int64_t ended_ticks = 0;  // of children that it waited for
};

std::optional<ProcessStat> StatOf(pid_t pid) {
  const std::string text = ReadAll("/proc/" + std::to_string(pid) + "/stat");
  // The name, in parentheses, may contain anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  ProcessStat stat;
  std::int64_t user = 0;
  std::int64_t system = 0;
  fields >> skipped >> stat.parent;                             // state, ppid
  for (int field = 5; field <= 15; ++field) fields >> skipped;  // pgrp to stime
  fields >> user >> system;                                     // cutime, cstime
  if (!fields) return std::nullopt;
  stat.ended_ticks = user + system;
  return stat;
}

// The numbers that `text` begins with.
std::vector<pid_t> Numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<pid_t>(in), {}};
}

// The numbers that entries of the folder have as names.
std::vector<pid_t> NumbersIn(const std::string& path) {
  std::vector<pid_t> all;
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) all.push_back(pid);
    if (all.size() >= kMostProcesses) break;
  }
  closedir(folder);
  return all;
}

// As the kernel lists them, where it does: by the thread that started them.
std::optional<std::vector<pid_t>> ListedChildren(pid_t pid) {
  const std::string threads = "/proc/" + std::to_string(pid) + "/task/";
  if (access((threads + std::to_string(pid) + "/children").c_str(), R_OK) != 0) return std::nullopt;
  std::vector<pid_t> all;
  for (const pid_t thread : NumbersIn(threads)) {
    const std::vector<pid_t> started = Numbers(ReadAll(threads + std::to_string(thread) + "/children"));
    all.insert(all.end(), started.begin(), started.end());
  }
  return all;
}

std::vector<pid_t> TreeOf(pid_t root) {
  std::vector<pid_t> tree{root};
  std::unordered_map<pid_t, std::vector<pid_t>> children;  // by parent
  const bool listed = ListedChildren(root).has_value();
  if (!listed) {
    for (const pid_t pid : NumbersIn("/proc")) {
      if (const auto stat = StatOf(pid)) children[stat->parent].push_back(pid);
    }
  }
  for (std::size_t i = 0; i < tree.size() && tree.size() < kMostProcesses; ++i) {
    const std::vector<pid_t> more = listed ? ListedChildren(tree[i]).value_or(std::vector<pid_t>()) : children[tree[i]];
    tree.insert(tree.end(), more.begin(), more.end());
  }
  return tree;
}

std::optional<Duration> OwnTime(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

std::optional<Duration> CpuTimeOf(pid_t root) {
  const std::optional<Duration> own = OwnTime(root);
  if (!own) return std::nullopt;
  Duration sum{};
  for (const pid_t pid : TreeOf(root)) {
    sum += OwnTime(pid).value_or(Duration());
    if (const auto stat = StatOf(pid)) sum += Duration(stat->ended_ticks * 1'000'000 / sysconf(_SC_CLK_TCK));
  }
  return sum;
}

}  // namespace openseat
