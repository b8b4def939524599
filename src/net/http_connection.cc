#include "net/http_connection.h"

#include <algorithm>
#include <utility>

#include "base/stranger.h"

namespace openseat::net {
namespace {

// Answers to a pipelining client are gathered up to this size before they are sent.
constexpr std::size_t kGatherBytes = 64u << 10;
// Shared bodies below this size are copied after their headers: one write instead of two.
constexpr std::size_t kCopyBelow = 16u << 10;
// What a client may still send after an answer that closes (the rest of a refused upload) before it is cut off.
constexpr std::size_t kMaxLinger = 4u << 20;
// What is read ahead while an answer is in progress and we watch for the peer's end.
constexpr std::size_t kMaxReadAhead = 64u << 10;
// While connections are scarce, those of an address that has many stay idle for this part of the usual time.
constexpr int kIdleWhileScarce = 32;

}  // namespace

HttpConnection::HttpConnection(ConnectionRegistry& registry, std::shared_ptr<ServerCore> core, Transport transport,
                               std::string peer, bool loopback, Admission admission)
    : Connection(registry),
      shard_(registry.shard()),
      core_(std::move(core)),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      loopback_(loopback),
      payer_(admission.payer),
      admission_(std::move(admission)) {}

HttpConnection::~HttpConnection() = default;

void HttpConnection::Start(Handshakes& handshakes) {
  SetDeadline(core_->limits.header_timeout);
  CountHandshake();
  if (state_ == State::kDone) return;
  if (handshake_ && IsStrangers(payer_->address())) {
    place_ = handshakes.Begin(payer_->address(), [this] { Finish(); });
  }
  WaitReadable();
}

void HttpConnection::SetDeadline(Duration timeout) {
  deadline_ = shard_.clock().Monotonic() + timeout;
}

void HttpConnection::WaitReadable() {
  if (std::exchange(read_waits_, true)) return;
  transport_.WaitReadable([self = shared_from_this()](IoError error) {
    const ShardImpl::Turn turn(self->shard_);
    self->read_waits_ = false;
    if (!error && self->state_ != State::kDone) self->OnReadable();
  });
}

void HttpConnection::OnReadable() {
  const bool waits = place_ && place_.Waits([self = shared_from_this()] {
    if (self->state_ != State::kDone) self->Read();
  });
  if (!waits) Read();
}

void HttpConnection::Read() {
  char* const buffer = shard_.read_buffer();
  const Instant begun = place_ ? shard_.clock().Monotonic() : Instant();
  const IoResult result = transport_.Read(buffer, ShardImpl::kReadBufferSize);
  if (place_) place_.Spend(shard_.clock().Monotonic() - begun);
  if (handshake_) CountHandshake();
  if (state_ == State::kDone) return;
  switch (result.status) {
    case IoStatus::kOk:
      break;
    case IoStatus::kWantRead:
      if (!Affords(0)) return Finish();
      CountUnfinished();
      if (state_ != State::kDone) WaitReadable();
      return;
    case IoStatus::kWantWrite:
      read_needs_write_ = true;
      return Flush();
    case IoStatus::kEnd:
      // A client may end its side and still wait for the answer.
      if (state_ == State::kStreaming) return Finish();
      if (state_ == State::kHandling || (sending() && state_ != State::kLingering)) {
        peer_ended_ = true;
        last_ = true;
        if (gone_) shard_.Post(std::move(gone_));
        gone_ = Task();
        return;
      }
      return Finish();
    case IoStatus::kExcess:
      core_->metrics().tls_excess.Add();
      return Finish();
    case IoStatus::kError:
      return Finish();
  }
  if (state_ == State::kLingering) {
    lingered_ += result.bytes;
    if (lingered_ > kMaxLinger) return Finish();
    // If it comes too fast, no more is read. Until the deadline, the peer can read its answer.
    if (Affords(result.bytes)) return WaitReadable();
    return transport_.WaitEnd([self = shared_from_this()](IoError error) {
      const ShardImpl::Turn turn(self->shard_);
      if (!error) self->Finish();
    });
  }
  // No answer: TLS needs so little that an honest client meets the limits on its requests first.
  if (!Affords(0)) return Finish();
  in_.append(buffer, result.bytes);
  Process();
}

void HttpConnection::Process() {
  const auto self = shared_from_this();
  do {
    processing_ = true;
    std::string_view bytes = in_;
    while (!bytes.empty() && (state_ == State::kIdle || state_ == State::kReceiving) && out_.size() < kGatherBytes &&
           shared_ == nullptr) {
      const std::size_t before = bytes.size();
      Receive(bytes);
      if (bytes.size() == before) break;  // more is needed
    }
    processing_ = false;
    if (state_ == State::kDone) return;
    in_.erase(0, in_.size() - bytes.size());
    if (in_.empty()) Empty(in_);
    CountUnfinished();
    if (!Send()) return;
  } while (state_ == State::kIdle && !in_.empty());
  Continue();
}

// One step with `bytes`: a request, or the part of one that they contain.
void HttpConnection::Receive(std::string_view& bytes) {
  if (parser_ == nullptr) {
    parser_ = std::make_unique<RequestParser>(core_->http_limits);
    body_begun_ = false;
    uncharged_ = 0;
    page_.clear();
    state_ = State::kReceiving;
    SetDeadline(core_->limits.header_timeout);
  }
  const std::size_t used = parser_->Feed(bytes);
  bytes.remove_prefix(used);
  uncharged_ += used;
  const auto refuse = [&](const HttpResponse& response) {
    in_.erase(0, in_.size() - bytes.size());
    bytes = {};
    Refuse(response);
  };
  if (body_begun_) {
    if (const auto refused = Charge(parser_->request(), 0)) {
      return refuse(TooMuch(parser_->request().path, *refused));
    }
  }
  switch (parser_->state()) {
    case RequestParser::State::kHeader:
      // The parser limits a head, but not the blank lines before it.
      if (const std::size_t most = core_->http_limits.max_header_bytes; uncharged_ > most) {
        refuse(Failure({}, 431, payer().Refuse(Limit::kHeaderBytes, most).Text()));
      }
      break;
    case RequestParser::State::kBody:
      if (!std::exchange(body_begun_, true)) {
        SetDeadline(core_->limits.body_timeout);
        if (const auto refusal = Admit(*parser_)) return refuse(*refusal);
      }
      if (parser_->TakeExpectation() && bytes.empty()) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
      break;
    case RequestParser::State::kDone:
      // An upgrade takes the bytes after the request with it.
      in_.erase(0, in_.size() - bytes.size());
      Handle();
      bytes = in_;
      break;
    case RequestParser::State::kFailed:
      refuse(Unreadable());
      break;
  }
}

void HttpConnection::Deliver(HttpResponse response) {
  if (!shard_.IsCurrent()) {
    shard_.Post([self = shared_from_this(), answer = std::move(response)]() mutable {
      self->AnswerSmaller(std::move(answer));
    });
    return;
  }
  AnswerSmaller(std::move(response));
}

void HttpConnection::AnswerSmaller(HttpResponse response) {
  if (state_ != State::kHandling) return;
  // Anything else was asked before it was done (Admit).
  const std::size_t to_keep = response.shared_counts ? response.bytes().size() : response.body.size();
  if (reads_ && to_keep > kMayWait) {
    std::optional<Refusal> refused = asker_->RefuseForUnread();
    // Its memory is needed until the client has read it.
    if (!refused && !operation_) refused = asker_->RefuseForMemory();
    if (refused) return Answer(TooMuch(form_, *refused));
  }
  if (response.shared_body == nullptr && response.body.size() >= kCopyBelow) {
    response.shared_body = std::make_shared<const std::string>(std::move(response.body));
    response.shared_counts = true;
  }
  if (!reads_ || !MayCompress(response)) return Answer(response);
  response.headers.Add("Vary", "Accept-Encoding");
  const std::size_t size = response.bytes().size();
  if (coding_ != Coding::kIdentity && size <= kMostCompressedInPlace) CompressBody(response, coding_);
  if (coding_ == Coding::kIdentity || size <= kMostCompressedInPlace || !core_->compression.Enter(size)) {
    return Answer(response);
  }
  // The place in the queue is given back even if the work is dropped.
  std::shared_ptr<void> place(nullptr, [core = core_, size](void*) { core->compression.Leave(size); });
  shard_.OffloadFor(asker_->address(),
                    [self = shared_from_this(), place, coding = coding_, answer = std::move(response)]() mutable {
                      CompressBody(answer, coding);
                      place.reset();
                      ShardImpl& shard = self->shard_;
                      shard.Post([self = std::move(self), answer = std::move(answer)] {
                        if (self->state_ == State::kHandling) self->Answer(answer);
                      });
                    });
}

void HttpConnection::BeginStream(HttpResponse head, std::shared_ptr<HttpStream::State> stream) {
  if (!shard_.IsCurrent()) {
    shard_.Post([self = shared_from_this(), answer = std::move(head), stream = std::move(stream)] {
      self->AnswerStream(answer, stream);
    });
    return;
  }
  AnswerStream(head, std::move(stream));
}

void HttpConnection::WriteStream(const std::shared_ptr<HttpStream::State>& stream, std::string bytes) {
  if (!shard_.IsCurrent()) {
    shard_.Post([self = shared_from_this(), stream, piece = std::move(bytes)] {
      if (self->stream_ == stream) self->WriteBody(piece);
    });
    return;
  }
  if (stream_ == stream) WriteBody(bytes);
}

void HttpConnection::EndStream(const std::shared_ptr<HttpStream::State>& stream) {
  stream->open = false;
  if (!shard_.IsCurrent()) {
    shard_.Post([self = shared_from_this(), stream] {
      if (self->stream_ == stream) self->StopStream();
    });
    return;
  }
  if (stream_ == stream) StopStream();
}

void HttpConnection::WhenGone(Task gone) {
  if (state_ != State::kHandling) return;
  gone_ = std::move(gone);
  if (!processing_) Continue();
}

void HttpConnection::Answer(const HttpResponse& response) {
  last_ = last_ || core_->shutting_down;
  answer_.keep_alive = !last_;
  const bool bodiless = answer_.head || response.status == 204 || response.status == 304 || response.status < 200;
  AppendResponse(out_, response, answer_);
  Count(response.status);
  if (response.shared_body != nullptr && !bodiless && !response.shared_body->empty()) {
    if (response.shared_body->size() < kCopyBelow) {
      out_ += *response.shared_body;
    } else {
      shared_ = response.shared_body;
      shared_sent_ = 0;
      shared_counts_ = response.shared_counts;
    }
  }
  Complete();
}

void HttpConnection::Complete() {
  gone_ = Task();
  page_.clear();
  state_ = last_ ? State::kLingering : State::kIdle;
  if (!processing_) Process();
}

void HttpConnection::AnswerStream(const HttpResponse& head, std::shared_ptr<HttpStream::State> stream) {
  if (state_ != State::kHandling || core_->shutting_down) {
    stream->open = false;
    if (state_ == State::kHandling) Answer(ErrorResponse(503, "the server is shutting down"));
    return;
  }
  if (answer_.http_1_0) last_ = true;
  answer_.keep_alive = !last_;
  answer_.streamed = true;
  AppendResponse(out_, head, answer_);
  Count(head.status);
  if (answer_.head) {
    stream->open = false;
    return Complete();
  }
  state_ = State::kStreaming;
  stream_ = std::move(stream);
  if (!head.body.empty()) WriteBody(head.body);
  if (!processing_) shard_.FlushLater(shared_from_this());
}

void HttpConnection::WriteBody(std::string_view bytes) {
  const std::size_t most = core_->limits.max_outbox_bytes;
  if (!write_waits_ && (TouchedBy(out_, bytes.size()) > kMayWait || out_.size() - sent_ + bytes.size() > most) &&
      Write() == IoStatus::kOk) {
    // It was not a slow reader, only a long turn.
    Empty(out_);
    sent_ = 0;
  }
  if (out_.size() - sent_ + bytes.size() > most) {
    static_cast<void>(asker_->Refuse(Limit::kOutboxBytes, most));
    return Finish();
  }
  const std::size_t touched = TouchedBy(out_, bytes.size());
  if (write_waits_) {
    if (payer_->RefuseForMemory(touched)) return Finish();
    if (out_.size() - sent_ > kMayWait && asker_->RefuseForUnread()) return Finish();
  }
  if (answer_.http_1_0) {
    out_ += bytes;
  } else {
    AppendChunk(out_, bytes);
  }
  if (write_waits_) CountUnread(unsent());
  if (unsent() > kMayWait) payer_->AddTouched(touched);
  shard_.FlushLater(shared_from_this());
}

void HttpConnection::StopStream() {
  std::exchange(stream_, nullptr)->open = false;
  if (!answer_.http_1_0) AppendChunk(out_, {});
  Complete();
}

// Nobody waits for the answer in progress.
void HttpConnection::Forget() {
  if (stream_) std::exchange(stream_, nullptr)->open = false;
  if (gone_) shard_.Post(std::exchange(gone_, Task()));
}

void HttpConnection::Count(int status) {
  const auto& classes = core_->metrics().responses;
  classes[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)]->Add();
}

