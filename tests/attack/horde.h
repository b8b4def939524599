// Horde: all attacks at once, again and again, from another process at the lowest priority.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "attack/attacks_on_models.h"
#include "support/real_server.h"

namespace openseat::tests {

// What a horde attacks.
struct Targets {
  const RealServer& server;
  const RealServer& relay;        // with --open-games and --repair names,schemas; its upstream is the server
  std::vector<std::string> keys;  // kKeysForHorde keys of the server
};

// Attackers that need a key, over MCP: each has one of its own, so that the limits of a key stop nobody else.
enum class Holder : std::uint8_t {
  kDeclarations,
  kCalls,
  kTasks,
  kWaits,
  kMatches,
  kSearches,
  kTranscripts,
  kLeavers,
  kValues,
  kCount,
};
inline constexpr std::size_t kKeysForHorde = static_cast<std::size_t>(Holder::kCount);

// The options that the server needs for all attacks to have something to attack. `folder`: the script games, which
// this writes.
std::string ConfigForHorde(const ModelStandIn& model);
void WriteGamesForHorde(const std::string& folder);

// Runs on the cores on which the caller's thread may run.
class Horde {
 public:
  // The process waits for Begin. REQUIRES that the caller has no other thread yet, because this forks.
  explicit Horde(const Targets& targets);
  ~Horde();  // ends the process
  Horde(const Horde&) = delete;
  Horde& operator=(const Horde&) = delete;

  void Begin();
  // The attackers that the server has not yet answered or refused once in a round that has ended, "" if it answered or
  // refused each.
  std::string Missing() const;
  // Those that have read no answer at all yet: they are known long before the longest rounds end.
  std::string Unanswered() const;
  // "patterns 12 (120), long strings 3 (3), …": how many rounds each has begun and ended, and how often it was answered
  // or refused.
  std::string Text() const;

 private:
  struct Counts;
  [[noreturn]] static void Attack(const Targets& targets, int begin, Counts& counts);
  // The names of the attackers whose counts are so.
  template <typename Is>
  std::string NamesOf(Is is) const;

  Counts* const counts_;  // shared with the process
  int begin_ = -1;        // the end of a pipe that it reads
  pid_t pid_ = -1;
};

}  // namespace openseat::tests
