// Shared by the tests of registries: calls that wait for their answers, and a registry on a NATS server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "store/journal_test_support.h"
#include "store/nats_registry.h"
#include "store/nats_test_server.h"

namespace openseat::store {

// Makes a call and waits for its answer.
template <typename T, typename Call>
Result<T> AskRegistry(MailboxScheduler& scheduler, const Call& call) {
  std::optional<Result<T>> out;
  call(scheduler, [&out](Result<T> result) { out = std::move(result); });
  while (!out) scheduler.RunSome();
  return *out;
}

// What a test needs, patient enough for a slow machine.
inline NatsRegistryOptions NatsTestOptions(const NatsTestServer& server, const std::string& cluster) {
  NatsRegistryOptions options;
  options.log.link.servers = server.url();
  options.log.cluster = cluster;
  options.log.write_timeout = std::chrono::minutes(2);
  options.log.open_timeout = std::chrono::minutes(2);
  return options;
}

inline std::unique_ptr<NatsRegistry> MustOpenNatsRegistry(const NatsRegistryOptions& options, const Clock& clock) {
  auto opened = NatsRegistry::Open(options, clock);
  OPENSEAT_CHECK(opened.has_value(), opened ? "" : opened.error().message.c_str());
  return std::move(*opened);
}
inline std::unique_ptr<NatsRegistry> MustOpenNatsRegistry(const NatsTestServer& server, const std::string& cluster,
                                                          const Clock& clock) {
  return MustOpenNatsRegistry(NatsTestOptions(server, cluster), clock);
}

}  // namespace openseat::store
