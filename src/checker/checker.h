// Checker: plays a game that speaks the Neuro API by a script, holds every packet against vicky.md, and says in a log
// what is wrong. A state machine without sockets or files: what it wants done goes out through CheckerPort. One
// scheduler's thread. docs/checker.md describes what it does when, and every check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "base/scheduler.h"
#include "checker/check_table.h"
#include "checker/packet.h"
#include "checker/proposals.h"
#include "checker/result.h"
#include "checker/script.h"
#include "net/websocket.h"
#include "schema/schema.h"

namespace openseat::checker {

enum class DataFormat : std::uint8_t {
  kString,  // JSON in a string, as the Neuro API has it
  kObject,  // the bare value, as vicky.md has it
};

struct CheckerOptions {
  std::vector<ScriptEntry> script;
  Proposals proposals = Proposals::BuiltIn();
  DeniedKeywords denied;
  Strictness strictness = Strictness::kDefault;
  DataFormat data_format = DataFormat::kString;
  bool fail_on_warn = false;
  std::uint64_t seed = 0;                      // of the data that is made up, and of the choice among a force's actions
  std::string id_prefix;                       // of the actions' ids, which are unique within the run
  std::string run_id;                          // for the result
  Duration timeout = std::chrono::minutes(5);  // of the whole run, while there is something left to do
  Duration quiet = std::chrono::seconds(2);    // without a packet, when all is done: the end
  Duration settle = std::chrono::milliseconds(100);      // without a packet, before a scripted action is sent unasked …
  Duration max_settle = std::chrono::milliseconds(500);  // … which a game that never rests puts off no longer than this
  Duration slow_result = std::chrono::seconds(20);
  int max_retries = 100;  // of one force
};

// What the checker wants done. Called on the checker's scheduler, from within its calls.
class CheckerPort {
 public:
  virtual ~CheckerPort() = default;
  virtual void Send(std::string_view packet) = 0;
  virtual void Log(const LogLine& line) = 0;
  // The store has changed; Checker::actions() or context() has it.
  virtual void ActionsChanged() = 0;
  virtual void ContextChanged() = 0;
  // The run is over; the last call. The checker takes no more packets.
  virtual void Finished() = 0;
};

class Checker {
 public:
  // `port` and `scheduler` outlive it.
  Checker(CheckerOptions options, Scheduler& scheduler, CheckerPort& port);

  // The clock of the time-out begins to run.
  void Start(const std::string& address);
  // A game connected. False: there is one already, and this one is to be refused.
  bool OnConnected(const std::string& peer);
  void OnPacket(std::string_view text, bool binary = false);
  void OnClosed(const net::Closing& closing);
  // A connection was refused for its path.
  void OnWrongPath(const std::string& path, const std::string& peer);
  // A page was refused, as `why` says.
  void OnForeignPage(const std::string& why, const std::string& peer);
  // SIGINT or SIGTERM.
  void Interrupt();
  // The run cannot go on, for a reason that is not the game's: there is no verdict (or it does not count), and Finished
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
    std::shared_ptr<const schema::Schema> compiled;  // null: takes no data, or no usable schema
    bool unusable = false;                           // it has a schema, and that cannot be used
  };
  enum class Step : std::uint8_t { kWaiting, kSent, kDone };
  struct Pending {
    std::string id;
    std::string name;
    std::optional<std::size_t> script_index;
    std::optional<std::size_t> record;  // in result_.actions
    bool unusable = false;              // see Registered
    Instant sent;
  };
  struct Force {
    std::vector<std::string> names;  // those that are registered
    std::string said;                // all that were registered when it came, for messages
    int retries = 0;
  };

  void Log(Level level, std::string message, std::string key = {});
  void Report(Check check, std::string detail);
  void Report(const std::vector<Finding>& findings);

  void Handle(neuro::ClientMessage message);
  void OnStartup(const std::string& game);
  void OnContext(const std::string& game, const neuro::ContextMessage& context);
  void OnRegister(const std::string& game, neuro::RegisterMessage& message);
  void OnUnregister(const neuro::UnregisterMessage& message);
  void OnForce(const std::string& game, const neuro::ForceMessage& force);
  void OnResult(const std::string& game, const neuro::ResultMessage& result);
  void OnProposal(const neuro::ProposalMessage& message);

  void CheckAction(Registered& action);
  void CheckSchema(const std::string& name, const json::Value& source, Registered& action);
  void AddContext(std::string_view source, const std::string& game, std::string_view message, bool silent,
                  std::optional<bool> success = std::nullopt);

  Registered* Find(std::string_view name);
  // The next entry of the script that can be sent now; nullopt: none can, or something is under way.
  std::optional<std::size_t> Sendable();
  // A packet came that may have changed what can be sent.
  void Settle();
  // Sends the next scripted action where it is its time.
  void ContinueScript();
  // Answers the open force with one of its actions; gives it up where it cannot.
  void AnswerForce();
  // Chooses the data and sends the action. False: no data fits (reported).
  bool SendAction(Registered& action, std::optional<std::size_t> script_index, bool forced);
  std::optional<json::Value> FakeData(const Registered& action);
  void AddUnsent(std::size_t script_index);  // to the result
  bool complete() const;
  std::string WhatIsLeft() const;

  void Rest();  // a packet came: the quiet begins anew
  void OnTimeout();
  void End(bool fatal);
  void CancelTimers();

  const CheckerOptions options_;
  Scheduler& scheduler_;
  CheckerPort& port_;
  Rng rng_;

  bool connected_ = false;
  bool finished_ = false;
  bool closed_ = false;
  bool startup_seen_ = false;
  bool before_startup_reported_ = false;
  std::size_t packets_ = 0;
  std::string address_;  // where the game connects
  std::string game_;
  std::set<std::string, std::less<>> renamed_;  // names already reported
  std::vector<Registered> actions_;
  json::Array context_;
  std::vector<Step> steps_;  // one a script entry
  std::optional<Pending> pending_;
  std::optional<Force> force_;
  std::unordered_set<std::string> answered_;  // ids that have their result
  std::uint64_t last_id_ = 0;
  std::optional<Instant> sendable_since_;  // of the script's next entry
  ScopedTimer settle_timer_;
  ScopedTimer quiet_timer_;
  ScopedTimer timeout_timer_;
  ScopedTimer slow_timer_;
  CheckResult result_;
};

}  // namespace openseat::checker
