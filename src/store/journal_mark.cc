#include "store/journal_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

using MarkText = std::array<char, kMarkBytes>;

std::uint32_t MarkChecksum(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

MarkText Render(const JournalMark& mark) {
  MarkText text;
  text.fill(' ');
  char* end = fmt::format_to(text.data(), "{} {:020} {:020} ", kMarkHeader, mark.last_chunk,
                             static_cast<std::uint64_t>(mark.at.time_since_epoch().count()));
  fmt::format_to(end, "{:08x}", MarkChecksum({text.data(), static_cast<std::size_t>(end - text.data())}));
  text.back() = '\n';
  return text;
}

std::optional<JournalMark> Parse(std::string_view text) {
  JournalMark mark;
  std::uint64_t micros = 0;
  if (text.size() != kMarkBytes || !text.starts_with(kMarkHeader)) return std::nullopt;
  const char* at = text.data() + kMarkHeader.size() + 1;
  if (std::from_chars(at, at + 20, mark.last_chunk).ptr != at + 20) return std::nullopt;
  if (std::from_chars(at + 21, at + 41, micros).ptr != at + 41) return std::nullopt;
  mark.at = Time(Duration(static_cast<Duration::rep>(micros)));
  const MarkText again = Render(mark);
  if (text != std::string_view(again.data(), again.size())) return std::nullopt;
  return mark;
}

}  // namespace

Result<std::optional<JournalMark>> ReadMark(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return std::optional<JournalMark>();
    return Fail(ErrorCode::kIo, "cannot read \"" + path + "\": " + SystemMessage(errno), path);
  }
  std::array<char, kMarkBytes + 1> text;
  const ssize_t bytes = read(descriptor, text.data(), text.size());
  close(descriptor);
  if (bytes < 0) return Fail(ErrorCode::kIo, "cannot read \"" + path + "\": " + SystemMessage(errno), path);
  const std::optional<JournalMark> mark = Parse({text.data(), static_cast<std::size_t>(bytes)});
  if (!mark) return Fail(ErrorCode::kParse, "\"" + path + "\" is damaged", path);
  return mark;
}

Result<MarkFile> MarkFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(FileError("open", path));
  MarkFile file(descriptor);
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_size != kMarkBytes) {
    // New, or not a mark: unchanged, it would look like a damaged one.
    if (ftruncate(descriptor, 0) == 0) file.Write({});
  }
  return file;
}

MarkFile::MarkFile(MarkFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), warned_(other.warned_) {}

MarkFile::~MarkFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void MarkFile::Write(const JournalMark& mark) {
  const MarkText text = Render(mark);
  if (pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) || warned_) return;
  warned_ = true;
  log::Warn("journal: cannot write the mark of acknowledged events: {}", SystemMessage(errno));
}

}  // namespace openseat::store
