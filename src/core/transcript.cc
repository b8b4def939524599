#include "core/transcript.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json.h"
#include "base/log.h"

namespace openseat {
namespace {

// How long a transcript waits before it tries to write again.
constexpr Duration kRetry = std::chrono::seconds(1);

// What an event takes beside its payload, at most: its kind, its time and its size.
constexpr std::size_t kRecordOverhead = 16;

std::string GapPayload(std::uint64_t lost, Time since, const std::string& reason) {
  std::string out = "{\"lost\":" + std::to_string(lost) + ",\"since\":\"" + FormatIso8601(since) + "\",\"reason\":";
  json::WriteString(reason, out);
  out += '}';
  return out;
}

}  // namespace

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq)
    : Transcript(journal, scheduler, std::move(table), last_seq, false, nullptr) {}

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, std::shared_ptr<const Payer> payer)
    : Transcript(journal, scheduler, std::move(table), 0, true, std::move(payer)) {}

Transcript::Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq, bool expendable,
                       std::shared_ptr<const Payer> payer)
    : journal_(journal),
      scheduler_(scheduler),
      table_(std::move(table)),
      expendable_(expendable),
      payer_(std::move(payer)),
      max_bytes_(payer_ == nullptr ? 0 : payer_->limits().max_journal_bytes),
      rate_(payer_ == nullptr ? RateLimit{.per_second = 0, .burst = 1} : payer_->limits().journal_bytes),
      appended_(last_seq),
      refused_{ErrorCode::kIo, {}, {}},
      allowance_(rate_.burst),
      allowance_at_(scheduler.clock().Monotonic()),
      self_(std::make_shared<Transcript*>(this)) {}

Transcript::~Transcript() {
  *self_ = nullptr;
  // Answers find nobody from here on.
  if (!pending_.empty() && !fenced_) Append(nullptr);
}

Seq Transcript::Add(EventKind kind, std::string payload) {
  Event event{kind, scheduler_.clock().Now(), std::move(payload)};
  // However the record stands, its end is written.
  const bool last = kind == EventKind::kClosed;
  if (fenced_ || (!last && (gap_ || !Admit(event.payload.size())))) {
    if (gap_) ++gap_->lost;
    return 0;
  }
  pending_.push_back(std::move(event));
  if (!flush_posted_) {
    flush_posted_ = true;
    scheduler_.Post([self = self_] {
      if (*self != nullptr) {
        (*self)->flush_posted_ = false;
        (*self)->Flush();
      }
    });
  }
  return last_seq();
}

void Transcript::Commit(EventKind kind, Time time, std::vector<std::string> payloads, Journal::AppendDone done) {
  if (fenced_) {
    scheduler_.Post([done = std::move(done), error = refused_] { done(Fail(error)); });
    return;
  }
  for (std::string& payload : payloads) pending_.push_back({kind, time, std::move(payload)});
  commits_under_way_ += payloads.size();
  Append(std::move(done), payloads.size());
}

void Transcript::Flush() {
  if (!pending_.empty() && !fenced_) Append(nullptr);
}

void Transcript::Append(Journal::AppendDone done, std::size_t commits) {
  std::vector<Event> events;
  if (appended_ == 0) {
    if (opening_) {
      events.push_back(*opening_);  // it was refused
    } else if (!pending_.empty()) {
      opening_ = pending_.front();
    }
  }
  const bool closes_gap = gap_.has_value();
  if (gap_) {
    events.push_back({EventKind::kGap, scheduler_.clock().Now(), GapPayload(gap_->lost, gap_->since, gap_->reason)});
    closing_ = std::exchange(gap_, std::nullopt);
    retry_.Cancel();
  }
  if (events.empty()) {
    events = std::exchange(pending_, {});
  } else {
    std::ranges::move(std::exchange(pending_, {}), std::back_inserter(events));
  }
  const Sent sent{epoch_, appended_, commits, closes_gap};
  appended_ += events.size();
  const bool quiet = sent.commits == 0 && !sent.closes_gap && sent.expected != 0;
  journal_.Append(table_, sent.expected, std::move(events), scheduler_,
                  [self = self_, sent, done = std::move(done)](Result<Seq> result) {
                    if (*self != nullptr) (*self)->Answered(sent, result);
                    if (done) done(std::move(result));
                  },
                  {.expendable = expendable_, .failures_only = quiet});
}

