#include "store/nats_shard.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop_bill.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

// Messages of a shard that wait for answers. The more, the fewer appends share a message.
constexpr std::size_t kWindow = 16;
// About this much is sent at a time.
constexpr std::size_t kSendBytes = std::size_t{4} << 20;
// How many appends are taken from the queue before others get the lock.
constexpr std::size_t kSendAppends = 4096;
// How soon healing is tried again: doubled each time.
constexpr Duration kFirstRetry = std::chrono::milliseconds(20);
constexpr Duration kLastRetry = std::chrono::seconds(1);
constexpr int kPatience = 4;  // tries before somebody is told
// Of how many messages the index keeps the places once their table is closed: 16 bytes each.
constexpr std::size_t kKeptPlaces = 64;
// What a message takes in a stream besides its events, about.
constexpr std::uint64_t kMessageOverhead = 256;

Error OtherOwner(const TableId& table) {
  return {ErrorCode::kConflict, "another node writes table " + Quote(table.str()) + " now", ""};
}

Error OtherOwnerOf(const std::string& stream) {
  return {ErrorCode::kConflict, "another node writes the stream " + stream, ""};
}

}  // namespace

NatsShard::NatsShard(NatsLink& link, NatsShardsWorld& world, const NatsShardNames& names, std::size_t index)
    : link_(link),
      world_(world),
      names_(names),
      index_(index),
      part_bytes_(std::min(kNatsPartBytes, link.max_bytes())),
      tables_(world.closed_tables, kKeptPlaces) {}

Result<void> NatsShard::Open() {
  if (Result<void> made = link_.MakeStream(names_.stream, names_.subjects); !made) return made;
  const Result<std::uint64_t> last = link_.LastPosition(names_.stream);
  if (!last) return Fail(last.error());
  if (*last == 0) {
    // Two nodes may do this at the same time: such messages change nothing. Nobody waits for the answer.
    const NatsStamp nothing;
    Result<void> founded = link_.Publish({names_.claim, WriteNatsStamp(nothing), 0, "founded", {}});
    if (!founded) return founded;
  }
  if (Result<void> read = ReadOn(); !read) return read;
  const std::lock_guard lock(mutex_);
  if (damage_) return Fail(*damage_);
  return {};
}

void NatsShard::Claim() {
  const std::lock_guard lock(mutex_);
  if (writer_) {
    // Ours already, unless another claim came since.
    if (!writer_->doubt()) {
      writer_->Doubt();
      HealSoon();
    }
    return;
  }
  writer_.emplace(reader_, position_, SecureRandom64());
  flights_.clear();
  predicted_.clear();
  flights_.emplace_back();
  flights_.back().subject = names_.claim;
  flights_.back().chunk = std::make_shared<const std::string>(world_.node);
  flights_.back().end = world_.node.size();
  // An empty stream's first message may not be there yet: reading on comes first.
  writer_->Doubt();
  writer_->Append();
  HealSoon();
}

Result<void> NatsShard::Release() {
  const std::lock_guard lock(mutex_);
  if (!writer_) return {};
  if (writer_->doubt() || !flights_.empty() || !queue_.empty()) {
    return Fail(ErrorCode::kBusy, "the stream " + names_.stream + " has messages on the way");
  }
  reader_ = writer_->reader();
  position_ = writer_->position();
  writer_.reset();
  return {};
}

bool NatsShard::owns() const {
  const std::lock_guard lock(mutex_);
  return writer_ && writer_->owns();
}

Result<void> NatsShard::AwaitClaim(Duration most) {
  std::unique_lock lock(mutex_);
  if (!settled_.wait_for(lock, most, [this] { return !writer_ || (writer_->owns() && !writer_->doubt()); })) {
    return Fail(Unconfirmed("the claim to the stream " + names_.stream));
  }
  if (!writer_) return Fail(OtherOwnerOf(names_.stream));
  return {};
}

