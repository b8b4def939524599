#include "store/nats_room.h"

#include <algorithm>
#include <string>
#include <utility>

namespace openseat::store {
namespace {

// What events leave to claims and to the registry, of what the account has left.
constexpr std::uint64_t kKept = std::uint64_t{4} << 20;
// After NATS had no room, only those that need not leave a reserve try again within this time.
constexpr Duration kYieldFor = std::chrono::seconds(30);

// What an append has at least where there is room.
constexpr std::uint64_t kUsual = std::uint64_t{4} << 10;

// After more requests than this without an answer, though NATS tells the sizes of streams, nothing is known of the
// account's limit: this user may not ask any more.
constexpr std::size_t kMostUnanswered = 30;

std::string Full() {
  return std::string("NATS ") + kHasNoRoom;
}

}  // namespace

Result<void> NatsRoom::Take(std::uint64_t bytes, const AppendTerms& terms, Instant now) {
  const bool yields = terms.expendable || terms.of_stranger;
  const std::lock_guard lock(mutex_);
  Result<void> room = CheckRoom(room_, Use(), bytes, terms);
  if (room && yields && WasFull(now, kYieldFor)) {
    room = Fail(ErrorCode::kIo, Full() + "; once it has room again, that is reserved for " + ReservedFor(terms));
  }
  if (room) taken_ += bytes;
  if (!room && yields) ++refused_;
  return room;
}

void NatsRoom::Stored(std::size_t stream, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  taken_ -= bytes;
  streams_[stream].Add(bytes);
  left_.Add(bytes);
}

void NatsRoom::Drop(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  taken_ -= bytes;
}

Result<void> NatsRoom::Check(Instant now) const {
  const std::lock_guard lock(mutex_);
  if (WasFull(now, kFullFor)) return Fail(ErrorCode::kIo, Full());
  return CheckRoom(room_, Use(), kUsual, {});
}

void NatsRoom::AskedForStream(std::size_t stream) {
  const std::lock_guard lock(mutex_);
  streams_[stream].since_asked = 0;
}

void NatsRoom::OnStream(std::size_t stream, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  streams_[stream].Set(bytes);
  heard_ = true;
}

void NatsRoom::OnTold(std::size_t stream, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Measured& known = streams_[stream];
  if (bytes > known.now()) known.size = bytes - known.since;
}

std::uint64_t NatsRoom::SizeOf(std::size_t stream) const {
  const std::lock_guard lock(mutex_);
  return streams_[stream].now();
}

void NatsRoom::AskedForAccount() {
  const std::lock_guard lock(mutex_);
  left_.since_asked = 0;
  if (std::exchange(heard_, false) && ++unanswered_ > kMostUnanswered) left_ = {.size = kNoLimit};
}

void NatsRoom::OnAccount(std::uint64_t left) {
  const std::lock_guard lock(mutex_);
  unanswered_ = 0;
  left_.Set(left);
}

bool NatsRoom::bounded() const {
  const std::lock_guard lock(mutex_);
  return room_.max_bytes != 0 || left_.size != kNoLimit;
}

void NatsRoom::OnFull(Instant now) {
  const std::lock_guard lock(mutex_);
  full_ = now;
}

bool NatsRoom::IsFull(Instant now) const {
  const std::lock_guard lock(mutex_);
  return WasFull(now, kFullFor);
}

std::uint64_t NatsRoom::used() const {
  const std::lock_guard lock(mutex_);
  return Use().used;
}

std::uint64_t NatsRoom::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

JournalUse NatsRoom::Use() const {
  JournalUse use;
  use.used = taken_;
  for (const Measured& stream : streams_) use.used += stream.now();
  if (left_.size != kNoLimit) use.left = left_.size - std::min(left_.size, left_.since + taken_);
  use.kept = kKept;
  use.outside = "NATS";
  return use;
}

bool NatsRoom::WasFull(Instant now, Duration within) const {
  return full_ && now < *full_ + within;
}

}  // namespace openseat::store
