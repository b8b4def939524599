#include "store/mark.h"

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

namespace openseat::store {
namespace {

constexpr std::size_t kMarkBytes = 80;

using MarkText = std::array<char, kMarkBytes>;

std::uint32_t MarkChecksum(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

MarkText Render(const MarkedFormat& kind, const Mark& mark) {
  MarkText text;
  text.fill(' ');
  char* end = fmt::format_to(text.data(), "{} {:020} {:020} ", kind.header, mark.last,
                             static_cast<std::uint64_t>(mark.at.time_since_epoch().count()));
  fmt::format_to(end, "{:08x}", MarkChecksum({text.data(), static_cast<std::size_t>(end - text.data())}));
  text.back() = '\n';
  return text;
}

std::optional<Mark> Parse(const MarkedFormat& kind, std::string_view text) {
  Mark mark;
  std::uint64_t micros = 0;
  if (text.size() != kMarkBytes || !text.starts_with(kind.header)) return std::nullopt;
  const char* at = text.data() + kind.header.size() + 1;
  if (std::from_chars(at, at + 20, mark.last).ptr != at + 20) return std::nullopt;
  if (std::from_chars(at + 21, at + 41, micros).ptr != at + 41) return std::nullopt;
  mark.at = Time(Duration(static_cast<Duration::rep>(micros)));
  const MarkText again = Render(kind, mark);
  if (text != std::string_view(again.data(), again.size())) return std::nullopt;
  return mark;
}

}  // namespace

Result<std::optional<Mark>> ReadMark(const MarkedFormat& kind, const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return std::optional<Mark>();
    return Fail(ErrorCode::kIo, "cannot read \"" + path + "\": " + SystemMessage(errno), path);
  }
  std::array<char, kMarkBytes + 1> text;
  const ssize_t bytes = read(descriptor, text.data(), text.size());
  close(descriptor);
  if (bytes < 0) return Fail(ErrorCode::kIo, "cannot read \"" + path + "\": " + SystemMessage(errno), path);
  const std::optional<Mark> mark = Parse(kind, {text.data(), static_cast<std::size_t>(bytes)});
  if (!mark) return Fail(ErrorCode::kParse, "\"" + path + "\" is damaged", path);
  return mark;
}

Result<void> CheckMark(const MarkedFormat& kind, const std::string& path, const std::string& mark_path) {
  const std::string name(kind.format->name);
  // Before the database: others may commit meanwhile.
  const Result<std::optional<Mark>> mark = ReadMark(kind, mark_path);
  if (!mark && mark.error().code == ErrorCode::kParse) {
    log::Warn("{}: {}, so lost data cannot be detected", name, mark.error().message);
    return {};
  }
  if (!mark) return Fail(mark.error());
  if (!*mark || (*mark)->last == 0) return {};
  const auto lost = [&](const std::string& what) {
    return Fail(ErrorCode::kParse,
                "the " + name + " \"" + path + "\" " + what + ", but by " + FormatIso8601((*mark)->at) + " " +
                    std::string(kind.counted) + " up to number " + std::to_string((*mark)->last) +
                    " had been acknowledged (\"" + mark_path +
                    "\"). The files were not changed. `openseat journal verify` checks them. Replace them with a "
                    "backup, or, to continue with what is there, delete \"" +
                    mark_path + "\"",
                path);
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return lost("is gone");
    return Fail(ErrorCode::kIo, "cannot open the " + name + " \"" + path + "\": " + SystemMessage(errno), path);
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0) return lost("is empty");
  Result<Database> database = OpenForReading(*kind.format, path);
  if (!database) {
    const ErrorCode code = database.error().code;
    if (code != ErrorCode::kInvalid && code != ErrorCode::kParse) return Fail(database.error());
    return lost("cannot be read (" + database.error().message + ")");
  }
  database->KeepLogOnClose(true);
  const Result<std::uint64_t> highest = kind.count(*database);
  if (!highest) return OpenFailure(*kind.format, path, highest.error());
  if (*highest >= (*mark)->last) return {};
  return lost("has " + std::to_string(*highest) + " " + std::string(kind.counted));
}

Result<MarkFile> MarkFile::Open(const MarkedFormat& kind, const std::string& path, const std::string& database) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(FileError("open", path));
  MarkFile file(kind, descriptor);
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_size != kMarkBytes) {
    // New, or not a mark: unchanged, it would look like a damaged one.
    struct stat owner;
    const bool foreign = stat(database.c_str(), &owner) == 0 && owner.st_uid != status.st_uid;
    if (foreign && fchown(descriptor, owner.st_uid, owner.st_gid) != 0) {
      log::Warn("{}: \"{}\" belongs to another user than the database", kind.format->name, path);
    }
    if (ftruncate(descriptor, 0) == 0) file.Write({});
  }
  return file;
}

MarkFile::MarkFile(MarkFile&& other) noexcept
    : kind_(other.kind_), descriptor_(std::exchange(other.descriptor_, -1)), warned_(other.warned_) {}

MarkFile::~MarkFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void MarkFile::Write(const Mark& mark) {
  const MarkText text = Render(*kind_, mark);
  if (pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) || warned_) return;
  warned_ = true;
  log::Warn("{}: cannot write the mark of what was acknowledged: {}", kind_->format->name, SystemMessage(errno));
}

}  // namespace openseat::store
