// RecordingRoom: how much all recordings together may still write, so that they fill no disk: the folder has a limit,
// and a part of the disk is left to the journal.
//
// One thread: the worker's that writes them. Blocks on the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::voice {

class RecordingRoom {
 public:
  // `max_bytes`: of everything in `dir`, as it is on the disk; 0: no limit. `reserve_bytes`: of the disk (DiskReserve).
  RecordingRoom(std::string dir, std::uint64_t max_bytes, std::uint64_t reserve_bytes)
      : dir_(std::move(dir)), max_bytes_(max_bytes), reserve_bytes_(reserve_bytes) {}

  // Call it before writing. Errors: kTooLarge, with the limit, for which `payer` (may be null) counts a refusal; then
  // nothing is taken.
  Result<void> Take(std::uint64_t bytes, const Payer* payer);

 private:
  void Measure();

  const std::string dir_;
  const std::uint64_t max_bytes_;
  const std::uint64_t reserve_bytes_;
  std::uint64_t used_ = 0;           // when it was measured, and taken since
  std::optional<Instant> measured_;  // nullopt: never
};

}  // namespace openseat::voice
