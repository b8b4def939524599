#include "base/budget.h"

#include <arpa/inet.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/memory.h"
#include "base/stranger.h"

namespace openseat {
namespace {

constexpr std::size_t kHoldings = static_cast<std::size_t>(Holding::kCount);
// When there are more payers or keys than this, those that hold nothing are looked for.
constexpr std::size_t kFirstSweep = 1024;
// Used if the machine does not say how much memory it has.
constexpr std::uint64_t kMemoryUnknown = std::uint64_t{2} << 30;
// When so many bytes have come since the last measurement, the memory is measured again.
constexpr std::uint64_t kMeasureAfter = 2u << 20;
// Strangers leave an eighth of each limit of the process to this machine, and one to addresses that hold little.
constexpr std::uint64_t kReserves = 8;
// All programs of this machine count as one address. If they hold more than this part of the process's limit, their
// large leases leave the eighth to their small ones.
constexpr std::uint64_t kMuchOfThisMachine = 16;
// An address that holds at most these parts of the process's limit and of its own holds little. A lease of this machine
// that is not larger is small.
constexpr std::uint64_t kLittleOfAll = 256;
constexpr std::uint64_t kLittleOfOwn = 32;
// An address that holds more than this part of what it may gives way first.
constexpr std::uint64_t kMuchOfOwn = 8;

// Strangers leave this part of max_memory to this machine; and this machine's programs one to what is not counted:
// buffers that grow are copied, each shard may be ahead of the measurement.
constexpr std::uint64_t kMemoryReserve = 16;
constexpr std::uint64_t kMemoryMargin = 32;

// NAT64's well-known prefix (RFC 6052), before an IPv4 address.
constexpr std::array<std::uint8_t, 12> kNat64{0x00, 0x64, 0xff, 0x9b};

// "More than three quarters" of a limit; 0 is no limit.
bool IsShort(std::uint64_t held, std::uint64_t limit) {
  return limit != 0 && held > limit - limit / 4;
}

// The limits on each Holding: of an address, of a key and of the process (kCount: none).
struct HoldingLimits {
  Limit of_address;
  std::uint64_t PeerLimits::* address;
  Limit of_key;
  std::uint64_t KeyLimits::* key;
  Limit of_process;
  std::uint64_t BudgetLimits::* process;
};
constexpr std::array<HoldingLimits, kHoldings> kHoldingLimits{{
    {Limit::kConnectionsOfAddress, &PeerLimits::max_connections_per_address, Limit::kCount, nullptr,
     Limit::kConnections, &BudgetLimits::max_connections},
    {Limit::kTablesOfAddress, &PeerLimits::max_tables_per_address, Limit::kTablesOfKey, &KeyLimits::max_tables_per_key,
     Limit::kTables, &BudgetLimits::max_tables},
    {Limit::kMatchesOfAddress, &PeerLimits::max_matches_per_address, Limit::kMatchesOfKey,
     &KeyLimits::max_matches_per_key, Limit::kMatches, &BudgetLimits::max_matches},
    {Limit::kWatchedOfAddress, &PeerLimits::max_watched_per_address, Limit::kWatchedOfKey,
     &KeyLimits::max_watched_per_key, Limit::kCount, nullptr},
    {Limit::kUnfinishedBytesOfAddress, &PeerLimits::max_unfinished_bytes_per_address, Limit::kUnfinishedBytesOfKey,
     &KeyLimits::max_unfinished_bytes_per_key, Limit::kUnfinishedBytes, &BudgetLimits::max_unfinished_bytes},
    {Limit::kWebhookBytesOfAddress, &PeerLimits::max_webhook_bytes_per_address, Limit::kWebhookBytesOfKey,
     &KeyLimits::max_webhook_bytes_per_key, Limit::kWebhookBytes, &BudgetLimits::max_webhook_bytes},
    {Limit::kTableBytesOfAddress, &PeerLimits::max_table_bytes_per_address, Limit::kTableBytesOfKey,
     &KeyLimits::max_table_bytes_per_key, Limit::kTableBytes, &BudgetLimits::max_table_bytes},
    // The server never refuses one for what others hold: net/handshakes.h cuts old ones instead.
    {Limit::kUnfinishedBytesOfAddress, &PeerLimits::max_unfinished_bytes_per_address, Limit::kCount, nullptr,
     Limit::kCount, nullptr},
}};

}  // namespace

PeerLimits PeerLimits::Loopback() {
  // No fast program on the same machine meets these, but they bound what it leaves behind.
  PeerLimits limits;
  limits.max_connections_per_address = 0;
  limits.max_tables_per_address = 0;
  limits.max_matches_per_address = 0;
  limits.max_watched_per_address = 0;
  limits.max_unfinished_bytes_per_address = 0;
  limits.max_webhook_bytes_per_address = 0;
  limits.max_table_bytes_per_address = 0;
  limits.max_unread_bytes_per_address = 0;
  limits.max_waiting_bytes_per_address = 0;
  limits.messages_of_address = limits.bytes_of_address = limits.messages = limits.bytes =
      limits.match_bytes = {.per_second = 0, .burst = 1};
  limits.max_watched = 10'000;
  limits.max_waiting_items = 10'000;
  limits.max_actions = 10'000;
  limits.max_schema_bytes = 16u << 20;
  limits.journal_bytes = {.per_second = 8u << 20, .burst = 128u << 20};
  limits.max_journal_bytes = std::uint64_t{1} << 30;
  return limits;
}

KeyLimits KeyLimits::For(const PeerLimits& address) {
  constexpr std::uint64_t kTimes = 4;
  const auto rate = [](const RateLimit& limit) {
    return RateLimit{.per_second = limit.per_second * kTimes, .burst = limit.burst * kTimes};
  };
  return {.max_tables_per_key = address.max_tables_per_address * kTimes,
          .max_matches_per_key = address.max_matches_per_address * kTimes,
          .max_watched_per_key = address.max_watched_per_address * kTimes,
          .max_unfinished_bytes_per_key = address.max_unfinished_bytes_per_address * kTimes,
          .max_webhook_bytes_per_key = address.max_webhook_bytes_per_address * kTimes,
          .max_table_bytes_per_key = address.max_table_bytes_per_address * kTimes,
          .max_waiting_bytes_per_key = address.max_waiting_bytes_per_address * kTimes,
          .messages = rate(address.messages_of_address),
          .bytes = rate(address.bytes_of_address),
          .match_bytes = rate(address.match_bytes)};
}

std::string AddressKey(std::string_view peer) {
  const std::string text(peer.substr(0, peer.find('%')));  // without the zone of a link-local address
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return text.starts_with("127.") ? std::string(kLoopback) : text;
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::string(peer);
  if (IN6_IS_ADDR_LOOPBACK(&v6)) return std::string(kLoopback);
  char name[INET6_ADDRSTRLEN];
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, &v6.s6_addr[12], name, sizeof name);
    return AddressKey(name);
  }
  if (std::equal(kNat64.begin(), kNat64.end(), v6.s6_addr) && v6.s6_addr[12] != 127) {  // it never leads to loopback
    inet_ntop(AF_INET, &v6.s6_addr[12], name, sizeof name);
    return name;
  }
  std::fill(v6.s6_addr + 8, v6.s6_addr + 16, std::uint8_t{0});
  inet_ntop(AF_INET6, &v6, name, sizeof name);
  return std::string(name) + "/64";
}

