#include "base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace openseat {
namespace {

class MemoryFiles : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_ = testing::TempDir() + "openseat-memory-" + std::to_string(::getpid());
};

TEST_F(MemoryFiles, TheMachineSaysWhatItHas) {
  EXPECT_EQ(MemoryAvailableBelow(root_), 0u) << "nothing is known";
  Put("/proc/meminfo", "MemTotal:        1024 kB\nMemFree:          512 kB\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 1u << 20);
}

TEST_F(MemoryFiles, AControlGroupNarrowsItAndSoDoThoseAroundIt) {
  Put("/proc/meminfo", "MemTotal:        1024 kB\n");
  Put("/proc/self/cgroup", "0::/a.slice/b.service\n");
  Put("/sys/fs/cgroup/a.slice/b.service/memory.max", "max\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 1u << 20);
  Put("/sys/fs/cgroup/a.slice/memory.max", "500000\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 500'000u);
  Put("/sys/fs/cgroup/a.slice/b.service/memory.max", "400000\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 400'000u);
  // In a container the group's own path does not exist, only its root.
  Put("/proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/123\n");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 300'000u);
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 1u << 20);
}

TEST_F(MemoryFiles, TheLimitsOfTheProcessNarrowIt) {
  Put("/proc/meminfo", "MemTotal:        1024 kB\n");
  const std::string data = "Max data size             800000               900000               bytes     \n";
  Put("/proc/self/limits", data + "Max address space         unlimited            unlimited            bytes     \n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 800'000u);
  Put("/proc/self/limits", data + "Max address space         700000               unlimited            bytes     \n");
  EXPECT_EQ(MemoryAvailableBelow(root_), 700'000u);
}

TEST(Memory, ThisProcessHasSome) {
  const std::uint64_t before = ResidentMemory();
  EXPECT_GT(before, std::uint64_t{100} << 10);
  const std::string big(64u << 20, 'x');
  EXPECT_GT(ResidentMemory(), before + (32u << 20));
  EXPECT_GT(MemoryAvailableInAll(), big.size());
  ReleaseFreedMemory();
}

}  // namespace
}  // namespace openseat