void NatsShard::Append(AppendRequest request) {
  const std::lock_guard lock(mutex_);
  ++appended_;
  if (!writer_) {
    Result<Seq> refused = Fail(OtherOwner(request.table));
    std::vector<Answer> answers;
    answers.push_back({std::move(request), std::move(refused)});
    return Post(std::move(answers));
  }
  queue_.push_back(std::move(request));
  if (!writer_->doubt()) world_.wants_pump(index_);
}

Result<void> NatsShard::Settle(Duration most) {
  std::unique_lock lock(mutex_);
  // Answers come in order, except that everything is answered at once where the shard is lost.
  if (settled_.wait_for(lock, most, [this, target = appended_] { return done_ >= target; })) return {};
  return Fail(Unconfirmed("what was written"));
}

Error NatsShard::Unconfirmed(const std::string& what) const {
  const bool full = world_.room->IsFull(SystemClock().Monotonic());
  return {ErrorCode::kTimeout, "NATS does not confirm " + what + WhyUnconfirmed(full), ""};
}

std::optional<Error> NatsShard::TakeFailure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void NatsShard::Post(std::vector<Answer> answers) {
  std::size_t bytes = 0;
  std::size_t refused_bytes = 0;
  for (Answer& answer : answers) {
    (answer.request.refused ? refused_bytes : bytes) += answer.request.bytes;
    const bool failed = !answer.result;
    // A recording without room is not a failure of the journal.
    const bool counts = failed && !answer.request.terms.expendable;
    if (counts && answer.result.error().code == ErrorCode::kIo) failure_ = answer.result.error();
    if (!answer.request.done) {
      if (failed) {
        log::Error("journal: an append to table {} failed: {}", answer.request.table.str(),
                   answer.result.error().message);
      }
    } else if (failed || !answer.request.terms.failures_only) {
      answer.request.scheduler->Post([done = std::move(answer.request.done),
                                      result = std::move(answer.result)]() mutable { done(std::move(result)); });
    }
  }
  done_ += answers.size();
  settled_.notify_all();
  world_.settled(bytes, refused_bytes);
}

void NatsShard::Pump(Instant now) {
  const std::lock_guard lock(mutex_);
  if (!writer_ || writer_->doubt()) return;
  if (!flights_.empty() && flights_.front().sent + world_.answer_timeout <= now) {
    writer_->Doubt();
    return HealSoon();
  }
  SendQueue(now);
}

void NatsShard::SendQueue(Instant now) {
  if (!writer_->owns() || flights_.size() >= kWindow) return;
  std::size_t most = kSendAppends;
  while (!queue_.empty() && flights_.size() < kWindow && !writer_->doubt()) {
    if (most == 0) return world_.wants_pump(index_);
    std::vector<Answer> answers;
    std::vector<Group> groups;
    for (std::size_t bytes = 0; !queue_.empty() && bytes < kSendBytes && most > 0; queue_.pop_front(), --most) {
      AppendRequest& request = queue_.front();
      bytes += request.bytes;
      Result<Seq> result = Take(request, groups, now);
      request.events = {};  // in the group's chunk now
      answers.push_back({std::move(request), std::move(result)});
    }
    for (Group& group : groups) Send(group, now);
    if (flights_.empty()) {
      Post(std::move(answers));
    } else {
      // In the order of the appends, also of those that were refused.
      auto& last = flights_.back().answers;
      std::move(answers.begin(), answers.end(), std::back_inserter(last));
    }
  }
}

