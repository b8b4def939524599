#include "store/nats_journal.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/journal_codec.h"

namespace openseat::store {
namespace {

// How often the sender looks for answers that do not come.
constexpr Duration kSenderTick = std::chrono::milliseconds(100);

// How often a majority of the servers is asked for a sign of life, with this token.
constexpr Duration kProbeEvery = std::chrono::seconds(1);
constexpr std::string_view kProbe = "probe";

// How often, and where, nodes tell where the streams end, as far as they know: "SHARD-END SHARD-END ".
constexpr Duration kTellEvery = std::chrono::milliseconds(500);
constexpr std::string_view kEnds = ".ends";

// Numbers with a sign that is not a digit after each but the last one. False if that is not what the text begins with.
bool TakeNumbers(std::string_view& text, std::span<std::uint64_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out[i]);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (i + 1 < out.size()) {
      if (text.empty()) return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

Duration Until(Instant end) {
  return std::max(end - SystemClock().Monotonic(), Duration(0));
}

// Without its opening.
TableRecord BareRecord(const TableId& id, const NatsIndex::Head& head) {
  return {id, {}, {}, head.last_seq, head.closed, head.number};
}

}  // namespace

NatsJournal::NatsJournal(NatsJournalOptions options) : options_(std::move(options)) {
  world_.answer_timeout = options_.answer_timeout;
  world_.node = options_.node;
  world_.lost = [this](std::size_t shard) {
    const std::lock_guard lock(mutex_);
    if (lost_) lost_(shard);
  };
  world_.settled = [this](std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    backlog_ -= bytes;
    room_.notify_all();
  };
  world_.wants_pump = [this](std::size_t shard) {
    const std::lock_guard lock(mutex_);
    if (ready_.insert(shard).second) work_.notify_one();
  };
  world_.wants_heal = [this](std::size_t shard, Duration after) {
    const std::lock_guard lock(mutex_);
    ill_[shard] = SystemClock().Monotonic() + after;
    sick_.notify_one();
  };
}

Result<std::unique_ptr<NatsJournal>> NatsJournal::Open(NatsJournalOptions options) {
  if (Result<void> named = CheckClusterName(options.cluster); !named) return Fail(named.error());
  OPENSEAT_CHECK(options.shards >= 1 && options.shards <= kNatsShards, "a table's number has six bits for its shard");
  std::unique_ptr<NatsJournal> journal(new NatsJournal(std::move(options)));
  if (Result<void> started = journal->Start(); !started) return Fail(started.error());
  return journal;
}

Result<void> NatsJournal::Start() {
  Result<std::unique_ptr<NatsLink>> link = NatsLink::Connect(
      options_.link,
      [this](std::string_view token, std::optional<std::uint64_t> position) { OnAnswer(token, position); });
  if (!link) return Fail(link.error());
  link_ = std::move(*link);
  std::vector<std::unique_ptr<NatsShard>> shards;
  for (std::size_t i = 0; i < options_.shards; ++i) {
    shards.push_back(
        std::make_unique<NatsShard>(*link_, world_, NatsShardNames(options_.cluster, options_.shards, i), i));
    if (Result<void> opened = shards.back()->Open(); !opened) {
      link_.reset();
      return opened;
    }
  }
  {
    // For the library's thread, which may have answers already.
    const std::lock_guard lock(mutex_);
    shards_ = std::move(shards);
  }
  sender_ = std::thread([this] { SenderMain(); });
  for (std::thread& healer : healers_) healer = std::thread([this] { HealerMain(); });
  return {};
}

NatsJournal::~NatsJournal() {
  if (sender_.joinable()) {
    static_cast<void>(Flush().has_value());
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    sick_.notify_all();
    sender_.join();
    for (std::thread& healer : healers_) healer.join();
  }
  for (const std::unique_ptr<NatsShard>& shard : shards_) shard->Abandon();
  link_.reset();
}

Result<void> NatsJournal::ClaimAll() {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  for (const std::unique_ptr<NatsShard>& shard : shards_) shard->Claim();
  for (const std::unique_ptr<NatsShard>& shard : shards_) {
    Result<void> owned = shard->AwaitClaim(Until(end));
    if (!owned && owned.error().code == ErrorCode::kConflict) {
      shard->Claim();
      owned = shard->AwaitClaim(Until(end));
    }
    if (!owned) return owned;
  }
  return {};
}

std::uint64_t NatsJournal::owned() const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < shards_.size(); ++i) out |= std::uint64_t{shards_[i]->owns() ? 1u : 0u} << i;
  return out;
}

