#include "protocols/agent_api/webhook_agent.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

Result<WebhookAgentOptions> ParseWebhookAgentOptions(const json::Object& options, const WebhookPolicy& policy) {
  Result<ExternalAgentOptions> external = ParseExternalAgentOptions(options, {"target", "url", "key"});
  if (!external) return Fail(std::move(external).error());
  std::string target(json::TextOf(options, "target"));
  std::string url(json::TextOf(options, "url"));
  std::string key(json::TextOf(options, "key"));
  if (target.empty() == url.empty()) return Fail(ErrorCode::kInvalid, "a webhook agent needs the url to call", "url");
  if (Result<void> usable = CheckWebhookKey(key); !usable) return Fail(std::move(usable).error());
  if (!url.empty()) {
    if (Result<void> allowed = CheckWebhookUrl(url, policy); !allowed) return Fail(std::move(allowed).error());
  }
  return WebhookAgentOptions{std::move(*external), WebhookId(std::move(target)), std::move(url), std::move(key)};
}

AgentKind WebhookKind(WebhookWorld* world) {
  return {.kind = "webhook",
          .title = "Agent by webhook",
          .description = "Told of events at its URL; answers over REST, with the key of its seat.",
          .plays_from = PlaysFrom::kOutside,
          .named_by = Namer::kAdmin,
          .options = R"({
            "type": "object",
            "properties": {
              "url": {"type": "string", "minLength": 1, "description": "Where events are sent: https:// …"},
              "key": {"type": "string", "description": "What goes along as X-Agent-API-Key."},
              "account": {"type": "string", "description": "The account, by id or name, whose API keys play the seat."},
              "target": {"type": "string", "x-namedBy": "server"},
              "token_sha256": {"type": "string", "x-namedBy": "server"},
              "key_sha256": {"type": "string", "x-namedBy": "server"}
            },
            "additionalProperties": false
          })",
          .bare = "url",
          .make = [world](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            if (world == nullptr) {
              return Fail(ErrorCode::kUnsupported, "webhooks are sent by a server only (openseat serve)", "kind");
            }
            Result<WebhookAgentOptions> read = ParseWebhookAgentOptions(options, world->rules.policy);
            if (!read) return Fail(std::move(read).error());
            return std::make_unique<WebhookAgent>(std::move(*read), *world);
          }};
}

WebhookAgent::WebhookAgent(WebhookAgentOptions options, WebhookWorld& world)
    : ExternalAgent(options.external), options_(std::move(options)), world_(world) {}

WebhookAgent::~WebhookAgent() {
  *self_ = nullptr;
}

void WebhookAgent::OnSeated(Seat& seat) {
  ExternalAgent::OnSeated(seat);
  const auto told = [this](std::uint64_t sequence, json::Object delivery) {
    this->seat()->RecordWebhook(std::move(delivery));
    told_ = sequence;
    if (!options_.target.empty() && !forgotten_) {
      world_.registry.TakeFromOutbox(options_.target, sequence, *scheduler(), {});
    }
    ForgetWhenDone();
  };
  queue_.emplace(world_.caller, seat.scheduler(), world_.rules, seat.payer(), told, world_.metrics);
  if (options_.target.empty()) {
    restored_ = true;
    queue_->Open(options_.url, options_.key);
    Changed();
    return;
  }
  world_.registry.FindWebhook(options_.target, seat.scheduler(), [self = self_](Result<WebhookTarget> target) {
    if (*self != nullptr) (*self)->Found(std::move(target));
  });
}

void WebhookAgent::Found(Result<WebhookTarget> target) {
  if (!target) {
    restored_ = true;
    // Whatever its outbox has stays there, for the next start.
    forgotten_ = true;
    // For a match that was over before the restart, everything was delivered.
    memory_.ended = target.error().code == ErrorCode::kNotFound && ended();
    queue_->Refuse("the webhooks' target is unknown: " + target.error().message);
    Changed();
    return;
  }
  world_.registry.ReadOutbox(options_.target, *scheduler(),
                             [self = self_, where = std::move(*target)](const Result<WebhookOutbox>& outbox) {
                               if (*self == nullptr) return;
                               (*self)->Restore(outbox);
                               (*self)->queue_->Open(where.url, where.key);
                               (*self)->Changed();
                             });
}

void WebhookAgent::Restore(const Result<WebhookOutbox>& outbox) {
  restored_ = true;
  if (!outbox) {
    log::From(seat()->payer_address())
        .Error("what had still to be told by webhooks is not known: {}", outbox.error().message);
    // Numbers that the outbox would take are not known, either.
    forgotten_ = true;
    return;
  }
  if (outbox->sequence == 0) return;
  memory_ = ReadMemory(outbox->memory);
  told_ = 0;  // the numbers go on from the outbox's
  // The receiver of the pending decision may have answered as the process ended: it is told again, unless the event is
  // still on its way. Decisions keep their numbers.
  const bool waits = std::ranges::any_of(outbox->waiting, AsksForAnswer, &Delivery::event);
  if (!waits) memory_.decision = 0;
  queue_->Restore(outbox->sequence, outbox->waiting);
}

