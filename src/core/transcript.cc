#include "core/transcript.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "base/rate_limit.h"

namespace openseat {
namespace {

// How long a transcript waits before it tries to write again.
constexpr Duration kRetry = std::chrono::seconds(1);

// When this much waits to be appended, nothing lingers any more.
constexpr std::size_t kMostLingering = 64u << 10;

// Of a game that goes on without its record: while so many appends are not answered yet, events gather as if they
// lingered, and from the second number on they are lost. Every sixteenth append is answered, whatever becomes of it.
constexpr std::uint32_t kGatherFrom = 64;
constexpr std::uint32_t kLoseFrom = 1024;
constexpr std::uint32_t kAnswerEvery = 16;
constexpr const char* kTooSlow = "the journal is too slow for the events to record";

// How many events are often appended together.
constexpr std::size_t kTypicalEvents = 4;

std::string GapPayload(std::uint64_t lost, Time since, const std::string& reason) {
  std::string out = "{\"lost\":" + std::to_string(lost) + ",\"since\":\"" + FormatIso8601(since) + "\",\"reason\":";
  json::WriteString(reason, out);
  out += '}';
  return out;
}

}  // namespace

// The part of a Transcript that writes. It outlives the Transcript: until every append is answered, and the end is
// written.
class Transcript::Record : public std::enable_shared_from_this<Transcript::Record> {
 public:
  Record(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq, bool expendable,
         std::shared_ptr<const Payer> payer, Duration linger);

  Seq Add(EventKind kind, std::string&& payload);
  void Commit(std::vector<Event> events, Journal::AppendDone done);
  void Flush();
  void FlushLater();
  // Nothing writes any more.
  void Leave();

  void OnGap(std::function<void(const std::string& reason)> began) { gap_began_ = std::move(began); }
  void OnGoesOn(std::function<void()> goes_on) { goes_on_ = std::move(goes_on); }
  const TableId& table() const { return table_; }
  Seq last_seq() const { return appended_ + pending_.size() + (ending_ && !ending_sent_ ? 1 : 0); }
  bool fenced() const { return fenced_; }

 private:
  struct Gap {
    std::uint64_t lost = 0;
    Time since;
    std::string reason;
    bool for_good = false;  // only the table's last event ends it
  };

  // What a game that goes on without its record may have recorded.
  struct Allowance {
    const std::shared_ptr<const Payer> payer;  // whose limits apply
    std::uint64_t total = 0;                   // bytes recorded so far
    double now;                                // bytes that may be recorded now
    Instant at;
    const PeerLimits& limits() const { return payer->limits(); }
    bool Refill(Instant time);
  };

  // An append in progress.
  struct Sent {
    std::uint32_t epoch;
    std::uint32_t commits;
    Seq expected;
    std::uint32_t number;  // of the append
    bool closes_gap;       // it begins with a kGap
    bool ends;             // its last event is the table's
  };

  // `commits`: how many of the events the caller commits and is told about.
  void Append(Journal::AppendDone done, std::size_t commits = 0);
  // The result of an append; an error may become the one that caused it.
  void Answered(const Sent& sent, Result<Seq>& result);
  void BeginGap(std::string reason, bool for_good);
  // Unless so many appends are not answered that events gather; then the next answer does it.
  void FlushInTurn();
  // Whether that many appends, or a few less, are not answered yet.
  bool Waits(std::uint32_t appends) const { return expendable_ && appends_ - answered_ >= appends; }
  void TryAgain();
  void TryAgainLater();
  // Lives until the end is written.
  void StayForTheEnd();
  void Ended();
  // Whether the limits allow an event of that size to be recorded; if not, a gap has begun.
  bool Admit(std::size_t payload_bytes);

  Journal& journal_;
  Scheduler& scheduler_;
  const TableId table_;
  const Duration linger_;
  const std::unique_ptr<Allowance> allowance_;  // null: no limits
  std::function<void(const std::string& reason)> gap_began_;
  std::function<void()> goes_on_;

