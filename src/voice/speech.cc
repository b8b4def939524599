#include "voice/speech.h"

#include <algorithm>
#include <string>
#include <utility>

namespace openseat::voice {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(20);
// Silence, in samples, that ends an utterance: what is said as it comes in arrives unevenly.
constexpr std::uint64_t kPause = kSampleRate / 5;
constexpr std::size_t kSecond = kSampleRate * kBytesPerSample;

}  // namespace

Speech::Speech(Scheduler& scheduler, std::function<void(std::string_view)> send, std::function<void(bool)> speaking,
               std::shared_ptr<Payer> payer)
    : scheduler_(scheduler), send_(std::move(send)), tell_(std::move(speaking)), payer_(std::move(payer)) {}

Result<void> Speech::Say(std::string_view samples, std::size_t most) {
  samples = samples.substr(0, samples.size() / kBytesPerSample * kBytesPerSample);
  if (samples.empty()) return {};
  if (queued_ + samples.size() > most) {
    return Fail(RefuseFor(payer_.get(), Limit::kSpeech, most / kSecond).ToError());
  }
  if (Result<void> room = MakeRoom(samples.size()); !room) return room;
  const bool dry = queued_ == 0;
  queued_ += samples.size();
  while (!samples.empty()) {
    if (queue_.empty() || queue_.back().size() == kChunk) queue_.emplace_back().reserve(kChunk);
    const std::string_view piece = samples.substr(0, kChunk - queue_.back().size());
    queue_.back() += piece;
    samples.remove_prefix(piece.size());
  }
  if (dry) {
    begun_ = std::max(begun_, scheduler_.clock().Monotonic());
    sent_ = 0;
  }
  if (speaking_) return {};
  speaking_ = true;
  tell_(true);
  Tick();
  return {};
}

Result<void> Speech::MakeRoom(std::size_t bytes) {
  const std::size_t left = queue_.empty() ? 0 : kChunk - queue_.back().size();
  const std::size_t chunks = bytes <= left ? 0 : (bytes - left + kChunk - 1) / kChunk;
  std::size_t added = 0;
  while (added < chunks && count_.Add(kChunk)) ++added;
  if (added == chunks) return {};
  Error refused = count_.Refuse(payer_.get()).ToError();
  for (; added > 0; --added) count_.Remove(kChunk);
  return Fail(std::move(refused));
}

std::string Speech::TakeChunk() {
  std::string chunk = std::move(queue_.front());
  queue_.pop_front();
  queued_ -= chunk.size();
  count_.Remove(kChunk);
  return chunk;
}

// Sends what is due by now, so that a late timer does not make the voice slower.
void Speech::Tick() {
  const Duration elapsed = std::max(scheduler_.clock().Monotonic() - begun_, Duration(0));
  const std::uint64_t due = static_cast<std::uint64_t>(elapsed.count()) * kSampleRate / 1'000'000;
  while (sent_ <= due && queued_ > 0) {
    const std::string chunk = TakeChunk();
    send_(chunk);
    sent_ += chunk.size() / kBytesPerSample;
  }
  if (queued_ == 0 && sent_ + kPause <= due) {
    speaking_ = false;
    tell_(false);
    return;
  }
  timer_.Set(scheduler_, kTick, [this] { Tick(); });
}

bool Speech::Cancel() {
  while (queued_ > 0) static_cast<void>(TakeChunk());
  timer_.Cancel();
  return std::exchange(speaking_, false);
}

}  // namespace openseat::voice