Result<Seq> NatsShard::Take(const AppendRequest& request, std::vector<Group>& groups, Instant now) {
  if (request.refused) return Fail(ErrorCode::kIo, "NATS is too slow for the events to record");
  if (Result<void> checked = CheckAppend(request); !checked) return Fail(checked.error());
  const std::string& id = request.table.str();
  const auto predicted = predicted_.find(request.table);
  const NatsIndex::Head* head = tables_.Find(request.table);
  Predicted next;
  if (predicted != predicted_.end()) {
    next = predicted->second;
  } else if (head != nullptr) {
    next = {head->number, head->last_seq, 0};
  } else if (tables_.MayBeOld(request.table)) {
    return Fail(ErrorCode::kConflict, "table " + Quote(id) + " was closed long ago");
  }
  if (next.last_seq != request.expected) {
    return Fail(ErrorCode::kConflict, "table " + Quote(id) + " has " + std::to_string(next.last_seq) + " events, not " +
                                          std::to_string(request.expected));
  }
  if (request.events.empty()) return next.last_seq;
  if (next.last_seq == 0 && request.events.front().kind != EventKind::kOpened) {
    return Fail(ErrorCode::kInvalid, "the first event of table " + Quote(id) + " must be its opening");
  }
  std::uint64_t bytes = kMessageOverhead;
  for (const Event& event : request.events) bytes += kEventOverhead + event.payload.size();
  if (Result<void> room = world_.room->Take(bytes, request.terms, now); !room) return Fail(room.error());
  if (next.number == 0) next.number = NewNumber();
  auto group =
      std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.table == request.table; });
  if (group == groups.end()) {
    groups.push_back({request.table,
                      next.number,
                      next.last_seq + 1,
                      request.events.front().time.time_since_epoch().count(),
                      false,
                      {}});
    group = std::prev(groups.end());
  }
  for (const Event& event : request.events) {
    group->chunk.Add(event);
    group->last_time = std::max<std::int64_t>(group->last_time, event.time.time_since_epoch().count());
  }
  group->closed = request.events.back().kind == EventKind::kClosed;
  group->room += bytes;
  next.last_seq += request.events.size();
  predicted_[request.table] = next;
  return next.last_seq;
}

std::uint64_t NatsShard::NewNumber() {
  const auto micros =
      static_cast<std::uint64_t>(std::max<std::int64_t>(SystemClock().Now().time_since_epoch().count(), 1));
  std::uint64_t last = world_.last_table_time.load();
  std::uint64_t next = std::max(micros, last + 1);
  while (!world_.last_table_time.compare_exchange_weak(last, next)) next = std::max(micros, last + 1);
  return (next << kNatsShardBits) | index_;
}

void NatsShard::Send(Group& group, Instant now) {
  const std::uint64_t count = group.chunk.count();
  const auto chunk = std::make_shared<const std::string>(group.chunk.Finish(group.number, group.first_seq));
  const std::string subject = names_.TableSubject(group.table);
  const std::size_t parts = (chunk->size() + part_bytes_ - 1) / part_bytes_;
  for (std::size_t part = 0; part < parts; ++part) {
    Flight flight;
    flight.table = group.table;
    flight.subject = subject;
    flight.stamp = {{}, part + 1, parts, group.number, group.first_seq, count, group.last_time, group.closed};
    flight.chunk = chunk;
    flight.begin = part * part_bytes_;
    flight.end = std::min(chunk->size(), flight.begin + part_bytes_);
    flight.room = part == 0 ? group.room : 0;
    ++predicted_[group.table].flights;
    flights_.push_back(std::move(flight));
    // In doubt, it waits for Resend.
    if (const auto send = writer_->Append()) SendFlight(*send, flights_.back(), now);
  }
}

void NatsShard::SendFlight(const LogWriter::Send& send, Flight& flight, Instant now) {
  flight.stamp.log = send.stamp;
  flight.sent = now;
  const std::string token = std::to_string(index_) + "-" + std::to_string(send.stamp.claim) + "-" +
                            std::to_string(send.attempt) + "-" + std::to_string(send.stamp.number);
  const Result<void> sent =
      link_.Publish({flight.subject, WriteNatsStamp(flight.stamp), send.expected, token,
                     std::string_view(*flight.chunk).substr(flight.begin, flight.end - flight.begin)});
  if (!sent && !writer_->doubt()) {
    writer_->Doubt();
    HealSoon();
  }
}

void NatsShard::OnAnswer(std::uint64_t claim, std::uint64_t attempt, std::uint64_t number,
                         std::optional<std::uint64_t> position, Instant now) {
  const std::lock_guard lock(mutex_);
  if (!writer_ || writer_->claim() != claim) return;
  const bool doubted = writer_->doubt();
  if (position && *position > 0) {
    writer_->OnAccepted(attempt, number, *position);
  } else {
    writer_->OnRefused(attempt);
  }
  Confirm();
  if (writer_->doubt()) {
    if (!doubted) HealSoon();
  } else {
    SendQueue(now);
  }
}