void HttpConnection::CountUnfinished() {
  const std::size_t held =
      in_.size() + (parser_ != nullptr ? parser_->held() : 0) + (waiting_ != nullptr ? waiting_->held() : 0);
  if (held == 0) return unfinished_.Release();
  const bool grows = held > unfinished_.amount();
  std::optional<Refusal> refused;
  if (held != unfinished_.amount()) refused = payer().Adjust(unfinished_, Holding::kUnfinishedBytes, held);
  if (!refused) unfinished_.SetUntouched(parser_ != nullptr ? parser_->untouched() : 0);
  if (grows && !refused && body_begun_) refused = payer().RefuseForMemory();
  if (!refused || state_ != State::kReceiving) return;
  Refuse(TooMuch(parser_ != nullptr ? parser_->request().path : std::string_view(), *refused));
}

void HttpConnection::CountHandshake() {
  const std::size_t held = transport_.handshake_bytes();
  if (held == 0) {
    handshake_.Release();
    place_.End();
  } else if (payer_->Adjust(handshake_, Holding::kHandshakeBytes, held)) {
    Finish();
  }
}

const Payer* HttpConnection::holder() const {
  return unread_ > unfinished_.amount() ? reader_.get() : &payer();
}

std::size_t HttpConnection::unsent() const {
  const std::size_t of_shared = shared_ != nullptr && shared_counts_ ? shared_->size() - shared_sent_ : 0;
  return out_.size() - sent_ + of_shared;
}