Result<void> NatsJournal::Claim(std::size_t shard) {
  // From what it has not read, a claim would be refused.
  if (Result<void> read = shards_[shard]->Refresh(); !read) return read;
  shards_[shard]->Claim();
  return shards_[shard]->AwaitClaim(options_.settle_timeout);
}

Result<void> NatsJournal::Release(std::size_t shard) {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  for (;;) {
    if (Result<void> settled = shards_[shard]->Settle(Until(end)); !settled) return settled;
    Result<void> released = shards_[shard]->Release();
    if (released || SystemClock().Monotonic() >= end) return released;
    // In doubt: that ends soon, or the claim is lost.
    static_cast<void>(shards_[shard]->AwaitClaim(Until(end)).has_value());
  }
}

void NatsJournal::CheckClaims() {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  std::vector<NatsShard*> ours;
  for (const std::unique_ptr<NatsShard>& shard : shards_) {
    if (shard->owns()) ours.push_back(shard.get());
  }
  for (NatsShard* shard : ours) shard->Claim();
  for (NatsShard* shard : ours) static_cast<void>(shard->AwaitClaim(Until(end)).has_value());
}

Result<std::vector<TableRecord>> NatsJournal::OpenTablesOf(std::size_t shard) {
  return Records(shards_[shard]->OpenTables(SIZE_MAX, 0));
}

Result<void> NatsJournal::ListenToNodes(NatsLink::Heard heard, std::function<void(std::size_t shard)> lost) {
  {
    const std::lock_guard lock(mutex_);
    lost_ = std::move(lost);
  }
  const std::string nodes = "openseat." + options_.cluster + ".nodes";
  return link_->Listen("openseat." + options_.cluster + ".*",
                       [this, nodes, heard = std::move(heard)](std::string_view subject, std::string_view body) {
                         if (subject == nodes) return heard(subject, body);
                         if (subject.ends_with(kEnds)) OnEnds(body);
                       });
}

void NatsJournal::StopListening() {
  link_->StopListening();
  const std::lock_guard lock(mutex_);
  lost_ = nullptr;
}

Result<void> NatsJournal::TellNodes(std::string_view text) {
  return link_->Tell("openseat." + options_.cluster + ".nodes", text);
}

void NatsJournal::SenderMain() {
  Instant next_tick;
  for (;;) {
    std::set<std::size_t> ready;
    {
      std::unique_lock lock(mutex_);
      work_.wait_until(lock, next_tick, [this] { return stopping_ || !ready_.empty(); });
      if (stopping_) return;
      ready.swap(ready_);
    }
    const Instant now = SystemClock().Monotonic();
    if (now >= next_tick) {
      next_tick = now + kSenderTick;
      Probe(now);
      TellEnds(now);
      for (const std::unique_ptr<NatsShard>& shard : shards_) shard->Pump(now);
    } else {
      for (const std::size_t shard : ready) shards_[shard]->Pump(now);
    }
  }
}

// Not with a message that has to be refused: NATS 2.12 refuses it without a majority, and replicas of 2.9 may count
// those differently.
void NatsJournal::Probe(Instant now) {
  if (now < probe_at_) return;
  probe_at_ = now + kProbeEvery;
  {
    const std::lock_guard lock(mutex_);
    if (!unanswered_) unanswered_ = now;
  }
  const NatsShard& shard = *shards_[probed_++ % shards_.size()];
  // One that is not sent is not answered.
  static_cast<void>(link_->AskForMajority(shard.names().stream, std::string(kProbe)).has_value());
}

