#include "base/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr std::size_t kMostUnheard = 1u << 20;
constexpr int kFullPauseMs = 20;
constexpr int kLookPauseMs = 10;
constexpr int kEndLooks = 50;                         // until its end is not waited for any more
constexpr auto kTimeToEnd = std::chrono::seconds(1);  // until it is killed

// Counts the programs, and kills those that were asked to end and are not waited for elsewhere. One for the process;
// its thread runs until that ends.
class Reaper {
 public:
  static Reaper& Get() {
    static Reaper* const reaper = new Reaper();  // its thread may outlive what main destroys
    return *reaper;
  }

  // Counts one more program, which Left or EndSoon takes out. Errors: kBusy if there are `most` (0: no limit), kIo if
  // the system has no thread for it.
  Result<void> Enter(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (most != 0 && programs_ >= most) {
      return Fail(ErrorCode::kBusy, std::to_string(programs_) + " programs run already");
    }
    if (!runs_) {
      const auto begin = [this] { std::thread([this] { Run(); }).detach(); };
      if (Result<void> begun = BeginThread(begin); !begun) return begun;
      runs_ = true;
    }
    ending_.reserve(programs_ + 1);  // so that EndSoon cannot fail
    ++programs_;
    return {};
  }
  // It has been waited for, or was never started.
  void Left() {
    const std::lock_guard lock(mutex_);
    --programs_;
  }
  // Kills the program's group in a while, and waits for the program.
  void EndSoon(pid_t pid) {
    const std::lock_guard lock(mutex_);
    ending_.push_back({pid, std::chrono::steady_clock::now() + kTimeToEnd});
    changed_.notify_one();
  }
  std::size_t programs() {
    const std::lock_guard lock(mutex_);
    return programs_;
  }

  // `begin` starts a thread.
  template <typename Begin>
  static Result<void> BeginThread(const Begin& begin) {
    try {
      begin();
      return {};
    } catch (const std::system_error& error) {
      return Fail(ErrorCode::kIo, "the system has no thread for it: " + SystemMessage(error.code().value()));
    }
  }

 private:
  struct Ending {
    pid_t pid;
    std::chrono::steady_clock::time_point when;
  };

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !ending_.empty(); });
      const Ending next = ending_.front();  // the time is the same for all
      lock.unlock();
      std::this_thread::sleep_until(next.when);
      // What it started may go on without it. Until it is waited for, its number is not used again.
      kill(-next.pid, SIGKILL);
      waitpid(next.pid, nullptr, 0);
      lock.lock();
      ending_.erase(ending_.begin());
      --programs_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool runs_ = false;
  std::size_t programs_ = 0;    // that run, or end
  std::vector<Ending> ending_;  // the first ones first
};

// A descriptor that is closed with it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

bool MakePipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read_end = Descriptor(ends[0]);
  write_end = Descriptor(ends[1]);
  return true;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  return pointers;
}

// The program's number, or the system's error as a negative one.
pid_t Spawn(const ChildProgram::Options& options, int in, int out, std::optional<int> errors) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (errors) posix_spawn_file_actions_adddup2(&actions, *errors, STDERR_FILENO);
  std::vector<std::string> line = options.line;
  std::vector<std::string> added = options.environment;
  std::vector<char*> arguments = Pointers(line);
  arguments.push_back(nullptr);
  std::vector<char*> environment = Pointers(added);
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed == 0 ? pid : -failed;
}

}  // namespace

