// FileLock: the right to write to a file, held by one process (and one holder in it) at a time. The
// operating system releases it when that process ends for any reason.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace openseat::store {

class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();

  // Locks `path`, a file that exists only for this purpose. It is created if missing, contains the owner's process id
  // for people to read, and is not deleted. kConflict if it is locked; kIo if the file cannot be created.
  static Result<FileLock> Acquire(const std::string& path);

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace openseat::store
