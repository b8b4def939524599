#include "store/nats_journal.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/budget.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "store/journal_codec.h"

namespace openseat::store {
namespace {

// How often the sender looks for answers that do not come.
constexpr Duration kSenderTick = std::chrono::milliseconds(100);

// How often one stream's leader is asked for its size and for a majority's sign of life: "probe-SHARD".
constexpr Duration kProbeEvery = std::chrono::milliseconds(100);
constexpr std::string_view kProbe = "probe-";
// How often NATS is asked what the account has left.
constexpr Duration kLookForRoomEvery = std::chrono::seconds(1);
constexpr std::string_view kAccount = "account";
// How often it is asked before the log says that there is no limit.
constexpr int kLooks = 5;

// What an append takes besides AppendRequest until it is answered, about: its result, and what its callback holds.
constexpr std::size_t kAnswerMemory = 128;

// How often, and where, nodes tell where the streams end, as far as they know: "SHARD-END SHARD-END ".
constexpr Duration kTellEvery = std::chrono::milliseconds(500);
constexpr std::string_view kEnds = ".ends";
// And where the owner of streams tells how many bytes they have: "SHARD-BYTES SHARD-BYTES ".
constexpr std::string_view kSizes = ".sizes";

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

// Calls `got` with each pair of "SHARD-NUMBER SHARD-NUMBER " whose shard is less than `shards`.
void ReadShardNumbers(std::string_view text, std::size_t shards,
                      const std::function<void(std::size_t shard, std::uint64_t number)>& got) {
  std::array<std::uint64_t, 2> numbers{};
  while (TakeNumbers(text, numbers)) {
    if (numbers[0] < shards) got(numbers[0], numbers[1]);
    text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  }
}

Duration Until(Instant end) {
  return std::max(end - SystemClock().Monotonic(), Duration(0));
}

// Without its opening.
TableRecord BareRecord(const TableId& id, const NatsIndex::Head& head) {
  return {id, {}, {}, head.last_seq, head.closed, head.number};
}

}  // namespace

NatsJournal::Counts::Counts(Metrics* metrics) {
  if (metrics == nullptr) return;
  over_max = &CountRefused(*metrics, Limit::kJournalRoom);
  over_backlog = &CountRefused(*metrics, Limit::kJournalBacklog);
  bytes = &metrics->AddGauge("openseat_journal_bytes", "Size of the journal's streams of all nodes, in one replica.");
}

NatsJournal::NatsJournal(NatsJournalOptions options)
    : options_(std::move(options)), counts_(options_.metrics), room_(options_.room, options_.shards) {
  world_.answer_timeout = options_.answer_timeout;
  world_.room = &room_;
  world_.closed_tables = std::max<std::size_t>(options_.closed_tables / options_.shards, 1);
  world_.node = options_.node;
  world_.lost = [this](std::size_t shard) {
    const std::lock_guard lock(mutex_);
    if (lost_) lost_(shard);
  };
  world_.settled = [this](std::size_t bytes, std::size_t refused_bytes) {
    const std::lock_guard lock(mutex_);
    backlog_ -= bytes;
    refusals_ -= refused_bytes;
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
      options_.link, [this](std::string_view token, const NatsLink::Answer& answer) { OnAnswer(token, answer); });
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
                         OnShardNumbers(subject, body);
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
  for (std::size_t i = 0; i < shards_.size(); ++i) Probe();
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
      ProbeWhenDue(now);
      LookForRoom(now);
      TellEnds(now);
      for (const std::unique_ptr<NatsShard>& shard : shards_) shard->Pump(now);
    } else {
      for (const std::size_t shard : ready) shards_[shard]->Pump(now);
    }
  }
}

// Not with a message that has to be refused: NATS 2.12 refuses it without a majority, and replicas of 2.9 may count
// those differently.
void NatsJournal::ProbeWhenDue(Instant now) {
  if (now < probe_at_) return;
  probe_at_ = now + kProbeEvery;
  {
    const std::lock_guard lock(mutex_);
    if (!unanswered_) unanswered_ = now;
  }
  Probe();
}

void NatsJournal::Probe() {
  const std::size_t shard = probed_++ % shards_.size();
  room_.AskedForStream(shard);
  // One that is not sent is not answered.
  static_cast<void>(
      link_->AskAboutStream(shards_[shard]->names().stream, std::string(kProbe) + std::to_string(shard)).has_value());
}

void NatsJournal::LookForRoom(Instant now) {
  if (now < look_for_room_at_) return;
  look_for_room_at_ = now + kLookForRoomEvery;
  if (counts_.bytes != nullptr) {
    const std::uint64_t refused = room_.refused();
    counts_.over_max->Add(refused - std::exchange(refused_counted_, refused));
    counts_.bytes->Set(static_cast<std::int64_t>(room_.used()));
  }
  const Result<void> room = room_.Check(now);
  if (full_ == room.has_value()) {
    full_ = !room;
    if (full_) {
      log::Error("journal: {}", room.error().message);
    } else {
      log::Info("journal: there is room again");
    }
  }
  WarnWithoutLimit();
  room_.AskedForAccount();
  static_cast<void>(link_->AskForRoom(std::string(kAccount)).has_value());
}

