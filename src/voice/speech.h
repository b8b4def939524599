// Speech: what the character says on one socket, sent as fast as it is heard: chunks of 20 ms.
//
// One thread: its scheduler's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/scheduler.h"
#include "voice/wire.h"

namespace openseat::voice {

class Speech {
 public:
  static constexpr std::size_t kChunk = 960 * kBytesPerSample;
  static constexpr std::size_t kMostQueued = std::size_t{60} * kSampleRate * kBytesPerSample;

  // `send` gets each chunk; `speaking` is told true before the first and false after the last one of an utterance.
  Speech(Scheduler& scheduler, std::function<void(std::string_view)> send, std::function<void(bool)> speaking);

  // Says these samples after those before. False, and nothing is said, if more than `most` bytes would wait.
  bool Say(std::string_view samples, std::size_t most = kMostQueued);
  // Forgets what is not said yet. Returns whether something was being said.
  bool Cancel();
  bool speaking() const { return speaking_; }
  std::size_t queued() const { return queue_.size() - at_; }

 private:
  void Tick();

  Scheduler& scheduler_;
  const std::function<void(std::string_view)> send_;
  const std::function<void(bool)> tell_;
  std::string queue_;
  std::size_t at_ = 0;  // in queue_
  bool speaking_ = false;
  Instant begun_;           // of the utterance
  std::uint64_t sent_ = 0;  // samples of it
  ScopedTimer timer_;
};

}  // namespace openseat::voice