void HttpConnection::CountUnread(std::size_t bytes) {
  if (bytes == unread_) return;
  if (unread_ == 0) reader_ = asker_ != nullptr ? asker_ : payer_;
  reader_->AddUnread(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(unread_));
  unread_ = bytes;
}

// Answers a request that is not read to its end, after which nothing that follows can be told apart.
void HttpConnection::Refuse(const HttpResponse& response) {
  ChargeUnused();
  const bool head = parser_ != nullptr && parser_->request().method == Method::kHead;
  AppendResponse(out_, response,
                 {.head = head,
                  .keep_alive = false,
                  .tls = transport_.encrypted(),
                  .by_origin = by_origin(),
                  .readable_by = page_});
  Count(response.status);
  unfinished_.Release();
  parser_.reset();
  last_ = true;
  state_ = State::kLingering;
}

IoStatus HttpConnection::Write() {
  while (sending()) {
    const bool head = sent_ < out_.size();
    const char* data = head ? out_.data() + sent_ : shared_->data() + shared_sent_;
    const IoResult result = transport_.Write(data, head ? out_.size() - sent_ : shared_->size() - shared_sent_);
    if (result.status != IoStatus::kOk) {
      DropSent(out_, sent_);
      return result.status;
    }
    if (head) {
      sent_ += result.bytes;
    } else {
      shared_sent_ += result.bytes;
      if (shared_sent_ == shared_->size()) shared_.reset();
    }
  }
  return IoStatus::kOk;
}