  Seq appended_;
  std::vector<Event> pending_;
  std::unique_ptr<const Event> opening_;  // kept until it is known to be in the journal
  std::unique_ptr<const Event> ending_;   // likewise; after everything that is pending
  // Raised when an append fails: the answers to the appends in progress after it add nothing.
  std::uint32_t epoch_ = 0;
  std::uint32_t appends_ = 0;
  std::uint32_t answered_ = 0;  // those up to the last one whose answer is known
  const bool expendable_;
  bool ending_sent_ = false;  // ending_ is on its way
  bool fenced_ = false;
  bool left_ = false;
  bool has_sent_ = false;  // an append, whatever its result
  bool flush_comes_ = false;
  bool flush_waits_ = false;              // for an answer
  std::size_t commits_under_way_ = 0;     // how many committed events have no answer yet
  std::unique_ptr<Gap> gap_;              // nothing is appended except a commit and the retry
  std::unique_ptr<Gap> closing_;          // its kGap is on its way to the journal
  std::unique_ptr<const Error> refused_;  // why the last append failed
  ScopedTimer retry_;                     // until it is left
  TimerId stays_;                         // from then on; its task holds this
  std::size_t pending_bytes_ = 0;         // of payloads, since the last append
};

Transcript::Record::Record(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq, bool expendable,
                           std::shared_ptr<const Payer> payer, Duration linger)
    : journal_(journal),
      scheduler_(scheduler),
      table_(std::move(table)),
      linger_(linger),
      allowance_(payer == nullptr ? nullptr
                                  : std::make_unique<Allowance>(Allowance{payer, 0, payer->limits().journal_bytes.burst,
                                                                          scheduler.clock().Monotonic()})),
      appended_(last_seq),
      expendable_(expendable) {}

Seq Transcript::Record::Add(EventKind kind, std::string&& payload) {
  const Time now = scheduler_.clock().Now();
  // Whatever the state of the record, its end is written.
  const bool last = kind == EventKind::kClosed;
  if (fenced_ || (!last && (gap_ || !Admit(payload.size())))) {
    if (gap_) ++gap_->lost;
    return 0;
  }
  if (last) {
    ending_ = std::make_unique<const Event>(Event{kind, now, std::move(payload)});
    ending_sent_ = false;
  } else {
    pending_bytes_ += payload.size() + kEventOverhead;
    if (pending_.empty()) pending_.reserve(kTypicalEvents);
    pending_.push_back({kind, now, std::move(payload)});
  }
  FlushLater();
  return last_seq();
}

void Transcript::Record::FlushLater() {
  if (flush_comes_ && pending_bytes_ >= kMostLingering) return Flush();
  if (std::exchange(flush_comes_, true)) return;
  Task flush = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->flush_comes_ = false;
      self->FlushInTurn();
    }
  };
  if (linger_ == Duration(0)) {
    scheduler_.Post(std::move(flush));
  } else {
    scheduler_.After(linger_, std::move(flush));
  }
}

void Transcript::Record::Commit(std::vector<Event> events, Journal::AppendDone done) {
  if (fenced_) {
    scheduler_.Post([done = std::move(done), error = *refused_] { done(Fail(error)); });
    return;
  }
  const std::size_t count = events.size();
  commits_under_way_ += count;
  if (pending_.empty()) {
    pending_ = std::move(events);
  } else {
    std::ranges::move(events, std::back_inserter(pending_));
  }
  Append(std::move(done), count);
}

void Transcript::Record::Flush() {
  if (fenced_ || (pending_.empty() && (!ending_ || ending_sent_))) return;
  Append(nullptr);
}

void Transcript::Record::FlushInTurn() {
  const bool ends = ending_ && !ending_sent_;
  flush_waits_ = !ends && pending_bytes_ < kMostLingering && Waits(kGatherFrom);
  if (!flush_waits_) Flush();
}

void Transcript::Record::Leave() {
  gap_began_ = nullptr;
  goes_on_ = nullptr;
  left_ = true;
  retry_.Cancel();
  // Also if nothing is left to append: answers come in the order of the appends, so that this one, which holds the
  // record, is the last.
  if (has_sent_ || !pending_.empty()) Append(nullptr);
  if (ending_) StayForTheEnd();
}

void Transcript::Record::StayForTheEnd() {
  stays_ = scheduler_.After(kRetry, [self = shared_from_this()] {
    self->stays_ = TimerId();
    if (self->gap_) self->Append(nullptr);
    self->StayForTheEnd();
  });
}

