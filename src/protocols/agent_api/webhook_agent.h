// WebhookAgent: a seat whose agent is told by webhooks what happens, and answers over the Agent API's endpoints, like
// any agent that plays from outside. {"kind": "webhook", "target"}: the registry stores the target, since its key is a
// secret; the journal names only the target's id. The registry also stores the events that are still to be delivered,
// so that a restart loses nothing: an event is sent once it is durable there. At a table whose agents are not journaled
// the target may be given directly: {"kind": "webhook", "url", "key"}; such a table does not outlive its process.
//
// One thread: its seat's scheduler.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/kinds.h"
#include "core/registry.h"
#include "core/table.h"
#include "net/http_client.h"
#include "protocols/agent_api/events.h"
#include "protocols/agent_api/webhook_metrics.h"
#include "protocols/agent_api/webhook_queue.h"

namespace openseat::agent_api {

// What all webhook agents of the process share; outlives them.
struct WebhookWorld {
  TableDirectory& directory;
  Registry& registry;
  net::HttpCaller& caller;
  WebhookRules rules;
  WebhookMetrics* metrics = nullptr;  // may be null
};

struct WebhookAgentOptions {
  ExternalAgentOptions external;
  WebhookId target;  // empty: url and key are the target
  std::string url;
  std::string key;
};

// {"target" or "url", "key"?, and the options of ParseExternalAgentOptions}. Errors: kInvalid, with the option as path.
Result<WebhookAgentOptions> ParseWebhookAgentOptions(const json::Object& options, const WebhookPolicy& policy);

// `world` outlives it; nullptr: no webhooks are sent.
AgentKind WebhookKind(WebhookWorld* world);

class WebhookAgent final : public ExternalAgent {
 public:
  WebhookAgent(WebhookAgentOptions options, WebhookWorld& world);
  ~WebhookAgent() override;

  std::string_view kind() const override { return "webhook"; }

  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnContext(const Context& context) override;
  void OnActionsChanged() override;
  void OnEnd() override;
  void OnDismissed() override;

  // WebhookQueue::Info.
  std::optional<json::Object> Deliveries() const override;

 private:
  // Something happened: looks at the seat when the current turn of the loop is over.
  void Changed();
  void Tell();
  void Found(Result<WebhookTarget> target);
  void Restore(const Result<WebhookOutbox>& outbox);
  // Stores them with what waits to be stored, one call at a time, and then lets the queue send them. What the queue
  // gave up meanwhile is not stored.
  void Keep(std::vector<DeliveryPtr> added);
  void Kept(std::uint64_t last, const Result<WebhookId>& kept);
  // The outbox has events that this agent does not know.
  void OnConflict(const Error& error);
  // The last event is delivered: the target is no longer needed.
  void ForgetWhenDone();
  void Forget();

  const WebhookAgentOptions options_;
  WebhookWorld& world_;
  std::optional<WebhookQueue> queue_;  // once it is seated
  EventMemory memory_;
  bool restored_ = false;  // what an earlier process remembered
  bool posted_ = false;
  bool forgotten_ = false;  // nothing is stored any more
  // What was told at once, and what is remembered afterwards.
  struct Told {
    std::string memory;
    std::vector<DeliveryPtr> deliveries{};
  };
  std::deque<Told> unkept_;  // not in the outbox yet
  std::uint64_t told_ = 0;   // up to this number all is delivered, or given up
  bool keeping_ = false;     // a call that adds to the outbox has no answer
  bool conflicted_ = false;
  std::shared_ptr<WebhookAgent*> self_ = std::make_shared<WebhookAgent*>(this);  // null inside once this is destroyed
};

}  // namespace openseat::agent_api
