#include "checker/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace openseat::checker {
namespace {

Result<void> IoFailure(std::string_view what, const std::string& path, int error) {
  return Fail(ErrorCode::kIo, "cannot " + std::string(what) + " \"" + path + "\": " + std::strerror(error), path);
}

bool WriteAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<void> WriteFileAtomically(const std::string& path, std::string_view content) {
  const std::string next = path + ".new";
  const int descriptor = open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return IoFailure("write", next, errno);
  const bool written = WriteAll(descriptor, content);
  const int error = errno;
  close(descriptor);
  if (!written) {
    unlink(next.c_str());
    return IoFailure("write", next, error);
  }
  if (rename(next.c_str(), path.c_str()) != 0) return IoFailure("replace", path, errno);
  return {};
}

std::string FileStem(Time started, std::string_view run_id) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(started.time_since_epoch()).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%d-%m-%Y_%H-%M-%S", &utc);
  std::string stem = std::string("vicky_") + text + "_";
  for (const char c : run_id) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    stem += plain ? c : '-';
  }
  return stem;
}

Result<std::unique_ptr<CheckFiles>> CheckFiles::Create(const std::string& directory, Time started,
                                                       std::string_view run_id) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Fail(ErrorCode::kIo, "cannot create the directory \"" + directory + "\": " + error.message(), directory);
  }
  const std::filesystem::path folder = std::filesystem::absolute(directory, error).lexically_normal();
  const std::string stem = (folder / FileStem(started, run_id)).string();
  std::unique_ptr<CheckFiles> files(new CheckFiles());
  files->log_file_ = stem + ".log";
  files->actions_store_ = stem + "_actions.json";
  files->context_store_ = stem + "_context.json";
  files->junit_file_ = stem + ".junit.xml";
  files->log_ = std::fopen(files->log_file_.c_str(), "ae");
  if (files->log_ == nullptr) return Fail(IoFailure("write", files->log_file_, errno).error());
  if (Result<void> written = files->WriteActions({}); !written) return Fail(written.error());
  if (Result<void> written = files->WriteContext({}); !written) return Fail(written.error());
  return files;
}

CheckFiles::~CheckFiles() {
  if (log_ != nullptr) std::fclose(log_);
}

Result<void> CheckFiles::Append(const LogLine& line) {
  const std::string text = FormatLine(line) + "\n";
  if (std::fwrite(text.data(), 1, text.size(), log_) != text.size() || std::fflush(log_) != 0) {
    return IoFailure("write", log_file_, errno);
  }
  return {};
}

Result<void> CheckFiles::WriteActions(const json::Array& actions) {
  return WriteFileAtomically(actions_store_, json::WritePretty(actions) + "\n");
}

Result<void> CheckFiles::WriteContext(const json::Array& context) {
  return WriteFileAtomically(context_store_, json::WritePretty(context) + "\n");
}

}  // namespace openseat::checker
