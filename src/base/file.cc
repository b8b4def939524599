#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.h"

namespace openseat {

namespace {

// /dev/null: an empty file.
bool IsNothing(const struct stat& status) {
  struct stat nothing{};
  return S_ISCHR(status.st_mode) && stat("/dev/null", &nothing) == 0 && status.st_rdev == nothing.st_rdev;
}

}  // namespace

Error FileError(std::string_view what, const std::string& path) {
  const std::string why =
      errno == ELOOP ? "it is a symbolic link, or leads in a circle; name the file itself" : SystemMessage(errno);
  return {ErrorCode::kIo, "cannot " + std::string(what) + " " + path + ": " + why, path};
}

Result<int> OpenRegularFile(const std::string& path, int flags, Pipes pipes, unsigned mode) {
  const bool reads = (flags & O_ACCMODE) == O_RDONLY;
  // Without O_NONBLOCK, opening a pipe waits for its other end. For a file it means nothing.
  const int descriptor = open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC, mode);
  if (descriptor < 0) return Fail(FileError(reads ? "read" : "open", path));
  struct stat status{};
  if (fstat(descriptor, &status) == 0) {
    if (S_ISREG(status.st_mode)) return descriptor;
    const bool is_stream = S_ISFIFO(status.st_mode) || IsNothing(status);
    if (pipes == Pipes::kRead && reads && is_stream && fcntl(descriptor, F_SETFL, flags) == 0) {
      return descriptor;
    }
  }
  close(descriptor);
  return Fail(ErrorCode::kIo,
              std::string(reads ? "cannot read " : "cannot open ") + path + ": it is not a regular file", path);
}

int WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

Result<void> ReplaceFile(const std::string& path, std::string_view text, Replacing how) {
  const std::string unfinished = path + ".unfinished";
  // In a stranger's folder it may be a link to a file of ours.
  const Result<int> descriptor =
      OpenRegularFile(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, Pipes::kRefuse, how.mode);
  if (!descriptor) return Fail(descriptor.error());
  errno = WriteAll(*descriptor, text);
  const bool written = errno == 0 && (!how.synced || fsync(*descriptor) == 0);
  Result<void> result;
  if (!written) result = Fail(FileError("write", unfinished));
  close(*descriptor);
  if (written && rename(unfinished.c_str(), path.c_str()) != 0) result = Fail(FileError("write", path));
  if (!result) unlink(unfinished.c_str());
  return result;
}

}  // namespace openseat
