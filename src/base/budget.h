// Budget: limits on what strangers may use. Every entrance of the process draws on one Budget: it counts what each
// address holds (connections, tables, matches …) and its rates, and the same for the whole process. A refusal names the
// setting of [limits] that refused, or the number of a limit that no setting changes, and is counted
// (openseat_refused_total). docs/configuration.md has the table.
//
// A Payer is one address. IPv6 addresses count by /64, an IPv6 address that stands for an IPv4 address (mapped, or
// NAT64's 64:ff9b::/96) counts as that one, and all of this machine's own addresses (loopback) are one payer with
// limits of its own: PeerLimits::Loopback. An address that uses an API key pays together with the key
// (Payer::WithKey), whose limits (KeyLimits) are for all addresses that use it.
//
// Of each limit of the process, strangers leave the last eighth to this machine, and use the eighth before it only
// while their address holds little: a 256th of the limit and a 32nd of its own at most. So a few addresses that take
// all they can stop neither the operator nor newcomers, nor what those have under way who hold little. A program of
// this machine that takes all it can does not stop the others of this machine: if they hold more than a sixteenth
// together, the last eighth is for leases of a 256th of the limit at most.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/loop_share.h"
#include "base/metrics.h"
#include "base/rate_limit.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat {

// Every limit that can refuse, by its setting. kLimits has the names.
enum class Limit : std::uint8_t {
  // The process.
  kMemory,
  kConnections,
  kTables,
  kMatches,
  kUnfinishedBytes,
  kWebhookBytes,
  kTableBytes,
  kWaitingBytesInAll,
  // One address.
  kConnectionsOfAddress,
  kTablesOfAddress,
  kMatchesOfAddress,
  kWatchedOfAddress,
  kUnfinishedBytesOfAddress,
  kWebhookBytesOfAddress,
  kTableBytesOfAddress,
  kUnreadBytesOfAddress,
  kWaitingBytesOfAddress,
  kMessagesOfAddress,
  kBytesOfAddress,
  kMatchBytes,
  // One key.
  kTablesOfKey,
  kMatchesOfKey,
  kWatchedOfKey,
  kUnfinishedBytesOfKey,
  kWebhookBytesOfKey,
  kTableBytesOfKey,
  kWaitingBytesOfKey,
  kMessagesOfKey,
  kBytesOfKey,
  kMatchBytesOfKey,
  // One connection.
  kMessages,
  kBytes,
  kMessageTime,
  kWatched,
  kWaitingItems,
  kWaitingBytes,
  kMessageValues,
  // One table.
  kActions,
  kSchemaBytes,
  kJournalRate,
  kJournalBytes,
  // One request, message or connection, the same for all: ServerLimits in net/server.h.
  kHeaderBytes,
  kBodyBytes,
  kMessageBytes,
  kOutboxBytes,
  kHeaderTime,
  kBodyTime,
  // One match, one key, one address: settings in other sections.
  kWaitingJoins,
  kWaitingActions,
  kWaitingMatchBytes,
  kKeyRequests,
  kNarratedTurns,
  kNarratedAtOnce,
  kWrongGuesses,
  kJournalRoom,
  kRecordedVoice,
  kVoicePrograms,
  // Those that no setting changes: LimitInfo::fixed. docs/metrics.md has their numbers.
  kJournalBacklog,
  kSignIns,
  kTalk,
  kCallsOfSeat,
  kMcpCalls,
  kMcpReads,
  kMcpTasks,
  kJudgedChoices,
  kGameChecks,
  kAnalyses,
  kRatings,
  kSubscriptions,
  kGamesOfConnection,
  kSpeech,
  kRecording,
  kCount,
};

