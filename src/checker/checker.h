// Checker: runs a game that speaks the Neuro API from a script, checks every packet against vicky.md, and logs what
// is wrong. A state machine without sockets or files: its effects go out through CheckerPort. Use on one scheduler's
// thread. docs/checker.md describes its behavior, docs/rules.md every rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "base/scheduler.h"
#include "checker/packet.h"
#include "checker/proposals.h"
#include "checker/result.h"
#include "checker/script.h"
#include "checker/strictness.h"
#include "net/websocket.h"
#include "protocols/neuro/character.h"
#include "protocols/neuro/options.h"
#include "protocols/neuro/practice.h"
#include "schema/schema.h"

namespace openseat::checker {

enum class DataFormat : std::uint8_t {
  kString,  // JSON in a string, as in the Neuro API
  kObject,  // the bare value, as in vicky.md
};

// When a run ends whose game does not end it (docs/checker.md).
enum class Until : std::uint8_t { kScript, kQuiet, kExit, kTimeout };

struct CheckerOptions {
  std::vector<ScriptEntry> script{};
  Proposals proposals = Proposals::BuiltIn();
  DeniedKeywords denied{};
  Strictness strictness = Strictness::kDefault;
  DataFormat data_format = DataFormat::kString;
  bool fail_on_warn = false;
  std::uint64_t seed = 0;   // for generated data, and for the choice among a force's actions
  std::string id_prefix{};  // for the actions' ids, which are unique within the run
  std::string run_id{};     // for the result
  Until until = Until::kScript;
  Duration connect_timeout = std::chrono::minutes(1);  // for the game to connect
  Duration timeout = std::chrono::minutes(5);          // of the run, from the connection
  Duration quiet = std::chrono::seconds(2);            // without a packet, once everything is done: the end
  int max_forces = 20;                                 // answered once everything is done; 0: no limit
  bool refused_fails = false;                          // an action of the script that the game refuses is an error
  bool startup_ack = true;
  neuro::Profile profile = neuro::Profile::kDocument;    // how the character behaves
  bool probe = false;                                    // at the end, an action that was never registered is sent
  Duration settle = std::chrono::milliseconds(100);      // without a packet, before a scripted action is sent unasked …
  Duration max_settle = std::chrono::milliseconds(500);  // … but a game that never pauses delays it no longer than this
  Duration late = std::chrono::milliseconds(500);        // a startup or a result that comes later is noted
  Duration result_timeout = std::chrono::seconds(20);
  Duration probe_timeout = std::chrono::seconds(2);
  int max_retries = 100;  // per force
};

// The checker's effects. Called on the checker's scheduler, from within its calls.
class CheckerPort {
 public:
  virtual ~CheckerPort() = default;
  virtual void Send(std::string_view packet) = 0;
  virtual void Log(const LogLine& line) = 0;
  // The store has changed; read it with Checker::actions() or context().
  virtual void ActionsChanged() = 0;
  virtual void ContextChanged() = 0;
  // The run is over. This is the last call; the checker takes no more packets.
  virtual void Finished() = 0;
};

class Checker : private neuro::Stage {
 public:
  // `port` and `scheduler` outlive it.
  Checker(CheckerOptions options, Scheduler& scheduler, CheckerPort& port);
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Starts the timeout clock.
  void Start(const std::string& address);
  // A game connected. False: another game is connected, and this one must be refused.
  bool OnConnected(const std::string& peer);
  void OnPacket(std::string_view text, bool binary = false);
  void OnClosed(const net::Closing& closing);
  // A connection was refused because of its path.
  void OnWrongPath(const std::string& path, const std::string& peer);
  // A page was refused, for the reason `why`.
  void OnForeignPage(const std::string& why, const std::string& peer);
  // SIGINT or SIGTERM. `game_failed`: how the command that starts the game failed, "" if it did not.
  void Interrupt(const std::string& game_failed = {});
  // The run cannot continue for a reason other than the game: there is no verdict (or it does not count), and Finished
  // is not called.
  void GiveUp(const std::string& reason);

  bool finished() const { return finished_; }
  // The actions store: [{"name", "description", "game", "schema"}], in the order of registration.
  json::Array ActionsStore() const;
  // The context store: [{"source", "game", "message", "silent", "success"?}], oldest first.
  const json::Array& context() const { return context_; }
  // REQUIRES finished().
  const CheckResult& result() const { return result_; }

 private:
  struct Registered {
    neuro::ActionDefinition definition;
    std::string game;
    std::shared_ptr<const schema::Schema> compiled;  // null: takes no data, or has no usable schema
    bool unusable = false;                           // it has a schema, but an unusable one
  };
  enum class Step : std::uint8_t { kWaiting, kSent, kDone };
  struct Pending {
    std::string id;
    std::string name;
    std::optional<std::size_t> script_index;
    std::optional<std::size_t> record;  // in result_.actions
    bool unusable = false;              // see Registered
    Instant sent;
    bool probe = false;
    bool wrong = false;   // its data is, on purpose: the game should refuse it
    bool beside = false;  // it answers no force, and the game could not expect it
  };
  struct Force {
    std::vector<std::string> names;  // the registered ones; empty: it was emptied, and its action's result decides
    std::string said;                // all that were registered when it arrived, for messages
    std::uint64_t id = 0;
    Priority priority = Priority::kLow;
    int retries = 0;
    int given_up = 0;      // how often
    bool begun = false;    // since it came, or was asked again: its time to think
    bool further = false;  // it came after the script was done
    bool crossed = false;  // an action that the game did not expect, which it may take for the answer
  };

