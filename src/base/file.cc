#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.h"

namespace openseat {

Error FileError(std::string_view what, const std::string& path) {
  const std::string why =
      errno == ELOOP ? "it is a symbolic link, or leads in a circle; name the file itself" : SystemMessage(errno);
  return {ErrorCode::kIo, "cannot " + std::string(what) + " " + path + ": " + why, path};
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
  const int descriptor = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, how.mode);
  if (descriptor < 0) return Fail(FileError("create", unfinished));
  errno = WriteAll(descriptor, text);
  const bool written = errno == 0 && (!how.synced || fsync(descriptor) == 0);
  Result<void> result;
  if (!written) result = Fail(FileError("write", unfinished));
  close(descriptor);
  if (written && rename(unfinished.c_str(), path.c_str()) != 0) result = Fail(FileError("write", path));
  if (!result) unlink(unfinished.c_str());
  return result;
}

}  // namespace openseat
