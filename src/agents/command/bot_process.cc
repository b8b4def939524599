#include "agents/command/bot_process.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "agents/command/bot_line.h"

namespace openseat {
namespace {

constexpr const char* kBubblewrap = "/usr/bin/bwrap";
constexpr std::size_t kFolderBytes = 64u << 20;
constexpr std::size_t kFileBytes = 16u << 20;
constexpr int kProcesses = 64;
constexpr int kOpenFiles = 256;

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

}  // namespace

Result<void> CheckBot(const std::string& program) {
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

Result<std::unique_ptr<ChildProgram>> StartBot(
    const std::string& program, const BotLimits& limits, const std::string& log, Scheduler& scheduler,
    std::function<void(const std::vector<std::string>& lines, bool too_long)> said, ChildProgram::Ended ended) {
  if (Result<void> usable = CheckBot(program); !usable) return Fail(usable.error());
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(program, error).lexically_normal();
  auto hear = [said = std::move(said), cutter = BotLines()](std::string_view bytes) mutable {
    std::vector<std::string> lines;
    const bool too_long = !cutter.Add(bytes, lines);
    if (too_long || !lines.empty()) said(lines, too_long);
  };
  // It is ended if it writes to a file that is too long, and this may be none of its doing.
  const bool logged =
      !log.empty() && (!std::filesystem::exists(log, error) || std::filesystem::file_size(log, error) < kFileBytes / 2);
  auto started = ChildProgram::Start(
      {.line = CommandLine(absolute, limits), .environment = {}, .errors = logged ? log : "/dev/null"}, scheduler,
      std::move(hear), std::move(ended));
  if (!started) return Fail(ErrorCode::kIo, "the bot cannot be started: " + started.error().message);
  return std::move(*started);
}

}  // namespace openseat