Counter& CountRefused(Metrics& metrics, Limit limit) {
  return metrics.AddCounter("openseat_refused_total", "What was refused, by the setting that refused it.",
                            {{"budget", std::string(SettingOf(limit))}});
}

std::string Refusal::Text() const {
  const LimitInfo& info = kLimits[static_cast<std::size_t>(limit)];
  return (info.fixed ? "the fixed limit " : "the limit ") + std::string(info.setting) +
         " is reached: " + std::to_string(allowed) + " " + std::string(info.meaning);
}

Error Refusal::ToError() const {
  const LimitInfo& info = kLimits[static_cast<std::size_t>(limit)];
  std::string path(info.fixed ? std::string_view() : info.setting);
  if (!path.empty() && path.find('.') == std::string::npos) path.insert(0, "limits.");
  const std::string when = wait > Duration(0) ? "; try again in " + RetryAfterSeconds(wait) + " s" : std::string();
  return {ErrorCode::kBusy, Text() + when, std::move(path), wait};
}

struct Payer::Shared {
  explicit Shared(const BudgetLimits& given, Metrics* registry) : limits(given) {
    if (limits.max_memory == 0) {
      const std::uint64_t in_all = MemoryAvailableInAll();
      limits.max_memory = in_all == 0 ? kMemoryUnknown : in_all / 2;
    }
    const auto share = [this](std::uint64_t& bytes, std::uint64_t part) {
      if (bytes == 0) bytes = std::max<std::uint64_t>(limits.max_memory / part, 1);
    };
    share(limits.max_unfinished_bytes, 4);
    share(limits.max_webhook_bytes, 4);
    share(limits.max_table_bytes, 2);
    share(limits.max_waiting_bytes_in_all, 8);
    Metrics& counted = registry != nullptr ? *registry : unread_metrics;
    for (std::size_t i = 0; i < refused.size(); ++i) {
      refused[i] = &CountRefused(counted, static_cast<Limit>(i));
    }
  }

