#include "base/line_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>

namespace openseat {
namespace {

using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::StartsWith;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    CloseReader();
    ::close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void CloseReader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // Reads up to and including `mark`.
  std::string ReadUntil(const std::string& mark) {
    std::string text;
    char buffer[65536];
    while (text.find(mark) == std::string::npos) {
      const ssize_t n = ::read(ends_[0], buffer, sizeof buffer);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(LineWriter, WritesInOrder) {
  Pipe pipe;
  LineWriter writer(pipe.writer(), 10'000);
  for (int i = 0; i < 100; ++i) writer.Write(std::to_string(i) + "\n");
  const std::string text = pipe.ReadUntil("99\n");
  EXPECT_THAT(text, StartsWith("0\n1\n2\n"));
  EXPECT_THAT(text, EndsWith("98\n99\n"));
  EXPECT_TRUE(writer.Drain(seconds(10)));
  EXPECT_EQ(writer.lost(), 0u);
}

TEST(LineWriter, NobodyReadsAndNobodyWaits) {
  Pipe pipe;
  LineWriter writer(pipe.writer(), 100'000);
  const std::string line(999, 'x');
  for (int i = 0; i < 2'000; ++i) writer.Write(line + "\n");  // 2 MB: the pipe takes 64 KiB
  EXPECT_GT(writer.lost(), 1'000u);
  EXPECT_FALSE(writer.Drain(Duration(1000)));
  // A late reader is told how much is missing.
  const std::string text = pipe.ReadUntil(" lines of the log were lost: nobody read it)\n");
  EXPECT_NE(text.find("x\n("), std::string::npos);
}

TEST(LineWriter, EndsThoughNobodyReads) {
  Pipe pipe;
  LineWriter writer(pipe.writer(), 1'000'000);
  writer.Write(std::string(500'000, 'x') + "\n");
}

TEST(LineWriter, AReaderThatHasGoneIsNoHarm) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  LineWriter writer(pipe.writer(), 10'000);
  pipe.CloseReader();
  writer.Write("one\n");
  writer.Write("two\n");
  EXPECT_TRUE(writer.Drain(seconds(10)));
}

}  // namespace
}  // namespace openseat