struct LimitInfo {
  // Its key in [limits] or another section, or the name of a fixed limit; the label "budget" of openseat_refused_total.
  std::string_view setting;
  std::string_view meaning;  // what is limited: "tables of one address that are open"
  bool fixed = false;        // no setting changes it
};
inline constexpr std::array<LimitInfo, static_cast<std::size_t>(Limit::kCount)> kLimits{{
    {"max_memory", "bytes of memory that the server uses"},
    {"max_connections", "connections that are open"},
    {"max_tables", "tables of remote games that are open"},
    {"max_matches", "matches that are open"},
    {"max_unfinished_bytes", "bytes of requests and messages that have begun and not ended"},
    {"max_webhook_bytes", "bytes of events that wait for the receivers of webhooks"},
    {"max_table_bytes", "bytes of memory for tables' actions and forces, matches, and results of MCP tasks"},
    {"max_waiting_bytes_in_all", "bytes of messages that wait for an answer"},
    {"max_connections_per_address", "connections of one address that are open"},
    {"max_tables_per_address", "tables of remote games that one address has open"},
    {"max_matches_per_address", "matches that one address has open"},
    {"max_watched_per_address", "matches that one address watches"},
    {"max_unfinished_bytes_per_address", "bytes of one address's requests and messages that have begun and not ended"},
    {"max_webhook_bytes_per_address", "bytes of one address's events that wait for the receivers of webhooks"},
    {"max_table_bytes_per_address",
     "bytes of memory for one address's tables' actions and forces, its matches, and results of its MCP tasks"},
    {"max_unread_bytes_per_address", "bytes that wait for one address to read them"},
    {"max_waiting_bytes_per_address", "bytes of one address's messages that wait for an answer"},
    {"messages_per_second_per_address", "messages and requests of one address a second"},
    {"bytes_per_second_per_address", "bytes of one address a second"},
    {"match_bytes_per_second_per_address", "bytes that the matches of one address record a second"},
    {"max_tables_per_key", "tables of remote games that one key has open"},
    {"max_matches_per_key", "matches that one key has open"},
    {"max_watched_per_key", "matches that one key watches"},
    {"max_unfinished_bytes_per_key", "bytes of one key's messages that have begun and not ended"},
    {"max_webhook_bytes_per_key", "bytes of one key's events that wait for the receivers of webhooks"},
    {"max_table_bytes_per_key",
     "bytes of memory for one key's tables' actions and forces, its matches, and results of its MCP tasks"},
    {"max_waiting_bytes_per_key", "bytes of one key's messages that wait for an answer"},
    {"messages_per_second_per_key", "messages of one key a second"},
    {"bytes_per_second_per_key", "bytes of one key a second"},
    {"match_bytes_per_second_per_key", "bytes that the matches of one key record a second"},
    {"messages_per_second", "messages and requests of one connection a second"},
    {"bytes_per_second", "bytes of one connection a second"},
    {"message_timeout", "seconds that one message takes to arrive"},
    {"max_watched", "matches that one connection watches"},
    {"max_waiting_items", "messages of one connection that wait for an answer"},
    {"max_waiting_bytes", "bytes of one connection's messages that wait for an answer"},
    {"max_message_values", "values of JSON in one message"},
    {"max_actions", "actions of one table"},
    {"max_schema_bytes", "bytes of the schemas of one table's actions"},
    {"journal_bytes_per_second", "bytes that one table has recorded a second"},
    {"max_journal_bytes", "bytes of one table's recording"},
    {"max_header_bytes", "bytes of one request's line and headers"},
    {"max_body_bytes", "bytes of one request's body"},
    {"max_message_bytes", "bytes of one message"},
    {"max_outbox_bytes", "bytes that one connection leaves unread"},
    {"header_timeout", "seconds that one request's line and headers take to arrive"},
    {"body_timeout", "seconds that one request's body takes to arrive"},
    {"match.max_waiting_joins", "players who wait to join one match"},
    {"match.max_waiting_actions", "actions that wait for one match"},
    {"match.max_waiting_bytes", "bytes of what waits for one match"},
    {"agent_api.rate", "requests of one key a second"},
    {"narrative.turns_per_minute", "turns of stories that one address asks for a minute"},
    {"narrative.max_running", "turns of stories that are narrated at once"},
    {"access.wrong_per_minute", "wrong tokens, keys and names that one address sends a minute"},
    {"journal.max_bytes", "bytes of the journal"},
    {"voice.max_recorded_bytes", "bytes of all voice recordings"},
    {"voice.max_programs", "programs that speak"},
    {"journal.backlog", "bytes of events that wait to be written", true},
    {"sign_in.attempts", "attempts to sign in that one address begins a minute", true},
    {"match.talk", "lines of chat and offers of one seat a minute", true},
    {"seat.calls", "calls that wait for one seat", true},
    {"mcp.calls", "calls of one key over MCP that are in progress", true},
    {"mcp.reads", "transcripts and large states that are read at once over MCP", true},
    {"mcp.tasks", "tasks over MCP that work", true},
    {"openenv.judge", "choices that wait for the judge", true},
    {"games.checks", "checks of games that wait", true},
    {"analysis.waiting", "matches that wait to be analyzed", true},
    {"arena.ratings", "ratings of runs that are under way", true},
    {"live.subscriptions", "subscriptions of one connection that have begun at once", true},
    {"neuro.games", "games of one connection", true},
    {"voice.speech", "seconds that wait to be said on one voice socket", true},
    {"voice.recording", "bytes, tracks and pace of one voice recording", true},
}};
constexpr std::string_view SettingOf(Limit limit) {
  return kLimits[static_cast<std::size_t>(limit)].setting;
}

