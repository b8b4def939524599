#include "store/registry_log.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <iterator>

#include "base/clock.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "store/nats_format.h"

namespace openseat::store {
namespace {

// About this much text of commands shares a message.
constexpr std::size_t kShareBytes = std::size_t{256} << 10;
constexpr std::size_t kMostWaiting = 100'000;
constexpr std::size_t kSnapshotPartBytes = std::size_t{512} << 10;
// Among a snapshot's parts, which count from 1: all have been read.
constexpr std::uint64_t kWhole = 0;
// What a message takes in the stream in addition to its body, about.
constexpr std::size_t kMessageBytes = 512;
// Between ticks, and before something is tried again: doubled each time.
constexpr Duration kPause = std::chrono::milliseconds(100);
constexpr Duration kLongPause = std::chrono::seconds(1);
// How often nodes compare where the stream ends, and how long one waits before it asks for another leader.
constexpr Duration kCompareEvery = std::chrono::milliseconds(500);
constexpr Duration kLacksFor = std::chrono::seconds(1);

Instant Mono() {
  return SystemClock().Monotonic();
}

std::int64_t Seconds(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

RegistryLog::RegistryLog(RegistryLogOptions options)
    : options_(std::move(options)),
      counts_(options_.metrics == nullptr ? own_metrics_ : *options_.metrics),
      stream_("openseat_" + options_.cluster + "_registry"),
      subjects_("openseat." + options_.cluster + ".registry.>"),
      write_subject_("openseat." + options_.cluster + ".registry.write"),
      snapshot_subject_("openseat." + options_.cluster + ".registry.snapshot"),
      end_subject_("openseat." + options_.cluster + ".registry-end"),
      session_(SecureRandom64()) {}

Result<std::unique_ptr<RegistryLog>> RegistryLog::Open(RegistryLogOptions options) {
  if (Result<void> name = CheckClusterName(options.cluster); !name) return Fail(name.error());
  std::unique_ptr<RegistryLog> log(new RegistryLog(std::move(options)));
  if (Result<void> started = log->Start(); !started) return Fail(started.error());
  return log;
}

Result<void> RegistryLog::Start() {
  auto link = NatsLink::Connect(options_.link, [this](std::string_view token, const NatsLink::Answer& answer) {
    // A message's number. Parts of snapshots have none: what counts is whether they are read.
    std::uint64_t number = 0;
    std::from_chars(token.data(), token.data() + token.size(), number);
    engine_.Post([this, number, answer] { OnAnswer(number, answer); });
  });
  if (!link) return Fail(link.error());
  link_ = std::move(*link);
  if (Result<void> made = link_->MakeStream(stream_, subjects_); !made) return made;
  if (Result<void> listens =
          link_->Listen(end_subject_, [this](std::string_view, std::string_view end) { OnTold(end); });
      !listens) {
    return listens;
  }
  const Time asked = SystemClock().Now();
  const Result<std::uint64_t> last = link_->LastPosition(stream_);
  if (!last) return Fail(last.error());
  follower_ = std::thread([this] { FollowerMain(); });
  std::unique_lock lock(mutex_);
  const bool done =
      progress_.wait_for(lock, options_.open_timeout, [&] { return damage_ || (loaded_ && applied_ >= *last); });
  if (damage_) return Fail(*damage_);
  if (done) {
    if (counts_.current.value() == 0) counts_.current.Set(Seconds(asked));
    return {};
  }
  return unhealthy_ ? Fail(*unhealthy_) : Fail(ErrorCode::kTimeout, "the registry could not be read from NATS in time");
}

RegistryLog::~RegistryLog() {
  if (follower_.joinable()) {
    // Calls may still be on their way to the replica's thread.
    Await([this] { Progress(); });
    {
      std::unique_lock lock(mutex_);
      progress_.wait_for(lock, options_.close_timeout, [this] { return idle_ || damage_; });
      stopping_ = true;
    }
    progress_.notify_all();
    follower_.join();
  }
  if (link_) link_->StopListening();
  snapshots_.Stop();
  // From here on, nothing is sent.
  Await([this] { Stop({ErrorCode::kClosed, "this node has stopped", ""}); });
  link_.reset();
}

void RegistryLog::Await(const std::function<void()>& task) {
  std::promise<void> done;
  engine_.Post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void RegistryLog::Submit(Call call) {
  call.asked = Mono();
  engine_.Post([this, taken = std::move(call)]() mutable {
    if (!stopped_ && waiting_.size() < kMostWaiting) {
      waiting_.push_back(std::move(taken));
      return SendNext();
    }
    std::deque<Call> refused;
    refused.push_back(std::move(taken));
    FailAll(refused, stopped_ ? *stopped_
                              : Error{ErrorCode::kBusy, "too much waits to be written to the registry; try later", ""});
  });
}

void RegistryLog::Look(std::function<void(RegistryReplica& replica, Instant known)> look) {
  engine_.Post([this, look = std::move(look)] { look(*replica_, known_); });
}

void RegistryLog::Watch(std::function<void()> changed) {
  Await([&] { changed_ = std::move(changed); });
}

Result<void> RegistryLog::Writable() const {
  const std::lock_guard lock(mutex_);
  if (damage_) return Fail(*damage_);
  if (unhealthy_) return Fail(*unhealthy_);
  if (lacks_) return Fail(*lacks_);
  if (slow_) return Fail(*slow_);
  return {};
}

// --- The follower's thread ---

void RegistryLog::FollowerMain() {
  Duration pause = kPause;
  for (;;) {
    const Result<void> done = LoadAndFollow();
    CompareEnd();
    Tick();
    std::unique_lock lock(mutex_);
    pause = done ? kPause : std::min(2 * pause, kLongPause);
    if (!done) unhealthy_ = done.error();
    if (progress_.wait_for(lock, pause, [this] { return stopping_ || damage_; })) return;
  }
}

// A server that lacks messages of the stream may lead it, and the registry has no owner who compares.
void RegistryLog::CompareEnd() {
  const Instant now = Mono();
  if (now - compared_ < kCompareEvery) return;
  compared_ = now;
  std::uint64_t end = next_ == 0 ? 0 : next_ - 1;
  {
    const std::lock_guard lock(mutex_);
    end = told_end_ = std::max(told_end_, end);
  }
  // Without NATS, nobody hears it.
  static_cast<void>(link_->Tell(end_subject_, std::to_string(end)).has_value());
  const Result<std::uint64_t> last = link_->LastPosition(stream_);
  if (!last) return;
  std::optional<Error> lacks;
  if (*last < end) {
    lacks = Error{ErrorCode::kIo,
                  "NATS has only " + std::to_string(*last) + " of the " + std::to_string(end) +
                      " messages that it had of the stream " + stream_ + ", so nothing is written to the registry",
                  ""};
    if (!lacks_since_) lacks_since_ = now;
    if (now - *lacks_since_ >= kLacksFor) {
      lacks_since_ = now;
      log::Warn("registry: {}; another server should lead it", lacks->message);
      // Where there is one server, there is no other.
      static_cast<void>(link_->MoveLeader(stream_).has_value());
    }
  } else {
    lacks_since_.reset();
  }
  const std::lock_guard lock(mutex_);
  lacks_ = std::move(lacks);
}

void RegistryLog::OnTold(std::string_view end) {
  const std::uint64_t told = ReadNatsNumber(end).value_or(0);
  const std::lock_guard lock(mutex_);
  told_end_ = std::max(told_end_, told);
}

std::optional<Error> RegistryLog::Lacks() const {
  const std::lock_guard lock(mutex_);
  return lacks_;
}

void RegistryLog::Tick() {
  engine_.Post([this] { OnTick(); });
}

Result<void> RegistryLog::LoadAndFollow() {
  if (next_ == 0) {
    if (Result<void> loaded = Load(); !loaded) return loaded;
  }
  std::optional<Error> gap;
  Instant ticked = Mono();
  Result<void> read = link_->Follow(stream_, next_, [&](NatsMessage message) {
    const Instant now = Mono();
    std::uint64_t purge = 0;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || damage_) return false;
      unhealthy_.reset();
      purge = std::exchange(purge_before_, 0);
    }
    CompareEnd();
    if (message.position == 0 || now - ticked >= kPause) {
      ticked = now;
      Tick();
    }
    if (purge > 0) {
      if (Result<void> done = link_->Purge(stream_, purge); !done) {
        log::Warn("registry: what a snapshot replaces was not removed: {}", done.error().message);
      }
    }
    if (message.position == 0) {
      if (!message.more) engine_.Post([this, now = SystemClock().Now()] { counts_.current.Set(Seconds(now)); });
      return true;
    }
    if (message.position < next_) {
      // A server that lacked messages of the stream has all of them again, or others.
      engine_.Post([this, taken = std::move(message)] { OnEarlier(taken); });
      return true;
    }
    if (message.position != next_) {
      // What comes before a snapshot was removed.
      if (loaded_now_) {
        gap = Error{ErrorCode::kParse,
                    "the stream " + stream_ + " begins with message " + std::to_string(message.position) +
                        ", and has no whole snapshot of what was before",
                    ""};
      }
      next_ = 0;
      return false;
    }
    ++next_;
    loaded_now_ = false;
    engine_.Post([this, taken = std::move(message), at = SystemClock().Now()] {
      OnMessage(taken);
      if (!taken.more) counts_.current.Set(Seconds(at));
    });
    return true;
  });
  if (read && gap) return Fail(*gap);
  return read;
}

Result<void> RegistryLog::Load() {
  const Result<std::uint64_t> last = link_->LastPosition(stream_);
  if (!last) return Fail(last.error());
  std::map<SnapshotKey, std::map<std::uint64_t, std::string>> parts;
  std::uint64_t position = 0;
  Time written;
  std::string packed;
  Result<void> read = link_->Read({stream_, snapshot_subject_, 1, *last, false}, [&](NatsMessage message) {
    const Result<RegistryStamp> stamp = ReadRegistryStamp(message.header);
    if (!stamp || stamp->part == 0) return true;
    const SnapshotKey key{stamp->session, stamp->number};
    auto& found = parts[key];
    found[stamp->part] = std::move(message.body);
    if (found.size() < stamp->parts) return true;
    if (stamp->number > position) {
      position = stamp->number;
      written = message.time;
      packed.clear();
      for (const auto& [part, bytes] : found) packed += bytes;
    }
    parts.erase(key);
    return true;
  });
  if (!read) return read;
  std::string snapshot;
  if (position > 0) {
    Result<std::string> unpacked = Unpack(packed, kMaxSnapshotBytes);
    if (!unpacked) return Fail(unpacked.error());
    snapshot = std::move(*unpacked);
  }
  Result<std::unique_ptr<RegistryReplica>> replica = RegistryReplica::Make(snapshot);
  if (!replica) {
    // A later version's: nothing else can be read, either.
    if (replica.error().code == ErrorCode::kUnsupported) {
      engine_.Post([this, why = replica.error()] { Stop(why); });
    }
    return Fail(replica.error());
  }
  next_ = position + 1;
  loaded_now_ = true;
  engine_.Post([this, made = std::move(*replica), position, size = packed.size(), written]() mutable {
    NoteSnapshot(size, written);
    Adopt(std::move(made), position);
  });
  return {};
}

// --- The replica's thread ---

void RegistryLog::Progress() {
  const bool idle = waiting_.empty() && !flight_;
  counts_.waiting.Set(static_cast<std::int64_t>(waiting_.size() + (flight_ ? flight_->calls.size() : 0)));
  counts_.unsaved_bytes.Set(static_cast<std::int64_t>(since_snapshot_));
  {
    const std::lock_guard lock(mutex_);
    applied_ = position_;
    loaded_ = replica_ != nullptr;
    idle_ = idle;
    damage_ = stopped_;
    if (idle) slow_.reset();
  }
  progress_.notify_all();
}

void RegistryLog::Adopt(std::unique_ptr<RegistryReplica> replica, std::uint64_t position) {
  if (replica_) log::Warn("registry: loaded again, up to message {} of the stream {}", position, stream_);
  replica_ = std::move(replica);
  position_ = position;
  since_snapshot_ = 0;
  snapshots_seen_.clear();
  if (position > 0) snapshots_seen_[{0, position}].parts.insert(kWhole);
  const std::uint64_t last = replica_->LastOf(session_);
  if (flight_ && last >= flight_->number) {
    // It was done, but what its commands answered is not in a snapshot.
    Flight landed = std::move(*flight_);
    flight_.reset();
    known_ = landed.first_sent;
    for (Call& call : landed.calls) {
      if (!call.command.empty()) counts_.writes.Add();
      if (!call.answer) continue;
      if (!call.command.empty()) counts_.timeouts.Add();
      call.answer(*replica_,
                  call.command.empty() ? RegistryOutcome() : Result<RegistryOutcome>(Fail(NotConfirmed(true))));
    }
  }
  Progress();
  if (changed_) changed_();
}

void RegistryLog::OnMessage(const NatsMessage& message) {
  if (stopped_) return;
  position_ = message.position;
  if (const Result<void> applied = Apply(message); !applied) {
    Stop({applied.error().code,
          "message " + std::to_string(message.position) + " of the stream " + stream_ +
              " cannot be applied: " + applied.error().message,
          ""});
  }
  Progress();
}

void RegistryLog::OnEarlier(const NatsMessage& message) {
  const Result<RegistryStamp> stamp = ReadRegistryStamp(message.header);
  if (!stamp || stamp->part > 0 || stopped_ || !replica_) return;
  if (replica_->LastOf(stamp->session) < stamp->number) StopOverwritten();
}

void RegistryLog::StopOverwritten() {
  Stop({ErrorCode::kIo,
        "messages of the stream " + stream_ +
            " are others than this node has read: the stream was put back to an earlier state. Stop all nodes, then "
            "start them again",
        ""});
}

Result<void> RegistryLog::Apply(const NatsMessage& message) {
  const Result<RegistryStamp> stamp = ReadRegistryStamp(message.header);
  if (!stamp) return Fail(stamp.error());
  if (stamp->part > 0) {
    OnPart(*stamp, message);
    return {};
  }
  since_snapshot_ += message.body.size() + kMessageBytes;
  const Result<std::string> text = Unpack(message.body, kMaxCommandBytes);
  if (!text) return Fail(text.error());
  const std::uint64_t watched = replica_->watched();
  Result<std::optional<RegistryReplica::Outcomes>> outcomes = replica_->Apply(*stamp, *text);
  if (!outcomes) return Fail(outcomes.error());
  counts_.messages.Add();
  if (changed_ && replica_->watched() != watched) changed_();
  if (!*outcomes || stamp->session != session_ || !flight_ || stamp->number != flight_->number) return {};
  Flight landed = std::move(*flight_);
  flight_.reset();
  known_ = landed.first_sent;
  std::size_t next = 0;
  for (Call& call : landed.calls) {
    Result<RegistryOutcome> outcome;
    if (!call.command.empty()) {
      counts_.writes.Add();
      outcome = std::move((**outcomes)[next++]);
    }
    if (call.answer) call.answer(*replica_, std::move(outcome));
  }
  if (since_snapshot_ >= std::max(options_.snapshot_bytes, snapshot_bytes_)) WriteSnapshot();
  SendNext();
  return {};
}

void RegistryLog::NoteSnapshot(std::size_t bytes, Time written) {
  snapshot_bytes_ = bytes;
  counts_.snapshot_bytes.Set(static_cast<std::int64_t>(bytes));
  counts_.snapshot_time.Set(Seconds(written));
}

void RegistryLog::OnPart(const RegistryStamp& stamp, const NatsMessage& message) {
  if (stamp.part == 1) since_snapshot_ = 0;
  SnapshotSeen& seen = snapshots_seen_[{stamp.session, stamp.number}];
  seen.parts.insert(stamp.part);
  seen.bytes += message.body.size();
  if (seen.parts.size() < stamp.parts) return;
  seen.parts.insert(kWhole);
  NoteSnapshot(seen.bytes, message.time);
  std::uint64_t before = 0;  // the position of the whole snapshot before this one
  std::erase_if(snapshots_seen_, [&](const auto& other) {
    if (other.first.second >= stamp.number) return false;
    if (other.second.parts.contains(kWhole)) before = std::max(before, other.first.second);
    return true;
  });
  if (stamp.session != session_ || before == 0) return;
  // Readers that are not further than that need not load the registry again.
  const std::lock_guard lock(mutex_);
  purge_before_ = before + 1;
}

void RegistryLog::WriteSnapshot() {
  since_snapshot_ = 0;
  Result<std::string> snapshot = replica_->Snapshot();
  if (!snapshot) return log::Warn("registry: no snapshot was made: {}", snapshot.error().message);
  if (snapshot->size() > kMaxSnapshotBytes) {
    return log::Error("registry: no snapshot was written: it would have {} bytes, and at most {} are read",
                      snapshot->size(), kMaxSnapshotBytes);
  }
  snapshots_.Post([this, snapshot = std::move(*snapshot), session = session_, position = position_] {
    const std::string packed = Pack(snapshot);
    const std::size_t size = std::min(kSnapshotPartBytes, link_->max_bytes());
    const std::size_t parts = (packed.size() + size - 1) / size;
    if (parts > kMaxSnapshotParts) {
      return log::Error("registry: no snapshot was written: it would have {} parts, and at most {} are read", parts,
                        kMaxSnapshotParts);
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const Result<void> sent =
          link_->Publish({snapshot_subject_, WriteRegistryStamp({session, position, part + 1, parts}), 0, "snapshot",
                          std::string_view(packed).substr(part * size, size)});
      // Without all its parts it is ignored; the next one comes when as much was written again.
      if (!sent) return log::Warn("registry: a snapshot was not written: {}", sent.error().message);
    }
  });
}

void RegistryLog::OnAnswer(std::uint64_t number, const NatsLink::Answer& answer) {
  if (answer.full) full_ = Mono();
  if (!flight_ || flight_->number != number) return;
  if (!answer.position) {
    // Refused: the server has no majority, or no room. With the next tick, it is sent again.
    flight_->sent = Instant();
  } else if (*answer.position <= position_) {
    // It should have been read already: the stream is not the one that was read before.
    StopOverwritten();
  } else {
    const std::lock_guard lock(mutex_);
    told_end_ = std::max(told_end_, *answer.position);
  }
}

Error RegistryLog::NotConfirmed(bool sent) const {
  const std::string what = sent ? "NATS did not confirm this in time, so it may or may not have been done"
                                : "NATS does not confirm what is written, so this was not done";
  return {ErrorCode::kTimeout, what + WhyUnconfirmed(full_ && Mono() - *full_ < kFullFor), ""};
}

void RegistryLog::OnTick() {
  if (stopped_ || !replica_) return;
  const Instant now = Mono();
  const auto late = [&](const Call& call) { return !call.patient && call.asked + options_.write_timeout <= now; };
  std::deque<Call> failed;
  for (const Call& call : waiting_) {
    if (late(call)) failed.push_back(call);
  }
  std::erase_if(waiting_, late);
  const std::optional<Error> lacks = Lacks();
  const auto late_because = [&](bool sent) {
    if (!lacks || sent) return NotConfirmed(sent);
    return Error{ErrorCode::kTimeout, lacks->message, ""};
  };
  FailAll(failed, late_because(false));
  if (flight_) {
    for (Call& call : flight_->calls) {
      if (!call.answer || !late(call)) continue;
      std::deque<Call> unknown;
      unknown.push_back({.command = {}, .answer = std::exchange(call.answer, nullptr), .patient = {}, .asked = {}});
      FailAll(unknown, late_because(!call.command.empty()));
    }
    if (now - flight_->sent >= options_.answer_timeout && !lacks) Send();
    const std::lock_guard lock(mutex_);
    slow_.reset();
    if (now - flight_->first_sent >= options_.answer_timeout) slow_ = NotConfirmed(false);
  }
  SendNext();
  Progress();
}

void RegistryLog::SendNext() {
  if (stopped_ || flight_ || waiting_.empty() || !replica_ || Lacks()) return;
  Flight flight;
  std::vector<std::string_view> commands;
  std::size_t bytes = 0;
  const std::size_t share = std::min(kShareBytes, link_->max_bytes() / 2);
  while (!waiting_.empty() && (flight.calls.empty() || bytes + waiting_.front().command.size() <= share)) {
    bytes += waiting_.front().command.size();
    flight.calls.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  for (const Call& call : flight.calls) {
    if (!call.command.empty()) commands.push_back(call.command);
  }
  const std::string text = WriteMessage(commands);
  if (text.size() <= kMaxCommandBytes) flight.body = Pack(text);
  if (text.size() > kMaxCommandBytes || flight.body.size() > link_->max_bytes()) {
    std::deque<Call> calls(std::make_move_iterator(flight.calls.begin()), std::make_move_iterator(flight.calls.end()));
    FailAll(calls, {ErrorCode::kTooLarge,
                    "what is written to the registry at once has at most " + std::to_string(kMaxCommandBytes) +
                        " bytes, and compressed " + std::to_string(link_->max_bytes()) + "; got " +
                        std::to_string(text.size()) + ", compressed " + std::to_string(flight.body.size()),
                    ""});
    return SendNext();
  }
  if (replica_->LastOf(session_) != number_) {
    // What this session wrote was lost: the stream was put back to an earlier state.
    session_ = SecureRandom64();
    number_ = 0;
  }
  flight.number = ++number_;
  flight.first_sent = Mono();
  flight_ = std::move(flight);
  Send();
}

void RegistryLog::Send() {
  if (replica_->LastOf(session_) + 1 != flight_->number) {
    session_ = SecureRandom64();
    flight_->number = number_ = 1;
  }
  flight_->sent = Mono();
  const Result<void> sent = link_->Publish({write_subject_, WriteRegistryStamp({session_, flight_->number, 0, 0}), 0,
                                            std::to_string(flight_->number), flight_->body});
  // Not sent, or only perhaps: a tick sends it again.
  if (!sent) log::Debug("registry: a message was not sent: {}", sent.error().message);
}

void RegistryLog::FailAll(std::deque<Call>& calls, const Error& error) {
  for (Call& call : calls) {
    Billed<Answer> answer = std::exchange(call.answer, {});
    if (!answer) continue;
    counts_.Refused(error.code).Add();
    answer(*replica_, Fail(error));
  }
}

void RegistryLog::Stop(const Error& why) {
  if (!stopped_) {
    if (why.code != ErrorCode::kClosed) log::Error("registry: {}", why.message);
    stopped_ = why;
  }
  std::deque<Call> calls = std::exchange(waiting_, {});
  if (flight_) {
    calls.insert(calls.begin(), std::make_move_iterator(flight_->calls.begin()),
                 std::make_move_iterator(flight_->calls.end()));
  }
  flight_.reset();
  // Before the answers: a caller who was refused finds that nothing can be written.
  Progress();
  FailAll(calls, *stopped_);
}

}  // namespace openseat::store
