#include "arena/run_shelf.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "arena/line_file.h"
#include "arena/run_folder.h"
#include "arena/run_record.h"
#include "arena/run_spec.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOldRunEnding = ".json";
constexpr std::size_t kMaxFolderName = 100;

// A name that can be part of an URL, and is never a path.
bool IsFolderName(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kMaxFolderName && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, plain);
}

bool IsRunFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path / kRunFile, error);
}

// Of an older run. Readers of the list need no more.
json::Object SummaryOfFile(const json::Object& run) {
  json::Object summary{{"kind", "file"}};
  for (const char* name : {"id", "name", "started", "seconds", "games", "wanted"}) {
    if (const json::Value* value = json::Find(run, name)) summary[name] = *value;
  }
  summary["ended"] = true;
  summary["played"] =
      json::Array{json::Object{{"id", json::TextOf(run, "game")}, {"title", json::TextOf(run, "title")}}};
  json::Array agents;
  if (const json::Value* seats = json::Find(run, "seats"); seats != nullptr && seats->is_array()) {
    for (const json::Value& seat : seats->get_array()) agents.emplace_back(json::TextOf(seat, "agent"));
  }
  summary["agents"] = std::move(agents);
  return summary;
}

json::Object SummaryOfFolder(const std::string& id, const RunSpec& spec, std::size_t games) {
  json::Object summary{{"id", id}, {"kind", "folder"}, {"command", spec.command}};
  if (!spec.name.empty()) summary["name"] = spec.name;
  if (!spec.parts.empty()) summary["started"] = FormatIso8601(spec.parts.front().started);
  double seconds = 0;
  for (const RunPart& part : spec.parts) seconds += part.seconds.value_or(0);
  summary["seconds"] = seconds;
  summary["ended"] = !spec.parts.empty() && spec.parts.back().seconds.has_value();
  summary["games"] = games;
  if (spec.wanted > 0) summary["wanted"] = spec.wanted;
  json::Array played;
  for (const RunGame& game : spec.games) played.push_back(json::Object{{"id", game.id}, {"title", game.title}});
  summary["played"] = std::move(played);
  json::Array agents;
  for (const std::string& agent : spec.agents) agents.emplace_back(agent);
  summary["agents"] = std::move(agents);
  return summary;
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = static_cast<std::uint64_t>(found.st_size),
          .changed = static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec};
}

RunShelf::RunShelf(std::string data_dir, const std::vector<std::string>& more)
    : data_dir_(std::move(data_dir)), roots_{(fs::path(data_dir_) / kFolder).string()} {
  for (const std::string& root : more) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(root, error);  // so that it ends with its name
    roots_.push_back(error ? root : whole.string());
  }
}

Result<std::map<std::string, RunShelf::Place>> RunShelf::Places(std::vector<Unreadable>& unreadable) const {
  std::map<std::string, Place> places;
  const auto add = [&](std::string id, const fs::path& path, bool folder) {
    if (places.size() == kMaxShelfRuns) return;
    if (!IsFolderName(id)) {
      unreadable.push_back(
          {path.string(), path.string() + ": the name of a run's folder has at most " + std::to_string(kMaxFolderName) +
                              " letters, digits, \"-\", \"_\" and \".\", and begins with a letter or digit"});
      return;
    }
    const auto [at, added] = places.emplace(std::move(id), Place{path.string(), folder});
    if (added || at->second.path == path.string()) return;
    unreadable.push_back({path.string(), path.string() + ": " + at->second.path +
                                             " is shown under the same name; rename one of the two folders"});
  };
  for (const std::string& root : roots_) {
    const bool first = &root == &roots_.front();  // only there are older runs
    if (IsRunFolder(root)) {
      add(fs::path(root).filename().string(), root, true);
      continue;
    }
    std::error_code error;
    fs::directory_iterator entries(root, error);
    if (error == std::errc::no_such_file_or_directory && first) continue;
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const fs::path& path = entries->path();
      if (IsRunFolder(path)) {
        add(path.filename().string(), path, true);
      } else if (first && path.extension() == kOldRunEnding && IsRunId(path.stem().string())) {
        add(path.stem().string(), path, false);
      }
    }
    if (error) return Fail(ErrorCode::kIo, "cannot read the folder " + root + ": " + error.message(), root);
  }
  if (places.size() == kMaxShelfRuns) {
    unreadable.push_back({roots_.front(), "at most " + std::to_string(kMaxShelfRuns) +
                                              " runs are shown; move older ones to another folder"});
  }
  return places;
}

Result<json::Object> RunShelf::Summary(const std::string& id, const Place& place) {
  const FileStamp run = StampOf(place.folder ? place.path + "/" + kRunFile : place.path);
  const FileStamp games = place.folder ? StampOf(place.path + "/" + kGamesFile) : FileStamp();
  if (const auto known = known_.find(place.path);
      known != known_.end() && known->second.run == run && known->second.games == games) {
    return known->second.summary;
  }
  json::Object summary;
  if (place.folder) {
    const Result<RunSpec> spec = ReadRunSpec(place.path);
    if (!spec) return Fail(spec.error());
    if (games.size > kMaxShownGamesBytes) {
      return Fail(ErrorCode::kTooLarge, place.path + ": " + kGamesFile + " has more than " +
                                            std::to_string(kMaxShownGamesBytes >> 20) + " MiB, too much to be shown");
    }
    std::size_t lines = 0;
    if (games.size > 0) {
      const Result<LineFile> file = LineFile::Open(place.path + "/" + kGamesFile, false);
      if (!file) return Fail(file.error());
      lines = file->lines().size();
    }
    summary = SummaryOfFolder(id, *spec, lines);
  } else {
    const Result<json::Object> old = ReadOldRun(data_dir_, id);
    if (!old) return Fail(old.error());
    summary = SummaryOfFile(*old);
  }
  known_[place.path] = {run, games, summary};
  return summary;
}

Result<RunShelf::List> RunShelf::All() {
  List list;
  const Result<std::map<std::string, Place>> places = Places(list.unreadable);
  if (!places) return Fail(places.error());
  std::map<std::string, Known> kept;
  for (const auto& [id, place] : *places) {
    Result<json::Object> summary = Summary(id, place);
    if (!summary) {
      list.unreadable.push_back({place.path, summary.error().message});
      continue;
    }
    kept.insert(known_.extract(place.path));
    list.runs.push_back(std::move(*summary));
  }
  known_ = std::move(kept);  // without those that are gone
  const auto key = [](const json::Object& run) {
    return std::pair(json::TextOf(run, "started"), json::TextOf(run, "id"));
  };
  std::ranges::sort(list.runs, [&](const json::Object& a, const json::Object& b) { return key(b) < key(a); });
  return list;
}

Result<RunShelf::Place> RunShelf::Find(std::string_view id) const {
  const auto unknown = [&] { return Fail(ErrorCode::kNotFound, "there is no run \"" + std::string(id) + "\"", "id"); };
  if (!IsFolderName(id)) return unknown();
  for (const std::string& root : roots_) {
    if (IsRunFolder(root)) {
      if (fs::path(root).filename().string() == id) return Place{root, true};
      continue;
    }
    const fs::path path = fs::path(root) / std::string(id);
    if (IsRunFolder(path)) return Place{path.string(), true};
    std::error_code error;
    const fs::path file = path.string() + std::string(kOldRunEnding);
    const bool first = &root == &roots_.front();
    if (first && IsRunId(id) && fs::is_regular_file(file, error)) return Place{file.string(), false};
  }
  return unknown();
}

}  // namespace openseat::arena
