#include "app/script_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json_document.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostScripts = 200;
constexpr std::size_t kMostNameBytes = 64u << 10;  // of all files of a script together

bool IsScript(const fs::path& path) {
  const std::string name = path.filename().string();
  return (name.ends_with(".js") || name.ends_with(".ts")) && !name.ends_with(".d.ts") && !name.starts_with(".");
}

// The script of a folder; an empty path if it has none.
fs::path ScriptIn(const fs::path& folder) {
  for (const char* name : {"game.js", "game.ts"}) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return folder / name;
  }
  return {};
}

// The relative paths in `import … from './lines.js'` and `export … from`: a script's files are those that it names.
std::vector<std::string> ImportsOf(const std::string& text) {
  std::vector<std::string> imports;
  for (const char quote : {'\'', '"'}) {
    const std::string mark = std::string("from ") + quote + ".";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::size_t begin = at + mark.size() - 1;
      const std::size_t end = text.find(quote, begin);
      if (end != std::string::npos && end - begin < 200) imports.push_back(text.substr(begin, end - begin));
    }
  }
  return imports;
}

Result<void> AddFile(const fs::path& folder, const fs::path& name, std::vector<games::ScriptFile>& files) {
  const std::string relative = name.generic_string();
  if (std::ranges::find(files, relative, &games::ScriptFile::name) != files.end()) return {};
  if (files.size() >= games::kScriptFiles) {
    return Fail(ErrorCode::kTooLarge,
                "a script has at most " + std::to_string(games::kScriptFiles) + " files: " + (folder / name).string());
  }
  Result<std::string> text = json::ReadFile((folder / name).string(), games::kScriptBytes);
  if (!text) return Fail(text.error());
  files.push_back({relative, *std::move(text)});
  const std::string& added = files.back().text;
  for (const std::string& import : ImportsOf(added)) {
    const fs::path next = (name.parent_path() / import).lexically_normal();
    // The engine says what is wrong with a path that leaves the folder, or does not exist.
    std::error_code error;
    if (*next.begin() == ".." || next.string().ends_with(".d.ts") || !fs::is_regular_file(folder / next, error))
      continue;
    if (auto read = AddFile(folder, next, files); !read) return read;
  }
  return {};
}

fs::path FolderOf(const std::string& kept, const std::string& id, int version) {
  return fs::path(kept) / id / std::to_string(version);
}

constexpr std::size_t kMostStamped = 5000;
constexpr int kDeepest = 4;

bool IsOfScripts(const fs::path& path) {
  return path.extension() == ".js" || path.extension() == ".ts";
}

}  // namespace

Result<std::vector<games::ScriptFile>> ReadScript(const std::string& path) {
  std::error_code error;
  fs::path script = path;
  if (fs::is_directory(script, error)) script = ScriptIn(script).empty() ? script / "game.js" : ScriptIn(script);
  if (!fs::is_regular_file(script, error)) {
    return Fail(ErrorCode::kNotFound, "there is no file " + script.string());
  }
  std::vector<games::ScriptFile> files;
  const fs::path folder = script.has_parent_path() ? script.parent_path() : fs::path(".");
  if (auto added = AddFile(folder, script.filename(), files); !added) return Fail(added.error());
  return files;
}

Result<std::vector<std::string>> ScriptsIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool is_folder = entry.is_directory() && !ScriptIn(entry.path()).empty();
    if (is_folder || (entry.is_regular_file() && IsScript(entry.path()))) paths.push_back(entry.path().string());
  }
  if (error) return Fail(ErrorCode::kNotFound, "there is no folder of games " + folder);
  if (paths.size() > kMostScripts) {
    return Fail(ErrorCode::kTooLarge, "a folder of games has at most " + std::to_string(kMostScripts) + " scripts; " +
                                          folder + " has " + std::to_string(paths.size()));
  }
  std::ranges::sort(paths);
  return paths;
}

std::string StampOf(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> stamps;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (!IsOfScripts(entry->path())) continue;
    std::error_code gone;
    const auto written = entry->last_write_time(gone).time_since_epoch().count();
    const auto size = entry->file_size(gone);
    stamps.push_back(entry->path().string() + " " + std::to_string(written) + " " + std::to_string(size));
    if (stamps.size() >= kMostStamped) break;
  }
  std::ranges::sort(stamps);
  std::string all;
  for (const std::string& stamp : stamps) all += stamp + "\n";
  return all;
}

bool IsKept(const std::string& kept, const std::string& id, int version) {
  std::error_code error;
  return fs::exists(FolderOf(kept, id, version) / "script", error);
}

Result<void> KeepVersion(const std::string& kept, const std::string& id, int version,
                         const std::vector<games::ScriptFile>& files) {
  if (IsKept(kept, id, version)) return {};
  const fs::path folder = FolderOf(kept, id, version);
  std::error_code error;
  for (const games::ScriptFile& file : files) {
    const fs::path name = fs::path(file.name).lexically_normal();
    if (name.is_absolute() || name.empty() || *name.begin() == ".." || file.name.find('\n') != std::string::npos) {
      return Fail(ErrorCode::kInvalid, "a file of " + id + " has a name that leaves its folder");
    }
    const fs::path path = folder / "files" / name;
    fs::create_directories(path.parent_path(), error);
    if (error) return Fail(ErrorCode::kIo, "cannot make the folder " + path.parent_path().string());
    if (auto written = ReplaceFile(path.string(), file.text); !written) return Fail(written.error());
  }
  // The files' names, the script's first. Written last: with it, the copy is complete.
  std::string names;
  for (const games::ScriptFile& file : files) names += file.name + "\n";
  return ReplaceFile((folder / "script").string(), names);
}

Result<std::vector<games::ScriptFile>> ReadKept(const std::string& kept, const std::string& id, int version) {
  const fs::path folder = FolderOf(kept, id, version);
  const Result<std::string> names = json::ReadFile((folder / "script").string(), kMostNameBytes);
  if (!names) return Fail(ErrorCode::kNotFound, "version " + std::to_string(version) + " of " + id + " was not kept");
  // Copies of before name the script alone.
  if (names->find('\n') == std::string::npos) return ReadScript((folder / "files" / *names).string());
  std::vector<games::ScriptFile> files;
  std::istringstream lines(*names);
  for (std::string file; std::getline(lines, file);) {
    Result<std::string> text = json::ReadFile((folder / "files" / file).string(), games::kScriptBytes);
    if (!text) return Fail(text.error());
    files.push_back({file, *std::move(text)});
  }
  return files;
}

std::vector<int> KeptVersions(const std::string& kept, const std::string& id) {
  std::vector<std::pair<fs::file_time_type, int>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(kept) / id, error)) {
    std::error_code none;
    const auto written = fs::last_write_time(entry.path() / "script", none);
    int version = 0;
    const std::string name = entry.path().filename().string();
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), version);
    if (!none && parsed.ec == std::errc() && parsed.ptr == name.data() + name.size())
      found.emplace_back(written, version);
  }
  std::ranges::sort(found, std::greater());
  std::vector<int> versions;
  for (const auto& [written, version] : found) versions.push_back(version);
  return versions;
}

std::vector<std::string> KeptGames(const std::string& kept) {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kept, error)) ids.push_back(entry.path().filename().string());
  std::ranges::sort(ids);
  return ids;
}

std::string PlaceAndMessage(const Error& error) {
  return error.path.empty() ? error.message : error.path + ": " + error.message;
}

}  // namespace openseat::app