  Refusal Refuse(Limit limit, std::uint64_t allowed, Duration wait) {
    refused[static_cast<std::size_t>(limit)]->Add();
    return {limit, allowed, wait};
  }

  std::uint64_t InMemory() const {
    return held[static_cast<std::size_t>(Holding::kUnfinishedBytes)].load(std::memory_order_relaxed) +
           held[static_cast<std::size_t>(Holding::kHandshakeBytes)].load(std::memory_order_relaxed) +
           static_cast<std::uint64_t>(std::max<std::int64_t>(
               unread.load(std::memory_order_relaxed) + waiting.load(std::memory_order_relaxed), 0));
  }
  void Measure() {
    const std::lock_guard lock(measuring);
    MeasureLocked();
  }
  // REQUIRES that `measuring` is locked.
  void MeasureLocked() {
    // What came before this counts until the result is there, which may take a while on a busy machine.
    const std::uint64_t came = came_since.load(std::memory_order_relaxed);
    resident.store(measure ? measure() : InMemory(), std::memory_order_relaxed);
    came_since.fetch_sub(came, std::memory_order_relaxed);
  }
  // More is held in memory.
  void AddInMemory(std::uint64_t bytes) { came_since.fetch_add(bytes, std::memory_order_relaxed); }
  // What is written to meanwhile may not be measured yet.
  void ChangeUntouched(std::uint64_t before, std::uint64_t after) {
    if (after < before) AddInMemory(before - after);
    untouched.fetch_add(after - before, std::memory_order_relaxed);
  }
  // Beyond these, strangers are refused and connections cut, and this machine's programs are refused.
  std::uint64_t MemoryForStrangers() const { return limits.max_memory - limits.max_memory / kMemoryReserve; }
  std::uint64_t MemoryForAll() const { return limits.max_memory - limits.max_memory / kMemoryMargin; }
  // What came since the last measurement counts in full: what was given back meanwhile may still be resident.
  std::uint64_t MemoryBeyond(std::uint64_t most) {
    if (came_since.load(std::memory_order_relaxed) >= kMeasureAfter) {
      const std::unique_lock lock(measuring, std::try_to_lock);
      if (lock.owns_lock()) MeasureLocked();
    }
    const std::uint64_t used = resident.load(std::memory_order_relaxed) + came_since.load(std::memory_order_relaxed) +
                               untouched.load(std::memory_order_relaxed);
    return used > most ? used - most : 0;
  }

  BudgetLimits limits;
  Metrics unread_metrics;  // used if the budget was given no metrics
  std::array<Counter*, static_cast<std::size_t>(Limit::kCount)> refused{};
  std::array<std::atomic<std::uint64_t>, kHoldings> held{};
  std::atomic<std::int64_t> unread = 0;
  std::atomic<std::int64_t> waiting = 0;
  std::atomic<std::uint64_t> resident = 0;
  std::atomic<std::uint64_t> came_since = 0;  // bytes since then; what went does not matter
  std::atomic<std::uint64_t> untouched = 0;   // allocated, and not resident yet
  std::mutex measuring;
  std::function<std::uint64_t()> measure;  // guarded by measuring

