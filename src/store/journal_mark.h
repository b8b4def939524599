// The mark: a small file beside the journal that says what was acknowledged, so that a start notices when the database
// has lost some of it. docs/formats/journal.md describes it. For the files of this module only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace openseat::store {

struct JournalMark {
  std::uint64_t last_chunk = 0;  // the highest id of a chunk whose commit was synced
  Time at{};                     // when that was

  bool operator==(const JournalMark&) const = default;
};

// What the file says; nothing where there is none. kParse where it is no mark, kIo where it cannot be read.
Result<std::optional<JournalMark>> ReadMark(const std::string& path);

// The writing end. One thread.
class MarkFile {
 public:
  // Creates the file, mode 0600, where there is none; it claims nothing then. kIo where it cannot be written.
  static Result<MarkFile> Open(const std::string& path);
  MarkFile(MarkFile&& other) noexcept;
  MarkFile& operator=(MarkFile&&) = delete;
  ~MarkFile();

  // One write in place, not synced: a process that is killed leaves it, and after a power cut it may be an older one,
  // which claims less. Call it only once what it claims is synced.
  void Write(const JournalMark& mark);

 private:
  explicit MarkFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  bool warned_ = false;
};

}  // namespace openseat::store
