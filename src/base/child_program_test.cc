#include "base/child_program.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace openseat {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Runs what is posted to it, in the thread that waits.
class Mailbox final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    came_.notify_one();
  }
  void OffloadFor(std::string_view, Task work) override { Post(std::move(work)); }
  TimerId After(Duration, Task) override { return TimerId(); }
  bool Cancel(TimerId) override { return false; }

  template <typename Condition>
  bool RunUntil(const Condition& holds) {
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (!holds()) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        if (!came_.wait_until(lock, end, [this] { return !tasks_.empty(); })) return false;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
    return true;
  }

 private:
  const SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Task> tasks_;
};

ChildProgram::Options Cat(std::size_t most = 0) {
  return {.line = {"/bin/cat"}, .environment = {}, .errors = std::nullopt, .asked_first = true, .most = most};
}

// Until none is left that was asked to end.
bool AwaitCount(std::size_t count) {
  for (int i = 0; i < 1'000 && ChildProgram::Count() > count; ++i) std::this_thread::sleep_for(milliseconds(10));
  return ChildProgram::Count() == count;
}

TEST(ChildProgramTest, IsTalkedTo) {
  Mailbox mailbox;
  std::string heard;
  std::string end;
  auto program = ChildProgram::Start(
      {.line = {"/bin/sh", "-c", "read a; echo $a; exit 3"}, .environment = {}, .errors = std::nullopt}, mailbox,
      [&heard](std::string_view bytes) { heard += bytes; }, [&end](const std::string& how) { end = how; });
  ASSERT_TRUE(program.has_value()) << program.error().message;
  (*program)->Write("one\n");
  EXPECT_TRUE(mailbox.RunUntil([&end] { return !end.empty(); }));
  EXPECT_EQ(heard, "one\n");
  EXPECT_EQ(end, "it exited with 3");
}

TEST(ChildProgramTest, ThereAreOnlySoMany) {
  ASSERT_TRUE(AwaitCount(0));
  Mailbox mailbox;
  const auto start = [&mailbox] {
    return ChildProgram::Start(Cat(2), mailbox, [](std::string_view) {}, [](const std::string&) {});
  };
  auto first = start();
  auto second = start();
  ASSERT_TRUE(first.has_value() && second.has_value());
  auto third = start();
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, ErrorCode::kBusy);
  // One that is asked to end counts until it has ended.
  const pid_t ending = (*first)->pid();
  first->reset();
  EXPECT_EQ(start().error().code, ErrorCode::kBusy);
  EXPECT_TRUE(AwaitCount(1));
  EXPECT_EQ(waitpid(ending, nullptr, WNOHANG), -1) << "it was waited for";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_TRUE(start().has_value());
  second->reset();
  EXPECT_TRUE(AwaitCount(0));
}

TEST(ChildProgramTest, OneThatDoesNotStartIsNotCounted) {
  ASSERT_TRUE(AwaitCount(0));
  Mailbox mailbox;
  auto program = ChildProgram::Start(
      {.line = {"/nowhere/at/all"}, .environment = {}, .errors = std::nullopt}, mailbox, [](std::string_view) {},
      [](const std::string&) {});
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, ErrorCode::kIo);
  EXPECT_EQ(ChildProgram::Count(), 0u);
}

// With ever more processes and threads that this user may have: none, one for the reaper, one for the program, one for
// the thread that reads.
[[noreturn]] void StartWithoutThreads() {
  constexpr rlim_t kMost = 8;
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  if (geteuid() == 0 && setuid(65'534) != 0) _exit(0);  // the superuser has no such limit
  Mailbox mailbox;
  int refused = 0;
  for (rlim_t some = 1; some <= kMost; ++some) {
    limit.rlim_cur = some;
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) _exit(4);
    auto program = ChildProgram::Start(Cat(), mailbox, [](std::string_view) {}, [](const std::string&) {});
    if (program) break;
    ++refused;
    if (program.error().code != ErrorCode::kIo || ChildProgram::Count() != 0) _exit(5);
    if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) _exit(6);
  }
  // The one that started ended without another thread.
  _exit(refused > 0 ? 0 : 7);
}

TEST(ChildProgramDeathTest, WithoutThreadsItIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(StartWithoutThreads(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace openseat
