#include "voice/recording_room.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/file.h"

namespace openseat::voice {
namespace {

// A full folder is measured again only now and then: somebody may have deleted recordings.
constexpr Duration kMeasureEvery = std::chrono::seconds(60);
constexpr std::uint64_t kBlock = 512;  // of st_blocks, on Linux

}  // namespace

void RecordingRoom::Measure() {
  measured_ = SystemClock().Monotonic();
  used_ = 0;
  std::error_code error;
  auto entry = std::filesystem::recursive_directory_iterator(dir_, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    struct stat found;
    if (lstat(entry->path().c_str(), &found) == 0) used_ += static_cast<std::uint64_t>(found.st_blocks) * kBlock;
  }
}

Result<void> RecordingRoom::Take(std::uint64_t bytes, const Payer* payer) {
  const auto fits = [&] { return max_bytes_ == 0 || used_ + bytes <= max_bytes_; };
  if (!measured_ || (!fits() && SystemClock().Monotonic() - *measured_ >= kMeasureEvery)) Measure();
  if (!fits()) {
    static_cast<void>(RefuseFor(payer, Limit::kRecordedVoice, max_bytes_));
    return Fail(ErrorCode::kTooLarge,
                "the recordings have reached their limit of " + std::to_string(max_bytes_) +
                    " bytes ([voice] max_recorded_bytes)",
                dir_);
  }
  std::error_code error;
  const std::filesystem::space_info disk = std::filesystem::space(dir_, error);
  const std::uint64_t reserve = DiskReserve(reserve_bytes_, disk.capacity);
  if (!error && disk.available < reserve + bytes) {
    static_cast<void>(RefuseFor(payer, Limit::kJournalRoom, reserve));
    return Fail(ErrorCode::kTooLarge,
                "the disk is nearly full; the last " + std::to_string(reserve) +
                    " bytes ([journal] reserve_bytes) are not for recordings",
                dir_);
  }
  used_ += bytes;
  return {};
}

}  // namespace openseat::voice
