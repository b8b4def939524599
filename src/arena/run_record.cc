#include "arena/run_record.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include "arena/run_folder.h"
#include "arena/run_summary.h"
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

// Agents of the same name are told apart by their order only.
std::vector<std::size_t> AgentsAt(const GameLine& line, const std::vector<std::string>& agents) {
  std::vector<std::size_t> indexes;
  for (const std::string& name : line.seats) {
    std::size_t index = 0;
    while (index < agents.size() && (agents[index] != name || std::ranges::find(indexes, index) != indexes.end())) {
      ++index;
    }
    indexes.push_back(index);
  }
  return indexes;
}

Result<json::Object> SummaryOf(const fs::path& folder) {
  Result<RunSpec> spec = ReadRunSpec(folder.string());
  if (!spec) return Fail(spec.error());
  const bool ended = !spec->parts.empty() && spec->parts.back().seconds && spec->summary.is_object();
  if (ended) return std::move(spec->summary.get_object());
  const Result<std::vector<GameLine>> games = ReadGameLines(folder.string());
  if (!games) return Fail(games.error());
  RunSummary summary(spec->agents);
  double seconds = 0;
  for (const GameLine& line : *games) {
    const std::vector<std::size_t> agents = AgentsAt(line, spec->agents);
    if (std::ranges::find(agents, spec->agents.size()) != agents.end()) continue;
    summary.AddGame(line, agents);
    seconds += line.seconds;
  }
  return summary.ToJson(*spec, spec->wanted, seconds);
}

Result<json::Object> ReadOne(const fs::path& folder, std::string_view id) {
  const fs::path run = folder / id;
  std::error_code error;
  if (!fs::is_directory(run, error)) return ReadOneFile(fs::path(run) += kExtension, id);
  Result<json::Object> summary = SummaryOf(run);
  if (!summary) return summary;
  (*summary)["id"] = id;
  return summary;
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

Result<json::Object> ReadRun(const std::string& data_dir, std::string_view id) {
  if (!IsRunId(id)) {
    return Fail(ErrorCode::kNotFound, "there is no run \"" + std::string(id) + "\"; ids consist of a-z, 0-9 and \"-\"",
                "id");
  }
  return ReadOne(FolderOf(data_dir), id);
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
    const bool is_run = path.extension() == kExtension || (path.extension().empty() && fs::exists(path / kRunFile));
    if (is_run && IsRunId(id) && (before.empty() || id < before)) ids.push_back(id);
  }
  if (error) return Fail(ErrorCode::kIo, "cannot read the folder " + folder.string() + ": " + error.message(), folder);
  const bool more = ids.size() > limit;
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size()));
  std::ranges::partial_sort(ids, end, std::greater());
  ids.erase(end, ids.end());
  if (more && !ids.empty()) list.next = ids.back();
  for (const std::string& id : ids) {
    Result<json::Object> run = ReadOne(folder, id);
    if (run) {
      list.runs.push_back(std::move(*run));
    } else {
      list.unreadable.push_back(
          {fs::is_directory(folder / id) ? id : id + std::string(kExtension), run.error().message});
    }
  }
  return list;
}

}  // namespace openseat::arena
