#include "checker/files.h"

#include <ctime>
#include <filesystem>
#include <system_error>

namespace openseat::checker {

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
  if (files->log_ == nullptr) return Fail(FileError("write", files->log_file_));
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
    return Fail(FileError("write", log_file_));
  }
  return {};
}

Result<void> CheckFiles::WriteActions(const json::Array& actions) {
  return ReplaceFile(actions_store_, json::WritePretty(actions) + "\n", kReplacing);
}

Result<void> CheckFiles::WriteContext(const json::Array& context) {
  return ReplaceFile(context_store_, json::WritePretty(context) + "\n", kReplacing);
}

}  // namespace openseat::checker
