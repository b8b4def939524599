#include "app/line_output.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace openseat::app {

Result<void> LineOutput::Open(const std::string& path) {
  path_ = path;
  // In a stranger's folder it may be a link to a file of ours, or a pipe that nobody reads.
  std::error_code error;
  std::filesystem::remove(path + ".new", error);
  file_.open(path + ".new", std::ios::binary | std::ios::trunc);
  return Check();
}

Result<void> LineOutput::Add(const json::Object& line) {
  file_ << json::Write(line) << '\n';
  return Check();
}

Result<void> LineOutput::Finish() {
  file_.close();
  std::error_code error;
  if (file_) std::filesystem::rename(path_ + ".new", path_, error);
  if (!file_ || error) return Fail(ErrorCode::kIo, "cannot write " + path_, path_);
  return {};
}

Result<void> LineOutput::Check() {
  if (file_) return {};
  return Fail(ErrorCode::kIo, "cannot write " + path_ + ".new: " + SystemMessage(errno), path_);
}

}  // namespace openseat::app
