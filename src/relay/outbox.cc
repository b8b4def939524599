#include "relay/outbox.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace openseat::relay {
namespace {

// More is not given to a socket at a time: what a slow peer has not read stays here, where its limits are.
constexpr std::size_t kWindow = 2u << 20;
constexpr std::string_view kPingPrefix = "relay-";
constexpr std::uint64_t kPingEvery = 64;  // messages

}  // namespace

Outbox::Outbox(const WaitingLimits& limits, std::shared_ptr<Payer> payer, std::function<void(const FramePtr&)> sent,
               std::function<void(const FramePtr&)> read)
    : on_sent_(std::move(sent)), on_read_(std::move(read)), count_(limits, std::move(payer)) {}

bool Outbox::Push(FramePtr frame) {
  while (!count_.Add(frame->bytes)) {
    if (sent_ == 0) return false;
    PopRead();  // a peer that never answers pings: what it was sent counts as read at last
  }
  frames_.push_back(std::move(frame));
  SendMore();
  return true;
}

bool Outbox::DropOldestContext() {
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(reported_);
  const auto found = std::find_if(begin, frames_.end(), [](const FramePtr& frame) { return IsOnlyContext(*frame); });
  if (found == frames_.end()) return false;
  count_.Remove((*found)->bytes);
  frames_.erase(found);
  return true;
}

std::size_t Outbox::Clear() {
  const std::size_t never_sent = frames_.size() - reported_;
  first_ += frames_.size();
  for (const FramePtr& frame : frames_) count_.Remove(frame->bytes);
  frames_.clear();
  sent_ = reported_ = 0;
  pinged_ = answered_ = first_;
  return never_sent;
}

void Outbox::Connect(std::shared_ptr<net::WebSocket> socket, const std::vector<FramePtr>& before,
                     const std::vector<FramePtr>& after) {
  socket_ = std::move(socket);
  sent_ = 0;
  pinged_ = answered_ = first_;
  for (const FramePtr& frame : before) Send(*frame);
  SendMore();
  for (const FramePtr& frame : after) Send(*frame);
}

void Outbox::Disconnect() {
  socket_.reset();
  sent_ = 0;
}

void Outbox::Send(const Frame& frame) {
  if (frame.binary) {
    socket_->SendBinary(frame.text);
  } else {
    socket_->SendText(frame.text);
  }
}

void Outbox::SendMore() {
  if (!socket_) return;
  while (sent_ < frames_.size() && socket_->unsent() < kWindow) {
    const FramePtr frame = frames_[sent_];
    Send(*frame);
    ++sent_;
    // Also within a burst: a peer that always leaves before its end would otherwise be told the same again and again.
    if (first_ + sent_ >= pinged_ + kPingEvery) Ping();
    if (sent_ <= reported_) continue;
    ++reported_;
    on_sent_(frame);
  }
  // The end of a burst: the next ping goes out when the answer is here.
  if (first_ + sent_ > pinged_ && answered_ == pinged_) Ping();
}

void Outbox::Ping() {
  pinged_ = first_ + sent_;
  socket_->Ping(std::string(kPingPrefix) + std::to_string(pinged_));
}

void Outbox::PopRead() {
  const FramePtr frame = std::move(frames_.front());
  frames_.pop_front();
  count_.Remove(frame->bytes);
  ++first_;
  if (sent_ > 0) --sent_;
  if (reported_ > 0) --reported_;
  on_read_(frame);
}

void Outbox::OnPong(std::string_view payload) {
  if (!payload.starts_with(kPingPrefix)) return;
  payload.remove_prefix(kPingPrefix.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(payload.data(), payload.data() + payload.size(), number);
  if (read.ptr != payload.data() + payload.size() || number <= answered_ || number > pinged_) return;
  answered_ = number;
  while (first_ < number && sent_ > 0) PopRead();
  SendMore();
}

}  // namespace openseat::relay
