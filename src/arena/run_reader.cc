#include "arena/run_reader.h"

#include <algorithm>
#include <utility>

#include "arena/run_folder.h"

namespace openseat::arena {
namespace {

// Moves what is at `at` to the front, and drops what has not been used for longest.
template <typename T>
void Use(std::list<T>& list, typename std::list<T>::iterator at, std::size_t most) {
  list.splice(list.begin(), list, at);
  while (list.size() > most) list.pop_back();
}

}  // namespace

Result<std::shared_ptr<const RunReader::Games>> RunReader::ReadGames(const std::string& folder) {
  const std::string path = folder + "/" + kGamesFile;
  const FileStamp stamp = StampOf(path);
  auto known = std::ranges::find(games_, path, &KnownGames::path);
  if (known == games_.end() || known->stamp != stamp) {
    if (known != games_.end()) games_.erase(known);
    if (stamp.size > kMaxShownGamesBytes) return Fail(TooLargeToShow(path, kMaxShownGamesBytes, stamp.size));
    Result<Games> read = stamp.size == 0 ? Games() : ReadGameLines(folder);
    if (!read) return Fail(read.error());
    known = games_.insert(games_.begin(), {path, stamp, std::make_shared<const Games>(std::move(*read))});
  }
  Use(games_, known, kKnownRuns);
  return games_.front().games;
}

Result<const LineFile*> RunReader::Open(const std::string& path) {
  const FileStamp stamp = StampOf(path);
  if (stamp.size > kMaxFileBytes) return Fail(TooLargeToShow(path, kMaxFileBytes, stamp.size));
  auto known = std::ranges::find(files_, path, &OpenFile::path);
  const bool grown = known != files_.end() && known->stamp.device == stamp.device &&
                     known->stamp.inode == stamp.inode && known->stamp.size < stamp.size;
  if (grown && known->file.Follow()) known->stamp = stamp;
  if (known == files_.end() || known->stamp != stamp) {
    if (known != files_.end()) files_.erase(known);
    Result<LineFile> file = LineFile::Open(path, false);
    if (!file) return Fail(file.error());
    known = files_.insert(files_.begin(), {path, stamp, std::move(*file)});
  }
  Use(files_, known, kOpenFiles);
  return &files_.front().file;
}

Result<RunReader::Decisions> RunReader::ReadDecisions(const std::string& folder, std::uint64_t game,
                                                      std::uint64_t first, std::size_t limit) {
  if (StampOf(folder + "/" + kDecisionsFile).size == 0) return Decisions();
  const Result<const LineFile*> file = Open(folder + "/" + kDecisionsFile);
  if (!file) return Fail(file.error());
  Decisions decisions;
  std::uint64_t bytes = 0;
  const std::vector<LineFile::Line>& lines = (*file)->lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].game != game) continue;
    const std::uint64_t place = decisions.total++;
    if (place < first || decisions.next) continue;
    const bool long_one = lines[i].size > kMaxDecisionBytes;
    const std::uint64_t cost = long_one ? 0 : lines[i].size;
    if (decisions.lines.size() == limit || (bytes + cost > kMaxDecisionsBytes && !decisions.lines.empty())) {
      decisions.next = place;
      continue;
    }
    bytes += cost;
    if (long_one) {
      decisions.lines.push_back({{"game", game}, {"decision", place}, {"omitted", lines[i].size}});
      continue;
    }
    Result<json::Value> line = ReadLine(**file, i);
    if (!line) return Fail(line.error());
    decisions.lines.push_back(std::move(line->get_object()));
  }
  return decisions;
}

Result<std::shared_ptr<RunReader::Recording>> RunReader::ReadReplay(const std::string& folder, std::uint64_t game) {
  const std::string path = folder + "/" + kReplaysFile;
  const FileStamp stamp = StampOf(path);
  if (stamp.size == 0) {
    return Fail(ErrorCode::kNotFound, "the run has no replay of game " + std::to_string(game), "game");
  }
  const FileStamp& then = recording_.stamp;
  // A file that grows keeps its lines.
  const bool same = recording_.path == path && recording_.game == game && then.device == stamp.device &&
                    then.inode == stamp.inode && (then == stamp || then.size < stamp.size);
  if (same && recording_.recording) return recording_.recording;
  const Result<const LineFile*> file = Open(path);
  if (!file) return Fail(file.error());
  Result<RecordedGame> recorded = arena::ReadReplay(**file, game, kMaxReplayBytes);
  if (!recorded) return Fail(recorded.error());
  auto recording = std::make_shared<Recording>();
  recording->table = recorded->table;
  recording->journal.Put(recorded->table, std::move(recorded->events));
  recording_ = {path, stamp, game, recording};
  return recording;
}

Result<std::vector<json::Object>> RunReader::ReadAnalysis(const std::string& folder, std::uint64_t game) {
  std::vector<json::Object> judged;
  if (StampOf(folder + "/" + kAnalysisFile).size == 0) return judged;
  const Result<const LineFile*> file = Open(folder + "/" + kAnalysisFile);
  if (!file) return Fail(file.error());
  std::uint64_t bytes = 0;
  const std::vector<LineFile::Line>& lines = (*file)->lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].game != game) continue;
    bytes += lines[i].size;
    if (bytes > kMaxReplayBytes) return Fail(TooLargeToShow((*file)->path(), kMaxReplayBytes, bytes));
    Result<json::Value> line = ReadLine(**file, i);
    if (!line) return Fail(line.error());
    judged.push_back(std::move(line->get_object()));
  }
  return judged;
}

}  // namespace openseat::arena
