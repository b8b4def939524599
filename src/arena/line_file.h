// LineFile: a file of JSON lines that is only ever appended to, each line belonging to a game: every line begins with
// {"game":NUMBER. What a killed process left half written is found and dropped. One thread at a time; calls block on
// the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace openseat::arena {

class LineFile {
 public:
  static constexpr std::size_t kMaxLine = 256u << 20;

  struct Line {
    std::uint64_t game = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // with its newline
  };

  // Opens `path`, or creates it (mode 0600), and finds its lines; an incomplete last one is cut off if `writable`, and
  // ignored otherwise. A `writable` file is no link: the folder may be a stranger's. Errors: kIo; kParse, as
  // "FILE:LINE: …", for a line that no run wrote.
  static Result<LineFile> Open(const std::string& path, bool writable);
  LineFile(LineFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        end_(other.end_),
        lines_(std::move(other.lines_)) {}
  LineFile& operator=(LineFile&& other) noexcept;
  ~LineFile();

  // Finds the lines that another process has appended in the meantime. Errors: like Open's.
  Result<void> Follow();

  const std::string& path() const { return path_; }
  const std::vector<Line>& lines() const { return lines_; }
  // The text of lines()[index], without its newline.
  Result<std::string> Read(std::size_t index) const;
  // "FILE:LINE" of lines()[index], for messages.
  std::string Where(std::size_t index) const { return path_ + ":" + std::to_string(index + 1); }

  // Appends one or more lines of this game; `text` ends with a newline. After an error nothing more may be appended.
  Result<void> Append(std::uint64_t game, std::string_view text);
  // Keeps only the lines of these games, in the order of their games. The file is replaced in one step.
  Result<void> Tidy(const std::function<bool(std::uint64_t game)>& keep);
  // Returns once everything is on the disk.
  Result<void> Sync();

 private:
  LineFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Result<void> CopyTo(const std::vector<Line>& kept, LineFile& next, const std::string& unfinished) const;
  Result<void> AddLine(const std::string& head, char last, std::uint64_t begin, std::uint64_t end);

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;  // of the last whole line
  std::vector<Line> lines_;
};

}  // namespace openseat::arena
