// ExternalAgent: a seat that is played from outside by the holder of its token: over REST, MCP or a webhook. It keeps
// what the seat was told until that is fetched, wakes waiting callers when there is news, and passes choices on and
// their verdicts back. The protocols decide what callers speak.
//
// One thread: its seat's scheduler. Callbacks run there, too, possibly from within the call that caused them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/external/shared_reads.h"
#include "base/ids.h"
#include "base/loop_bill.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "core/agent.h"
#include "core/seat.h"
#include "core/seat_view.h"

namespace openseat {

// Who may play the seat: SHA-256 hashes, in hexadecimal, of the secrets (seat_token.h). Without any, nobody may
// play until another agent is seated.
struct ExternalAgentOptions {
  std::string token_hash;
  std::string key_hash;
  std::string account;  // the account whose API keys also play the seat; "": none
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
  ExternalAgent* external() final { return this; }
  // The latest of what it was told, oldest first: at most 200, and 256 KiB of text.
  void AddTold(SeatView& view, std::uint64_t told_after) const final;

  // Whether the secret part of a token or key is this seat's.
  bool Admits(std::string_view secret) const;
  // "" if none was named
  const std::string& account() const { return options_.account; }

  // nullptr before it is seated.
  Seat* seat() const { return seat_; }
  // The table is over: nothing can be chosen any more.
  bool ended() const { return ended_; }

  // Increases with everything that this seat learns: what it is asked and told, verdicts, other actions, the end.
  // Starts at 1, and again after a restart of the server.
  std::uint64_t version() const { return version_; }

  // What became of the webhooks that tell it: {"state", "waiting", "deliveries", …}; nothing where it is told by none.
  virtual std::optional<json::Object> Deliveries() const { return std::nullopt; }

  using Acted = std::function<void(Result<Verdict>)>;
  // `acted` gets the table's verdict, or the reason why the referee did not let the choice through (Seat::Choose's
  // codes), or kClosed if the table or this agent went away first. A choice that names its decision is idempotent:
  // repeating it gets the verdict of the first; and so is one that names its request (Choice::retry), while that is in
  // progress. Afterwards retries() knows it.
  // kBusy while another choice awaits its verdict, or where kMostCallers wait for this one.
  void Act(Choice choice, Acted acted);
  // The verdict on the choice that was made for this decision: the one in progress, or the last one that was accepted.
  // kNotYourTurn if that was for another decision.
  void Repeat(DecisionId decision, Acted acted);
  // The requests that have acted.
  const Retries& retries() const { return retries_; }
  // This request has, though not by choosing.
  void AddRetry(std::string tag) { retries_.Add(std::move(tag)); }

  // What its callers read that is long.
  SharedReads& reads() { return reads_; }

  using WaitId = NumberId<struct WaitTag>;
  // How many may wait for news at the same time, and how many for one verdict.
  static constexpr std::size_t kMostCallers = 16;
  // Calls `woke` with true once version() > since, or with false after `timeout` or when this agent is destroyed. kBusy
  // where kMostCallers wait already: then `woke` does not run.
  Result<WaitId> Wait(std::uint64_t since, Duration timeout, std::function<void(bool)> woke);
  // `woke` is destroyed without running. Does nothing for a wait that is over.
  void CancelWait(WaitId wait);

  void OnRetries(const Retries& retries) override { retries_ = retries; }
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
  // The last choice of ours that was accepted.
  struct Settled {
    Choice choice;
    Verdict verdict;
  };
  struct Waiter {
    WaitId id;
    std::uint64_t since = 0;
    Billed<std::function<void(bool)>> woke;
    ScopedTimer timer;
  };
  void Join(Acted acted);  // those who wait for the verdict
  void Learned();

  const ExternalAgentOptions options_;
  Seat* seat_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  std::uint64_t version_ = 1;
  std::deque<Told> told_;
  std::size_t told_bytes_ = 0;
  bool ended_ = false;
  std::optional<Choice> acting_;  // awaiting its verdict
  std::vector<Acted> acted_;      // callers to tell the verdict
  std::optional<Settled> settled_;
  Retries retries_;
  SharedReads reads_;
  std::deque<Waiter> waiters_;
  WaitId last_wait_;
};

}  // namespace openseat
