#include "app/cluster_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/log.h"
#include "base/secure_random.h"

namespace openseat::app {
namespace {

// How long a node listens before its first claims: two beats of the others.
constexpr Duration kListenFirst = std::chrono::milliseconds(1200);
// After that long without hearing ourselves, others may take what we own.
constexpr Duration kPause = std::chrono::seconds(2);

constexpr std::size_t kSecretLength = 26;

// How often a node looks whether the matches that it cannot play have ended elsewhere.
constexpr Duration kRecallEvery = std::chrono::seconds(10);

// How often a wait looks up whether this is to end.
constexpr Duration kLookUp = std::chrono::milliseconds(100);

std::uint64_t BitOf(std::size_t shard) {
  return std::uint64_t{1} << shard;
}

}  // namespace

ClusterNode::ClusterNode(store::NatsJournal& journal, std::string name)
    : journal_(journal),
      name_(std::move(name)),
      run_(SecureRandom64()),
      secret_(SecureToken(kSecretLength)),
      plan_(name_, journal.shards()) {
  journal_.NameOnly(serves_);
}

ClusterNode::~ClusterNode() {
  Stop();
  journal_.StopListening();
}

void ClusterNode::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (beats_.joinable()) beats_.join();
  if (works_.joinable()) works_.join();
}

Result<void> ClusterNode::Join() {
  Result<void> listens = journal_.ListenToNodes([this](std::string_view, std::string_view text) { OnHeard(text); },
                                                [this](std::size_t shard) {
                                                  const std::lock_guard lock(mutex_);
                                                  lost_ |= BitOf(shard);
                                                  news_ = true;
                                                  changed_.notify_all();
                                                });
  if (!listens) return listens;
  // Nodes that start together must hear each other before their first claims; and recovering the matches may take
  // longer than others wait for a sign of life.
  beats_ = std::thread([this] { BeatMain(); });
  std::vector<std::size_t> claims;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kListenFirst, [this] { return namesake_; });
    if (namesake_) {
      return Fail(ErrorCode::kConflict,
                  "a node named \"" + name_ + "\" is in the cluster already; --node names this one");
    }
    claims = plan_.ToClaim(0, clock_.Monotonic());
    hears_since_ = clock_.Monotonic() - store::kSilence;
  }
  for (const std::size_t shard : claims) {
    Result<void> claimed = journal_.Claim(shard);
    // Somebody else was faster: that is decided again later.
    if (!claimed && claimed.error().code != ErrorCode::kConflict) return claimed;
    if (claimed) SetServes(shard, true);
  }
  log::Info("cluster: {} has {} of {} shards", name_, std::popcount(journal_.owned()), journal_.shards());
  return {};
}

void ClusterNode::Start(Lobby& lobby, std::shared_ptr<Payer> payer, const std::vector<TableId>& unplayable,
                        Elsewhere games) {
  lobby_ = &lobby;
  payer_ = std::move(payer);
  games_ = std::move(games);
  std::map<std::size_t, std::vector<TableId>> by_shard;
  for (const TableId& table : unplayable) by_shard[journal_.ShardNumber(table)].push_back(table);
  for (const auto& [shard, tables] : by_shard) SetUnplayable(shard, tables);
  works_ = std::thread([this] { WorkMain(); });
}

void ClusterNode::SetAddress(std::string address) {
  const std::lock_guard lock(mutex_);
  address_ = std::move(address);
}

void ClusterNode::Leave(std::function<void()> done) {
  const std::lock_guard lock(mutex_);
  leaving_ = true;
  left_ = std::move(done);
  news_ = true;
  changed_.notify_all();
}