void Transcript::Answered(const Sent& sent, Result<Seq>& result) {
  const std::size_t committed = commits_under_way_;
  commits_under_way_ -= sent.commits;
  if (sent.epoch != epoch_) {
    // It counted on one that was refused.
    if (!result) result = Fail(refused_);
    return;
  }
  if (result) {
    if (sent.expected == 0) opening_.reset();
    if (sent.closes_gap) {
      closing_.reset();
      if (goes_on_) goes_on_();
    }
    return;
  }
  ++epoch_;
  refused_ = result.error();
  if (refused_.code == ErrorCode::kConflict) {
    fenced_ = true;
    gap_.reset();
    closing_.reset();
    pending_.clear();
    retry_.Cancel();
    // A new match whose name was used before gets another one.
    if (sent.expected != 0) log::Error("{}: somebody else writes its journal: {}", table_.str(), refused_.message);
    return;
  }
  // All that is under way goes with it. Those who committed are told so, and the opening comes again.
  std::uint64_t lost = appended_ - sent.expected;
  const std::uint64_t kept = committed + (sent.expected == 0 ? 1 : 0) + (closing_ ? 1 : 0);
  lost -= std::min(lost, kept);
  appended_ = sent.expected;
  const bool began = !gap_ && !closing_;
  Gap gap = closing_ ? *std::exchange(closing_, std::nullopt) : Gap{0, scheduler_.clock().Now(), {}, false};
  if (gap_) {
    lost += gap_->lost;
    gap.for_good = gap_->for_good;
  }
  gap.lost += lost;
  gap.reason = refused_.message;
  gap_ = std::move(gap);
  if (!gap_->for_good) retry_.Set(scheduler_, kRetry, [this] { TryAgain(); });
  if (began && gap_began_) gap_began_(refused_.message);
}

void Transcript::BeginGap(std::string reason, bool for_good) {
  Flush();
  gap_ = Gap{0, scheduler_.clock().Now(), std::move(reason), for_good};
  if (!for_good) retry_.Set(scheduler_, kRetry, [this] { TryAgain(); });
  if (gap_began_) gap_began_(std::string(gap_->reason));
}

void Transcript::TryAgain() {
  if (!gap_) return;
  if (rate_.per_second > 0 && !Refill()) {
    retry_.Set(scheduler_, kRetry, [this] { TryAgain(); });
    return;
  }
  Append(nullptr);
}

bool Transcript::Refill() {
  const Instant now = scheduler_.clock().Monotonic();
  const double seconds = std::chrono::duration<double>(now - allowance_at_).count();
  allowance_ = std::min(allowance_ + seconds * rate_.per_second, rate_.burst);
  allowance_at_ = now;
  return allowance_ > 0;
}

bool Transcript::Admit(std::size_t payload_bytes) {
  const std::uint64_t bytes = payload_bytes + kRecordOverhead;
  if (max_bytes_ != 0 && bytes_ + bytes > max_bytes_) {
    BeginGap(payer_->Refuse(Limit::kJournalBytes, max_bytes_).Text() + "; nothing more of it is recorded", true);
    return false;
  }
  // The clock is read only when what may be written at once is used up.
  if (rate_.per_second > 0 && allowance_ <= 0 && !Refill()) {
    BeginGap(payer_->Refuse(Limit::kJournalRate, static_cast<std::uint64_t>(rate_.per_second)).Text(), false);
    return false;
  }
  allowance_ -= static_cast<double>(bytes);
  bytes_ += bytes;
  return true;
}

}  // namespace openseat
