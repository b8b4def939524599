// RunShelf: the runs that a server shows: folders of runs (run_folder.h) and older runs of one file each
// (run_record.h) in DATA_DIR/arena, and folders of runs elsewhere that the operator names. One thread at a time; calls
// block on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::arena {

inline constexpr std::size_t kMaxShelfRuns = 5000;                 // in all its folders together
inline constexpr std::uint64_t kMaxShownGamesBytes = 64ull << 20;  // of a games.jsonl

// What tells one content of a file from another: all 0 for what is missing or not a file.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed = 0;  // nanoseconds since 1970
  bool operator==(const FileStamp&) const = default;
};
FileStamp StampOf(const std::string& path);

class RunShelf {
 public:
  // Each of `more` is a run's folder, or has runs' folders in it.
  RunShelf(std::string data_dir, const std::vector<std::string>& more);

  struct Unreadable {
    std::string file;
    std::string message;
  };
  struct List {
    // Newest first: {"id", "kind": "folder" | "file", "name"?, "command"?, "started", "seconds"?, "ended", "games",
    // "wanted"?, "played": [{"id", "title"}], "agents"}.
    std::vector<json::Object> runs;
    std::vector<Unreadable> unreadable;
  };
  // Errors: kIo for a folder that cannot be read.
  Result<List> All();

  struct Place {
    std::string path;
    bool folder = false;  // or one file
  };
  // kNotFound if there is no such run.
  Result<Place> Find(std::string_view id) const;

 private:
  struct Known {
    FileStamp run;
    FileStamp games;
    json::Object summary;
  };

  Result<std::map<std::string, Place>> Places(std::vector<Unreadable>& unreadable) const;
  Result<json::Object> Summary(const std::string& id, const Place& place);

  const std::string data_dir_;
  std::vector<std::string> roots_;      // DATA_DIR/arena, then the others
  std::map<std::string, Known> known_;  // by path
};

}  // namespace openseat::arena
