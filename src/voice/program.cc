#include "voice/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

constexpr std::size_t kPiece = 64u << 10;
// A program that speaks faster than it is heard waits for its own pipe.
constexpr std::size_t kMostUnsaid = 2u << 20;
constexpr int kEndLooks = 100;
constexpr unsigned kEndPauseUs = 10'000;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool Open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

class RunningProgram final : public VoiceProgram {
 public:
  RunningProgram(pid_t pid, int in, int out, Scheduler& scheduler, std::function<void(std::string_view)> said,
                 std::function<void()> ended)
      : pid_(pid),
        in_(in),
        out_(out),
        stop_(eventfd(0, EFD_CLOEXEC)),
        scheduler_(scheduler),
        listener_(std::make_shared<Listener>()) {
    listener_->said = std::move(said);
    listener_->ended = std::move(ended);
    fcntl(in_, F_SETFL, fcntl(in_, F_GETFL) | O_NONBLOCK);
    reader_ = std::thread([this] { Read(); });
  }

  ~RunningProgram() override {
    const std::uint64_t one = 1;
    const ssize_t told = write(stop_, &one, sizeof one);
    OPENSEAT_CHECK(told == sizeof one, "an eventfd accepts a number");
    reader_.join();
    close(in_);
    close(out_);
    close(stop_);
    kill(-pid_, SIGTERM);
    // It may not listen: a second later it is killed, away from our threads.
    std::thread([pid = pid_] {
      for (int i = 0; i < kEndLooks; ++i) {
        if (waitpid(pid, nullptr, WNOHANG) == pid) return;
        usleep(kEndPauseUs);
      }
      kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }).detach();
  }

  // Whole frames only: what the pipe does not take now is kept until the next one, and beyond a piece it is dropped.
  bool Hear(std::string_view frame) override {
    if (unheard_.size() > kPiece) {
      WriteNow();
      if (unheard_.size() > kPiece) return false;
    }
    for (int i = 0; i < 4; ++i) unheard_ += static_cast<char>(frame.size() >> (8 * i) & 0xFF);
    unheard_ += frame;
    WriteNow();
    return true;
  }

 private:
  struct Listener {
    std::function<void(std::string_view)> said;
    std::function<void()> ended;
    std::atomic<std::size_t> unsaid = 0;
  };

  void WriteNow() {
    const ssize_t size = write(in_, unheard_.data(), unheard_.size());
    if (size > 0) unheard_.erase(0, static_cast<std::size_t>(size));
  }

  // On a thread of its own.
  void Read() {
    std::array<char, kPiece> buffer;
    std::string rest;
    while (true) {
      const bool full = listener_->unsaid > kMostUnsaid;
      std::array<pollfd, 2> waits{pollfd{stop_, POLLIN, 0}, pollfd{out_, POLLIN, 0}};
      const int ready = poll(waits.data(), full ? 1 : 2, full ? 20 : -1);
      if (ready < 0 && errno != EINTR) break;
      if (waits[0].revents != 0) return;
      if (full || ready <= 0 || waits[1].revents == 0) continue;
      const ssize_t size = read(out_, buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      rest.append(buffer.data(), static_cast<std::size_t>(size));
      std::string whole = rest.substr(0, rest.size() / kBytesPerSample * kBytesPerSample);
      rest.erase(0, whole.size());
      listener_->unsaid += whole.size();
      scheduler_.Post([weak = std::weak_ptr(listener_), whole = std::move(whole)] {
        if (const auto listener = weak.lock()) {
          listener->unsaid -= whole.size();
          listener->said(whole);
        }
      });
    }
    scheduler_.Post([weak = std::weak_ptr(listener_)] {
      if (const auto listener = weak.lock()) listener->ended();
    });
  }

  const pid_t pid_;
  const int in_;
  const int out_;
  const int stop_;
  Scheduler& scheduler_;
  const std::shared_ptr<Listener> listener_;
  std::string unheard_;
  std::thread reader_;
};

}  // namespace

Result<std::unique_ptr<VoiceProgram>> VoiceProgram::Start(const std::string& command, const std::string& game,
                                                          Scheduler& scheduler,
                                                          std::function<void(std::string_view)> said,
                                                          std::function<void()> ended) {
  Pipe in;
  Pipe out;
  if (!in.Open() || !out.Open()) {
    if (in.read_end >= 0) {
      close(in.read_end);
      close(in.write_end);
    }
    return Fail(ErrorCode::kIo, "no pipe for the voice program: " + std::string(std::strerror(errno)));
  }
  std::signal(SIGPIPE, SIG_IGN);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  std::array<char*, 4> arguments{shell.data(), flag.data(), text.data(), nullptr};
  std::string variable = "OPENSEAT_GAME=" + game.substr(0, game.find('\0'));
  std::vector<char*> environment{variable.data()};
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in.read_end);
  close(out.write_end);
  if (failed != 0) {
    close(in.write_end);
    close(out.read_end);
    return Fail(ErrorCode::kIo, "the voice program cannot be started: " + std::string(std::strerror(failed)));
  }
  return std::make_unique<RunningProgram>(pid, in.write_end, out.read_end, scheduler, std::move(said),
                                          std::move(ended));
}

}  // namespace openseat::voice
