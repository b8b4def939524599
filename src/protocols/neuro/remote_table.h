// RemoteTable: one game that speaks the Neuro API, as a table with one seat. It turns the game's messages into the
// seat's actions, contexts and decisions, and the seat's choices into `action` messages.
//
// It outlives its game's connection: a game that comes back in time finds its seat and its agent in the same state. One
// thread: its scheduler's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/waiting.h"
#include "core/journal.h"
#include "core/table.h"
#include "core/transcript.h"
#include "protocols/neuro/action_check.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/diagnostic_log.h"
#include "protocols/neuro/hub.h"
#include "protocols/neuro/link.h"
#include "protocols/neuro/messages.h"
#include "protocols/neuro/name_book.h"
#include "protocols/neuro/neuro_metrics.h"
#include "protocols/neuro/options.h"
#include "protocols/neuro/practice.h"
#include "protocols/neuro/seat_stage.h"

namespace openseat::neuro {

// Who plays at remote tables.
struct RemoteAgents {
  // Takes the seat of a game that nobody else plays; nullptr: nobody, the seat waits for someone.
  std::function<std::unique_ptr<Agent>(const std::string& game)> by_default;
  AgentFactory make{};  // for Table::SeatAgent
};

// What a table's record has for other processes, where several share a journal.
struct SharedRecord {
  std::string owner{};                            // of the game, in the record; "": it is not recorded
  std::string node{};                             // this process's name
  std::shared_ptr<const EarlierTable> earlier{};  // this table, as another process left it; null: it is new
};

class RemoteTable final : public Table, private SeatHost {
 public:
  // All references outlive it. `payer`: whose budget limits what it keeps; null: nobody counts.
  // `metrics`: null where nobody counts.
  RemoteTable(TableId id, std::string game, const NeuroProfiles& profiles, const RemoteAgents& agents,
              Scheduler& scheduler, Journal& journal, std::shared_ptr<Payer> payer = nullptr,
              NeuroMetrics* metrics = nullptr, const SharedRecord& shared = {});
  ~RemoteTable() override;

  // --- The connection's side ---

  // The game is here (again). `since`: when its connection opened. A former link is closed.
  void Attach(std::unique_ptr<Link> link, Instant since);
  // The connection of id `link` ended; does nothing if another one has taken its place.
  void Detach(std::uint64_t link, const net::Closing& closing);
  // One document of a message from the game; `raw` is the whole message, journaled if `first` (of its documents).
  void OnMessage(std::string_view raw, Decoded&& decoded, bool first);
  void Report(Diagnostic diagnostic, std::string detail, std::string_view excerpt = {});
  // For NeuroOptions::relayed: this message was sent to the game.
  void Relayed(std::string_view message);
  // Before the game is here: where the names of its actions are compared with those of other games.
  void ShareNames(std::unique_ptr<NameBook::Page> names) { names_ = std::move(names); }
  // Adds a sentence for people to the transcript.
  void Note(const std::string& text);
  // A connection resumed without a startup: what was registered and asked before the drop is valid again.
  void ResumeSilently();
  // Likewise at a table that another process had: nothing is known of what was registered. `ask`: for it.
  void ResumeElsewhere(bool ask);
  // Another process goes on with the table: the connection ends, and nothing more happens here.
  void Leave();

  const std::string& game_name() const { return game_; }
  bool connected() const { return link_ != nullptr; }
  std::optional<std::uint64_t> link_id() const;

  // --- Table ---

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  Time opened() const override { return opened_; }
  std::size_t seats() const override { return 1; }
  Seat& seat(SeatIndex) override { return seat_; }
  const Seat& seat(SeatIndex) const override { return seat_; }
  std::string_view status_name() const override { return link_ ? "connected" : "waiting"; }
  void SeatAgent(SeatIndex seat, std::string name, AgentSpec agent, Seated seated) override;
  void Resign(SeatIndex seat, std::string reason, Quitter quitter, Done done) override;
  json::Object Info() const override;
  // More than 64 KiB of actions and decision are left out: "partial" is true, and the seat has an "action_count".
  json::Object InfoWithoutState() const override;
  json::Array Diagnostics() const override { return diagnostics_.ToJson(); }
  // "reregister-all" {}, "shutdown" {"kind": "graceful"|"immediate", "wants": bool}, "send" {"message": text, sent
  // unchanged}, "disconnect" {}, "profile" {"profile": name, "seed"?: number}.
  Result<json::Value> Control(std::string_view command, const json::Object& arguments) override;