// Counts refusals by this limit, for those that no Payer counts.
Counter& CountRefused(Metrics& metrics, Limit limit);

// Limits for one address, one connection and one table of it. 0 means no limit. The defaults apply to strangers:
// addresses that are not this machine's.
struct PeerLimits {
  static PeerLimits Loopback();

  std::uint64_t max_connections_per_address = 128;
  std::uint64_t max_tables_per_address = 64;
  std::uint64_t max_matches_per_address = 64;
  std::uint64_t max_watched_per_address = 256;
  std::uint64_t max_unfinished_bytes_per_address = 16u << 20;
  std::uint64_t max_webhook_bytes_per_address = 32u << 20;
  std::uint64_t max_table_bytes_per_address = 64u << 20;
  std::uint64_t max_unread_bytes_per_address = 64u << 20;
  std::uint64_t max_waiting_bytes_per_address = 32u << 20;
  RateLimit messages_of_address{.per_second = 500, .burst = 2'000};
  RateLimit bytes_of_address{.per_second = 4u << 20, .burst = 32u << 20};
  RateLimit match_bytes{.per_second = 1u << 20, .burst = 64u << 20};

  RateLimit messages{.per_second = 100, .burst = 500};
  RateLimit bytes{.per_second = 1u << 20, .burst = 16u << 20};
  Duration message_timeout = std::chrono::seconds(30);
  std::uint64_t max_watched = 64;
  std::uint64_t max_waiting_items = 256;
  std::uint64_t max_waiting_bytes = 8u << 20;
  std::uint64_t max_message_values = 100'000;

  std::uint64_t max_actions = 512;
  std::uint64_t max_schema_bytes = 1u << 20;
  RateLimit journal_bytes{.per_second = 256u << 10, .burst = 16u << 20};
  std::uint64_t max_journal_bytes = 64u << 20;

  bool operator==(const PeerLimits&) const = default;
};

// Limits for one key, from all addresses of strangers together. 0 means no limit.
struct KeyLimits {
  // The defaults: four times what one address may have.
  static KeyLimits For(const PeerLimits& address);

  std::uint64_t max_tables_per_key = 0;
  std::uint64_t max_matches_per_key = 0;
  std::uint64_t max_watched_per_key = 0;
  std::uint64_t max_unfinished_bytes_per_key = 0;
  std::uint64_t max_webhook_bytes_per_key = 0;
  std::uint64_t max_table_bytes_per_key = 0;
  std::uint64_t max_waiting_bytes_per_key = 0;
  RateLimit messages;
  RateLimit bytes;
  RateLimit match_bytes;

