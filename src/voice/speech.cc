#include "voice/speech.h"

#include <algorithm>
#include <utility>

namespace openseat::voice {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(20);
// Silence, in samples, that ends an utterance: what is said as it comes in arrives unevenly.
constexpr std::uint64_t kPause = kSampleRate / 5;

}  // namespace

Speech::Speech(Scheduler& scheduler, std::function<void(std::string_view)> send, std::function<void(bool)> speaking)
    : scheduler_(scheduler), send_(std::move(send)), tell_(std::move(speaking)) {}

bool Speech::Say(std::string_view samples, std::size_t most) {
  samples = samples.substr(0, samples.size() / kBytesPerSample * kBytesPerSample);
  if (samples.empty()) return true;
  if (queued() + samples.size() > most) return false;
  const bool dry = queued() == 0;
  queue_ += samples;
  if (dry) {
    begun_ = std::max(begun_, scheduler_.clock().Monotonic());
    sent_ = 0;
  }
  if (speaking_) return true;
  speaking_ = true;
  tell_(true);
  Tick();
  return true;
}

// Sends what is due by now, so that a late timer does not make the voice slower.
void Speech::Tick() {
  const Duration elapsed = std::max(scheduler_.clock().Monotonic() - begun_, Duration(0));
  const std::uint64_t due = static_cast<std::uint64_t>(elapsed.count()) * kSampleRate / 1'000'000;
  while (sent_ <= due && queued() > 0) {
    const std::string_view chunk = std::string_view(queue_).substr(at_, kChunk);
    send_(chunk);
    at_ += chunk.size();
    sent_ += chunk.size() / kBytesPerSample;
  }
  if (at_ > queue_.size() / 2) queue_.erase(0, std::exchange(at_, 0));
  if (queued() == 0 && sent_ + kPause <= due) {
    speaking_ = false;
    tell_(false);
    return;
  }
  timer_.Set(scheduler_, kTick, [this] { Tick(); });
}

bool Speech::Cancel() {
  queue_.clear();
  at_ = 0;
  timer_.Cancel();
  return std::exchange(speaking_, false);
}

}  // namespace openseat::voice