void NatsJournal::WarnWithoutLimit() {
  if (looks_ < kLooks) {
    ++looks_;
    return;
  }
  const bool was = std::exchange(bounded_, room_.bounded());
  if (was && !bounded_) {
    log::Warn("journal: it has no limit; if strangers can reach this cluster, set [journal] max_bytes");
  }
}

void NatsJournal::TellEnds(Instant now) {
  if (now < tell_at_) return;
  tell_at_ = now + kTellEvery;
  std::string ends;
  std::string sizes;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    ends += std::to_string(i) + "-" + std::to_string(shards_[i]->end()) + " ";
    // Its owner knows best.
    if (shards_[i]->owns()) sizes += std::to_string(i) + "-" + std::to_string(room_.SizeOf(i)) + " ";
  }
  const std::string root = "openseat." + options_.cluster;
  // Without NATS, nobody hears it.
  static_cast<void>(link_->Tell(root + std::string(kEnds), ends).has_value());
  if (!sizes.empty()) static_cast<void>(link_->Tell(root + std::string(kSizes), sizes).has_value());
}

void NatsJournal::OnShardNumbers(std::string_view subject, std::string_view text) {
  if (subject.ends_with(kEnds)) {
    ReadShardNumbers(text, shards_.size(),
                     [this](std::size_t shard, std::uint64_t end) { shards_[shard]->OnTold(end); });
  } else if (subject.ends_with(kSizes)) {
    ReadShardNumbers(text, shards_.size(), [this](std::size_t shard, std::uint64_t bytes) {
      if (!shards_[shard]->owns()) room_.OnTold(shard, bytes);
    });
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
void NatsJournal::OnAnswer(std::string_view token, const NatsLink::Answer& answer) {
  if (token == kAccount) {
    if (answer.left) room_.OnAccount(*answer.left);
    return;
  }
  if (token.starts_with(kProbe)) return OnProbe(token.substr(kProbe.size()), answer);
  std::array<std::uint64_t, 4> numbers{};
  if (!TakeNumbers(token, numbers) || numbers[0] >= options_.shards) return;
  {
    const std::lock_guard lock(mutex_);
    if (shards_.empty()) return;
  }
  const Instant now = SystemClock().Monotonic();
  if (answer.full) room_.OnFull(now);
  shards_[numbers[0]]->OnAnswer(numbers[1], numbers[2], numbers[3], answer.position, now);
}

void NatsJournal::OnProbe(std::string_view shard, const NatsLink::Answer& answer) {
  const std::optional<std::uint64_t> index = ReadNatsNumber(shard);
  if (index && *index < options_.shards && answer.stored) room_.OnStream(*index, *answer.stored);
  const std::lock_guard lock(mutex_);
  if (answer.position) unanswered_.reset();
}

void NatsJournal::Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                         AppendDone done, AppendTerms terms) {
  // Waiting would stop the loop that calls for as long as NATS refuses.
  const std::size_t most =
      terms.expendable || terms.of_stranger ? options_.backlog_bytes / 3 * 2 : options_.backlog_bytes;
  std::size_t bytes = MemoryOf(table, events) + kAnswerMemory;
  bool refused = false;
  {
    const std::lock_guard lock(mutex_);
    refused = backlog_ > most || backlog_ + refusals_ > options_.backlog_bytes / 3 * 4;
    if (refused) {
      // It still has its place in the queue: a table's appends are answered in order. It counts apart: strangers who
      // are refused leave their third to others.
      events = {};
      bytes = MemoryOf(table, events) + kAnswerMemory;
    }
    (refused ? refusals_ : backlog_) += bytes;
  }
  if (refused && counts_.over_backlog != nullptr) counts_.over_backlog->Add(1);
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
    return Fail(ErrorCode::kIo, "NATS does not find the opening of table " + Quote(id.str()) + " now");
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
  const Result<NatsIndex::Head> head = shard.Find(table);
  if (!head) return Fail(head.error());
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
  const Instant now = SystemClock().Monotonic();
  if (Result<void> room = room_.Check(now); !room) return room;
  for (const std::unique_ptr<NatsShard>& shard : shards_) {
    if (Result<void> writable = shard->Writable(); !writable) return writable;
  }
  const std::lock_guard lock(mutex_);
  if (unanswered_ && *unanswered_ + options_.answer_timeout <= now) {
    return Fail(ErrorCode::kIo, "NATS does not answer" + WhyUnconfirmed(false));
  }
  return {};
}

}  // namespace openseat::store