ClusterNode::Place ClusterNode::PlaceOf(const TableId& table) const {
  const std::size_t shard = journal_.ShardNumber(table);
  const std::lock_guard lock(mutex_);
  const Instant now = clock_.Monotonic();
  if ((serves_ & BitOf(shard)) == 0) return {.elsewhere = plan_.OwnerOf(shard, now)};
  // Others may have taken it while nothing was heard; alone, there is nobody who could.
  const bool unsure = doubt_ || (echo_ && *echo_ + kPause <= now);
  const auto unplayable = unplayable_.find(shard);
  if (unplayable != unplayable_.end() && unplayable->second.contains(table) && plan_.AnotherFits(shard, now)) return {};
  return {.here = !unsure || !plan_.knows_others()};
}

std::optional<std::string> ClusterNode::NodeOf(const TableId& table) const {
  const Place place = PlaceOf(table);
  if (place.here) return std::string();
  if (!place.elsewhere || place.elsewhere->address.empty()) return std::nullopt;
  return place.elsewhere->node;
}

Result<std::vector<TableRecord>> ClusterNode::TablesHere(std::size_t limit, std::uint64_t before,
                                                         const std::function<bool(const TableId&)>& wanted) const {
  std::uint64_t shards = 0;
  {
    const std::lock_guard lock(mutex_);
    shards = serves_ | ~plan_.ServedByOthers(clock_.Monotonic());
  }
  return journal_.TablesOf(shards, limit, before, wanted);
}

std::vector<store::NodeBeat> ClusterNode::Others() const {
  std::vector<store::NodeBeat> others;
  {
    const std::lock_guard lock(mutex_);
    others = plan_.Others(clock_.Monotonic());
  }
  std::erase_if(others, [](const store::NodeBeat& other) { return other.address.empty(); });
  return others;
}

bool ClusterNode::Lives(const store::NodeBeat& process) const {
  const std::lock_guard lock(mutex_);
  const Instant now = clock_.Monotonic();
  for (const store::NodeBeat& other : plan_.Others(now)) {
    if (other.node == process.node) return other.run == process.run;
  }
  return !HearsItself(now);
}

std::optional<store::NodeBeat> ClusterNode::Other(std::string_view node) const {
  for (store::NodeBeat& other : Others()) {
    if (other.node == node) return std::move(other);
  }
  return std::nullopt;
}

std::size_t ClusterNode::serves() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::popcount(serves_));
}

net::OtherServers::Serving ClusterNode::Served() const {
  const std::uint64_t owned = journal_.owned();
  const std::lock_guard lock(mutex_);
  const bool unsure = doubt_ || (echo_ && *echo_ + kPause <= clock_.Monotonic());
  return {.shards = unsure && plan_.knows_others() ? 0 : serves_ & owned, .takes = takes_};
}

std::size_t ClusterNode::found() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::popcount(serves_ | plan_.ServedByOthers(clock_.Monotonic())));
}

std::size_t ClusterNode::nodes() const {
  const std::lock_guard lock(mutex_);
  return 1 + plan_.Others(clock_.Monotonic()).size();
}

void ClusterNode::OnHeard(std::string_view text) {
  const Result<store::NodeBeat> beat = store::ReadNodeBeat(text);
  if (!beat) return log::Debug("cluster: {}", beat.error().message);
  const Instant now = clock_.Monotonic();
  const std::lock_guard lock(mutex_);
  if (beat->node == name_) {
    if (beat->run != run_) {
      if (!std::exchange(namesake_, true)) log::Error("cluster: another process is named {}, too", name_);
    } else {
      if (!echo_ || *echo_ + kPause <= now) {
        hears_since_ = echo_ ? now : hears_since_;
        doubt_ = doubt_ || echo_.has_value();
      }
      echo_ = now;
    }
  } else {
    plan_.Hear(*beat, now);
    if ((beat->owned & serves_) != 0) doubt_ = true;
  }
  news_ = true;
  changed_.notify_all();
}

void ClusterNode::Beat() {
  store::NodeBeat beat{.node = name_, .run = run_, .owned = journal_.owned()};
  {
    const std::lock_guard lock(mutex_);
    // After a pause it takes nothing for a while, so the others should keep what they have.
    beat.leaving = leaving_ || (echo_ && !HearsItself(clock_.Monotonic()));
    beat.serves = serves_ & beat.owned;
    beat.address = address_;
    beat.secret = address_.empty() ? std::string() : secret_;
    beat.unfit = plan_.unfit();
  }
  // Without NATS, nobody hears it.
  static_cast<void>(journal_.TellNodes(store::WriteNodeBeat(beat)).has_value());
}

