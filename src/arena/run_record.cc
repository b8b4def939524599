#include "arena/run_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/secure_random.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".json";
constexpr std::size_t kMaxId = 100;
constexpr std::size_t kMaxGame = 60;  // bytes of its name in an id

fs::path FolderOf(const std::string& data_dir) {
  return fs::path(data_dir) / kFolder;
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

Result<void> WriteFile(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return Fail(ErrorCode::kIo, "cannot create " + path + ": " + std::strerror(errno), path);
  std::string_view rest = text;
  int failed = 0;
  while (!rest.empty() && failed == 0) {
    const ssize_t count = write(file, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      failed = errno;
    }
  }
  if (failed == 0 && fsync(file) != 0) failed = errno;
  close(file);
  if (failed == 0) return {};
  unlink(path.c_str());
  return Fail(ErrorCode::kIo, "cannot write " + path + ": " + std::strerror(failed), path);
}

Result<json::Object> ReadFile(const fs::path& path, std::string_view id) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kNotFound, "there is no run \"" + std::string(id) + "\"", "id");
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::string name = path.filename().string();
  Result<json::Value> parsed = json::Parse(text, {.max_bytes = kMaxBytes, .max_depth = 64});
  if (!parsed) return Fail(ErrorCode::kParse, name + ": " + parsed.error().message, name);
  const json::Value* format = json::Find(*parsed, "format");
  if (format == nullptr || *format != kFormat) {
    return Fail(ErrorCode::kParse, name + " is not a run record: \"format\" is not \"" + kFormat + "\"", name);
  }
  const json::Value* version = json::Find(*parsed, "version");
  if (version == nullptr || *version != kVersion) {
    return Fail(ErrorCode::kParse,
                name + " has version " + (version == nullptr ? "none" : json::Write(*version)) +
                    "; this program reads version " + std::to_string(kVersion),
                name);
  }
  const json::Value* own = json::Find(*parsed, "id");
  if (own == nullptr || !own->is_string() || json::View(own->get_string()) != id) {
    return Fail(ErrorCode::kParse, name + " must have the \"id\" in its name", name);
  }
  return std::move(parsed->get_object());
}

}  // namespace

std::string NewRunId(Time started, std::string_view game) {
  std::string id;
  const std::string time = FormatIso8601(started);  // 2026-11-22T01:03:00.000Z
  for (const char c : std::string_view(time).substr(0, 23)) {
    if (c == 'T') {
      id += '-';
    } else if (IsPlain(c)) {
      id += c;
    }
  }
  id += '-';
  for (const char c : game.substr(0, kMaxGame)) id += IsPlain(c) ? c : '-';
  return id + "-" + SecureToken(6);
}

bool IsRunId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxId && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return IsPlain(c) || c == '-'; });
}

Result<std::string> WriteRun(const std::string& data_dir, const json::Object& run) {
  const json::Value* id = json::Find(run, "id");
  OPENSEAT_CHECK(id != nullptr && id->is_string() && IsRunId(json::View(id->get_string())), "a run record has an id");
  const fs::path folder = FolderOf(data_dir);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return Fail(ErrorCode::kIo, "cannot create the folder " + folder.string() + ": " + error.message(), folder);
  const fs::path path = folder / (std::string(json::View(id->get_string())) + std::string(kExtension));
  // Readers of the folder see a whole file or none.
  const fs::path unfinished = path.string() + ".unfinished";
  if (Result<void> written = WriteFile(unfinished.string(), json::WritePretty(run) + "\n"); !written) {
    return Fail(written.error());
  }
  fs::rename(unfinished, path, error);
  if (error) {
    const std::string message = "cannot write " + path.string() + ": " + error.message();
    fs::remove(unfinished, error);
    return Fail(ErrorCode::kIo, message, path.string());
  }
  return path.string();
}

Result<json::Object> ReadRun(const std::string& data_dir, std::string_view id) {
  if (!IsRunId(id)) {
    return Fail(ErrorCode::kNotFound, "there is no run \"" + std::string(id) + "\"; ids consist of a-z, 0-9 and \"-\"",
                "id");
  }
  return ReadFile(FolderOf(data_dir) / (std::string(id) + std::string(kExtension)), id);
}

Result<RunList> ListRuns(const std::string& data_dir, std::size_t limit, std::string_view before) {
  const fs::path folder = FolderOf(data_dir);
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  RunList list;
  if (error == std::errc::no_such_file_or_directory) return list;
  std::vector<std::string> ids;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    const std::string id = path.stem().string();
    if (path.extension() == kExtension && IsRunId(id) && (before.empty() || id < before)) ids.push_back(id);
  }
  if (error) return Fail(ErrorCode::kIo, "cannot read the folder " + folder.string() + ": " + error.message(), folder);
  const bool more = ids.size() > limit;
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size()));
  std::ranges::partial_sort(ids, end, std::greater());
  ids.erase(end, ids.end());
  if (more && !ids.empty()) list.next = ids.back();
  for (const std::string& id : ids) {
    Result<json::Object> run = ReadFile(folder / (id + std::string(kExtension)), id);
    if (run) {
      list.runs.push_back(std::move(*run));
    } else {
      list.unreadable.push_back({id + std::string(kExtension), run.error().message});
    }
  }
  return list;
}

}  // namespace openseat::arena