void NatsJournal::TellEnds(Instant now) {
  if (now < tell_at_) return;
  tell_at_ = now + kTellEvery;
  std::string text;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    text += std::to_string(i) + "-" + std::to_string(shards_[i]->end()) + " ";
  }
  // Without NATS, nobody hears it.
  if (!text.empty())
    static_cast<void>(link_->Tell("openseat." + options_.cluster + std::string(kEnds), text).has_value());
}

void NatsJournal::OnEnds(std::string_view text) {
  std::array<std::uint64_t, 2> numbers{};
  while (TakeNumbers(text, numbers)) {
    if (numbers[0] < shards_.size()) shards_[numbers[0]]->OnTold(numbers[1]);
    text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  }
}

void NatsJournal::HealerMain() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Instant now = SystemClock().Monotonic();
    Instant next = now + kSenderTick * 10;
    std::optional<std::size_t> shard;
    for (const auto& [ill, when] : ill_) {
      // One healer at a time for each.
      if (healing_.contains(ill)) continue;
      if (when <= now) shard = ill;
      next = std::min(next, when);
    }
    if (!shard) {
      sick_.wait_until(lock, next);
      continue;
    }
    ill_.erase(*shard);
    healing_.insert(*shard);
    lock.unlock();
    shards_[*shard]->Heal();
    lock.lock();
    healing_.erase(*shard);
    sick_.notify_one();
  }
}

// "SHARD-CLAIM-ATTEMPT-NUMBER"
void NatsJournal::OnAnswer(std::string_view token, std::optional<std::uint64_t> position) {
  if (token == kProbe) {
    const std::lock_guard lock(mutex_);
    if (position) unanswered_.reset();
    return;
  }
  std::array<std::uint64_t, 4> numbers{};
  if (!TakeNumbers(token, numbers) || numbers[0] >= options_.shards) return;
  {
    const std::lock_guard lock(mutex_);
    if (shards_.empty()) return;
  }
  shards_[numbers[0]]->OnAnswer(numbers[1], numbers[2], numbers[3], position, SystemClock().Monotonic());
}

void NatsJournal::Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                         AppendDone done, AppendTerms terms) {
  std::size_t bytes = MemoryOf(table, events);
  bool refused = false;
  {
    std::unique_lock lock(mutex_);
    if (terms.expendable) {
      refused = backlog_ > options_.backlog_bytes / 3 * 2;
      if (refused) {
        events = {};
        bytes = MemoryOf(table, events);
      }
    } else {
      room_.wait(lock, [this] { return backlog_ < options_.backlog_bytes || backlog_ == 0; });
    }
    backlog_ += bytes;
  }
  ShardOf(table).Append({table, expected, std::move(events), &scheduler, std::move(done), bytes, terms, refused});
}

Result<std::vector<StoredEvent>> NatsJournal::Read(const TableId& table, Seq after, std::size_t limit) {
  NatsShard& shard = ShardOf(table);
  if (Result<void> settled = shard.Settle(options_.settle_timeout); !settled) return Fail(settled.error());
  if (Result<void> read = shard.Refresh(); !read) return Fail(read.error());
  return shard.Read(table, after, limit);
}

Result<TableRecord> NatsJournal::RecordOf(const TableId& id, const NatsIndex::Head& head, const NatsMessage& first) {
  if (first.position == 0) {
    return Fail(ErrorCode::kIo, "NATS does not find the opening of table \"" + id.str() + "\" now");
  }
  std::vector<Event> opened;
  const Result<NatsStamp> stamp = ReadNatsStamp(first.header);
  if (stamp && stamp->parts == 1) {
    Result<std::vector<Event>> events = DecodeChunk({head.number, stamp->first_seq, stamp->count}, first.body);
    if (events) opened = std::move(*events);
  } else if (stamp) {
    Result<std::vector<StoredEvent>> events = ShardOf(id).Read(id, 0, 1);
    if (!events && (events.error().code == ErrorCode::kIo || events.error().code == ErrorCode::kTimeout)) {
      return Fail(std::move(events).error());
    }
    if (events && !events->empty()) opened.push_back(std::move(events->front().event));
  }
  TableRecord record = BareRecord(id, head);
  // A damaged one is listed, too.
  if (!opened.empty()) {
    record.opened = opened.front().time;
    record.opened_payload = std::move(opened.front().payload);
  }
  return record;
}