void HttpConnection::Flush() {
  if (state_ == State::kDone || !Send()) return;
  if (state_ == State::kIdle && !in_.empty()) return Process();
  Continue();
}

// Sends what is queued; false if it has to wait, or is over.
bool HttpConnection::Send() {
  if (write_waits_) return false;
  const bool had_something = sending();
  IoStatus status = Write();
  if (status == IoStatus::kOk && read_needs_write_) status = IoStatus::kWantWrite;
  switch (status) {
    case IoStatus::kOk:
      break;
    case IoStatus::kWantRead:
      WaitReadable();
      return false;
    case IoStatus::kWantWrite:
      write_waits_ = true;
      CountUnread(unsent());
      // A reader that keeps reading is not timed out, however slow it is.
      SetDeadline(core_->limits.body_timeout);
      transport_.WaitWritable([self = shared_from_this()](IoError error) {
        const ShardImpl::Turn turn(self->shard_);
        self->write_waits_ = false;
        if (error || self->state_ == State::kDone) return;
        if (std::exchange(self->read_needs_write_, false)) self->OnReadable();
        self->Flush();
      });
      return false;
    default:
      Finish();
      return false;
  }
  Empty(out_);
  sent_ = 0;
  CountUnread(0);
  if (!had_something) return true;
  switch (state_) {
    case State::kIdle:
      SetDeadline(core_->limits.keep_alive_timeout);
      break;
    case State::kReceiving:
      SetDeadline(body_begun_ ? core_->limits.body_timeout : core_->limits.header_timeout);
      break;
    case State::kHandling:
    case State::kStreaming:
      deadline_ = Instant();
      break;
    case State::kLingering:
    case State::kDone:
      break;
  }
  return true;
}