  bool operator==(const KeyLimits&) const = default;
};

struct BudgetLimits {
  std::uint64_t max_memory = 0;  // 0: half of MemoryAvailableInAll
  std::uint64_t max_connections = 65'536;
  std::uint64_t max_tables = 100'000;
  std::uint64_t max_matches = 100'000;
  std::uint64_t max_unfinished_bytes = 0;      // 0: a quarter of max_memory
  std::uint64_t max_webhook_bytes = 0;         // the same
  std::uint64_t max_table_bytes = 0;           // 0: half of max_memory
  std::uint64_t max_waiting_bytes_in_all = 0;  // 0: an eighth of max_memory
  PeerLimits others;
  PeerLimits loopback = PeerLimits::Loopback();
  KeyLimits keys = KeyLimits::For(others);

  bool operator==(const BudgetLimits&) const = default;
};

// A resource that an address holds for a while.
enum class Holding : std::uint8_t {
  kConnections,
  kTables,
  kMatches,
  kWatched,
  kUnfinishedBytes,
  kWebhookBytes,
  kTableBytes,
  kHandshakeBytes,  // of TLS handshakes; an address has as much again for them as for unfinished bytes
  kCount
};

// A refusal: something is over its limit.
struct Refusal {
  Limit limit{};
  std::uint64_t allowed = 0;
  Duration wait{0};  // until the same request may be repeated; 0: unknown

  // "the limit max_tables_per_address is reached: 64 tables of remote games that one address has open". The setting
  // comes first, because a close reason may be cut off. "the fixed limit mcp.calls is reached: 256 calls …"
  std::string Text() const;
  // kBusy, with the wait, which the message says if it is known. Its path is "limits.max_tables_per_address" or
  // "agent_api.rate"; "" for a fixed limit.
  Error ToError() const;
};

class Payer;

// The payer's address; "" for null.
std::string AddressOf(const Payer* payer);
// The payer's limit, such as &PeerLimits::max_actions, as a number to compare with: the largest if there is no limit.
// That of this machine's programs for null.
std::size_t MostOf(const Payer* payer, std::uint64_t PeerLimits::* limit);
// Payer::Refuse; nothing is counted for null.
Refusal RefuseFor(const Payer* payer, Limit limit, std::uint64_t allowed, Duration wait = Duration(0));

// Something held; the destructor gives it back. Any thread, one at a time.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { Release(); }

  // Changes the amount held; a refusal leaves it unchanged. A smaller amount is never refused. REQUIRES a lease that
  // Payer::Hold gave.
  std::optional<Refusal> Resize(std::uint64_t amount);
  // So much of a buffer that it stands for is allocated and not yet written to: it counts toward the process's memory
  // as if it were resident. REQUIRES a lease.
  void SetUntouched(std::uint64_t bytes);
  void Release();
  std::uint64_t amount() const { return amount_; }
  explicit operator bool() const { return payer_ != nullptr; }

 private:
  friend class Payer;
  std::shared_ptr<Payer> payer_;
  std::uint64_t amount_ = 0;
  std::uint64_t untouched_ = 0;
  Holding what_{};
};

// What one address holds, and its rates; perhaps together with a key. Shared by its connections and by everything that
// they opened (Lease). Any thread.
class Payer : public std::enable_shared_from_this<Payer> {
 public:
  ~Payer();

  // "192.0.2.7", "2001:db8:1:2::/64", "loopback".
  const std::string& address() const { return address_; }
  const PeerLimits& limits() const { return limits_; }
  const KeyLimits& key_limits() const;
  // What the connections of a stranger's address have used together, with any key. Those of this machine have a share
  // each.
  LoopShare& loop_share() { return own_->loop; }

  // This address with the key of `who` ("key k-1"; "": without one): what the result holds and spends counts for both.
  // This machine's programs pay as without a key.
  std::shared_ptr<Payer> WithKey(std::string_view who, Instant now);

