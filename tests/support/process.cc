#include "support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace openseat::tests {

Process::Process(const std::string& program, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& error_file) {
  std::vector<std::string> strings{program};
  strings.insert(strings.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& each : strings) argv.push_back(each.data());
  argv.push_back(nullptr);
  std::vector<std::string> settings = environment;
  int input[2];
  int output[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    if (!error_file.empty()) {
      const int file = open(error_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
      if (file >= 0) dup2(file, STDERR_FILENO);
    }
    for (std::string& setting : settings) putenv(setting.data());
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  in_ = input[1];
  out_ = output[0];
  if (pid_ < 0) ADD_FAILURE() << "cannot start " << program;
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
}

bool Process::ReadLine(std::string& line) {
  while (true) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return true;
    }
    char chunk[4096];
    const ssize_t size = read(out_, chunk, sizeof chunk);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      line = std::exchange(buffer_, {});
      return !line.empty();
    }
    buffer_.append(chunk, static_cast<std::size_t>(size));
  }
}

std::string Process::ReadAll() {
  std::string all;
  std::string line;
  while (ReadLine(line)) all += line + "\n";
  return all;
}

void Process::Signal(int signal) {
  if (pid_ > 0) kill(pid_, signal);
}

int Process::Wait() {
  if (pid_ <= 0) return -1;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TemporaryDirectory::TemporaryDirectory(On on) {
  const std::filesystem::path memory = "/dev/shm";
  const bool in_memory = on == On::kMemory && access(memory.c_str(), W_OK) == 0;
  std::string pattern =
      ((in_memory ? memory : std::filesystem::temp_directory_path()) / "openseat-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot create a directory like " << pattern;
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadTextFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) ADD_FAILURE() << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteTextFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) ADD_FAILURE() << "cannot write " << path;
}

}  // namespace openseat::tests