// Everything is sent: waits for what comes next.
void HttpConnection::Continue() {
  switch (state_) {
    case State::kIdle:
      if (peer_ended_ || core_->shutting_down) return Finish();
      return WaitReadable();
    case State::kReceiving:
      return WaitReadable();
    case State::kLingering:
      return Linger();
    case State::kHandling:
    case State::kStreaming:
      if (peer_ended_ || in_.size() >= kMaxReadAhead) return;
      if (gone_ || state_ == State::kStreaming) WaitReadable();
      return;
    case State::kDone:
      return;
  }
}

// The answer that closes the connection is sent. Closing at once with unread input would make the kernel discard the
// answer.
void HttpConnection::Linger() {
  if (peer_ended_) return Finish();
  if (lingered_ == 0) {
    transport_.ShutdownSend();
    SetDeadline(core_->limits.close_timeout);
  }
  WaitReadable();
}

void HttpConnection::OnTick() {
  if (deadline_ == Instant()) return;
  if (state_ == State::kIdle && !handshake_ && !sending() && payer_->ShouldGiveWay(Holding::kConnections)) {
    deadline_ = std::min(deadline_, registry().now() + core_->limits.keep_alive_timeout / kIdleWhileScarce);
  }
  if (registry().now() < deadline_) return;
  if (state_ == State::kReceiving && !sending()) {
    Refuse(TooLate());
    return Flush();
  }
  Finish();
}

void HttpConnection::BeginShutdown() {
  last_ = true;
  if (state_ == State::kIdle && !sending()) return Finish();
  if (state_ != State::kStreaming) return;
  // It would continue for as long as there is something to send.
  const auto self = shared_from_this();
  Task gone = std::exchange(gone_, Task());
  StopStream();
  if (gone) shard_.Post(std::move(gone));
}

void HttpConnection::Cut(std::string_view /*reason*/) {
  Finish();
}

void HttpConnection::CutForMemory(const std::string& reason) {
  if (state_ != State::kReceiving || sending()) return Finish();
  const auto self = shared_from_this();
  HttpResponse response = Failure(parser_ == nullptr ? std::string_view() : parser_->request().path, 503, reason);
  response.headers.Set("Retry-After", "1");
  Refuse(response);
  Flush();
}

void HttpConnection::Finish() {
  if (std::exchange(state_, State::kDone) == State::kDone) return;
  const auto self = shared_from_this();
  transport_.Close();
  Forget();
  parser_.reset();
  waiting_.reset();
  ChargeUnused();
  Empty(out_);
  sent_ = 0;
  shared_.reset();
  CountUnread(0);
  unfinished_.Release();
  handshake_.Release();
  place_.End();
  admission_ = Admission();
  Leave();
}

}  // namespace openseat::net