  // Holds `amount` more of it, if the address, the key and the process may.
  tl::expected<Lease, Refusal> Hold(Holding what, std::uint64_t amount = 1);
  // Makes a lease hold this amount: takes it if it is empty, else resizes it. A refusal leaves it unchanged.
  std::optional<Refusal> Adjust(Lease& lease, Holding what, std::uint64_t amount);
  // What the address holds, with any key.
  std::uint64_t held(Holding what) const { return own_->HeldOf(what); }
  // What its key holds, from any address; 0 without one.
  std::uint64_t held_by_key(Holding what) const { return key_ == nullptr ? 0 : key_->HeldOf(what); }
  // Whether more than three quarters are held of what this address or its key may hold, or of what addresses like it
  // may hold together: then what nobody misses much is to be given back.
  enum class Shortage : std::uint8_t { kNone, kOfAddress, kOfAll };
  Shortage ShortOf(Holding what) const;
  // Whether this address should give back what it does not use now: addresses like it are short of it together, and it
  // holds more than an eighth of what it may.
  bool ShouldGiveWay(Holding what) const;

  // Counts a refusal by a limit that is checked elsewhere, and returns it. `allowed`: the setting's value.
  Refusal Refuse(Limit limit, std::uint64_t allowed, Duration wait = Duration(0)) const;
  // Whether the process has reached its memory limit, of which strangers leave a part to this machine, or would with so
  // many bytes more; if so, it is counted as a refusal.
  std::optional<Refusal> RefuseForMemory(std::uint64_t more = 0) const;
  // Memory that is written to for the first time, for this address, and that nothing below counts: it may be resident
  // from now on.
  void AddTouched(std::uint64_t bytes);
  // For bytes that are about to be written to: refuses them like RefuseForMemory, or else counts them like AddTouched.
  std::optional<Refusal> TouchOrRefuse(std::uint64_t bytes);
  // Whether there is a limit on what its matches record.
  bool CountsRecorded() const { return limits_.match_bytes.per_second != 0 || key_ != nullptr; }
  // Counts what a match of this address has recorded. The match goes on even beyond the limit; RefuseToRecord then
  // refuses the next one for a while.
  void AddRecorded(std::uint64_t bytes, Instant now);
  // Whether it has recorded more than the limit so far.
  bool OwesForRecords(Instant now) const;
  // Whether a new match must wait because of it, since more than `may_owe` bytes are owed; if so, it is counted as a
  // refusal.
  std::optional<Refusal> RefuseToRecord(Instant now, double may_owe = 0) const;
  // Bytes waiting for this address to read them: they count toward the process's memory.
  void AddUnread(std::int64_t bytes);
  // Whether they are so many that nothing large may be added; if so, it is counted as a refusal.
  std::optional<Refusal> RefuseForUnread() const;
  // Bytes of messages of this address that wait: so many more count for the address, and toward the process's memory.
  // The limit that they are beyond, if any; they are counted all the same, until the caller takes them back.
  std::optional<Limit> AddWaiting(std::int64_t of_address, std::int64_t in_all);
  // Counts the refusal by a limit that AddWaiting returned.
  Refusal RefuseToWait(Limit beyond) const;

