// FileLock: the right to write to a file, held by one process (and one holder in it) at a time and given back by the
// operating system when that process ends, however it ends.
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

  // Locks `path`, a file that exists for this only; it is created where missing, holds the owner's process id for
  // people to read, and stays. kConflict where another has it; kIo where the file cannot be made.
  static Result<FileLock> Acquire(const std::string& path);

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace openseat::store
