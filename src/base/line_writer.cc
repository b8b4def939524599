#include "base/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string_view>
#include <utility>

namespace openseat {
namespace {

// How long the thread waits for the reader before it checks whether to stop.
constexpr int kPollMs = 50;

}  // namespace

LineWriter::LineWriter(int descriptor, std::size_t max_bytes) : descriptor_(descriptor), max_bytes_(max_bytes) {
  thread_ = std::thread([this] { Run(); });
}

LineWriter::~LineWriter() {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  thread_.join();
}

void LineWriter::Write(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + line.size() > max_bytes_) {
      ++lost_since_said_;
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    bytes_ += line.size();
    lines_.push_back(std::move(line));
  }
  changed_.notify_all();
}

bool LineWriter::Drain(Duration at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return lines_.empty() && !writing_; });
}

void LineWriter::Run() {
  // Signals are handled by other threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (lines_.empty()) {
      changed_.wait(lock, [this] { return stopping_ || !lines_.empty(); });
      continue;
    }
    std::string text;
    for (const std::string& line : lines_) text += line;
    if (const std::uint64_t lost = std::exchange(lost_since_said_, 0); lost > 0) {
      text += "(" + std::to_string(lost) + " lines of the log were lost: nobody read it)\n";
    }
    lines_.clear();
    bytes_ = 0;
    writing_ = true;
    lock.unlock();
    const bool done = Put(text);
    lock.lock();
    writing_ = !done;
    changed_.notify_all();
  }
}

bool LineWriter::Put(const std::string& text) {
  std::string_view left = text;
  while (!left.empty()) {
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    const int polled = poll(&ready, 1, kPollMs);
    if (stopping_) return false;
    if (polled <= 0) continue;
    // A pipe that is ready takes this much without blocking.
    const ssize_t written = write(descriptor_, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (written > 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return true;  // nobody will ever read it
    }
  }
  return true;
}

}  // namespace openseat
