// WAV: 48 kHz, mono, 32-bit floats. Writing keeps the header true from time to time, so a file whose writer was killed
// can be played. Blocking: for a worker's thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace openseat::voice {

class WavFile {
 public:
  // Creates the file, mode 0600; it must not exist. Errors: kIo.
  static Result<WavFile> Create(const std::string& path);
  WavFile(WavFile&& other) noexcept;
  WavFile& operator=(WavFile&&) = delete;
  ~WavFile();

  // Writes samples right behind the last ones; or, if `sample` of the recording is 200 ms later than that or more,
  // there: that is a pause, not the jitter of a network. What lies between is silence, which takes no space on the
  // disk. Errors: kIo; kTooLarge beyond 4 GiB.
  Result<void> Write(std::uint64_t sample, std::string_view samples);
  // The sample behind the last one.
  std::uint64_t end() const { return end_; }

 private:
  WavFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  Result<void> WriteHeader();

  int descriptor_;
  std::string path_;
  std::uint64_t end_ = 0;
  std::uint64_t header_says_ = 0;
};

// Reads a file to play: 48 kHz, mono or stereo, 16-bit or float; returns mono samples, a minute at most. Errors: kIo,
// kInvalid with what the file has instead.
Result<std::vector<float>> ReadWav(const std::string& path);
// The same for the file's bytes; `path` is for the error.
Result<std::vector<float>> ParseWav(std::string_view bytes, const std::string& path);

}  // namespace openseat::voice