 private:
  void Handle(const StartupMessage& message);
  void Handle(ContextMessage&& message);
  void Handle(const RegisterMessage& message);
  void Handle(const UnregisterMessage& message);
  void Handle(ForceMessage&& message);
  void Handle(ResultMessage&& message);
  // The choice that an action's id stands for; nullopt if no action had it, 0 for a relayed action that is not the
  // seat's choice.
  std::optional<std::uint64_t> ChoiceOf(std::string_view id) const;
  void Handle(const ProposalMessage& message);
  void Handle(const UnknownMessage& message);

  bool IsHere() const override { return link_ != nullptr; }
  Duration PauseBefore(const Seat& seat, const Decision& decision) override;
  // The choice is with the game; its result is due.
  void Await(const PendingChoice& pending);
  // Until that moment; then the result is late, or another one is waited for since.
  void WatchResult(Instant until);
  void OnChoice(Seat& seat, const PendingChoice& choice) override;
  void OnDecisionEnded(Seat& seat, DecisionId decision, DecisionEnd end) override;
  void OnRefused(Seat& seat, const Choice& choice, const Error& error) override;
  void OnTooCostly(Seat& seat, const Choice& choice, const Error& error) override;
  std::shared_ptr<Payer> GetPayer() const override { return payer_; }

  // Whether there is something to register; reports why if there is not.
  bool IsNew(const ActionDefinition& definition);
  void Register(const ActionDefinition& definition, CheckedAction checked);
  bool RemoveAction(const std::string& name);
  // About how much they take in memory.
  static std::size_t MemoryOfAll(std::span<const ActionDefinition> definitions);
  // If the seat no longer keeps what was removed, that does not count any more.
  void ReleaseRemoved();
  void Registered();
  // Checking these would hold up the shard. Messages from the game wait meanwhile.
  void CheckElsewhere(std::span<const ActionDefinition> definitions, bool first_is_new);
  struct Check;
  // Checks on the thread of Scheduler::Offload, some at a time.
  static void CheckSome(const std::shared_ptr<Check>& check);
  void Checked(const std::shared_ptr<Check>& check);
  void MessageNow(std::string_view raw, Decoded&& decoded, bool first);
  void RelayedNow(std::string_view message);
  void Mirror(const ActionMessage& action);
  void Wait(std::string_view raw, Decoded&& decoded, bool first, bool relayed = false);
  void NextWaiting();
  // Something beyond a limit was left out: adds a diagnostic that names the setting, and counts it.
  void Refuse(Limit limit, std::uint64_t allowed, std::string detail);
  // A stranger's text, quoted, in a sentence.
  static std::string NameInShort(std::string_view name);
  // How many of a list of actions or names are considered: no more than there can be, the rest is refused.
  std::size_t Looked(std::size_t listed, std::string_view where);
  const NeuroOptions& options() const { return profiles_.Of(profile_); }
  void SetProfile(Profile profile, std::optional<std::uint64_t> seed);
  // The game was restarted: what was found before was another run's.
  void BeginRun();
  void Unlink();
  void NoteEarlierForce();
  void Open(ForceMessage&& force);
  // Counts the forces that are kept, or `next` in their place, for the payer; a refusal changes nothing.
  std::optional<Refusal> HoldForces(const ForceMessage* next = nullptr);
  void RepeatLostForce();
  // The game was asked to shut down.
  void AwaitReady(bool immediate);
  void AwaitNothing();  // no shutdown is asked for any more
  void LoseChoice(std::string reason);
  void ReportWrongAccepted(const Choice& choice);
  // In this run of the game.
  bool WasRegistered(std::string_view name) const;
  void Settle(Verdict&& verdict);
  void NoteRetry();
  void ReportGivenUp(bool may_return);
  // The open force, which was given up, after a pause that doubles up to `most`; says when. REQUIRES open_force_.
  std::string AskAgainLater(Duration most);
  void Return();  // to what was given up
  void NoteProgress(const std::string& action);
  bool IsPossible(const ForceMessage& force) const;
  Result<json::Value> SwitchProfile(const json::Object& arguments);
  void Send(std::string_view message);
  void NoteLatency(Duration took);
  json::Object LatencyInfo() const;
  json::Object TableInfo(bool whole) const;