void Transcript::Record::Ended() {
  ending_.reset();
  retry_.Cancel();
  if (stays_ != TimerId()) scheduler_.Cancel(std::exchange(stays_, TimerId()));
}

void Transcript::Record::Append(Journal::AppendDone done, std::size_t commits) {
  std::vector<Event> events;
  if (appended_ == 0) {
    if (opening_) {
      events.push_back(*opening_);  // it was refused
    } else if (!pending_.empty()) {
      opening_ = std::make_unique<const Event>(pending_.front());
    }
  }
  const bool closes_gap = gap_ != nullptr;
  if (gap_) {
    events.push_back({EventKind::kGap, scheduler_.clock().Now(), GapPayload(gap_->lost, gap_->since, gap_->reason)});
    closing_ = std::move(gap_);
    retry_.Cancel();
  }
  if (events.empty()) {
    events = std::exchange(pending_, {});
  } else {
    std::ranges::move(std::exchange(pending_, {}), std::back_inserter(events));
  }
  pending_bytes_ = 0;
  flush_waits_ = false;
  const bool ends = ending_ && !ending_sent_;
  if (ends) {
    events.push_back(*ending_);
    ending_sent_ = true;
  }
  const Sent sent{epoch_, static_cast<std::uint32_t>(commits), appended_, ++appends_, closes_gap, ends};
  appended_ += events.size();
  has_sent_ = true;
  const bool quiet = commits == 0 && !closes_gap && !ends && !left_ && sent.expected != 0 &&
                     !(expendable_ && appends_ % kAnswerEvery == 0);
  // This exists until the last append is answered (Leave), so the many appends before it need not hold it: holding
  // costs both threads. Without `done` the answer allocates no memory either.
  Journal::AppendDone answer;
  if (left_) {
    answer = [self = shared_from_this(), sent](Result<Seq> result) { self->Answered(sent, result); };
  } else if (!done) {
    answer = [this, sent](Result<Seq> result) { Answered(sent, result); };
  } else {
    answer = [this, sent, done = std::move(done)](Result<Seq> result) {
      Answered(sent, result);
      done(std::move(result));
    };
  }
  journal_.Append(table_, sent.expected, std::move(events), scheduler_, std::move(answer),
                  {.expendable = expendable_, .failures_only = quiet});
}

void Transcript::Record::Answered(const Sent& sent, Result<Seq>& result) {
  const auto self = shared_from_this();  // the callback may destroy the last holder of this
  const std::size_t committed = commits_under_way_;
  commits_under_way_ -= sent.commits;
  answered_ = sent.number;  // with all before it
  if (fenced_ || sent.epoch != epoch_) {
    // It relied on one that was refused.
    if (!result) result = Fail(*refused_);
    return;
  }
  if (result) {
    if (sent.expected == 0) opening_.reset();
    if (sent.ends) Ended();
    if (sent.closes_gap) {
      closing_.reset();
      if (goes_on_) goes_on_();
    }
    if (flush_waits_) FlushInTurn();
    return;
  }
  ++epoch_;
  refused_ = std::make_unique<const Error>(result.error());
  if (refused_->code == ErrorCode::kConflict) {
    fenced_ = true;
    gap_.reset();
    closing_.reset();
    pending_.clear();
    Ended();
    // A new match whose name was used before gets another one.
    if (sent.expected != 0) log::Error("{}: another process writes its journal: {}", table_.str(), refused_->message);
    return;
  }
  if (sent.expected == 0 && sent.commits > 0) {
    // The creator of the table was told that it was not made, so it is not made later. If nothing else is on its way,
    // nothing has to be appended when it is left.
    appended_ = 0;
    pending_.clear();
    opening_.reset();
    has_sent_ = sent.number != appends_;
    return Ended();
  }
  // Everything in progress fails with it. The committers are told; the opening and the end are written again.
  std::uint64_t lost = appended_ - sent.expected;
  const std::uint64_t kept =
      committed + (sent.expected == 0 ? 1 : 0) + (closing_ ? 1 : 0) + (ending_ && ending_sent_ ? 1 : 0);
  lost -= std::min(lost, kept);
  appended_ = sent.expected;
  ending_sent_ = false;
  const bool began = !gap_ && !closing_;
  auto gap = closing_ ? std::move(closing_) : std::make_unique<Gap>(Gap{0, scheduler_.clock().Now(), {}, false});
  if (gap_) {
    lost += gap_->lost;
    gap->for_good = gap_->for_good;
  }
  gap->lost += lost;
  gap->reason = refused_->message;
  gap_ = std::move(gap);
  if (!gap_->for_good || ending_) TryAgainLater();
  if (began && gap_began_) gap_began_(refused_->message);
}

