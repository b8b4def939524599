#include "arena/run_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "arena/game_file.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json_document.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxMarkBytes = 1024;

// A game's last line is that of the last of these files.
constexpr std::array<const char*, 4> kLineFiles = {kDecisionsFile, kTrainingFile, kReplaysFile, kGamesFile};
enum : std::size_t { kDecisions, kTraining, kReplays, kGames };

std::string InFolder(const std::string& path, std::string_view file) {
  return path + "/" + std::string(file);
}

bool Exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string LineText(const json::Object& object) {
  return json::Write(object) + "\n";
}

Result<std::vector<GameLine>> ReadGames(const LineFile& file) {
  GameLines games;
  for (std::size_t i = 0; i < file.lines().size(); ++i) {
    if (file.lines()[i].size > kMaxGameLineBytes) {
      return Fail(ErrorCode::kTooLarge, file.Where(i) + ": a game's line has at most 1 MiB", file.Where(i));
    }
    const Result<std::string> text = file.Read(i);
    if (!text) return Fail(text.error());
    if (Result<void> added = games.Add(*text, file.path(), i + 1); !added) return Fail(std::move(added).error());
  }
  return games.Take();
}

// What the last part has spent, if it was killed before it could say so: what its games have, void ones included.
void CompleteParts(const std::vector<GameLine>& games, RunSpec& spec) {
  if (spec.parts.empty() || spec.parts.back().seconds) return;
  RunPart& part = spec.parts.back();
  part.seconds = 0;
  for (const GameLine& game : games) {
    if (game.started < part.started) continue;
    const double began = std::chrono::duration<double>(game.started - part.started).count();
    part.seconds = std::max(*part.seconds, began + game.seconds);
    part.spent.tokens += game.tokens;
    for (const SeatFigures& seat : game.by_seat) part.spent.cost += seat.cost.value_or(0);
  }
}

// Writes it in place of `text`, which then is what was written. A process may be killed between two files, so the mark
// is written first, and that of the former text stays below it. What is on the disk by now may be somebody else's.
Result<void> WriteRunSpec(const std::string& path, const RunSpec& spec, const std::string& key, std::string& text) {
  std::string next = json::WritePretty(ToJson(spec)) + "\n";
  if (!key.empty()) {
    std::string marks = HmacSha256Base64(key, next) + "\n";
    if (!text.empty()) marks += HmacSha256Base64(key, text) + "\n";
    if (Result<void> marked = ReplaceFile(InFolder(path, kMarkFile), marks); !marked) return marked;
  }
  text = std::move(next);
  return ReplaceFile(InFolder(path, kRunFile), text);
}

Result<store::FileLock> LockFolder(const std::string& path) {
  Result<store::FileLock> lock = store::FileLock::Acquire(InFolder(path, kLockFile));
  if (!lock && lock.error().code == ErrorCode::kConflict) {
    return Fail(ErrorCode::kConflict, "another openseat writes to the run in " + path + ": " + lock.error().message,
                path);
  }
  return lock;
}

}  // namespace

