#include "app/open_journal.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "store/journal_format.h"
#include "store/nats_journal.h"
#include "store/nats_registry.h"
#include "store/registry_format.h"
#include "store/sqlite_journal.h"
#include "store/sqlite_registry.h"

namespace openseat::app {
namespace {

// How often the journal forgets old recordings: derived from how long they are kept, within these bounds.
constexpr Duration kPruneAtMost = std::chrono::seconds(1);
constexpr Duration kPruneAtLeast = std::chrono::hours(1);

// NATS may start at the same time as this program, and its servers then take seconds to agree.
constexpr Duration kWaitForNats = std::chrono::seconds(30);
constexpr Duration kAskAgain = std::chrono::milliseconds(500);

// Opens until it succeeds, or fails in a way that waiting does not change.
template <typename Open>
auto TryForAWhile(const Open& open) -> decltype(open()) {
  const SystemClock clock;
  const Instant end = clock.Monotonic() + kWaitForNats;
  bool told = false;
  for (;;) {
    auto opened = open();
    if (opened) return opened;
    const ErrorCode code = opened.error().code;
    const bool may_pass = code == ErrorCode::kIo || code == ErrorCode::kTimeout;
    if (!may_pass || clock.Monotonic() >= end) return opened;
    if (!std::exchange(told, true)) {
      log::Warn("{}; trying for {} s", opened.error().message,
                std::chrono::duration_cast<std::chrono::seconds>(kWaitForNats).count());
    }
    std::this_thread::sleep_for(kAskAgain);
  }
}

Result<OpenedJournal> OpenSqlite(const Config& config, Metrics& metrics) {
  store::SqliteJournalOptions options;
  if (config.keep_recordings > Duration(0)) {
    options.keep_closed = config.keep_recordings;
    options.prune_every = std::clamp(config.keep_recordings / 10, kPruneAtMost, kPruneAtLeast);
  }
  options.room = {JournalMaxBytes(config), config.journal_reserve_bytes};
  options.metrics = &metrics;
  auto journal = store::SqliteJournal::Open(config.data_dir + "/" + store::kJournalFileName, options);
  if (!journal) return Fail(journal.error());
  store::SqliteJournal& opened = **journal;
  return OpenedJournal{std::move(*journal), nullptr, [&opened] { return opened.Writable(); }};
}

Result<OpenedJournal> OpenNats(const store::NatsJournalOptions& options) {
  auto journal = store::NatsJournal::Open(options);
  if (!journal) return Fail(journal.error());
  store::NatsJournal& opened = **journal;
  auto node = std::make_unique<ClusterNode>(opened, options.node);
  if (Result<void> joined = node->Join(); !joined) return Fail(joined.error());
  return OpenedJournal{std::move(*journal), std::move(node), [&opened] { return opened.Writable(); }};
}

store::NatsLinkOptions LinkTo(const ClusterConfig& config) {
  return {.servers = config.servers,
          .name = "openseat " + config.node,
          .credentials = config.credentials,
          .ca = config.ca,
          .certificate = config.certificate,
          .key = config.key};
}

Result<OpenedJournal> OpenCluster(const Config& config, Metrics& metrics) {
  store::NatsJournalOptions options;
  options.link = LinkTo(config.cluster);
  options.cluster = config.cluster.name;
  options.node = config.cluster.node;
  // Nothing is deleted there: a limit that nobody has set does not stop the operator's own matches.
  options.room = {JournalMaxBytes(config), config.journal_reserve_bytes, config.journal_max_bytes.has_value()};
  options.metrics = &metrics;
  return TryForAWhile([&options] { return OpenNats(options); });
}

}  // namespace

Result<OpenedJournal> OpenJournal(const Config& config, Metrics& metrics) {
  return config.cluster.servers.empty() ? OpenSqlite(config, metrics) : OpenCluster(config, metrics);
}

Result<OpenedRegistry> OpenRegistry(const Config& config, const Clock& clock, Metrics& metrics) {
  if (config.cluster.servers.empty()) {
    auto registry = store::SqliteRegistry::Open(config.data_dir + "/" + store::kRegistryFileName, clock);
    if (!registry) return Fail(registry.error());
    return OpenedRegistry{std::move(*registry), [] { return Result<void>(); }};
  }
  store::NatsRegistryOptions options;
  options.log.link = LinkTo(config.cluster);
  options.log.cluster = config.cluster.name;
  options.log.metrics = &metrics;
  auto registry = TryForAWhile([&] { return store::NatsRegistry::Open(options, clock); });
  if (!registry) return Fail(registry.error());
  const store::NatsRegistry& opened = **registry;
  return OpenedRegistry{std::move(*registry), [&opened] { return opened.Writable(); }};
}

}  // namespace openseat::app