void ClusterNode::BeatMain() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    Beat();
    lock.lock();
    changed_.wait_for(lock, store::kBeatEvery, [this] { return stopping_; });
  }
}

void ClusterNode::WorkMain() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, store::kBeatEvery, [this] { return stopping_ || news_; });
    news_ = false;
    if (stopping_) return;
    lock.unlock();
    Work();
    lock.lock();
  }
}

bool ClusterNode::HearsItself(Instant now) const {
  return echo_ && now - *echo_ < kPause && now - hears_since_ >= store::kSilence;
}

void ClusterNode::Work() {
  RecallUnplayable();
  const std::uint64_t owned = journal_.owned();
  std::uint64_t lost = 0;
  std::vector<std::size_t> take;
  std::vector<std::size_t> give;
  bool check = false;
  std::function<void()> left;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = clock_.Monotonic();
    lost = std::exchange(lost_, 0) & serves_;
    SetServing(serves_ & ~lost);
    check = doubt_;
    if (leaving_) {
      left = std::exchange(left_, nullptr);
      if (left) {
        lost |= serves_;
        SetServing(0);
      }
    } else if (HearsItself(now)) {
      // What we hear of the others is true, as far as it can be. What is ours without its matches is taken again: its
      // claim counted late, or they could not be read.
      take = plan_.ToClaim(owned & serves_, now);
      give = plan_.ToRelease(owned, now);
    }
  }
  if (check) {
    journal_.CheckClaims();
    const std::lock_guard lock(mutex_);
    doubt_ = false;
    const std::uint64_t found = std::exchange(lost_, 0) & serves_;
    SetServing(serves_ & ~found);
    lost |= found;
  }
  if (lost != 0) {
    Beat();
    // What is on the way is answered before its match is gone.
    if (left) static_cast<void>(journal_.Flush().has_value());
    LeaveMatches(lost);
  }
  for (const std::size_t shard : give) Give(shard);
  for (const std::size_t shard : take) {
    // Each may take seconds, after which others may have what we wanted.
    if (IsStillWanted(shard)) Take(shard);
  }
  if (left) {
    for (std::size_t shard = 0; shard < journal_.shards(); ++shard) {
      if ((owned & BitOf(shard)) == 0) continue;
      if (const Result<void> released = journal_.Release(shard); !released) {
        log::Warn("cluster: {}", released.error().message);
        break;
      }
    }
    Beat();
    if (owned != 0) LeaveMatches(owned);
    left();
  }
}

bool ClusterNode::IsStillWanted(std::size_t shard) const {
  const std::uint64_t owned = journal_.owned();
  const std::lock_guard lock(mutex_);
  const Instant now = clock_.Monotonic();
  return !leaving_ && HearsItself(now) && std::ranges::count(plan_.ToClaim(owned & serves_, now), shard) > 0;
}

void ClusterNode::Take(std::size_t shard) {
  const Result<void> claimed = journal_.Claim(shard);
  Result<std::vector<TableRecord>> tables = claimed ? journal_.OpenTablesOf(shard) : Fail(claimed.error());
  if (!tables) {
    // It is tried again as long as nobody else has it.
    if (tables.error().code != ErrorCode::kConflict) log::Warn("cluster: {}", tables.error().message);
    if (claimed) static_cast<void>(journal_.Release(shard).has_value());
    return;
  }
  const std::size_t count = tables->size();
  Result<Lobby::NotTaken> others = Fail(ErrorCode::kClosed, "");
  Result<void> taken = games_.prepare(*tables);
  if (taken) Await([&](std::function<void()> done) { others = lobby_->TakeOver(*tables, payer_, std::move(done)); });
  if (taken && !others) taken = Fail(others.error());
  if (taken) {
    Await([&](std::function<void()> done) { taken = games_.take_over(others->left_open, std::move(done)); });
    if (!taken) LeaveMatches(BitOf(shard));
  }
  if (!taken) {
    log::Warn("cluster: the matches of shard {} cannot be read: {}; trying again", shard, taken.error().message);
    static_cast<void>(journal_.Release(shard).has_value());
    return;
  }
  SetUnplayable(shard, others->unplayable);
  SetServes(shard, true);
  log::Info("cluster: {} has shard {} now, with {} open tables", name_, shard, count);
  Beat();
}