bool HasMark(const std::string& path, std::string_view text, std::string_view key) {
  const Result<std::string> file = json::ReadFile(InFolder(path, kMarkFile), kMaxMarkBytes);
  if (!file || key.empty()) return false;
  const std::string mark = HmacSha256Base64(key, text);
  for (std::string_view rest = *file; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (EqualSecrets(line, mark)) return true;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return false;
}

Result<WrittenRun> ReadWrittenRun(const std::string& path) {
  const std::string file = InFolder(path, kRunFile);
  if (!Exists(file)) {
    return Fail(ErrorCode::kNotFound, "there is no run in " + path + ": it has no " + std::string(kRunFile), path);
  }
  Result<std::string> text = json::ReadFile(file, kMaxRunBytes);
  if (!text) return Fail(text.error());
  const Result<json::Value> parsed = json::Parse(*text, {.max_bytes = kMaxRunBytes});
  if (!parsed) return Fail(ErrorCode::kParse, file + ": " + parsed.error().message, file);
  Result<RunSpec> spec = ParseRunSpec(*parsed);
  if (!spec) return Fail(ErrorCode::kParse, file + ": " + spec.error().message, spec.error().path);
  return WrittenRun{std::move(*text), std::move(*spec)};
}

Result<RunSpec> ReadRunSpec(const std::string& path) {
  Result<WrittenRun> run = ReadWrittenRun(path);
  if (!run) return Fail(run.error());
  return std::move(run->spec);
}

Result<std::vector<GameLine>> ReadGameLines(const std::string& path) {
  const Result<LineFile> file = LineFile::Open(InFolder(path, kGamesFile), false);
  if (!file) return Fail(file.error());
  return ReadGames(*file);
}

Result<json::Value> ReadLine(const LineFile& file, std::size_t index) {
  const Result<std::string> text = file.Read(index);
  if (!text) return Fail(text.error());
  Result<json::Value> parsed = json::Parse(*text, {.max_bytes = LineFile::kMaxLine});
  if (!parsed) return Fail(ErrorCode::kParse, file.Where(index) + ": " + parsed.error().message, file.Where(index));
  return parsed;
}

Result<RecordedGame> ReadReplay(const LineFile& file, std::uint64_t game, std::uint64_t max_bytes) {
  const auto found = std::ranges::find(file.lines(), game, &LineFile::Line::game);
  if (found == file.lines().end()) {
    return Fail(ErrorCode::kNotFound, "the run has no replay of game " + std::to_string(game), "game");
  }
  const auto index = static_cast<std::size_t>(found - file.lines().begin());
  if (found->size > max_bytes) return Fail(TooLargeToShow(file.Where(index), max_bytes, found->size));
  const Result<json::Value> line = ReadLine(file, index);
  if (!line) return Fail(line.error());
  Result<RecordedGame> recorded = ParseReplay(*line);
  if (!recorded) return Fail(ErrorCode::kParse, file.Where(index) + ": " + recorded.error().message);
  return recorded;
}

Result<RecordedGame> ReadReplay(const std::string& path, std::uint64_t game) {
  const Result<LineFile> file = LineFile::Open(InFolder(path, kReplaysFile), false);
  if (!file) return Fail(file.error());
  return ReadReplay(*file, game, LineFile::kMaxLine);
}

Error TooLargeToShow(const std::string& path, std::uint64_t most, std::uint64_t found) {
  return {ErrorCode::kTooLarge,
          path + " is too large to be shown: at most " + std::to_string(most >> 20) + " MiB, not " +
              std::to_string(found >> 20),
          path};
}

RunFolder::RunFolder(std::string path, WrittenRun run, std::string key, store::FileLock lock,
                     std::vector<LineFile> files)
    : path_(std::move(path)),
      spec_(std::move(run.spec)),
      text_(std::move(run.text)),
      key_(std::move(key)),
      lock_(std::move(lock)),
      files_(std::move(files)) {}

Result<std::vector<LineFile>> RunFolder::OpenFiles(const std::string& path) {
  std::vector<LineFile> files;
  for (const char* name : kLineFiles) {
    Result<LineFile> file = LineFile::Open(InFolder(path, name), true);
    if (!file) return Fail(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

Result<std::unique_ptr<RunFolder>> RunFolder::Create(const std::string& path, RunSpec spec, std::string key) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Fail(ErrorCode::kIo, "cannot create the folder " + path + ": " + error.message(), path);
  Result<store::FileLock> lock = LockFolder(path);
  if (!lock) return Fail(lock.error());
  for (const char* file : {kRunFile, kGamesFile}) {
    if (!Exists(InFolder(path, file))) continue;
    return Fail(ErrorCode::kConflict,
                path + " has a run already (" + file + "): go on with it by --resume, or name another folder", path);
  }
  // From here on, the run can be resumed.
  WrittenRun run{.text = {}, .spec = std::move(spec)};
  if (Result<void> written = WriteRunSpec(path, run.spec, key, run.text); !written) return Fail(written.error());
  Result<std::vector<LineFile>> files = OpenFiles(path);
  if (!files) return Fail(files.error());
  return std::unique_ptr<RunFolder>(
      new RunFolder(path, std::move(run), std::move(key), std::move(*lock), std::move(*files)));
}

Result<std::unique_ptr<RunFolder>> RunFolder::Resume(const std::string& path, Time now, const Check& check,
                                                     std::string key) {
  if (!Exists(InFolder(path, kRunFile))) return Fail(ReadRunSpec(path).error());
  Result<store::FileLock> lock = LockFolder(path);
  if (!lock) return Fail(lock.error());
  Result<WrittenRun> run = ReadWrittenRun(path);
  if (!run) return Fail(run.error());
  if (Result<void> checked = check(*run); !checked) return Fail(checked.error());
  Result<std::vector<LineFile>> files = OpenFiles(path);
  if (!files) return Fail(files.error());
  Result<std::vector<GameLine>> games = ReadGames((*files)[kGames]);
  if (!games) return Fail(games.error());
  CompleteParts(*games, run->spec);
  run->spec.parts.push_back({.started = now, .seconds = std::nullopt, .spent = {}});
  // Before lines are dropped, so that what they have cost is never forgotten.
  if (Result<void> written = WriteRunSpec(path, run->spec, key, run->text); !written) return Fail(written.error());
  std::unique_ptr<RunFolder> folder(
      new RunFolder(path, std::move(*run), std::move(key), std::move(*lock), std::move(*files)));
  std::erase_if(*games, [](const GameLine& game) { return game.result == GameResult::kVoid; });
  std::set<std::uint64_t> counted;
  for (const GameLine& game : *games) counted.insert(game.game);
  for (LineFile& file : folder->files_) {
    const auto keep = [&counted](std::uint64_t game) { return counted.contains(game); };
    if (Result<void> tidied = file.Tidy(keep); !tidied) return Fail(tidied.error());
  }
  folder->kept_ = std::move(*games);
  return folder;
}

Result<void> RunFolder::ReadDecisions(const std::function<void(const json::Object& line)>& read) const {
  const LineFile& file = files_[kDecisions];
  for (std::size_t i = 0; i < file.lines().size(); ++i) {
    const Result<std::string> text = file.Read(i);
    if (!text) return Fail(text.error());
    const Result<json::Value> parsed = json::Parse(*text, {.max_bytes = LineFile::kMaxLine});
    if (!parsed) return Fail(ErrorCode::kParse, file.Where(i) + ": " + parsed.error().message, file.Where(i));
    read(parsed->get_object());
  }
  return {};
}

Result<void> RunFolder::Add(const GameRecord& record) {
  std::array<std::string, kLineFiles.size()> texts;
  for (const DecisionRecord& decision : record.decisions) texts[kDecisions] += LineText(decision.line);
  for (const json::Object& line : record.training) texts[kTraining] += LineText(line);
  texts[kReplays] = LineText(record.replay);
  texts[kGames] = LineText(ToJson(record.line));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (Result<void> added = files_[i].Append(record.line.game, texts[i]); !added) return added;
  }
  return {};
}

Result<void> RunFolder::Finish(double seconds, const Spent& spent, json::Object summary, const RunBudget& budget) {
  for (LineFile& file : files_) {
    if (Result<void> tidied = file.Tidy([](std::uint64_t) { return true; }); !tidied) return tidied;
    if (Result<void> synced = file.Sync(); !synced) return synced;
  }
  spec_.parts.back().seconds = seconds;
  spec_.parts.back().spent = spent;
  spec_.summary = std::move(summary);
  spec_.budget = budget;
  return WriteRunSpec(path_, spec_, key_, text_);
}

}  // namespace openseat::arena
