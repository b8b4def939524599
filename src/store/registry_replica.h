// RegistryReplica: the registry that a log of commands makes. Every node of a cluster applies the same messages in the
// same order, so all have the same. Without I/O; docs/cluster.md, "The registry".
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/registry_codec.h"
#include "store/registry_commands.h"
#include "store/registry_database.h"

namespace openseat::store {

class RegistryReplica {
 public:
  // An empty registry, or the one with this snapshot. kParse if it is damaged, kUnsupported if a later version wrote
  // it.
  static Result<std::unique_ptr<RegistryReplica>> Make(std::string_view snapshot = {});
  RegistryReplica(const RegistryReplica&) = delete;
  RegistryReplica& operator=(const RegistryReplica&) = delete;

  using Outcomes = std::vector<Result<RegistryOutcome>>;
  // Applies a message, `text` of WriteMessage, and returns what its commands answer with; nullopt if the message does
  // not count. An error means that the registry cannot go on: kUnsupported, kParse, kIo.
  Result<std::optional<Outcomes>> Apply(const RegistryStamp& stamp, std::string_view text);
  // Everything that was applied.
  Result<std::string> Snapshot();

  // The number of a session's last message that counted.
  std::uint64_t LastOf(std::uint64_t session) const;
  // How many commands were applied that Registry::Watch tells of.
  std::uint64_t watched() const { return watched_; }
  // For reading.
  RegistryDatabase& database() { return *database_; }

 private:
  class LogClock final : public Clock {
   public:
    Time Now() const override { return now; }
    Instant Monotonic() const override { return {}; }
    Time now;
  };

  RegistryReplica() = default;
  Result<Outcomes> ApplyAll(const RegistryStamp& stamp, const json::Array& commands);
  // An id that every replica makes at this place of the log.
  std::string NextId(char letter);

  LogClock clock_;
  std::string place_;      // of the command that is applied
  std::uint64_t ids_ = 0;  // made by that command
  std::uint64_t watched_ = 0;
  std::optional<RegistryDatabase> database_;
  std::map<std::uint64_t, std::uint64_t> sessions_;  // the number of each one's last message
};

// The text of a message with these commands.
std::string WriteMessage(const std::vector<std::string_view>& commands);

}  // namespace openseat::store
