// RunReader: games, decisions and replays from the folder of a run, for those who ask often: where a file's lines begin
// is known until the file changes. Memory and answers are bounded; a file that is missing counts as empty. One thread
// at a time; calls block on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arena/game_line.h"
#include "arena/game_record.h"
#include "arena/line_file.h"
#include "arena/recording_journal.h"
#include "arena/run_shelf.h"
#include "base/json.h"
#include "base/result.h"

namespace openseat::arena {

class RunReader {
 public:
  static constexpr std::uint64_t kMaxFileBytes = 8ull << 30;     // of decisions.jsonl and replays.jsonl
  static constexpr std::uint64_t kMaxDecisionBytes = 4u << 20;   // a longer decision is shown without its texts
  static constexpr std::uint64_t kMaxDecisionsBytes = 8u << 20;  // of one answer, unless it is a single decision
  static constexpr std::uint64_t kMaxReplayBytes = 64u << 20;

  using Games = std::vector<GameLine>;
  // All games of the run, by number. Errors: kTooLarge beyond kMaxShownGamesBytes; those of ReadGameLines.
  Result<std::shared_ptr<const Games>> ReadGames(const std::string& folder);

  struct Decisions {
    std::vector<json::Object> lines;
    std::uint64_t total = 0;            // of the game
    std::optional<std::uint64_t> next;  // the place of the first that is left out
  };
  // The lines of decisions.jsonl of one game, from its place `first` on. One that is longer than kMaxDecisionBytes has
  // "omitted", its length, and nothing but its numbers. Errors: kTooLarge, kParse, kIo.
  Result<Decisions> ReadDecisions(const std::string& folder, std::uint64_t game, std::uint64_t first,
                                  std::size_t limit);
  struct Recording {
    TableId table;
    RecordingJournal journal;
  };
  // The recording of a game; the last one is kept, because it is read in pages. Errors: kNotFound; kTooLarge beyond
  // kMaxReplayBytes; kParse, kIo.
  Result<std::shared_ptr<Recording>> ReadReplay(const std::string& folder, std::uint64_t game);
  // The lines of analysis.jsonl of one game; none if it was not analyzed. Errors: kTooLarge, kParse, kIo.
  Result<std::vector<json::Object>> ReadAnalysis(const std::string& folder, std::uint64_t game);

 private:
  struct OpenFile {
    std::string path;
    FileStamp stamp;
    LineFile file;
  };
  struct KnownGames {
    std::string path;
    FileStamp stamp;
    std::shared_ptr<const Games> games;
  };
  struct KnownRecording {
    std::string path;
    FileStamp stamp;  // of the file when it was read
    std::uint64_t game = 0;
    std::shared_ptr<Recording> recording;
  };
  static constexpr std::size_t kOpenFiles = 4;
  static constexpr std::size_t kKnownRuns = 2;

  Result<const LineFile*> Open(const std::string& path);

  std::list<OpenFile> files_;    // the last used first
  std::list<KnownGames> games_;  // the last used first
  KnownRecording recording_;     // the last one
};

}  // namespace openseat::arena
