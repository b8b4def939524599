#include "net/websocket_connection.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "net/net_metrics.h"

namespace openseat::net {
namespace {

// If the messages in one read take longer than this, less is read at once (if half as long, more),
constexpr auto kReadShare = std::chrono::milliseconds(2);
// but not less than this.
constexpr std::size_t kLeastRead = 2048;
// What is read and discarded behind a message that was refused.
constexpr std::size_t kMaxDiscarded = 256u << 10;
// So much of a message is accepted even where memory is short: its connection was.
constexpr std::size_t kLittleUnfinished = 4u << 10;

std::uint64_t NextId() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

WebSocketConnection::WebSocketConnection(ConnectionRegistry& registry, Transport transport, Setup setup)
    : Connection(registry),
      shard_(registry.shard()),
      transport_(std::move(transport)),
      id_(NextId()),
      peer_(std::move(setup.peer)),
      admission_(std::move(setup.admission)),
      share_(ShareOf(admission_.payer, std::make_shared<LoopShare>())),
      last_heard_(registry.now()),
      max_message_bytes_(setup.max_message_bytes),
      max_outbox_bytes_(setup.max_outbox_bytes),
      client_(setup.client),
      fixed_message_bytes_(setup.fixed_message_bytes || admission_.payer == nullptr),
      raw_text_(setup.raw_text),
      paced_(admission_.payer != nullptr && !Pace::Unlimited(*admission_.payer)) {
  if (NetMetrics* metrics = registry.metrics()) metrics->websockets.Add(1);
}

WebSocketConnection::~WebSocketConnection() = default;

void WebSocketConnection::Start(std::unique_ptr<WebSocketSession> session, std::string greeting, std::string early) {
  session_ = std::move(session);
  out_ = std::move(greeting);
  reading_ = true;
  session_->OnOpen(shared_from_this());
  reading_ = false;
  if (early.empty()) {
    Flush();
    if (state_ != State::kDone) WaitReadable();
    return;
  }
  InTurn([early = std::move(early)](WebSocketConnection& connection) mutable {
    connection.reading_ = true;
    connection.Receive(early);
    connection.reading_ = false;
    connection.Flush();
    if (connection.state_ != State::kDone) connection.WaitReadable();
  });
}

template <typename Do>
void WebSocketConnection::InTurn(Do act) {
  if (!ShardImpl::MustWait(*share_)) {
    const auto self = shared_from_this();
    const ShardImpl::Charge charge(shard_, share_);
    return act(*this);
  }
  deferred_ = true;
  shard_.Defer(share_, [self = shared_from_this(), act = std::move(act)]() mutable {
    self->deferred_ = false;
    if (self->state_ != State::kDone) act(*self);
  });
}

SendStatus WebSocketConnection::Send(Opcode opcode, std::string_view payload) {
  if (state_ != State::kOpen) return SendStatus::kClosed;
  shard_.CheckThread();
  if (!write_waits_ && (TouchedBy(out_, payload.size()) > kMayWait || pending() + payload.size() > max_outbox_bytes_)) {
    // Perhaps it is not a slow reader, only a long turn.
    Write();
  }
  const std::size_t touched = TouchedBy(out_, payload.size());
  if (const std::optional<Limit> beyond = TooMuchWaits(payload.size(), touched)) {
    overflowed_ = *beyond;
    // The session is in the middle of something: it hears of the end at the flush.
    state_ = State::kOverflowed;
    OutboxChanged();
    return SendStatus::kFull;
  }
  Append(opcode, payload);
  if (opcode == Opcode::kText || opcode == Opcode::kBinary) ++sent_messages_;
  if (write_waits_) CountUnread(pending());
  if (Payer* const payer = admission_.payer.get(); payer != nullptr && (write_waits_ || pending() > kMayWait)) {
    payer->AddTouched(write_waits_ ? touched - payload.size() : touched);
  }
  OutboxChanged();
  return SendStatus::kTaken;
}

void WebSocketConnection::Later(Task task) {
  if (ShardImpl::MustWait(*share_)) {
    return shard_.Defer(share_, [self = shared_from_this(), task = std::move(task)]() mutable { task(); });
  }
  shard_.Post([self = shared_from_this(), task = std::move(task)]() mutable {
    const ShardImpl::Charge charge(self->shard_, self->share_);
    task();
  });
}

std::optional<Limit> WebSocketConnection::TooMuchWaits(std::size_t more, std::size_t touched) const {
  const Payer* const payer = admission_.payer.get();
  if (pending() + more > max_outbox_bytes_) {
    if (payer != nullptr) static_cast<void>(payer->Refuse(Limit::kOutboxBytes, max_outbox_bytes_));
    return Limit::kOutboxBytes;
  }
  if ((!write_waits_ && pending() <= kMayWait) || payer == nullptr) return std::nullopt;
  std::optional<Refusal> refused = payer->RefuseForMemory(touched);
  if (!refused && pending() > kMayWait) refused = payer->RefuseForUnread();
  return refused ? std::optional(refused->limit) : std::nullopt;
}

void WebSocketConnection::Append(Opcode opcode, std::string_view payload) {
  if (out_.empty()) out_ = shard_.BorrowBuffer();
  const std::uint32_t mask = client_ ? shard_.NextMask() : 0;
  AppendFrame(out_, opcode, payload, client_ ? &mask : nullptr);
}

void WebSocketConnection::AppendClose(std::uint16_t code, std::string_view reason) {
  const std::uint32_t mask = client_ ? shard_.NextMask() : 0;
  AppendCloseFrame(out_, code, reason, client_ ? &mask : nullptr);
}

void WebSocketConnection::OutboxChanged() {
  if (reading_ || flush_coming_ || (write_waits_ && state_ != State::kOverflowed)) return;
  flush_coming_ = true;
  shard_.FlushLater(shared_from_this());
}

void WebSocketConnection::Close(std::uint16_t code, std::string_view reason) {
  if (state_ != State::kOpen) return;
  shard_.CheckThread();
  AppendClose(IsCloseCodeAllowed(code) || code == close_code::kNone ? code : close_code::kNormal, reason);
  state_ = State::kCloseSent;
  deadline_ = shard_.clock().Monotonic() + registry().times().close_timeout;
  OutboxChanged();
}

void WebSocketConnection::Flush() {
  flush_coming_ = false;
  if (state_ == State::kDone) return;
  if (state_ == State::kOverflowed) {
    if (NetMetrics* metrics = registry().metrics()) metrics->slow_readers.Add();
    TellClosed({.code = close_code::kAbnormal,
                .reason = "the peer reads too slowly: " + std::to_string(pending()) + " bytes were waiting for it (" +
                          std::string(SettingOf(overflowed_)) + ")",
                .cause = Closing::Cause::kDropped});
    return Finish();
  }
  if (write_waits_) return;
  if (NetMetrics* metrics = registry().metrics(); metrics != nullptr && pending() > 0) {
    metrics->messages_out.Add(std::exchange(sent_messages_, 0));
  }
  switch (Write()) {
    case IoStatus::kOk:
      break;
    case IoStatus::kWantWrite:
      CountUnread(pending());
      return WaitWritable();
    case IoStatus::kWantRead:
      return;  // TLS: OnReadable flushes again
    default:
      return OnEnd("the connection broke while something was being sent");
  }
  CountUnread(0);
  if (state_ == State::kDraining) Drain();
}

IoStatus WebSocketConnection::Write() {
  while (pending() > 0) {
    const IoResult result = transport_.Write(out_.data() + sent_, pending());
    if (result.status != IoStatus::kOk) {
      DropSent(out_, sent_);
      return result.status;
    }
    sent_ += result.bytes;
    if (NetMetrics* metrics = registry().metrics()) metrics->bytes_out.Add(result.bytes);
  }
  if (!out_.empty()) shard_.ReturnBuffer(std::exchange(out_, std::string()));
  sent_ = 0;
  return IoStatus::kOk;
}

void WebSocketConnection::WaitReadable() {
  transport_.WaitReadable([self = shared_from_this()](IoError error) {
    const ShardImpl::Turn turn(self->shard_);
    if (error || self->state_ == State::kDone) return;
    self->InTurn([](WebSocketConnection& connection) { connection.OnReadable(); });
  });
}

void WebSocketConnection::WaitEnd() {
  transport_.WaitEnd([self = shared_from_this()](IoError error) {
    const ShardImpl::Turn turn(self->shard_);
    if (!error) self->Finish();
  });
}

void WebSocketConnection::WaitWritable() {
  write_waits_ = true;
  transport_.WaitWritable([self = shared_from_this()](IoError error) {
    const ShardImpl::Turn turn(self->shard_);
    self->write_waits_ = false;
    if (error || self->state_ == State::kDone) return;
    self->Flush();
    if (self->state_ == State::kDone || !std::exchange(self->read_needs_write_, false)) return;
    self->InTurn([](WebSocketConnection& connection) { connection.OnReadable(); });
  });
}

void WebSocketConnection::OnReadable() {
  char* const buffer = shard_.read_buffer();
  const IoResult result = transport_.Read(buffer, read_bytes_);
  switch (result.status) {
    case IoStatus::kOk:
      last_heard_ = registry().now();
      // From the close frame on, this is the deadline of the close handshake, which only its end can cancel.
      if (std::exchange(ping_out_, false) && state_ == State::kOpen) deadline_ = Instant();
      if (deaf_) {
        Discard(result.bytes);
      } else {
        reading_ = true;
        Receive(std::span(buffer, result.bytes));
        reading_ = false;
      }
      break;
    case IoStatus::kWantRead:
      if (!deaf_) static_cast<void>(Affords(0));
      break;
    case IoStatus::kWantWrite:
      read_needs_write_ = true;
      if (!write_waits_) WaitWritable();
      return;
    case IoStatus::kEnd:
      return OnEnd("the connection ended without a close frame");
    case IoStatus::kExcess:
      if (NetMetrics* metrics = registry().metrics()) metrics->tls_excess.Add();
      return OnEnd(transport_.TlsProblem());
    case IoStatus::kError:
      return OnEnd("the connection broke");
  }
  if (pending() > 0 || state_ == State::kOverflowed) Flush();
  if (state_ == State::kDone) return;
  if (stopped_reading_) return WaitEnd();
  WaitReadable();
}

void WebSocketConnection::Receive(std::span<char> bytes) {
  if (!Affords(bytes.size())) return;
  using Clock = std::chrono::steady_clock;
  const bool timed = bytes.size() >= kLeastRead;
  const Clock::time_point begun = timed ? Clock::now() : Clock::time_point();
  Consume(bytes);
  if (timed) ReadLess(bytes.size(), Clock::now() - begun);
}

std::optional<Refusal> WebSocketConnection::Charge(std::size_t bytes) {
  if (!paced_) return std::nullopt;
  const TlsOverhead tls = transport_.TakeOverhead();
  bytes += tls.bytes;
  if (bytes == 0) return std::nullopt;
  return pace_.Take(*admission_.payer, tls.records, bytes, shard_.clock().Monotonic());
}

bool WebSocketConnection::Affords(std::size_t bytes) {
  const std::optional<Refusal> refused = Charge(bytes);
  if (refused) CloseFor(*refused);
  return !refused;
}

void WebSocketConnection::Discard(std::size_t bytes) {
  if (NetMetrics* metrics = registry().metrics()) metrics->bytes_in.Add(bytes);
  discarded_ += bytes;
  stopped_reading_ = Charge(bytes).has_value() || discarded_ > kMaxDiscarded;
}

void WebSocketConnection::ReadLess(std::size_t bytes, std::chrono::steady_clock::duration took) {
  // A TLS record is read in one piece, and is small.
  if (transport_.encrypted()) return;
  if (took > kReadShare) {
    const auto less = static_cast<std::size_t>(static_cast<double>(bytes) *
                                               (kReadShare / std::chrono::duration<double, std::milli>(took)));
    read_bytes_ = static_cast<std::uint32_t>(std::max(kLeastRead, less));
  } else if (bytes == read_bytes_ && took < kReadShare / 2) {
    read_bytes_ = std::min<std::uint32_t>(read_bytes_ * 2, ShardImpl::kReadBufferSize);
  }
}

void WebSocketConnection::Consume(std::span<char> bytes) {
  std::unique_ptr<MessageDecoder> decoder = std::move(decoder_);
  if (decoder == nullptr) {
    decoder = shard_.BorrowDecoder();
    decoder->SetOptions({.masked = !client_, .raw_text = raw_text_, .max_message_bytes = max_message_bytes_});
  }
  decoder->Feed(bytes);
  std::uint64_t messages = 0;
  for (;;) {
    const MessageDecoder::Event event = decoder->Next();
    if (event == MessageDecoder::Event::kNeedMore) break;
    messages += event == MessageDecoder::Event::kText || event == MessageDecoder::Event::kBinary ? 1 : 0;
    if (paced_) {
      if (const auto refused = pace_.Take(*admission_.payer, 1, 0, shard_.clock().Monotonic())) {
        return CloseFor(*refused);
      }
    }
    switch (event) {
      case MessageDecoder::Event::kText:
        if (state_ == State::kOpen) session_->OnText(decoder->payload());
        break;
      case MessageDecoder::Event::kBinary:
        if (state_ == State::kOpen) session_->OnBinary(decoder->payload());
        break;
      case MessageDecoder::Event::kPing:
        Send(Opcode::kPong, decoder->payload());
        break;
      case MessageDecoder::Event::kClose:
        OnClosing({.code = decoder->code(),
                   .reason = std::string(decoder->reason()),
                   .cause = Closing::Cause::kPeer,
                   .unfinished = !decoder->idle()});
        return;
      case MessageDecoder::Event::kError:
        if (decoder->code() == close_code::kTooBig && !fixed_message_bytes_) {
          return CloseFor(admission_.payer->Refuse(Limit::kMessageBytes, max_message_bytes_));
        }
        OnClosing(
            {.code = decoder->code(), .reason = std::string(decoder->reason()), .cause = Closing::Cause::kViolation});
        return;
      case MessageDecoder::Event::kPong:
        if (state_ == State::kOpen) session_->OnPong(decoder->payload());
        break;
      case MessageDecoder::Event::kNeedMore:
        break;
    }
  }
  if (NetMetrics* metrics = registry().metrics()) {
    metrics->messages_in.Add(messages);
    metrics->bytes_in.Add(bytes.size());
  }
  if (decoder->idle()) {
    shard_.ReturnDecoder(std::move(decoder));
    unfinished_since_ = Instant();
    if (unfinished_) unfinished_.Release();
    return;
  }
  decoder_ = std::move(decoder);
  if (const auto refused = CountUnfinished(messages > 0)) CloseFor(*refused);
}

std::size_t WebSocketConnection::held() const {
  const std::size_t waiting = session_ != nullptr ? session_->waiting() : 0;
  return static_cast<std::size_t>(unfinished_.amount()) + unread_ + waiting;
}

std::optional<Refusal> WebSocketConnection::CountUnfinished(bool again) {
  if (again || unfinished_since_ == Instant()) unfinished_since_ = registry().now();
  Payer* const payer = admission_.payer.get();
  const std::size_t held = decoder_->held();
  if (payer == nullptr) return std::nullopt;
  const bool changed = held != unfinished_.amount();
  if (changed) {
    if (auto refused = payer->Adjust(unfinished_, Holding::kUnfinishedBytes, held)) return refused;
  }
  const bool little = held <= kLittleUnfinished;
  if (unfinished_) unfinished_.SetUntouched(little ? 0 : decoder_->untouched());
  return changed && !little ? payer->RefuseForMemory() : std::nullopt;
}

void WebSocketConnection::CountUnread(std::size_t bytes) {
  if (bytes == unread_ || admission_.payer == nullptr) return;
  admission_.payer->AddUnread(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(unread_));
  unread_ = bytes;
}

void WebSocketConnection::CloseFor(const Refusal& refusal) {
  const bool unfinished = decoder_ != nullptr;
  decoder_.reset();
  unfinished_.Release();
  OnClosing({.code = CloseCodeFor(refusal.limit),
             .reason = refusal.Text(),
             .cause = Closing::Cause::kViolation,
             .unfinished = unfinished});
}

void WebSocketConnection::CutForMemory(const std::string& reason) {
  if (write_waits_ || state_ != State::kOpen) return Cut(reason);
  const auto self = shared_from_this();
  const bool unfinished = decoder_ != nullptr;
  decoder_.reset();
  unfinished_.Release();
  OnClosing(
      {.code = close_code::kTryAgain, .reason = reason, .cause = Closing::Cause::kViolation, .unfinished = unfinished});
  Flush();
}

// The peer's close frame, or our answer to a violation: the session hears it, the rest is between the sockets.
void WebSocketConnection::OnClosing(Closing closing) {
  if (state_ == State::kOverflowed) return;
  if (state_ == State::kOpen) {
    AppendClose(closing.code, closing.cause == Closing::Cause::kViolation ? closing.reason : std::string_view());
  }
  deaf_ = true;
  TellClosed(std::move(closing));
  deadline_ = shard_.clock().Monotonic() + registry().times().close_timeout;
  if (pending() == 0) Drain();
}

void WebSocketConnection::OnEnd(std::string_view reason) {
  TellClosed({.code = close_code::kAbnormal,
              .reason = std::string(reason),
              .cause = Closing::Cause::kLost,
              .unfinished = decoder_ != nullptr});
  Finish();
}

void WebSocketConnection::TellClosed(Closing closing) {
  if (session_ == nullptr) return;
  // The peer's reaction to our own close frame is not a new event.
  if (state_ == State::kCloseSent) {
    closing.cause = Closing::Cause::kUs;
    closing.unfinished = false;
  }
  if (state_ != State::kOverflowed) state_ = State::kDraining;  // whatever the session still sends is refused
  const std::unique_ptr<WebSocketSession> session = std::move(session_);
  session->OnClosed(closing);
}

// Everything is sent. We wait for the peer's own end (until the deadline): closing with unread input would make the
// kernel discard what the peer has not yet fetched, including the close frame. A peer that sends on and on is not read
// for long: until the deadline, it can still read the close frame.
void WebSocketConnection::Drain() {
  transport_.ShutdownSend();
}

void WebSocketConnection::Finish() {
  if (std::exchange(state_, State::kDone) == State::kDone) return;
  const auto self = shared_from_this();
  transport_.Close();
  if (!out_.empty()) shard_.ReturnBuffer(std::exchange(out_, std::string()));
  sent_ = 0;
  decoder_.reset();
  CountUnread(0);
  unfinished_.Release();
  admission_ = Admission();
  if (NetMetrics* metrics = registry().metrics()) metrics->websockets.Add(-1);
  Leave();
}

void WebSocketConnection::OnTick() {
  // What it sent may wait for its turn, and what it is to be told as well.
  if (deferred_ || flush_coming_) return;
  const Instant now = registry().now();
  const WebSocketTimes& times = registry().times();
  if (deadline_ != Instant() && now >= deadline_) {
    if (state_ == State::kOpen) return Cut("the peer was silent after a ping");
    if (state_ == State::kCloseSent) return Cut("the peer did not answer the close frame in time");
    return Finish();
  }
  if (state_ == State::kOpen && decoder_ != nullptr && admission_.payer != nullptr) {
    const Duration timeout = admission_.payer->limits().message_timeout;
    if (timeout != Duration(0) && now - unfinished_since_ >= timeout) {
      const auto self = shared_from_this();
      CloseFor(admission_.payer->Refuse(
          Limit::kMessageTime, static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(timeout).count())));
      return Flush();
    }
  }
  if (state_ != State::kOpen || ping_out_ || times.ping_interval == Duration(0)) return;
  if (now - last_heard_ < times.ping_interval) return;
  ping_out_ = true;
  if (times.pong_timeout != Duration(0)) deadline_ = now + times.pong_timeout;
  Ping({});
}

void WebSocketConnection::BeginShutdown() {
  Close(close_code::kGoingAway, "the server is shutting down");
}

void WebSocketConnection::Cut(std::string_view reason) {
  // Once the shard is stopped, perhaps only the session still keeps it.
  const auto self = shared_from_this();
  TellClosed({.code = close_code::kAbnormal,
              .reason = std::string(reason),
              .cause = Closing::Cause::kDropped,
              .unfinished = decoder_ != nullptr});
  Finish();
}

}  // namespace openseat::net
