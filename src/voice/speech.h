// Speech: what the character says on one socket, sent as fast as it is heard: chunks of 20 ms.
//
// One thread: its scheduler's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/waiting.h"
#include "voice/wire.h"

namespace openseat::voice {

class Speech {
 public:
  static constexpr std::size_t kChunk = 960 * kBytesPerSample;
  static constexpr std::size_t kMostQueued = std::size_t{60} * kSampleRate * kBytesPerSample;

  // `send` gets each chunk; `speaking` is told true before the first and false after the last one of an utterance.
  // `payer`: for whose address what is not said yet counts ([limits] max_waiting_bytes_per_address); null: for none.
  Speech(Scheduler& scheduler, std::function<void(std::string_view)> send, std::function<void(bool)> speaking,
         std::shared_ptr<Payer> payer = nullptr);

  // Says these samples after those before. Errors, and then nothing is said: kBusy, more than `most` bytes would wait,
  // or the payer refuses them.
  Result<void> Say(std::string_view samples, std::size_t most = kMostQueued);
  // Forgets what is not said yet. Returns whether something was being said.
  bool Cancel();
  bool speaking() const { return speaking_; }
  // Bytes that are not said yet.
  std::size_t queued() const { return queued_; }

 private:
  // Room in the queue for so many bytes more, counted for the payer.
  Result<void> MakeRoom(std::size_t bytes);
  // The next one, out of the queue. REQUIRES that there is one.
  std::string TakeChunk();
  void Tick();

  Scheduler& scheduler_;
  const std::function<void(std::string_view)> send_;
  const std::function<void(bool)> tell_;
  const std::shared_ptr<Payer> payer_;
  std::list<std::string> queue_;  // chunks, of which only the last may be short; no memory while it is empty
  std::size_t queued_ = 0;
  // Each chunk as a whole one. Its own limit is Say's `most`; what remains is that of the payer's address.
  WaitingCount count_{
      {.items = std::numeric_limits<std::size_t>::max(), .bytes = std::numeric_limits<std::size_t>::max()}, payer_};
  bool speaking_ = false;
  Instant begun_;           // of the utterance
  std::uint64_t sent_ = 0;  // samples of it
  ScopedTimer timer_;
};

}  // namespace openseat::voice
