// DialAgent: an agent that is a Neuro backend elsewhere. It connects to the backend's URL as a game would, registers
// what its seat may do, forces on the seat's decisions, and plays the answers. docs/protocols/neuro.md, "Dialing out",
// says what it sends when.
//
// One thread: the seat's scheduler, which the connection lives on, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/kinds.h"
#include "base/rng.h"
#include "base/scheduler.h"
#include "base/waiting.h"
#include "core/agent.h"
#include "core/seat.h"
#include "net/websocket.h"
#include "net/websocket_client.h"
#include "protocols/neuro/fit_action.h"

namespace openseat::neuro {

struct DialAgentOptions {
  std::string url;   // ws:// or wss://
  std::string game;  // the game's name for the backend; "": the name of the seat's game
  // How long the backend may be out of reach while the seat is asked; then the decision is given up, and the table
  // decides what follows. 0: forever.
  Duration patience = std::chrono::seconds(60);
  // A backend tries again after a refusal, but the API does not say how often. After this long without a try it is
  // forced again.
  Duration force_again = std::chrono::seconds(60);
};

// REQUIRES options that fit DialKind's schema. Errors: kInvalid for a url that is not valid.
Result<DialAgentOptions> ReadDialAgentOptions(const json::Object& options);
AgentKind DialKind();

// How to connect: net::ConnectWebSocket, or a test's.
using Dial = std::function<void(Scheduler& scheduler, const std::string& url,
                                std::unique_ptr<net::WebSocketSession> session, std::function<void(Error)> failed)>;
// For schedulers that are shards.
Dial DialOverNetwork(net::WebSocketClientOptions options = {});

class DialAgent final : public Agent {
 public:
  DialAgent(DialAgentOptions options, Dial dial);
  ~DialAgent() override;

  std::string_view kind() const override { return "neuro"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnContext(const Context& context) override;
  void OnActionsChanged() override { Sync(); }
  void OnVerdict(const Choice& choice, const Verdict& verdict) override;
  void OnEnd() override;

 private:
  class Session;
  struct Registered {
    ActionPtr action;
    ActionDefinition definition;
    std::size_t bytes = 0;  // of it in a message; 0: it is too long for the backend, which does not know it
  };

  // The connection.
  void Connect();
  void OnOpen(std::shared_ptr<net::WebSocket> socket);
  void OnText(std::string_view message);
  void OnLost(const std::string& why);  // the connection failed, or it ended
  void Leave(std::string_view reason);  // for good
  void WaitForBackend();                // as long as the patience lasts
  void StopWaiting();

  // Messages from the backend.
  void OnAction(const ActionMessage& action);
  void Refuse(const std::string& id, const std::string& why);
  void OnShutdown();

  // Messages to the backend. Each does nothing while there is no connection.
  void Sync();  // the actions that the backend was told the seat has
  void Force(const Decision& decision);
  void Unregister(const std::function<bool(const Registered&)>& gone);
  void UnregisterAll();
  void SendRegistered(std::size_t from);
  void RegisterAgain();  // at most once a second
  void Register(ActionPtr action, schema::Budget& budget);
  void NoteLength(std::string_view what, std::size_t bytes);
  void SendContext(const std::string& message, bool silent);
  void SendResult(const std::string& id, bool success, std::string message);
  void SendOut();

  const DialAgentOptions options_;
  const Dial dial_;
  Rng rng_;
  Seat* seat_ = nullptr;
  std::string game_;   // as the backend knows them
  bool over_ = false;  // nothing more will be played

  std::shared_ptr<net::WebSocket> socket_;  // null while there is no connection
  int failures_ = 0;                        // since the backend's last message
  ScopedTimer connect_timer_;
  ScopedTimer patience_timer_;
  bool waiting_ = false;          // the patience is running
  WaitingQueue<Context> unsent_;  // reported while there was no connection
  bool wants_shutdown_ = false;
  std::optional<DecisionId> asked_;  // the decision that the seat has reported

  // State of the connection, cleared with it.
  std::vector<Registered> registered_;
  std::size_t registered_bytes_ = 0;
  Instant registered_again_{};  // when the backend was last told everything again, as it asked
  ScopedTimer again_timer_;
  FittedActions fitted_;
  std::optional<DecisionId> forced_;  // the decision that the backend was last forced for
  bool force_open_ = false;           // and has not answered validly
  std::optional<std::string> owed_;   // the id of the action whose result is still due
  ScopedTimer force_again_timer_;

  int unreadable_ = 0;  // actions of this decision whose data was not JSON
  std::string out_;
  std::shared_ptr<DialAgent*> self_ = std::make_shared<DialAgent*>(this);  // null inside once this is destroyed
};

}  // namespace openseat::neuro
