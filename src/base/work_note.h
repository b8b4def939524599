// WorkNote: for which table a thread is working now, so that whatever notices that the thread took too long can name
// the table (net/shard.h). A note stays until the next one, or until the loop looks at the clock; noting costs a few
// nanoseconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace openseat {

class WorkNote {
 public:
  // The id of the table that this thread works for. Copied, up to 63 bytes.
  static void Set(std::string_view table) {
    const std::size_t size = std::min(table.size(), sizeof text_);
    several_ = several_ || (size_ != 0 && (size != size_ || std::memcmp(text_, table.data(), size) != 0));
    size_ = size;
    std::memcpy(text_, table.data(), size_);
  }
  static void Clear() {
    size_ = 0;
    several_ = false;
  }
  // The table noted since Clear: "" if none was noted, or if the notes name several tables. Valid until the next note.
  static std::string_view Get() { return several_ ? std::string_view() : std::string_view(text_, size_); }

 private:
  // NOLINTBEGIN(readability-identifier-naming): members, though of the thread
  static inline constinit thread_local char text_[63] = {};
  static inline constinit thread_local std::size_t size_ = 0;
  static inline constinit thread_local bool several_ = false;
  // NOLINTEND(readability-identifier-naming)
};

}  // namespace openseat
