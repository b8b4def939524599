#include "load/target.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/secure_random.h"

namespace openseat::load {

ScratchDir::ScratchDir() : path_(std::filesystem::temp_directory_path() / ("openseat-bench-" + SecureToken(8))) {
  std::filesystem::create_directory(path_);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<Target> StartTarget(const std::vector<std::string>& arguments) {
  Result<ChildProcess> child = ChildProcess::Start(arguments);
  if (!child) return Fail(child.error());
  // "… http://127.0.0.1:PORT"
  const std::string line = child->ReadLine();
  const std::size_t at = line.rfind("://");
  if (at == std::string::npos) return Fail(ErrorCode::kIo, "the server did not start");
  Target target;
  target.url = "ws" + line.substr(at);
  target.child.emplace(std::move(*child));
  return target;
}

LoadMarks CpuMarks(const Target& target, Duration& used) {
  return {[&] { used = Duration(0) - target.CpuTime(); }, [&] { used += target.CpuTime(); }};
}

void Say(bool json, const char* what) {
  if (!json && isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "%s …\n", what);
}

}  // namespace openseat::load