  static constexpr std::size_t kLatencies = 100;
  static constexpr int kInvalidAttempts = 5;  // choices of an agent's that the referee refuses

  // From one start of the game to the next.
  struct Run {
    int number = 1;
    Time began;
    Seq since = 0;  // its events come after this one
  };

  const std::string game_;
  const NeuroProfiles& profiles_;
  NeuroMetrics* const metrics_;
  Scheduler& scheduler_;
  const std::shared_ptr<Payer> payer_;
  const RemoteAgents& agents_;
  const std::size_t max_actions_;
  const std::size_t max_action_bytes_;
  Transcript transcript_;
  Seat seat_;
  DiagnosticLog diagnostics_;
  const Time opened_;
  const std::string id_prefix_;  // prefix of action ids: "k3fq-"; differs from every other table's and run's

  std::unique_ptr<Link> link_;
  Instant link_since_;
  bool left_ = false;
  bool said_goodbye_ = false;   // the game closed the last connection on purpose
  bool back_ = false;           // this link is not the first of its run
  ScopedTimer register_timer_;  // a game that is back has this long to register
  bool shutdown_asked_ = false;
  ScopedTimer ready_timer_;  // after an immediate shutdown was asked for
  Run run_;
  int startups_ = 0;  // on this link
  int connections_ = 0;
  std::string_view message_;  // the message being handled, for excerpts
  Seq message_seq_ = 0;

  // Messages that came while actions are being checked elsewhere.
  struct Waiting {
    std::string raw;
    Decoded decoded;
    bool first;
    bool relayed;
    Lease memory;  // of the actions that it registers, which may take many times its text
  };
  bool checking_ = false;
  WaitingQueue<Waiting> waiting_;

  std::unique_ptr<NameBook::Page> names_;            // null: nobody compares
  std::size_t action_bytes_ = 0;                     // of all that is registered, as text
  Lease memory_;                                     // the same in memory, with removed_memory_, in payer_'s budget
  std::size_t removed_memory_ = 0;                   // of actions that the seat keeps until its decision ends
  std::unordered_set<std::size_t> once_registered_;  // hashes of names: a late unregistration is not an unknown name
  std::set<std::string, std::less<>> carried_;       // of a game that came back without a startup: not registered since
  std::optional<ForceMessage> open_force_;           // of the pending decision, or of the one that waits
  DecisionId open_decision_;                         // made of it
  std::optional<ForceMessage> lost_force_;           // open when the connection ended
  ScopedTimer repeat_timer_;
  Lease force_memory_;    // of the forces that are kept, in payer_'s budget
  bool crossed_ = false;  // the open force crossed an action that the game did not ask for
  int give_ups_ = 0;      // since the last accepted choice
  std::optional<ForceMessage> given_up_;
  ScopedTimer again_timer_;       // asks given_up_
  std::optional<ChoiceId> sent_;  // the choice whose result is due
  bool refused_ = false;          // a failing result is being settled
  Practice practice_;
  bool sent_wrong_ = false;  // on purpose: the game should refuse it
  ScopedTimer result_timer_;
  std::optional<Instant> watched_;                             // when that runs
  std::vector<std::uint32_t> latencies_us_;                    // of the last results, a ring
  std::uint64_t results_ = 0;                                  // that came in time
  std::deque<std::pair<std::string, std::uint64_t>> relayed_;  // ids of the last relayed actions, and their choices
  std::vector<std::uint64_t> timed_out_;                       // the last few choices without a result
  std::string out_;                                            // reused for every message sent
  std::string action_id_;                                      // likewise
  Profile profile_ = Profile::kDocument;
  std::uint64_t profile_seed_ = 0;
  std::unique_ptr<SeatStage> stage_;                       // null if the profile gives the character nothing to do
  std::unique_ptr<Character> character_;                   // likewise
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // destroyed with this, so that posted tasks know
};

}  // namespace openseat::neuro
