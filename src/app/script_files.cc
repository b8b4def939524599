#include "app/script_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json_document.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostScripts = 200;
constexpr std::size_t kMostKept = 50;  // older versions of one game that are offered to its matches

bool IsScript(const fs::path& path) {
  return path.extension() == ".js" && !path.filename().string().starts_with(".");
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
    if (*next.begin() == ".." || !fs::is_regular_file(folder / next, error)) continue;
    if (auto read = AddFile(folder, next, files); !read) return read;
  }
  return {};
}

Result<void> WriteKept(const fs::path& folder, const std::vector<games::ScriptFile>& files) {
  std::error_code error;
  if (fs::exists(folder / "files", error)) return {};
  for (const games::ScriptFile& file : files) {
    const fs::path path = folder / "files" / file.name;
    fs::create_directories(path.parent_path(), error);
    if (error) return Fail(ErrorCode::kIo, "cannot make the folder " + path.parent_path().string());
    if (auto written = ReplaceFile(path.string(), file.text); !written) return Fail(written.error());
  }
  // The first file is the script.
  return ReplaceFile((folder / "script").string(), files.front().name);
}

std::vector<std::unique_ptr<const Game>> ReadKept(const fs::path& folder, int current) {
  std::vector<fs::path> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) versions.push_back(entry.path());
  std::ranges::sort(versions, std::greater(), [](const fs::path& path) {
    std::error_code none;
    return fs::last_write_time(path, none);
  });
  std::vector<std::unique_ptr<const Game>> older;
  for (const fs::path& version : versions) {
    if (older.size() == kMostKept) break;
    if (version.filename() == std::to_string(current)) continue;
    const Result<std::string> name = json::ReadFile((version / "script").string(), 1000);
    if (!name) continue;
    auto files = ReadScript((version / "files" / *name).string());
    if (!files) continue;
    if (auto game = games::MakeScriptGame(*std::move(files))) older.push_back(*std::move(game));
  }
  return older;
}

}  // namespace

Result<std::vector<games::ScriptFile>> ReadScript(const std::string& path) {
  std::error_code error;
  fs::path script = path;
  if (fs::is_directory(script, error)) script /= "game.js";
  if (!fs::is_regular_file(script, error)) {
    return Fail(ErrorCode::kNotFound, "there is no file " + script.string());
  }
  std::vector<games::ScriptFile> files;
  const fs::path folder = script.has_parent_path() ? script.parent_path() : fs::path(".");
  if (auto added = AddFile(folder, script.filename(), files); !added) return Fail(added.error());
  return files;
}

Result<std::vector<std::unique_ptr<Game>>> ReadScriptGames(const std::string& folder, const std::string& kept) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code none;
    const bool is_folder = entry.is_directory() && fs::is_regular_file(entry.path() / "game.js", none);
    if (is_folder || (entry.is_regular_file() && IsScript(entry.path()))) paths.push_back(entry.path());
  }
  if (error) return Fail(ErrorCode::kNotFound, "there is no folder of games " + folder);
  if (paths.size() > kMostScripts) {
    return Fail(ErrorCode::kTooLarge, "a folder of games has at most " + std::to_string(kMostScripts) + " scripts; " +
                                          folder + " has " + std::to_string(paths.size()));
  }
  std::ranges::sort(paths);
  std::vector<std::unique_ptr<Game>> made;
  for (const fs::path& path : paths) {
    auto files = ReadScript(path.string());
    if (!files) return Fail(files.error());
    auto game = games::MakeScriptGame(*files);
    if (!game) return Fail(game.error().code, path.string() + ": " + PlaceAndMessage(game.error()));
    if (!kept.empty()) {
      const int version = (*game)->info().rules_version;
      const fs::path of_game = fs::path(kept) / (*game)->info().id;
      if (auto written = WriteKept(of_game / std::to_string(version), *files); !written) return Fail(written.error());
      if (auto older = ReadKept(of_game, version); !older.empty()) {
        game = games::MakeScriptGame(*std::move(files), std::move(older));
        if (!game) return Fail(game.error());
      }
    }
    made.push_back(*std::move(game));
  }
  return made;
}

std::string PlaceAndMessage(const Error& error) {
  return error.path.empty() ? error.message : error.path + ": " + error.message;
}

}  // namespace openseat::app