  // Payers or keys by name.
  template <typename Each>
  struct Book {
    // Makes it if there is none. REQUIRES that `mutex` is locked.
    template <typename Make>
    std::shared_ptr<Each> Find(const std::string& name, Instant now, Make make) {
      if (const auto found = all.find(name); found != all.end()) return found->second;
      if (all.size() >= next_sweep) {
        // One that nobody uses and has rested is equal to a new one.
        std::erase_if(all,
                      [now](const auto& entry) { return entry.second.use_count() == 1 && entry.second->Rested(now); });
        next_sweep = std::max(kFirstSweep, all.size() * 2);
      }
      return all.emplace(name, make()).first->second;
    }

    std::unordered_map<std::string, std::shared_ptr<Each>> all;
    std::size_t next_sweep = kFirstSweep;
  };

  mutable std::mutex mutex;
  // Both guarded by mutex. The payers hold this in turn, until the budget goes.
  Book<Payer> payers;
  Book<Use> keys;
};

Lease::Lease(Lease&& other) noexcept
    : payer_(std::move(other.payer_)),
      amount_(std::exchange(other.amount_, 0)),
      untouched_(std::exchange(other.untouched_, 0)),
      what_(other.what_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    Release();
    payer_ = std::move(other.payer_);
    amount_ = std::exchange(other.amount_, 0);
    untouched_ = std::exchange(other.untouched_, 0);
    what_ = other.what_;
  }
  return *this;
}

std::optional<Refusal> Lease::Resize(std::uint64_t amount) {
  OPENSEAT_CHECK(payer_ != nullptr, "a lease is resized while it is held");
  if (amount > amount_) {
    if (auto refused = payer_->Add(what_, amount - amount_, amount)) return refused;
  } else {
    payer_->Subtract(what_, amount_ - amount);
  }
  amount_ = amount;
  return std::nullopt;
}

void Lease::SetUntouched(std::uint64_t bytes) {
  OPENSEAT_CHECK(payer_ != nullptr, "a lease is changed while it is held");
  if (bytes != untouched_) payer_->shared_->ChangeUntouched(std::exchange(untouched_, bytes), bytes);
}

void Lease::Release() {
  if (payer_ == nullptr) return;
  SetUntouched(0);
  std::exchange(payer_, nullptr)->Subtract(what_, std::exchange(amount_, 0));
}

Payer::Payer(std::shared_ptr<Shared> shared, std::string address, const PeerLimits& limits)
    : shared_(std::move(shared)), address_(std::move(address)), limits_(limits), own_(std::make_shared<Use>()) {}

Payer::Payer(const std::shared_ptr<Payer>& address, std::shared_ptr<Use> key)
    : shared_(address->shared_),
      address_(address->address_),
      limits_(address->limits_),
      own_(address, address->own_.get()),
      key_(std::move(key)) {}

Payer::~Payer() = default;

const KeyLimits& Payer::key_limits() const {
  return shared_->limits.keys;
}

std::shared_ptr<Payer> Payer::WithKey(std::string_view who, Instant now) {
  if (who.empty() || !IsStrangers(address_)) return shared_from_this();
  std::shared_ptr<Use> key;
  {
    const std::lock_guard lock(shared_->mutex);
    key = shared_->keys.Find(std::string(who), now, [] { return std::make_shared<Use>(); });
  }
  return std::shared_ptr<Payer>(new Payer(shared_from_this(), std::move(key)));
}

Payer::Use* Payer::KeyFor(Holding what) const {
  return kHoldingLimits[static_cast<std::size_t>(what)].key != nullptr ? key_.get() : nullptr;
}

std::string AddressOf(const Payer* payer) {
  return payer != nullptr ? payer->address() : std::string();
}

std::size_t MostOf(const Payer* payer, std::uint64_t PeerLimits::* limit) {
  const std::uint64_t most = (payer != nullptr ? payer->limits() : PeerLimits::Loopback()).*limit;
  return most == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
}

Refusal RefuseFor(const Payer* payer, Limit limit, std::uint64_t allowed, Duration wait) {
  return payer != nullptr ? payer->Refuse(limit, allowed, wait) : Refusal{limit, allowed, wait};
}

