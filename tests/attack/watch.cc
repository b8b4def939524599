#include "attack/watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>

namespace openseat::tests {
namespace {

using std::chrono::nanoseconds;
using Steady = std::chrono::steady_clock;

constexpr nanoseconds kWindow = std::chrono::milliseconds(50);
constexpr nanoseconds kHeld = std::chrono::milliseconds(3);
// The loops of a server under attack: what keeps the whole machine from running counts for each.
constexpr std::size_t kLoops = 2;

// Ticks that the host of a virtual machine gave to others: the eighth number of the first line.
std::uint64_t Stolen() {
  std::ifstream stat("/proc/stat");
  std::string name;
  stat >> name;
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) stat >> value;
  return stat ? value : 0;
}

// Nanoseconds that a thread has waited for a core since it began: the second number.
std::uint64_t Waited(const std::filesystem::path& task) {
  std::ifstream stat(task / "schedstat");
  std::uint64_t ran = 0;
  std::uint64_t waited = 0;
  stat >> ran >> waited;
  return stat ? waited : 0;
}

int NicenessOf(pid_t thread) {
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
  return errno == 0 ? nice : 0;
}

}  // namespace

Watch::Watch(pid_t pid) : pid_(pid), stolen_(Stolen()), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Watch::~Watch() = default;

Watch::Report Watch::Read() {
  const std::lock_guard lock(mutex_);
  Look(nanoseconds(0));
  return report_;
}

void Watch::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  while (!stop.stop_requested()) {
    const Steady::time_point due = Steady::now() + kWindow;
    {
      std::unique_lock lock(mutex);
      pause.wait_until(lock, stop, due, [] { return false; });
    }
    const std::lock_guard lock(mutex_);
    Look(std::max<nanoseconds>(Steady::now() - due, nanoseconds(0)));
  }
}

void Watch::Look(nanoseconds late) {
  const std::uint64_t stolen = Stolen();
  const auto ticks = std::chrono::seconds(stolen - stolen_) / std::max(1L, sysconf(_SC_CLK_TCK));
  stolen_ = stolen;
  const nanoseconds everyone = late + ticks;
  if (everyone >= kHeld) report_.times += kLoops;
  const std::size_t window = window_++ % kWindows;
  const int usual = NicenessOf(pid_);
  // Ends when the process does.
  std::error_code gone;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid_) + "/task";
  for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    const auto id = static_cast<pid_t>(std::stol(task->path().filename().string()));
    if (NicenessOf(id) > usual) continue;
    const std::uint64_t total = Waited(task->path());
    Waits& waits = threads_[id];
    const nanoseconds waited(total < waits.total ? 0 : total - waits.total);
    waits.total = total;
    waits.windows[window] = waited + everyone;
    if (waited >= kHeld) ++report_.times;
    report_.longest =
        std::max(report_.longest, std::accumulate(waits.windows.begin(), waits.windows.end(), nanoseconds(0)));
  }
}

}  // namespace openseat::tests