void WebhookAgent::OnDismissed() {
  ExternalAgent::OnDismissed();
  Forget();
}

void WebhookAgent::OnDecision(const Decision& decision) {
  ExternalAgent::OnDecision(decision);
  Changed();
}

void WebhookAgent::OnDecisionEnded(DecisionId decision, DecisionEnd end) {
  ExternalAgent::OnDecisionEnded(decision, end);
  Changed();
}

void WebhookAgent::OnContext(const Context& context) {
  ExternalAgent::OnContext(context);
  Changed();
}

void WebhookAgent::OnActionsChanged() {
  ExternalAgent::OnActionsChanged();
  Changed();
}

void WebhookAgent::OnEnd() {
  ExternalAgent::OnEnd();
  Changed();
}

std::optional<json::Object> WebhookAgent::Deliveries() const {
  return queue_ ? queue_->Info() : json::Object();
}

void WebhookAgent::Changed() {
  if (posted_) return;
  posted_ = true;
  scheduler()->Post([self = self_] {
    if (*self == nullptr) return;
    (*self)->posted_ = false;
    (*self)->Tell();
  });
}

void WebhookAgent::Tell() {
  if (!restored_) return;
  Table* table = world_.directory.Local(*scheduler(), seat()->table());
  if (table == nullptr) return;  // a match that is being opened, or one that goes
  const SeatView look = LookAt(*table, *this, memory_.lines);
  std::vector<DeliveryPtr> added;
  for (AgentEvent& event : Advance(memory_, look)) added.push_back(queue_->Put(event.name, std::move(event.payload)));
  Keep(std::move(added));
  ForgetWhenDone();
}

void WebhookAgent::Keep(std::vector<DeliveryPtr> added) {
  if (!added.empty()) unkept_.push_back({WriteMemory(memory_), std::move(added)});
  // What was given up meanwhile would stay in the outbox.
  while (!unkept_.empty()) {
    std::vector<DeliveryPtr>& first = unkept_.front().deliveries;
    std::erase_if(first, [this](const DeliveryPtr& delivery) { return delivery->sequence <= told_; });
    if (!first.empty()) break;
    unkept_.pop_front();
  }
  if (unkept_.empty() || keeping_) return;
  if (options_.target.empty() || forgotten_) {
    const std::uint64_t last = unkept_.back().deliveries.back()->sequence;
    unkept_.clear();
    queue_->Release(last);
    return;
  }
  std::string memory;
  std::vector<Delivery> next;
  std::size_t bytes = 0;
  while (!unkept_.empty()) {
    for (const DeliveryPtr& delivery : unkept_.front().deliveries) bytes += delivery->body.size();
    if (!next.empty() && bytes > world_.rules.kept_bytes) break;
    memory = std::move(unkept_.front().memory);
    for (const DeliveryPtr& delivery : unkept_.front().deliveries) next.push_back(*delivery);
    unkept_.pop_front();
  }
  const std::uint64_t last = next.back().sequence;
  keeping_ = true;
  world_.registry.AddToOutbox(options_.target, std::move(memory), std::move(next), *scheduler(),
                              [self = self_, last](const Result<WebhookId>& kept) {
                                if (*self != nullptr) (*self)->Kept(last, kept);
                              });
}

void WebhookAgent::Kept(std::uint64_t last, const Result<WebhookId>& kept) {
  keeping_ = false;
  if (!kept && kept.error().code == ErrorCode::kConflict) return OnConflict(kept.error());
  // Later conflicts come from an agent that plays on at another node.
  if (kept) conflicted_ = true;
  if (!kept && !forgotten_) {
    log::From(seat()->payer_address()).Error("a webhook would not outlive a restart: {}", kept.error().message);
  }
  queue_->Release(last);
  Keep({});
}

void WebhookAgent::OnConflict(const Error& error) {
  unkept_.clear();
  const auto refuse = [this](const Error& why) {
    // Another node plays this match, and tells what the outbox has.
    restored_ = true;
    forgotten_ = true;
    queue_->Refuse(why.message);
  };
  if (std::exchange(conflicted_, true)) return refuse(error);
  // The match's owner before may have added to the outbox after this agent read it.
  log::From(seat()->payer_address()).Warn("{}; the outbox is read again", error.message);
  restored_ = false;
  world_.registry.ReadOutbox(options_.target, *scheduler(),
                             [self = self_, refuse](const Result<WebhookOutbox>& outbox) {
                               if (*self == nullptr) return;
                               if (!outbox) return refuse(outbox.error());
                               (*self)->Restore(outbox);
                               (*self)->Changed();
                             });
}

void WebhookAgent::ForgetWhenDone() {
  if (memory_.ended && queue_->empty()) Forget();
}

void WebhookAgent::Forget() {
  if (forgotten_ || options_.target.empty()) return;
  forgotten_ = true;
  // An agent that never sat down has no scheduler.
  world_.registry.ForgetWebhook(options_.target, *world_.directory.schedulers().front(),
                                [](const Result<WebhookTarget>& gone) {
                                  if (!gone) log::Debug("a webhook's target was not there: {}", gone.error().message);
                                });
}

}  // namespace openseat::agent_api