Payer::Bounds Payer::BoundsOf(Holding what, std::uint64_t size) const {
  const HoldingLimits& limits = kHoldingLimits[static_cast<std::size_t>(what)];
  const std::uint64_t own = limits_.*limits.address;
  const std::uint64_t key = KeyFor(what) == nullptr ? 0 : key_limits().*limits.key;
  const std::uint64_t all = limits.process == nullptr ? 0 : shared_->limits.*limits.process;
  std::uint64_t little = all / kLittleOfAll;
  if (own != 0) little = std::min(little, own / kLittleOfOwn);
  const std::uint64_t reserves = (IsStrangers(address_) ? 1 : 0) + (size <= std::max<std::uint64_t>(little, 1) ? 0 : 1);
  return {.own = own, .key = key, .all = all - reserves * (all / kReserves)};
}

std::uint64_t Payer::ShareOf(std::uint64_t process_limit) const {
  return IsStrangers(address_) ? process_limit - process_limit / kReserves : process_limit;
}

Payer::Shortage Payer::ShortOf(Holding what) const {
  const Bounds most = BoundsOf(what, 0);
  if (IsShort(held(what), most.own) || IsShort(held_by_key(what), most.key)) return Shortage::kOfAddress;
  const std::uint64_t all = shared_->held[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  return IsShort(all, most.all) ? Shortage::kOfAll : Shortage::kNone;
}

bool Payer::ShouldGiveWay(Holding what) const {
  const Bounds most = BoundsOf(what, 0);
  return held(what) > most.own / kMuchOfOwn && most.own != 0 &&
         IsShort(shared_->held[static_cast<std::size_t>(what)].load(std::memory_order_relaxed), most.all);
}

std::optional<Refusal> Payer::Add(Holding what, std::uint64_t amount, std::uint64_t lease) {
  const auto index = static_cast<std::size_t>(what);
  const HoldingLimits& limits = kHoldingLimits[index];
  Use* const key = KeyFor(what);
  const std::uint64_t held = own_->Add(what, amount);
  const std::uint64_t held_by_key = key == nullptr ? 0 : key->Add(what, amount);
  const auto that_counts = [&] {
    // A key that holds much from many addresses does not hold little at each.
    if (IsStrangers(address_)) return std::max(held, held_by_key);
    const std::uint64_t all = limits.process == nullptr ? 0 : shared_->limits.*limits.process;
    return held > all / kMuchOfThisMachine ? lease : 0;
  };
  const Bounds most = BoundsOf(what, that_counts());
  const bool beyond_own = held > most.own && most.own != 0;
  if (beyond_own || (held_by_key > most.key && most.key != 0)) {
    own_->Subtract(what, amount);
    if (key != nullptr) key->Subtract(what, amount);
    return shared_->Refuse(beyond_own ? limits.of_address : limits.of_key, beyond_own ? most.own : most.key,
                           Duration(0));
  }
  if (shared_->held[index].fetch_add(amount, std::memory_order_relaxed) + amount > most.all && most.all != 0) {
    Subtract(what, amount);
    return shared_->Refuse(limits.of_process, most.all, Duration(0));
  }
  if (what == Holding::kUnfinishedBytes || what == Holding::kHandshakeBytes) shared_->AddInMemory(amount);
  return std::nullopt;
}

void Payer::Subtract(Holding what, std::uint64_t amount) {
  own_->Subtract(what, amount);
  if (Use* const key = KeyFor(what)) key->Subtract(what, amount);
  shared_->held[static_cast<std::size_t>(what)].fetch_sub(amount, std::memory_order_relaxed);
}

tl::expected<Lease, Refusal> Payer::Hold(Holding what, std::uint64_t amount) {
  if (auto refused = Add(what, amount, amount)) return tl::unexpected(*refused);
  Lease lease;
  lease.payer_ = shared_from_this();
  lease.amount_ = amount;
  lease.what_ = what;
  return lease;
}

std::optional<Refusal> Payer::Adjust(Lease& lease, Holding what, std::uint64_t amount) {
  if (lease) return lease.Resize(amount);
  auto held = Hold(what, amount);
  if (!held) return held.error();
  lease = std::move(*held);
  return std::nullopt;
}

Refusal Payer::Refuse(Limit limit, std::uint64_t allowed, Duration wait) const {
  return shared_->Refuse(limit, allowed, wait);
}

bool Payer::MemoryIsShort(std::uint64_t more) const {
  const std::uint64_t most = IsStrangers(address_) ? shared_->MemoryForStrangers() : shared_->MemoryForAll();
  return more > most || shared_->MemoryBeyond(most - more) > 0;
}

std::optional<Refusal> Payer::RefuseForMemory(std::uint64_t more) const {
  if (!MemoryIsShort(more)) return std::nullopt;
  return shared_->Refuse(Limit::kMemory, shared_->limits.max_memory, Duration(0));
}

void Payer::AddTouched(std::uint64_t bytes) {
  shared_->AddInMemory(bytes);
}

std::optional<Refusal> Payer::TouchOrRefuse(std::uint64_t bytes) {
  std::optional<Refusal> refused = RefuseForMemory(bytes);
  if (!refused) AddTouched(bytes);
  return refused;
}

void Payer::AddRecorded(std::uint64_t bytes, Instant now) {
  own_->recorded.Spend(limits_.match_bytes, static_cast<double>(bytes), now);
  if (key_ != nullptr) key_->recorded.Spend(key_limits().match_bytes, static_cast<double>(bytes), now);
}

bool Payer::OwesForRecords(Instant now) const {
  if (own_->recorded.Wait(limits_.match_bytes, 1, now) > Duration(0)) return true;
  return key_ != nullptr && key_->recorded.Wait(key_limits().match_bytes, 1, now) > Duration(0);
}

std::optional<Refusal> Payer::RefuseToRecord(Instant now, double may_owe) const {
  const auto refuse = [&](const Use& use, const RateLimit& limit, Limit name) -> std::optional<Refusal> {
    if (limit.per_second == 0) return std::nullopt;
    // By then, a new match could be made if no more than that were owed.
    const auto paid = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(may_owe / limit.per_second));
    const Duration wait = use.recorded.Wait(limit, 1, now + paid);
    if (wait == Duration(0)) return std::nullopt;
    return shared_->Refuse(name, static_cast<std::uint64_t>(limit.per_second), wait);
  };
  if (auto refused = refuse(*own_, limits_.match_bytes, Limit::kMatchBytes)) return refused;
  if (key_ == nullptr) return std::nullopt;
  return refuse(*key_, key_limits().match_bytes, Limit::kMatchBytesOfKey);
}

