#include "agents/command/bot_process.h"

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
#include <filesystem>
#include <thread>
#include <utility>

#include "agents/command/bot_line.h"
#include "base/check.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr const char* kBubblewrap = "/usr/bin/bwrap";
constexpr std::size_t kPiece = 16u << 10;
constexpr std::size_t kMostUnread = 4u << 20;  // what a bot has not read yet
constexpr std::size_t kMostUnsaid = 256u << 10;
constexpr std::size_t kFolderBytes = 64u << 20;
constexpr std::size_t kFileBytes = 16u << 20;
constexpr int kProcesses = 64;
constexpr int kOpenFiles = 256;
constexpr int kEndLooks = 50;
constexpr unsigned kEndPauseUs = 10'000;

struct BotPipe {
  int read_end = -1;
  int write_end = -1;
  bool Open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void Close() const {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
};

std::vector<std::string> CommandLine(const std::filesystem::path& program, const BotLimits& limits) {
  const std::string folder = program.parent_path().string();
  std::vector<std::string> line{kBubblewrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"};
  const auto add = [&line](std::initializer_list<std::string> more) { line.insert(line.end(), more); };
  add({"--ro-bind", "/usr", "/usr"});
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"}) {
    add({"--ro-bind-try", path, path});
  }
  add({"--proc", "/proc", "--dev", "/dev", "--size", std::to_string(kFolderBytes), "--tmpfs", "/tmp"});
  add({"--ro-bind", folder, "/bot", "--chdir", "/bot"});
  add({"--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8", "--"});
  add({"/usr/bin/prlimit", "--as=" + std::to_string(limits.memory_mb << 20), "--cpu=" + std::to_string(limits.cpu_s),
       "--fsize=" + std::to_string(kFileBytes), "--nproc=" + std::to_string(kProcesses),
       "--nofile=" + std::to_string(kOpenFiles), "--core=0", "/bot/" + program.filename().string()});
  return line;
}

std::string WhyEnded(const siginfo_t& info) {
  return (info.si_code == CLD_EXITED ? "it exited with " : "it was ended by signal ") + std::to_string(info.si_status);
}

class RunningBot final : public BotProcess {
 public:
  RunningBot(pid_t pid, int in, int out, Scheduler& scheduler, Said said, Ended ended)
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

  ~RunningBot() override {
    // With bubblewrap ends everything that it started.
    kill(pid_, SIGKILL);
    const std::uint64_t one = 1;
    const ssize_t told = write(stop_, &one, sizeof one);
    OPENSEAT_CHECK(told == sizeof one, "an eventfd accepts a number");
    reader_.join();
    waitpid(pid_, nullptr, 0);
    close(in_);
    close(out_);
    close(stop_);
  }

  bool Tell(std::string_view line) override {
    unread_ += line;
    unread_ += '\n';
    const ssize_t size = write(in_, unread_.data(), unread_.size());
    if (size > 0) unread_.erase(0, static_cast<std::size_t>(size));
    if (!unread_.empty()) WriteSoon();
    return unread_.size() <= kMostUnread;
  }

 private:
  struct Listener {
    Said said;
    Ended ended;
    std::atomic<std::size_t> unsaid = 0;
  };

  // What the pipe did not take.
  void WriteSoon() {
    constexpr Duration kLater = std::chrono::milliseconds(5);
    later_.Set(scheduler_, kLater, [this] {
      const ssize_t size = write(in_, unread_.data(), unread_.size());
      if (size > 0) unread_.erase(0, static_cast<std::size_t>(size));
      if (!unread_.empty() && (size >= 0 || errno == EAGAIN)) WriteSoon();
    });
  }

  void Say(std::vector<std::string> lines, std::size_t bytes) {
    listener_->unsaid += bytes;
    scheduler_.Post([weak = std::weak_ptr(listener_), lines = std::move(lines), bytes]() mutable {
      const auto listener = weak.lock();
      if (!listener) return;
      listener->unsaid -= bytes;
      listener->said(std::move(lines));
    });
  }

  // Its output has ended; if it lives on all the same, it is ended. It stays a zombie until the destructor, so that its
  // number is not another program's.
  std::string HowItEnded() const {
    siginfo_t info{};
    for (int look = 0; look < kEndLooks; ++look) {
      if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid_) {
        return WhyEnded(info);
      }
      usleep(kEndPauseUs);
    }
    kill(pid_, SIGKILL);
    return "it closed its output";
  }

  // On a thread of its own.
  void Read() {
    std::array<char, kPiece> buffer;
    std::string rest;
    std::string why;
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
      std::vector<std::string> lines;
      std::size_t begin = 0;
      for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
        if (end > begin) lines.push_back(rest.substr(begin, end - begin));
        begin = end + 1;
      }
      rest.erase(0, begin);
      if (!lines.empty()) Say(std::move(lines), begin);
      if (rest.size() > kMaxBotLine) {
        why = "it wrote a line of more than 64 KiB";
        break;
      }
    }
    if (why.empty()) why = HowItEnded();
    scheduler_.Post([weak = std::weak_ptr(listener_), why = std::move(why)]() mutable {
      if (const auto listener = weak.lock()) listener->ended(std::move(why));
    });
  }

  const pid_t pid_;
  const int in_;
  const int out_;
  const int stop_;
  Scheduler& scheduler_;
  const std::shared_ptr<Listener> listener_;
  std::string unread_;
  ScopedTimer later_;
  std::thread reader_;
};

}  // namespace

Result<void> BotProcess::Check(const std::string& program) {
  if (access(kBubblewrap, X_OK) != 0) {
    return Fail(ErrorCode::kUnsupported, "bots run inside bubblewrap, which is missing: apt install bubblewrap",
                "program");
  }
  std::error_code error;
  const bool file = std::filesystem::is_regular_file(program, error);
  if (!file || access(program.c_str(), X_OK) != 0) {
    return Fail(ErrorCode::kNotFound, "a bot is a file that can be executed; \"" + program + "\" is not one",
                "program");
  }
  return {};
}

Result<std::unique_ptr<BotProcess>> BotProcess::Start(const std::string& program, const BotLimits& limits,
                                                      const std::string& log, Scheduler& scheduler, Said said,
                                                      Ended ended) {
  if (Result<void> usable = Check(program); !usable) return Fail(usable.error());
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(program, error).lexically_normal();
  const int errors = open(log.empty() ? "/dev/null" : log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  BotPipe in;
  BotPipe out;
  if (errors < 0 || !in.Open() || !out.Open()) {
    const std::string reason = SystemMessage(errno);
    in.Close();
    if (errors >= 0) close(errors);
    return Fail(ErrorCode::kIo, "the bot cannot be started: " + reason);
  }
  std::signal(SIGPIPE, SIG_IGN);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  std::vector<std::string> line = CommandLine(absolute, limits);
  std::vector<char*> arguments;
  for (std::string& each : line) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, kBubblewrap, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in.read_end);
  close(out.write_end);
  close(errors);
  if (failed != 0) {
    close(in.write_end);
    close(out.read_end);
    return Fail(ErrorCode::kIo, "the bot cannot be started: " + SystemMessage(failed));
  }
  return std::make_unique<RunningBot>(pid, in.write_end, out.read_end, scheduler, std::move(said), std::move(ended));
}

}  // namespace openseat
