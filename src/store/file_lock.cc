#include "store/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace openseat::store {

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<FileLock> FileLock::Acquire(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(FileError("open the lock file", path));
  FileLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return Fail(ErrorCode::kIo, "cannot lock \"" + path + "\": " + SystemMessage(errno), path);
    }
    char text[24];
    const ssize_t read = pread(descriptor, text, sizeof(text), 0);
    std::string_view owner(text, read > 0 ? static_cast<std::size_t>(read) : 0);
    owner = owner.substr(0, owner.find('\n'));
    return Fail(ErrorCode::kConflict,
                "\"" + path + "\" is locked by another openseat" +
                    (owner.empty() ? std::string() : " (process " + std::string(owner) + ")") +
                    "; only one may write at a time",
                path);
  }
  const std::string owner = std::to_string(getpid()) + "\n";
  // Only for people: the lock works without the number.
  if (ftruncate(descriptor, 0) == 0) static_cast<void>(!pwrite(descriptor, owner.data(), owner.size(), 0));
  return lock;
}

}  // namespace openseat::store