void Payer::AddUnread(std::int64_t bytes) {
  own_->unread.fetch_add(bytes, std::memory_order_relaxed);
  shared_->unread.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes > 0) shared_->AddInMemory(static_cast<std::uint64_t>(bytes));
}

std::optional<Refusal> Payer::RefuseForUnread() const {
  const std::uint64_t most = limits_.max_unread_bytes_per_address;
  if (most == 0 || own_->unread.load(std::memory_order_relaxed) <= static_cast<std::int64_t>(most)) return std::nullopt;
  return shared_->Refuse(Limit::kUnreadBytesOfAddress, most, Duration(0));
}

std::optional<Limit> Payer::AddWaiting(std::int64_t of_address, std::int64_t in_all) {
  const std::int64_t own = own_->waiting.fetch_add(of_address, std::memory_order_relaxed) + of_address;
  const std::int64_t of_key =
      key_ == nullptr ? 0 : key_->waiting.fetch_add(of_address, std::memory_order_relaxed) + of_address;
  const std::int64_t all = shared_->waiting.fetch_add(in_all, std::memory_order_relaxed) + in_all;
  if (in_all <= 0) return std::nullopt;
  shared_->AddInMemory(static_cast<std::uint64_t>(in_all));
  const auto is_beyond = [](std::int64_t held, std::uint64_t most) {
    return most != 0 && held > static_cast<std::int64_t>(most);
  };
  if (of_address > 0) {
    if (is_beyond(own, limits_.max_waiting_bytes_per_address)) return Limit::kWaitingBytesOfAddress;
    if (is_beyond(of_key, key_limits().max_waiting_bytes_per_key)) return Limit::kWaitingBytesOfKey;
    if (is_beyond(all, ShareOf(shared_->limits.max_waiting_bytes_in_all))) return Limit::kWaitingBytesInAll;
  }
  if (MemoryIsShort()) return Limit::kMemory;
  return std::nullopt;
}