void Transcript::Record::BeginGap(std::string reason, bool for_good) {
  Flush();
  gap_ = std::make_unique<Gap>(Gap{0, scheduler_.clock().Now(), std::move(reason), for_good});
  if (!for_good) TryAgainLater();
  if (gap_began_) gap_began_(std::string(gap_->reason));
}

void Transcript::Record::TryAgainLater() {
  // Once left, StayForTheEnd does it.
  if (!left_) retry_.Set(scheduler_, kRetry, [this] { TryAgain(); });
}

void Transcript::Record::TryAgain() {
  if (!gap_) return;
  if (!ending_ && Waits(kGatherFrom)) return TryAgainLater();
  if (!ending_ && allowance_ && allowance_->limits().journal_bytes.per_second > 0 &&
      !allowance_->Refill(scheduler_.clock().Monotonic())) {
    return TryAgainLater();
  }
  Append(nullptr);
}

bool Transcript::Record::Allowance::Refill(Instant time) {
  const RateLimit& rate = limits().journal_bytes;
  const double seconds = std::chrono::duration<double>(time - at).count();
  now = std::min(now + seconds * rate.per_second, rate.burst);
  at = time;
  return now > 0;
}

bool Transcript::Record::Admit(std::size_t payload_bytes) {
  if (Waits(kLoseFrom)) {
    BeginGap(kTooSlow, false);
    return false;
  }
  if (!allowance_) return true;
  const std::uint64_t bytes = payload_bytes + kEventOverhead;
  const std::uint64_t most = allowance_->limits().max_journal_bytes;
  if (most != 0 && allowance_->total + bytes > most) {
    BeginGap(allowance_->payer->Refuse(Limit::kJournalBytes, most).Text() + "; nothing more of it is recorded", true);
    return false;
  }
  // The clock is read only when the bytes that may be written at once are used up.
  const double rate = allowance_->limits().journal_bytes.per_second;
  if (rate > 0 && allowance_->now <= 0 && !allowance_->Refill(scheduler_.clock().Monotonic())) {
    BeginGap(allowance_->payer->Refuse(Limit::kJournalRate, static_cast<std::uint64_t>(rate)).Text(), false);
    return false;
  }
  allowance_->now -= static_cast<double>(bytes);
  allowance_->total += bytes;
  return true;
}

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq, Duration linger)
    : record_(std::make_shared<Record>(journal, scheduler, std::move(table), last_seq, false, nullptr, linger)) {}

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, std::shared_ptr<const Payer> payer,
                       Duration linger, Seq last_seq)
    : record_(
          std::make_shared<Record>(journal, scheduler, std::move(table), last_seq, true, std::move(payer), linger)) {}

Transcript::~Transcript() {
  record_->Leave();
}

Seq Transcript::Add(EventKind kind, std::string payload) {
  return record_->Add(kind, std::move(payload));
}

void Transcript::Commit(std::vector<Event> events, Journal::AppendDone done) {
  record_->Commit(std::move(events), std::move(done));
}

void Transcript::Flush() {
  record_->Flush();
}

void Transcript::OnGap(std::function<void(const std::string& reason)> began) {
  record_->OnGap(std::move(began));
}

void Transcript::OnGoesOn(std::function<void()> goes_on) {
  record_->OnGoesOn(std::move(goes_on));
}

const TableId& Transcript::table() const {
  return record_->table();
}

Seq Transcript::last_seq() const {
  return record_->last_seq();
}

bool Transcript::fenced() const {
  return record_->fenced();
}

}  // namespace openseat
