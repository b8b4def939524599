// The mark: a small file next to the journal that records what was acknowledged, so that the next start notices if the
// database lost some of it. docs/formats/journal.md describes it. Internal to this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace openseat::store {

struct JournalMark {
  std::uint64_t last_chunk = 0;  // the highest id of a chunk whose commit was synced
  Time at{};                     // when that happened

  bool operator==(const JournalMark&) const = default;
};

// The file's contents; nullopt if there is no file. kParse if it is not a mark, kIo if it cannot be read.
Result<std::optional<JournalMark>> ReadMark(const std::string& path);

// The writing end. One thread.
class MarkFile {
 public:
  // Creates the file, mode 0600, if it does not exist, with an empty claim. kIo if it cannot be written.
  static Result<MarkFile> Open(const std::string& path);
  MarkFile(MarkFile&& other) noexcept;
  MarkFile& operator=(MarkFile&&) = delete;
  ~MarkFile();

  // Writes in place once, without a sync: it survives a killed process; after a power cut, it may be an older mark,
  // which claims less. Call only when what it claims is synced.
  void Write(const JournalMark& mark);

 private:
  explicit MarkFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  bool warned_ = false;
};

}  // namespace openseat::store