  void Log(Level level, std::string message, std::string key = {});
  // `at_least`: a higher level than the rule's own.
  void Report(neuro::Diagnostic rule, std::string detail, std::optional<Level> at_least = std::nullopt);
  void Report(const std::vector<Finding>& findings);
  void AddFinding(neuro::Diagnostic rule, Level level, std::string detail);

  void NoteGame(const neuro::ClientMessage& message);
  // Whether it is the result of an action that the game did not expect, which keeps no run from its end.
  bool AnswersBeside(const neuro::ClientMessage& message) const;
  // Whether the packet may come now; reported if not.
  bool MayCome(const neuro::ClientMessage& message);
  void Handle(neuro::ClientMessage message);
  void OnStartup(const std::string& game);
  void OnContext(const std::string& game, const neuro::ContextMessage& context);
  void OnRegister(const std::string& game, neuro::RegisterMessage& message);
  void OnUnregister(const neuro::UnregisterMessage& message);
  void OnForce(const std::string& game, const neuro::ForceMessage& force);
  void OnResult(const std::string& game, const neuro::ResultMessage& result);
  void JudgeResult(const Pending& pending, const neuro::ResultMessage& result);
  void ContinueForce(const Pending& pending, const neuro::ResultMessage& result);
  void EndForce();
  void ForceEmptied();
  void OnProposal(const neuro::ProposalMessage& message);

  void CheckAction(Registered& action);
  void CheckDenied(const std::string& name, const json::Value& source);
  void AddContext(std::string_view source, const std::string& game, std::string_view message, bool silent,
                  std::optional<bool> success = std::nullopt);

  Registered* Find(std::string_view name);
  // The next script entry that can be sent now; nullopt: none can, or an action is pending.
  std::optional<std::size_t> Sendable();
  // A packet arrived that may have changed what can be sent.
  void Settle();
  // Sends the next scripted action if its time has come.
  void ContinueScript();
  // Answers the open force with one of its actions, or gives it up.
  void AnswerForce();
  // The same after the profile's pause, in which something else may come first.
  void Ponder();
  // The result of what came beside or before the answer; false for any other. REQUIRES an open force.
  bool AfterTrouble(const Pending& pending, const neuro::ResultMessage& result);
  // The force was tried as often as the profile tries one: it rests, and is answered again then.
  void LetRest(const std::string& last_message);
  void Resume();
  // Whether something may be sent in addition to the script and the open force.
  bool MaySendBeside() const;
  void SendBeside(std::vector<std::string> names);

  // neuro::Stage: what the character does.
  Scheduler& scheduler() override { return scheduler_; }
  std::optional<neuro::OpenForce> force() const override;
  void Invite() override { Act(); }
  void Act() override;
  void Stray() override;
  void Spoil() override;
  void Spoke(bool last, std::string_view canceled) override;
  // Chooses the data and sends the action. False: no data matches (reported).
  bool SendAction(Registered& action, std::optional<std::size_t> script_index, bool forced);
  struct Data {
    std::optional<json::Value> value;
    bool possible = true;  // false: nothing matches the schema
    bool replaced = false;
  };
  Data ChooseData(const Registered& action, const ScriptEntry* entry);
  // The packet; the profile may change the form of the id and of the data's text.
  std::string Encode(const std::string& name, const std::optional<json::Value>& data, std::string& id,
                     std::optional<std::string>& text);
  void SendWith(const Registered& action, std::optional<std::size_t> script_index, bool forced, const Data& chosen);
  void AddUnsent(std::size_t script_index);  // to the result
  bool WasAnswered(std::string_view id) const;
  bool scripted() const;  // every action of the script has its result
  bool complete() const;
  std::string WhatIsLeft() const;

  void WaitForGame();
  void Rest(bool only_context);  // a packet arrived: the quiet period starts over
  void Asked();                  // the game forced or answered: the longer one does
  void OnTimeout();
  void Finish();  // all is done: the end, or the probe before it
  void SendProbe();
  void End(bool fatal);
  void ReportAtEnd();
  void Conclude();
  void CancelTimers();

  const CheckerOptions options_;
  const neuro::NeuroOptions profile_;
  Scheduler& scheduler_;
  CheckerPort& port_;
  Rng rng_;
  neuro::Character character_;

  bool connected_ = false;
  bool finished_ = false;
  bool closed_ = false;
  bool before_startup_reported_ = false;
  std::size_t packets_ = 0;
  Instant started_;
  std::optional<Instant> connected_at_;  // the first time
  std::string address_;                  // where the game connects
  std::string game_;
  std::set<std::string, std::less<>> games_;    // that sent startup
  std::set<std::string, std::less<>> renamed_;  // names already reported
  std::vector<Registered> actions_;
  std::set<std::string, std::less<>> once_registered_;
  json::Array context_;
  std::size_t context_bytes_ = 0;
  std::size_t context_left_out_ = 0;
  std::vector<Step> steps_;  // one per script entry
  std::optional<Pending> pending_;
  std::optional<Force> force_;
  std::optional<Force> resting_;  // given up for a while
  std::uint64_t last_id_ = 0;
  std::uint64_t last_force_ = 0;
  int further_forces_ = 0;  // answered since the script was done
  std::size_t failing_warnings_ = 0;
  bool probed_ = false;
  std::optional<Instant> sendable_since_;  // when the script's next entry became sendable
  ScopedTimer settle_timer_;
  ScopedTimer think_timer_;
  ScopedTimer rest_timer_;
  ScopedTimer quiet_timer_;
  ScopedTimer idle_timer_;
  ScopedTimer connect_timer_;
  ScopedTimer timeout_timer_;
  ScopedTimer result_timer_;
  neuro::Practice practice_;
  LogLimit limit_;
  CheckResult result_;
};

}  // namespace openseat::checker
