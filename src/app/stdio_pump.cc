#include "app/stdio_pump.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/worker.h"

namespace openseat::app {
namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr std::size_t kMaxUnwritten = 64u << 20;
constexpr Duration kLookAgain = std::chrono::milliseconds(5);
constexpr int kLooks = 400;

}  // namespace

struct StdioPump::Impl {
  Scheduler& scheduler;
  const std::function<void(std::string_view)> feed;
  const std::function<bool()> idle;
  const std::function<void()> ended;
  const int stop = eventfd(0, EFD_CLOEXEC);
  std::atomic<std::size_t> unwritten = 0;
  std::atomic<bool> broken = false;
  Worker writer{};
  std::thread reader{};

  // Runs until the input ends or the pump does.
  void Read() {
    std::array<char, kPiece> buffer;
    while (true) {
      std::array<pollfd, 2> waits{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
      if (waits[1].revents != 0) return;
      if (waits[0].revents == 0) continue;
      const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      scheduler.Post([this, bytes = std::string(buffer.data(), static_cast<std::size_t>(size))] { feed(bytes); });
    }
    scheduler.Post([this] { Leave(0); });
  }

  void Leave(int looks) {
    if (idle() || looks == kLooks) return ended();
    scheduler.After(kLookAgain, [this, looks] { Leave(looks + 1); });
  }

  void WriteNow(const std::string& line) {
    for (std::size_t at = 0; at < line.size() && !broken;) {
      const ssize_t size = write(STDOUT_FILENO, line.data() + at, line.size() - at);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        broken = true;
      } else {
        at += static_cast<std::size_t>(size);
      }
    }
    unwritten -= line.size();
  }
};

StdioPump::StdioPump(Scheduler& scheduler, std::function<void(std::string_view)> feed, std::function<bool()> idle,
                     std::function<void()> ended)
    : impl_(new Impl{
          .scheduler = scheduler, .feed = std::move(feed), .idle = std::move(idle), .ended = std::move(ended)}) {
  OPENSEAT_CHECK(impl_->stop >= 0, "an eventfd is available");
  // If the host is gone, write returns an error.
  std::signal(SIGPIPE, SIG_IGN);
  impl_->reader = std::thread([impl = impl_.get()] { impl->Read(); });
}

StdioPump::~StdioPump() {
  const std::uint64_t one = 1;
  const ssize_t told = write(impl_->stop, &one, sizeof one);
  OPENSEAT_CHECK(told == sizeof one, "an eventfd accepts a number");
  impl_->reader.join();
  close(impl_->stop);
}

void StdioPump::Write(std::string line) {
  if (impl_->broken) return;
  if (impl_->unwritten.fetch_add(line.size()) > kMaxUnwritten) impl_->broken = true;  // nobody reads
  impl_->writer.Post([impl = impl_.get(), line = std::move(line)] { impl->WriteNow(line); });
}

}  // namespace openseat::app