Result<std::vector<TableRecord>> NatsJournal::Records(const std::vector<std::pair<TableId, NatsIndex::Head>>& tables) {
  std::vector<std::pair<std::string, std::uint64_t>> places;
  for (const auto& [id, head] : tables) places.emplace_back(ShardOf(id).names().stream, head.first);
  const Result<std::vector<NatsMessage>> messages = link_->Get(places);
  if (!messages) return Fail(messages.error());
  std::vector<TableRecord> out;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& [id, head] = tables[i];
    Result<TableRecord> record = RecordOf(id, head, (*messages)[i]);
    // One that cannot be read does not hide the others.
    if (!record) log::Warn("journal: {}", record.error().message);
    out.push_back(record ? *std::move(record) : BareRecord(id, head));
  }
  return out;
}

Result<std::vector<TableRecord>> NatsJournal::TablesOf(std::uint64_t shards, std::size_t limit, std::uint64_t before,
                                                       const std::function<bool(const TableId&)>& wanted) {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  std::vector<std::pair<TableId, NatsIndex::Head>> all;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (((shards >> i) & 1) == 0) continue;
    const std::unique_ptr<NatsShard>& shard = shards_[i];
    if (Result<void> settled = shard->Settle(Until(end)); !settled) return Fail(settled.error());
    if (Result<void> read = shard->Refresh(); !read) return Fail(read.error());
    auto some = shard->Tables(limit, before, wanted);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.number > b.second.number; });
  if (all.size() > limit) all.resize(limit);
  return Records(all);
}

Result<std::vector<TableRecord>> NatsJournal::OpenTables(std::size_t limit, std::uint64_t after) {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  const std::uint64_t ours = named_ & owned();
  std::vector<std::pair<TableId, NatsIndex::Head>> all;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (((ours >> i) & 1) == 0) continue;
    if (Result<void> settled = shards_[i]->Settle(Until(end)); !settled) return Fail(settled.error());
    auto some = shards_[i]->OpenTables(limit, after);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
  if (all.size() > limit) all.resize(limit);
  return Records(all);
}

Result<TableRecord> NatsJournal::Find(const TableId& table) {
  NatsShard& shard = ShardOf(table);
  if (Result<void> settled = shard.Settle(options_.settle_timeout); !settled) return Fail(settled.error());
  if (Result<void> read = shard.Refresh(); !read) return Fail(read.error());
  const std::optional<NatsIndex::Head> head = shard.Find(table);
  if (!head) return Fail(ErrorCode::kNotFound, "there is no table \"" + table.str() + "\"");
  const Result<std::vector<NatsMessage>> messages = link_->Get({{shard.names().stream, head->first}});
  if (!messages) return Fail(messages.error());
  return RecordOf(table, *head, messages->front());
}

Result<void> NatsJournal::Flush() {
  const Instant end = SystemClock().Monotonic() + options_.settle_timeout;
  std::optional<Error> failure;
  for (const std::unique_ptr<NatsShard>& shard : shards_) {
    if (Result<void> settled = shard->Settle(Until(end)); !settled) return settled;
    if (const std::optional<Error> failed = shard->TakeFailure()) failure = failed;
  }
  if (failure) return Fail(*failure);
  return {};
}

Result<void> NatsJournal::Writable() const {
  for (const std::unique_ptr<NatsShard>& shard : shards_) {
    if (Result<void> writable = shard->Writable(); !writable) return writable;
  }
  const std::lock_guard lock(mutex_);
  if (unanswered_ && *unanswered_ + options_.answer_timeout <= SystemClock().Monotonic()) {
    return Fail(ErrorCode::kIo, "NATS does not answer; is a majority of its servers running?");
  }
  return {};
}

}  // namespace openseat::store