Refusal Payer::RefuseToWait(Limit beyond) const {
  std::uint64_t allowed = shared_->limits.max_memory;
  if (beyond == Limit::kWaitingBytesOfAddress) allowed = limits_.max_waiting_bytes_per_address;
  if (beyond == Limit::kWaitingBytesOfKey) allowed = key_limits().max_waiting_bytes_per_key;
  if (beyond == Limit::kWaitingBytesInAll) allowed = ShareOf(shared_->limits.max_waiting_bytes_in_all);
  return shared_->Refuse(beyond, allowed, Duration(0));
}

bool Pace::Unlimited(const Payer& payer) {
  const PeerLimits& limits = payer.limits();
  const KeyLimits& of_key = payer.key_limits();
  return limits.messages.per_second == 0 && limits.bytes.per_second == 0 &&
         limits.messages_of_address.per_second == 0 && limits.bytes_of_address.per_second == 0 &&
         (payer.key_ == nullptr || (of_key.messages.per_second == 0 && of_key.bytes.per_second == 0));
}

std::optional<Refusal> Pace::Take(Payer& payer, std::uint64_t messages, std::uint64_t bytes, Instant now) {
  const auto take = [&](TokenBucket& bucket, const RateLimit& limit, std::uint64_t n,
                        Limit name) -> std::optional<Refusal> {
    if (n == 0) return std::nullopt;
    const Duration wait = bucket.Take(limit, static_cast<double>(n), now);
    if (wait == Duration(0)) return std::nullopt;
    return payer.shared_->Refuse(name, static_cast<std::uint64_t>(limit.per_second), wait);
  };
  const PeerLimits& limits = payer.limits();
  Payer::Use& own = *payer.own_;
  if (auto refused = take(messages_, limits.messages, messages, Limit::kMessages)) return refused;
  if (auto refused = take(bytes_, limits.bytes, bytes, Limit::kBytes)) return refused;
  if (auto refused = take(own.messages, limits.messages_of_address, messages, Limit::kMessagesOfAddress)) {
    return refused;
  }
  if (auto refused = take(own.bytes, limits.bytes_of_address, bytes, Limit::kBytesOfAddress)) return refused;
  if (payer.key_ == nullptr) return std::nullopt;
  const KeyLimits& of_key = payer.key_limits();
  if (auto refused = take(payer.key_->messages, of_key.messages, messages, Limit::kMessagesOfKey)) return refused;
  return take(payer.key_->bytes, of_key.bytes, bytes, Limit::kBytesOfKey);
}

Budget::Budget(const BudgetLimits& limits, Metrics* metrics)
    : shared_(std::make_shared<Payer::Shared>(limits, metrics)) {}

Budget::~Budget() {
  const std::lock_guard lock(shared_->mutex);
  shared_->payers.all.clear();
}

const BudgetLimits& Budget::limits() const {
  return shared_->limits;
}

std::shared_ptr<Payer> Budget::PayerOf(std::string_view peer, Instant now) {
  const std::string address = AddressKey(peer);
  const std::lock_guard lock(shared_->mutex);
  return shared_->payers.Find(address, now, [&] {
    const PeerLimits& limits = address == kLoopback ? shared_->limits.loopback : shared_->limits.others;
    return std::shared_ptr<Payer>(new Payer(shared_, address, limits));
  });
}

std::shared_ptr<Payer> Budget::OwnPayer() {
  return PayerOf(kLoopback, Instant());
}

std::size_t Budget::payers() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->payers.all.size();
}

std::size_t Budget::keys() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->keys.all.size();
}

std::uint64_t Budget::held(Holding what) const {
  return shared_->held[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
}

std::uint64_t Budget::unread() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(shared_->unread.load(std::memory_order_relaxed), 0));
}

std::uint64_t Budget::waiting() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(shared_->waiting.load(std::memory_order_relaxed), 0));
}

void Budget::MeasureWith(std::function<std::uint64_t()> resident) {
  const std::lock_guard lock(shared_->measuring);
  shared_->measure = std::move(resident);
}

void Budget::Measure() {
  shared_->Measure();
}

std::uint64_t Budget::resident() const {
  return shared_->resident.load(std::memory_order_relaxed);
}

std::uint64_t Budget::MemoryBeyond() const {
  return shared_->MemoryBeyond(shared_->MemoryForStrangers());
}

std::uint64_t Budget::MemoryBeyondAll() const {
  return shared_->MemoryBeyond(shared_->MemoryForAll());
}

}  // namespace openseat