void ClusterNode::Give(std::size_t shard) {
  SetServes(shard, false);
  Beat();
  // What is on the way is answered before its match is gone.
  if (const Result<void> settled = journal_.Settle(shard); !settled) {
    log::Warn("cluster: shard {} stays: {}", shard, settled.error().message);
    return SetServes(shard, true);
  }
  LeaveMatches(BitOf(shard));
  const Result<void> released = journal_.Release(shard);
  // Those that were made meanwhile.
  LeaveMatches(BitOf(shard));
  if (!released) {
    // Still ours: its matches go on here.
    log::Warn("cluster: shard {} stays: {}", shard, released.error().message);
    return Take(shard);
  }
  log::Info("cluster: {} gave up shard {}", name_, shard);
  Beat();
}

void ClusterNode::SetUnplayable(std::size_t shard, const std::vector<TableId>& tables) {
  const std::lock_guard lock(mutex_);
  unplayable_.erase(shard);
  if (!tables.empty()) unplayable_.emplace(shard, std::set(tables.begin(), tables.end()));
  std::uint64_t unfit = 0;
  for (const auto& [each, ids] : unplayable_) unfit |= BitOf(each);
  news_ = news_ || unfit != plan_.unfit();
  plan_.SetUnfit(unfit);
}

void ClusterNode::RecallUnplayable() {
  const Instant now = clock_.Monotonic();
  if (now - recalled_ < kRecallEvery) return;
  recalled_ = now;
  std::map<std::size_t, std::set<TableId>> unplayable;
  {
    const std::lock_guard lock(mutex_);
    unplayable = unplayable_;
  }
  for (const auto& [shard, ids] : unplayable) {
    const Result<std::vector<TableRecord>> tables = journal_.TablesOf(
        BitOf(shard), ids.size(), Journal::kNewest, [&ids](const TableId& table) { return ids.contains(table); });
    if (!tables) return;
    std::vector<TableId> open;
    for (const TableRecord& table : *tables) {
      if (!table.closed) open.push_back(table.id);
    }
    if (open.size() < ids.size()) SetUnplayable(shard, open);
  }
}

void ClusterNode::LeaveMatches(std::uint64_t shards) {
  const auto which = [this, shards](const TableId& table) {
    return (shards & BitOf(journal_.ShardNumber(table))) != 0;
  };
  Await([&](std::function<void()> done) { lobby_->Leave(which, std::move(done)); });
  Await([&](std::function<void()> done) { games_.leave(which, std::move(done)); });
}

void ClusterNode::SetServes(std::size_t shard, bool serves) {
  const std::lock_guard lock(mutex_);
  if (serves) ++takes_;
  SetServing(serves ? serves_ | BitOf(shard) : serves_ & ~BitOf(shard));
}

void ClusterNode::SetServing(std::uint64_t shards) {
  serves_ = shards;
  journal_.NameOnly(shards);
}

void ClusterNode::Await(const std::function<void(std::function<void()> done)>& run) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  // It may be called after the end of this.
  const auto state = std::make_shared<State>();
  run([state] {
    const std::lock_guard lock(state->mutex);
    state->done = true;
    state->changed.notify_all();
  });
  const auto stopping = [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  };
  std::unique_lock lock(state->mutex);
  while (!state->done && !stopping()) state->changed.wait_for(lock, kLookUp);
}

}  // namespace openseat::app