void NatsShard::Confirm() {
  const std::uint64_t waiting = writer_->made() - writer_->confirmed();
  while (flights_.size() > waiting) {
    Flight flight = std::move(flights_.front());
    flights_.pop_front();
    // Those that are confirmed together are at consecutive positions.
    const std::uint64_t position = writer_->position() - (flights_.size() + 1 - waiting) + 1;
    if (!flight.table.empty()) {
      tables_.Add(flight.table, flight.stamp, position);
      world_.room->Stored(index_, flight.room);
      const auto predicted = predicted_.find(flight.table);
      if (--predicted->second.flights == 0) predicted_.erase(predicted);
    }
    Post(std::move(flight.answers));
    Recovered();
  }
}

void NatsShard::Recovered() {
  heals_ = 0;
  if (std::exchange(unhealthy_, std::nullopt)) log::Info("journal: the stream {} takes messages again", names_.stream);
}

void NatsShard::Lose() {
  log::Warn("journal: another node writes the stream {} now", names_.stream);
  reader_ = writer_->reader();
  position_ = writer_->position();
  writer_.reset();
  std::vector<Answer> answers;
  for (Flight& flight : flights_) {
    world_.room->Drop(flight.room);
    for (Answer& answer : flight.answers) {
      answer.result = Fail(OtherOwner(answer.request.table));
      answers.push_back(std::move(answer));
    }
  }
  for (AppendRequest& request : queue_) {
    Result<Seq> refused = Fail(OtherOwner(request.table));
    answers.push_back({std::move(request), std::move(refused)});
  }
  flights_.clear();
  queue_.clear();
  predicted_.clear();
  Post(std::move(answers));
  world_.lost(index_);
}

void NatsShard::HealSoon() {
  // The first doubt is usually settled at once. A server that refuses what fits, because it is full or has no majority,
  // does so again and again.
  world_.wants_heal(index_,
                    heals_ == 0 ? Duration(0) : std::min(kFirstRetry * (1 << std::min(heals_, 10)), kLastRetry));
}

void NatsShard::Heal() {
  {
    const std::lock_guard lock(mutex_);
    if (!writer_ || !writer_->doubt()) return;
  }
  Result<void> read = ReadOn();
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  if (read && damage_) read = Fail(*damage_);
  ++heals_;
  if (!read || heals_ > kPatience) {
    const Error why =
        read ? Error{ErrorCode::kIo, "NATS does not take messages of the stream " + names_.stream, ""} : read.error();
    if (!unhealthy_) log::Warn("journal: {}; appends wait", why.message);
    unhealthy_ = why;
  }
  // A new stream's first message may be on its way.
  if (!read || writer_->position() == 0) return HealSoon();
  const Instant now = SystemClock().Monotonic();
  for (const LogWriter::Send& send : writer_->Resend(writer_->position())) {
    SendFlight(send, flights_[send.stamp.number - writer_->confirmed()], now);
  }
  // Nothing waits for an answer that would show it; the probes do (NatsJournal::Writable).
  if (flights_.empty()) Recovered();
  if (!writer_->doubt()) SendQueue(now);
  settled_.notify_all();  // for AwaitClaim
}

Result<void> NatsShard::Writable() const {
  const std::lock_guard lock(mutex_);
  if (damage_) return Fail(*damage_);
  if (writer_ && unhealthy_) return Fail(*unhealthy_);
  return {};
}

void NatsShard::Abandon() {
  const std::lock_guard lock(mutex_);
  std::size_t left = queue_.size();
  for (const Flight& flight : flights_) left += flight.answers.size();
  if (left > 0) log::Error("journal: {} appends to the stream {} were not confirmed", left, names_.stream);
  flights_.clear();
  queue_.clear();
  writer_.reset();
}

}  // namespace openseat::store
