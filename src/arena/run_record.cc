#include "arena/run_record.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

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

Result<json::Object> ReadOneFile(const fs::path& path, std::string_view id) {
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

std::string NewRunPath(const std::string& data_dir, Time started, std::string_view game) {
  return (FolderOf(data_dir) / NewRunId(started, game)).string();
}

Result<json::Object> ReadOldRun(const std::string& data_dir, std::string_view id) {
  if (!IsRunId(id)) {
    return Fail(ErrorCode::kNotFound, "there is no run \"" + std::string(id) + "\"; ids consist of a-z, 0-9 and \"-\"",
                "id");
  }
  return ReadOneFile(FolderOf(data_dir) / (std::string(id) + std::string(kExtension)), id);
}

}  // namespace openseat::arena
