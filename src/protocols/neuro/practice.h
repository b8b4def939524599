// Practice: which of the API's best practices a game does not follow, as far as they can be seen on the wire. It sees
// one game's messages in order and reports each of its rules (perf/… in docs/rules.md, which has the thresholds) once,
// at the first example; count() goes on counting. It has no timers: only arrival counts. Memory and the work per
// message are bounded. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

class Practice {
 public:
  // Called within the calls below, with a sentence about what was seen.
  using Report = std::function<void(Diagnostic, std::string detail)>;
  explicit Practice(Report report) : report_(std::move(report)) {}

  // A message of the game. A startup begins a new session: what came before does not count toward a threshold.
  void Saw(const ClientMessage& message, Instant now);
  // The action of this id was sent to the game.
  void Sent(std::string_view id, std::string_view action);
  // Another run of the game: each rule is reported again, and what was told is forgotten.
  void BeginRun();
  // The game has another connection; its next message is on that.
  void Reconnected();
  // How often the rule was broken.
  std::size_t count(Diagnostic rule) const;

 private:
  void See(const StartupMessage&, Instant) {}
  void See(const ContextMessage& message, Instant now);
  void See(const RegisterMessage& message, Instant now);
  void See(const UnregisterMessage& message, Instant now);
  void See(const ForceMessage& message, Instant now);
  void See(const ResultMessage& message, Instant now);
  void See(const ProposalMessage&, Instant) {}
  void See(const UnknownMessage&, Instant) {}

  void Found(Diagnostic rule, std::string detail);
  void CheckHeading(std::string_view member, std::string_view text);
  void CheckSilence(Instant now);
  void CheckFlood(Instant now);
  void CheckTelemetry(std::string_view message, Instant now);
  void CheckRepeated(std::string_view message, Instant now);
  void CheckDefinition(const ActionDefinition& action);
  void CheckRegisteredAgain(const ActionDefinition& action);
  void CheckAlike();
  void Changed(Instant now);
  void CheckChurn(Instant now);
  void CheckPriority(Priority priority, Instant now);
  void CheckState(const ForceMessage& force);
  void CheckChain(const ForceMessage& force, Instant now);
  void CheckFailure(const ResultMessage& result);
  void CheckSuccess(const std::string& action, const ResultMessage& result, Instant now);

  struct Registration {
    std::size_t definition = 0;  // hashes; `form` is without enum, const and bounds
    std::size_t form = 0;
    bool used = false;  // forced or taken since
    int same = 1;
    int alike = 1;
  };
  struct Registered {
    std::size_t schema = 0;  // a hash
    std::size_t properties = 0;
  };
  struct Said {
    std::size_t text = 0;  // a hash
    Instant when;
  };
  // What happened since the startup.
  struct Session {
    Instant started{};
    std::optional<Instant> last;  // of any message

    std::vector<Instant> contexts;
    std::vector<Instant> results;
    std::optional<Instant> last_context;
    std::string blanked;  // the last context, with its digits blanked
    std::vector<Instant> streamed;
    std::vector<Said> long_contexts;
    int contexts_before_forces = 0;

    std::map<std::string, Registered, std::less<>> registered;
    std::map<std::string, Registration, std::less<>> registrations;
    std::optional<Instant> first_registration;
    std::vector<Instant> fresh_changes;  // of the registered set; a force may still come and excuse them
    std::vector<Instant> changes;

    bool forced_once = false;
    std::vector<std::string> forced;  // by the last force
    bool just_played = false;         // one of them succeeded
    std::optional<Instant> last_success;
    std::vector<Instant> critical;
    std::array<std::size_t, 4> priorities{};  // forces by priority
    unsigned remembered = 0;                  // the last few forces, a bit each, the newest lowest
    int links = 0;                            // of the current chain of forces
    int chains = 0;
    int late_unregistrations = 0;

    std::vector<std::pair<std::string, std::string>> sent;  // ids and their actions, oldest first
    std::string last_failure;
    int same_failures = 0;  // in the current force
    int silent_successes = 0;
    std::optional<Instant> silent_success;                              // the last one, if nothing was said since
    std::map<std::string, std::vector<std::string>, std::less<>> said;  // a success's message: its actions
  };

  // Longer names are not remembered, nor more names of one force.
  static constexpr std::size_t kMostNameBytes = 200;
  static constexpr std::size_t kMostForced = 200;

  const Report report_;
  std::map<Diagnostic, std::size_t> counts_;
  // Hashes of long contexts, over this connection and over former ones.
  std::vector<std::size_t> told_;
  std::vector<std::size_t> told_before_;
  Session s_;
};

}  // namespace openseat::neuro
