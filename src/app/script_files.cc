#include "app/script_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json_document.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostScripts = 200;

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
  if (fs::exists(folder / "script", error)) return {};
  for (const games::ScriptFile& file : files) {
    const fs::path path = folder / "files" / file.name;
    fs::create_directories(path.parent_path(), error);
    if (error) return Fail(ErrorCode::kIo, "cannot make the folder " + path.parent_path().string());
    if (auto written = ReplaceFile(path.string(), file.text); !written) return Fail(written.error());
  }
  // The first file is the script. Written last: with it, the copy is complete.
  return ReplaceFile((folder / "script").string(), files.front().name);
}

// `folder` is that of one version.
std::unique_ptr<const Game> ReadKept(const fs::path& folder) {
  const Result<std::string> name = json::ReadFile((folder / "script").string(), 1000);
  if (!name) return nullptr;
  auto files = ReadScript((folder / "files" / *name).string());
  if (!files) return nullptr;
  auto game = games::MakeScriptGame(*std::move(files));
  return game ? *std::move(game) : nullptr;
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
    games::OlderScripts older;
    if (!kept.empty()) {
      older = [kept](const std::string& id, int version) {
        return ReadKept(fs::path(kept) / id / std::to_string(version));
      };
    }
    auto game = games::MakeScriptGame(*files, std::move(older));
    if (!game) return Fail(game.error().code, path.string() + ": " + PlaceAndMessage(game.error()));
    if (!kept.empty()) {
      const GameInfo& info = (*game)->info();
      auto written = WriteKept(fs::path(kept) / info.id / std::to_string(info.rules_version), *files);
      if (!written) return Fail(written.error());
    }
    made.push_back(*std::move(game));
  }
  return made;
}

std::string PlaceAndMessage(const Error& error) {
  return error.path.empty() ? error.message : error.path + ": " + error.message;
}

}  // namespace openseat::app