 private:
  friend class Budget;
  friend class Lease;
  friend class Pace;
  struct Shared;
  // What is held and the rates: of one address, or of one key.
  struct Use {
    std::uint64_t HeldOf(Holding what) const {
      return held[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
    }
    // So much more; what is held then.
    std::uint64_t Add(Holding what, std::uint64_t amount) {
      return held[static_cast<std::size_t>(what)].fetch_add(amount, std::memory_order_relaxed) + amount;
    }
    void Subtract(Holding what, std::uint64_t amount) {
      held[static_cast<std::size_t>(what)].fetch_sub(amount, std::memory_order_relaxed);
    }
    bool Rested(Instant now) const { return messages.rested(now) && bytes.rested(now) && recorded.rested(now); }

    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Holding::kCount)> held{};
    std::atomic<std::int64_t> unread = 0;
    std::atomic<std::int64_t> waiting = 0;
    TokenBucket messages;
    TokenBucket bytes;
    TokenBucket recorded;
    LoopShare loop;
  };
  struct Bounds {
    std::uint64_t own = 0;  // 0: no limit
    std::uint64_t key = 0;
    std::uint64_t all = 0;
  };
  // For an address or a key that holds this much; for a lease of this machine that is so large.
  Bounds BoundsOf(Holding what, std::uint64_t size) const;
  // What of a limit of the process that is no Holding this address may use; 0: no limit. Strangers leave an eighth.
  std::uint64_t ShareOf(std::uint64_t process_limit) const;
  bool MemoryIsShort(std::uint64_t more = 0) const;
  Payer(std::shared_ptr<Shared> shared, std::string address, const PeerLimits& limits);
  Payer(const std::shared_ptr<Payer>& address, std::shared_ptr<Use> key);
  bool Rested(Instant now) const { return own_->Rested(now); }
  // Null if there is no key, or it may hold any amount of this.
  Use* KeyFor(Holding what) const;
  // For a lease that holds `lease` then.
  std::optional<Refusal> Add(Holding what, std::uint64_t amount, std::uint64_t lease);
  void Subtract(Holding what, std::uint64_t amount);

  const std::shared_ptr<Shared> shared_;
  const std::string address_;
  const PeerLimits& limits_;
  const std::shared_ptr<Use> own_;  // with a key, this also keeps the address's payer
  const std::shared_ptr<Use> key_;  // null without a key
};

// The rates of one connection, and those of its address and key. One thread.
class Pace {
 public:
  // Whether there is no limit: then Take need not be called, and the clock need not be read for it.
  static bool Unlimited(const Payer& payer);

  // Counts so many messages and bytes that have come.
  std::optional<Refusal> Take(Payer& payer, std::uint64_t messages, std::uint64_t bytes, Instant now);

 private:
  TokenBucket messages_;
  TokenBucket bytes_;
};

// Any thread.
class Budget {
 public:
  // `metrics` may be null; otherwise it outlives the budget and all of its payers.
  explicit Budget(const BudgetLimits& limits = {}, Metrics* metrics = nullptr);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // The limits in force: the defaults of max_memory and max_unfinished_bytes are filled in.
  const BudgetLimits& limits() const;

  // `peer`: an address without a port. Payers whose address holds nothing are forgotten once their rates have rested.
  std::shared_ptr<Payer> PayerOf(std::string_view peer, Instant now);
  // The payer for what the server does by itself: matches of its command line.
  std::shared_ptr<Payer> OwnPayer();
  std::size_t payers() const;
  // Keys that pay, or whose rates have not rested since.
  std::size_t keys() const;

  // What the whole process holds.
  std::uint64_t held(Holding what) const;
  std::uint64_t unread() const;
  std::uint64_t waiting() const;

  // How the resident memory is measured; null: only memory that is held counts. Called from any thread, one at a time.
  void MeasureWith(std::function<std::uint64_t()> resident);
  // Measures now. To be called regularly. In between, what comes is added to the result, and once that is much, it is
  // measured again: buffers that grow leave freed memory behind that is still resident.
  void Measure();
  std::uint64_t resident() const;
  // Bytes beyond the part of max_memory that strangers may use, which ends before those of this machine are refused; 0
  // if it is not exceeded.
  std::uint64_t MemoryBeyond() const;
  // Bytes beyond the part of max_memory that this machine's programs may use.
  std::uint64_t MemoryBeyondAll() const;

 private:
  const std::shared_ptr<Payer::Shared> shared_;
};

// The payer of an address: "192.0.2.7", "2001:db8:1:2::/64", "loopback"; text that is not an address stands for itself.
std::string AddressKey(std::string_view peer);

}  // namespace openseat
