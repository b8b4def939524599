// RunFolder: the files of one run. docs/runs.md says which, and docs/formats/run.md what is in them.
//
// One process writes at a time. A game is in the run from the moment its line in games.jsonl is complete, which is the
// last of its lines to be written; the kernel has all of them when Add returns, so that a killed process loses no game
// that was added. One thread at a time; calls block on the disk.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/game_line.h"
#include "arena/game_record.h"
#include "arena/line_file.h"
#include "arena/run_spec.h"
#include "base/json.h"
#include "base/result.h"
#include "store/file_lock.h"

namespace openseat::arena {

inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kMarkFile = "run.mark";
inline constexpr const char* kGamesFile = "games.jsonl";
inline constexpr const char* kDecisionsFile = "decisions.jsonl";
inline constexpr const char* kReplaysFile = "replays.jsonl";
inline constexpr const char* kTrainingFile = "training.jsonl";
inline constexpr const char* kAnalysisFile = "analysis.jsonl";  // of `openseat analyze`
inline constexpr const char* kLockFile = "lock";

// A run.json tells the next process what to do: which programs to run, which addresses to connect to. The user who goes
// on with a run must know who wrote it, so a folder can have a mark: run.mark has the HMAC-SHA256 of run.json's bytes
// under the key of the user who began the run. HasMark says whether `text` was written under this key.
bool HasMark(const std::string& path, std::string_view text, std::string_view key);

struct WrittenRun {
  std::string text;  // of run.json
  RunSpec spec;      // what it says
};

class RunFolder {
 public:
  // Makes the folder if it is missing. With a `key`, it is marked whenever run.json is written. Errors: kConflict if it
  // has a run already, or another process writes to it; kIo.
  static Result<std::unique_ptr<RunFolder>> Create(const std::string& path, RunSpec spec, std::string key = {});
  // Opens a run to go on with it: drops what belongs to no game that counts, void games included, and begins the next
  // part at `now`. `check` says whether this is the run to go on with, before anything is changed. From then on the
  // folder is marked, if there is a `key`. Errors: its own, kNotFound, kConflict, kParse with the file and line, kIo.
  using Check = std::function<Result<void>(const WrittenRun& run)>;
  static Result<std::unique_ptr<RunFolder>> Resume(const std::string& path, Time now, const Check& check,
                                                   std::string key = {});

  const std::string& path() const { return path_; }
  const RunSpec& spec() const { return spec_; }
  // The games of earlier parts that count, by number.
  const std::vector<GameLine>& kept() const { return kept_; }
  // The lines of decisions.jsonl of all games, in the order in which they were added.
  Result<void> ReadDecisions(const std::function<void(const json::Object& line)>& read) const;

  Result<void> Add(const GameRecord& record);
  // The end of this part: sorts the lines by game, and completes run.json.
  Result<void> Finish(double seconds, const Spent& spent, json::Object summary, const RunBudget& budget);

 private:
  RunFolder(std::string path, WrittenRun run, std::string key, store::FileLock lock, std::vector<LineFile> files);
  static Result<std::vector<LineFile>> OpenFiles(const std::string& path);

  const std::string path_;
  RunSpec spec_;
  std::string text_;       // of run.json, as it was written last
  const std::string key_;  // "": no marks are made
  const store::FileLock lock_;
  std::vector<LineFile> files_;  // in the order in which the lines of a game are written: games.jsonl is the last
  std::vector<GameLine> kept_;
};

// For readers, while a run is written or later. Errors: kNotFound, kParse, kIo.
Result<RunSpec> ReadRunSpec(const std::string& path);
// The same with the bytes that say so.
Result<WrittenRun> ReadWrittenRun(const std::string& path);
// All lines of games.jsonl, by number, void games included.
Result<std::vector<GameLine>> ReadGameLines(const std::string& path);
Result<RecordedGame> ReadReplay(const std::string& path, std::uint64_t game);
// The same of replays.jsonl; kTooLarge for a line with more than `max_bytes`.
Result<RecordedGame> ReadReplay(const LineFile& file, std::uint64_t game, std::uint64_t max_bytes);
// lines()[index].
Result<json::Value> ReadLine(const LineFile& file, std::size_t index);
// For what has more than `most` bytes.
Error TooLargeToShow(const std::string& path, std::uint64_t most, std::uint64_t found);

}  // namespace openseat::arena
