// ExternalAgent: a seat that is played from outside, by whoever holds its token: over REST, MCP or a webhook. It keeps
// what the seat was told until that is fetched, tells waiting callers of news, and passes choices on with their
// verdicts. What the caller speaks is the protocols' matter.
//
// One thread: its seat's scheduler. Callbacks run there, too, and may run from within the call that caused them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

// Who may play the seat: SHA-256, in hexadecimal, of the secrets (seat_token.h). Without any, nobody may until another
// agent is seated.
struct ExternalAgentOptions {
  std::string token_hash;
  std::string key_hash;
  std::string account;  // whose API keys play the seat, too; "": nobody's
};

// {"token_sha256", "key_sha256", "account"}: all optional; any other member is an error unless `more` says that it is
// known.
Result<ExternalAgentOptions> ParseExternalAgentOptions(const json::Object& options,
                                                       std::initializer_list<std::string_view> more = {});

class ExternalAgent : public Agent {
 public:
  explicit ExternalAgent(ExternalAgentOptions options);
  ~ExternalAgent() override;

  std::string_view kind() const override { return "external"; }
  bool interactive() const override { return true; }

  // Whether the secret part of a token or key is this seat's.
  bool Admits(std::string_view secret) const;
  // "" where none was named.
  const std::string& account() const { return options_.account; }

  // nullptr before it is seated.
  Seat* seat() const { return seat_; }
  // The table is over: nothing can be chosen any more.
  bool ended() const { return ended_; }

  // Grows with all that this seat learns: what it is asked and told, verdicts, other actions, the end. Begins at 1, and
  // again where the server was restarted.
  std::uint64_t version() const { return version_; }

  struct Told {
    std::uint64_t version = 0;  // after it was told
    Context context;
  };
  // The latest of what it was told, oldest first: at most 200, and 256 KiB of text.
  const std::deque<Told>& told() const { return told_; }

  // The verdict on the last choice of ours that came to one.
  struct Settled {
    std::uint64_t version = 0;
    Choice choice;
    Verdict verdict;
  };
  const std::optional<Settled>& last_settled() const { return settled_; }

  using Acted = std::function<void(Result<Verdict>)>;
  // `acted` gets the table's verdict, or why the referee did not let the choice through (Seat::Choose's codes), or
  // kClosed where the table or this agent went first. A choice that names its decision is idempotent: the same one
  // again gets the verdict of the first.
  void Act(Choice choice, Acted acted);

  using WaitId = NumberId<struct WaitTag>;
  // Calls `woke` once version() > since: true; or after `timeout`, or where this agent goes: false.
  WaitId Wait(std::uint64_t since, Duration timeout, std::function<void(bool)> woke);
  // `woke` is destroyed and will not run. Does nothing for a wait that is over.
  void CancelWait(WaitId wait);

  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnContext(const Context& context) override;
  void OnActionsChanged() override;
  void OnVerdict(const Choice& choice, const Verdict& verdict) override;
  void OnEnd() override;

 protected:
  Scheduler* scheduler() const { return scheduler_; }

 private:
  struct Waiter {
    WaitId id;
    std::uint64_t since = 0;
    std::function<void(bool)> woke;
    ScopedTimer timer;
  };
  void Learned();

  const ExternalAgentOptions options_;
  Seat* seat_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  std::uint64_t version_ = 1;
  std::deque<Told> told_;
  std::size_t told_bytes_ = 0;
  bool ended_ = false;
  std::optional<Choice> acting_;  // awaits its verdict
  std::vector<Acted> acted_;      // who wants to hear of it
  std::optional<Settled> settled_;
  std::deque<Waiter> waiters_;
  WaitId last_wait_;
};

}  // namespace openseat
