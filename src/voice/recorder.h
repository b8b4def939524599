// Recorder: one socket's audio as WAV files, one for each speaker and one for the character. All begin at the same
// moment, so they can be laid over each other.
//
// Add is called on one thread; the files are written on the worker's.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "base/worker.h"
#include "voice/recording_room.h"
#include "voice/wav.h"

namespace openseat::voice {

// Times real time: audio that comes faster, over a few seconds, is too fast.
inline constexpr double kFastest = 1.5;

class Recorder {
 public:
  // `dir` is created if it is missing. At most `max_bytes` of audio are written. `worker` outlives it; `room` does, and
  // is used on the worker's thread. `payer`: of the address whose audio it is; null: nobody's.
  Recorder(std::string dir, std::uint64_t max_bytes, RecordingRoom& room, Worker& worker, std::shared_ptr<Payer> payer);
  // What is left is still written.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // `track`: "12-Alice", the file's name without the ending. `sample`: of the recording, now. Errors say why these
  // samples are not recorded: a limit is reached, they come too fast, or the disk is too slow, or full.
  Result<void> Add(const std::string& track, std::uint64_t sample, std::string_view samples);
  const std::string& dir() const { return dir_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Files;  // the worker's
  // kTooLarge or kBusy, counted as a refusal of `allowed`.
  tl::unexpected<Error> Refuse(ErrorCode code, std::uint64_t allowed, std::string why) const;

  const std::string dir_;
  const std::uint64_t max_bytes_;
  Worker& worker_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, std::uint64_t> tracks_;  // how many samples each has
  std::shared_ptr<Files> files_;
};

// "Alice & Bob" -> "Alice_Bob": letters, digits, "-" and "_", at most 40 characters; "speaker" if nothing is left.
std::string FileNameOf(std::string_view name);

}  // namespace openseat::voice
