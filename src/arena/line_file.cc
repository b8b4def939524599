#include "arena/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "base/file.h"
#include "base/text.h"

namespace openseat::arena {
namespace {

constexpr std::string_view kHead = "{\"game\":";
constexpr std::size_t kHeadBytes = 32;  // enough for it and a number
constexpr std::size_t kChunk = 1u << 20;

// Reads `size` bytes at `offset`; fewer at the end of the file.
Result<std::size_t> ReadAt(int descriptor, std::uint64_t offset, char* into, std::size_t size,
                           const std::string& path) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(descriptor, into + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(FileError("read", path));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(end_, other.end_);
  std::swap(lines_, other.lines_);
  return *this;
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<LineFile> LineFile::Open(const std::string& path, bool writable) {
  const Result<int> descriptor = OpenRegularFile(path, writable ? O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW : O_RDONLY);
  if (!descriptor) return Fail(descriptor.error());
  LineFile file(path, *descriptor);
  if (Result<void> scanned = file.Follow(); !scanned) return Fail(scanned.error());
  if (writable && ftruncate(*descriptor, static_cast<off_t>(file.end_)) != 0) return Fail(FileError("shorten", path));
  return file;
}

Result<void> LineFile::Follow() {
  std::string chunk(kChunk, '\0');
  std::string head;  // the first bytes of the line
  char last = '\0';  // its last byte so far
  std::uint64_t begin = end_;
  for (std::uint64_t offset = end_;;) {
    const Result<std::size_t> got = ReadAt(descriptor_, offset, chunk.data(), chunk.size(), path_);
    if (!got) return Fail(got.error());
    if (*got == 0) break;
    std::string_view rest(chunk.data(), *got);
    while (!rest.empty()) {
      const std::size_t newline = rest.find('\n');
      const std::string_view part = rest.substr(0, newline);
      if (head.size() < kHeadBytes) head += part.substr(0, kHeadBytes - head.size());
      if (!part.empty()) last = part.back();
      offset += part.size();
      rest.remove_prefix(part.size());
      if (newline == std::string_view::npos) break;
      ++offset;
      rest.remove_prefix(1);
      if (Result<void> added = AddLine(head, last, begin, offset); !added) return added;
      begin = offset;
      head.clear();
      last = '\0';
    }
  }
  end_ = begin;
  return {};
}

Result<void> LineFile::AddLine(const std::string& head, char last, std::uint64_t begin, std::uint64_t end) {
  Line line{.offset = begin, .size = end - begin};
  const char* digits = head.data() + std::min(kHead.size(), head.size());
  const auto parsed = std::from_chars(digits, head.data() + head.size(), line.game);
  const bool whole = parsed.ec == std::errc() && parsed.ptr != head.data() + head.size() && *parsed.ptr == ',';
  lines_.push_back(line);
  const std::string where = Where(lines_.size() - 1);
  if (!head.starts_with(kHead) || !whole || last != '}') {
    return Fail(ErrorCode::kParse,
                where + ": a line of a run is a JSON object that begins with {\"game\":NUMBER,; found \"" +
                    EscapeControls(SanitizeUtf8(head)) + "\"",
                where);
  }
  if (line.size > kMaxLine) {
    return Fail(ErrorCode::kTooLarge,
                where + ": a line has at most " + std::to_string(kMaxLine) + " bytes; this one has " +
                    std::to_string(line.size),
                where);
  }
  return {};
}

Result<std::string> LineFile::Read(std::size_t index) const {
  const Line& line = lines_[index];
  std::string text(line.size - 1, '\0');
  const Result<std::size_t> got = ReadAt(descriptor_, line.offset, text.data(), text.size(), path_);
  if (!got) return Fail(got.error());
  text.resize(*got);
  return text;
}

Result<void> LineFile::Append(std::uint64_t game, std::string_view text) {
  if (text.empty()) return {};
  errno = WriteAll(descriptor_, text);
  if (errno != 0) return Fail(FileError("write", path_));
  while (!text.empty()) {
    const std::size_t size = text.find('\n') + 1;
    lines_.push_back({game, end_, size});
    end_ += size;
    text.remove_prefix(size);
  }
  return {};
}

Result<void> LineFile::Tidy(const std::function<bool(std::uint64_t game)>& keep) {
  std::vector<Line> kept;
  std::ranges::copy_if(lines_, std::back_inserter(kept), [&](const Line& line) { return keep(line.game); });
  if (kept.size() == lines_.size() && std::ranges::is_sorted(kept, {}, &Line::game)) return {};
  std::ranges::stable_sort(kept, {}, &Line::game);
  const std::string unfinished = path_ + ".unfinished";
  const Result<int> descriptor = OpenRegularFile(unfinished, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW);
  if (!descriptor) return Fail(descriptor.error());
  LineFile next(path_, *descriptor);
  Result<void> copied = CopyTo(kept, next, unfinished);
  if (copied && rename(unfinished.c_str(), path_.c_str()) != 0) copied = Fail(FileError("write", path_));
  if (!copied) {
    unlink(unfinished.c_str());
    return copied;
  }
  *this = std::move(next);
  return {};
}

Result<void> LineFile::CopyTo(const std::vector<Line>& kept, LineFile& next, const std::string& unfinished) const {
  std::string buffer;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Line& line = kept[i];
    const std::size_t begin = buffer.size();
    buffer.resize(begin + line.size);
    const Result<std::size_t> got = ReadAt(descriptor_, line.offset, buffer.data() + begin, line.size, path_);
    if (!got) return Fail(got.error());
    next.lines_.push_back({line.game, next.end_, line.size});
    next.end_ += line.size;
    if (buffer.size() < kChunk && i + 1 < kept.size()) continue;
    errno = WriteAll(next.descriptor_, buffer);
    if (errno != 0) return Fail(FileError("write", unfinished));
    buffer.clear();
  }
  return next.Sync();
}

Result<void> LineFile::Sync() {
  if (fsync(descriptor_) != 0) return Fail(FileError("write", path_));
  return {};
}

}  // namespace openseat::arena