Result<std::unique_ptr<ChildProgram>> ChildProgram::Start(const Options& options, Scheduler& scheduler, Heard heard,
                                                          Ended ended) {
  OPENSEAT_CHECK(!options.line.empty(), "a program has a path");
  Descriptor errors;
  if (options.errors)
    errors = Descriptor(open(options.errors->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (options.errors && !errors) return Fail(ErrorCode::kIo, *options.errors + ": " + SystemMessage(errno));
  Descriptor in_read;
  Descriptor in_write;
  Descriptor out_read;
  Descriptor out_write;
  if (!MakePipe(in_read, in_write) || !MakePipe(out_read, out_write)) return Fail(ErrorCode::kIo, SystemMessage(errno));
  Descriptor stop(eventfd(0, EFD_CLOEXEC));
  if (!stop) return Fail(ErrorCode::kIo, SystemMessage(errno));
  std::signal(SIGPIPE, SIG_IGN);
  if (Result<void> entered = Reaper::Get().Enter(options.most); !entered) return Fail(entered.error());
  const pid_t pid = Spawn(options, in_read.get(), out_write.get(), errors ? std::optional(errors.get()) : std::nullopt);
  if (pid < 0) {
    Reaper::Get().Left();
    return Fail(ErrorCode::kIo, SystemMessage(-pid));
  }
  fcntl(in_write.get(), F_SETFL, fcntl(in_write.get(), F_GETFL) | O_NONBLOCK);
  auto listener = std::make_shared<Listener>();
  listener->heard = std::move(heard);
  listener->ended = std::move(ended);
  const Ends ends{in_write.Release(), out_read.Release(), stop.Release()};
  std::unique_ptr<ChildProgram> program(
      new ChildProgram(pid, options.asked_first, ends, scheduler, std::move(listener)));
  const auto begin = [&program] { program->reader_ = std::thread([read = program.get()] { read->Read(); }); };
  if (Result<void> begun = Reaper::BeginThread(begin); !begun) {
    program->asked_first_ = false;
    return Fail(begun.error());
  }
  return program;
}

std::size_t ChildProgram::Count() {
  return Reaper::Get().programs();
}

ChildProgram::ChildProgram(pid_t pid, bool asked_first, const Ends& ends, Scheduler& scheduler,
                           std::shared_ptr<Listener> listener)
    : pid_(pid),
      asked_first_(asked_first),
      in_(ends.in),
      out_(ends.out),
      stop_(ends.stop),
      scheduler_(scheduler),
      listener_(std::move(listener)) {}

ChildProgram::~ChildProgram() {
  const std::uint64_t one = 1;
  const ssize_t told = write(stop_, &one, sizeof one);
  OPENSEAT_CHECK(told == sizeof one, "an eventfd accepts a number");
  if (reader_.joinable()) reader_.join();
  close(in_);
  close(out_);
  close(stop_);
  if (!asked_first_) {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    Reaper::Get().Left();
    return;
  }
  kill(-pid_, SIGTERM);
  // It may not listen, and our threads do not wait for it.
  Reaper::Get().EndSoon(pid_);
}

void ChildProgram::Write(std::string_view bytes) {
  unread_ += bytes;
  WriteNow();
}

void ChildProgram::WriteNow() {
  constexpr Duration kLater = std::chrono::milliseconds(5);
  const ssize_t size = write(in_, unread_.data(), unread_.size());
  if (size > 0) unread_.erase(0, static_cast<std::size_t>(size));
  if (unread_.empty() || (size < 0 && errno != EAGAIN)) return later_.Cancel();
  later_.Set(scheduler_, kLater, [this] { WriteNow(); });
}

// Its output has ended. The program stays a zombie until the destructor, so that its number is not another program's.
// nullopt if this object ends first.
std::optional<std::string> ChildProgram::HowItEnded() const {
  for (int look = 0; look < kEndLooks; ++look) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid_) {
      return (info.si_code == CLD_EXITED ? "it exited with " : "it was ended by signal ") +
             std::to_string(info.si_status);
    }
    pollfd stop{stop_, POLLIN, 0};
    if (poll(&stop, 1, kLookPauseMs) > 0) return std::nullopt;
  }
  return "it closed its output";
}

// On a thread of its own.
void ChildProgram::Read() {
  std::array<char, kPiece> buffer;
  while (true) {
    const bool full = listener_->unheard > kMostUnheard;
    std::array<pollfd, 2> waits{pollfd{stop_, POLLIN, 0}, pollfd{out_, POLLIN, 0}};
    const int ready = poll(waits.data(), full ? 1 : 2, full ? kFullPauseMs : -1);
    if (ready < 0 && errno != EINTR) break;
    if (waits[0].revents != 0) return;
    if (full || ready <= 0 || waits[1].revents == 0) continue;
    const ssize_t size = read(out_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    std::string bytes(buffer.data(), static_cast<std::size_t>(size));
    listener_->unheard += bytes.size();
    scheduler_.Post([weak = std::weak_ptr(listener_), bytes = std::move(bytes)] {
      const auto listener = weak.lock();
      if (!listener) return;
      listener->unheard -= bytes.size();
      listener->heard(bytes);
    });
  }
  const std::optional<std::string> how = HowItEnded();
  if (!how) return;
  scheduler_.Post([weak = std::weak_ptr(listener_), how = *how] {
    if (const auto listener = weak.lock()) listener->ended(how);
  });
}

}  // namespace openseat
