// WebhookQueue: the events still to be delivered to one seat's agent, in order: one call at a time, retried until it is
// accepted. Nothing is sent before the queue's owner releases it (Release). docs/protocols/agent_api.md, "Deliveries".
//
// One thread: its scheduler's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/json.h"
#include "base/scheduler.h"
#include "base/waiting.h"
#include "core/registry.h"
#include "net/http_client.h"
#include "protocols/agent_api/webhook_metrics.h"
#include "protocols/agent_api/webhook_url.h"

namespace openseat::agent_api {

struct WebhookRules {
  WebhookPolicy policy;
  Duration timeout = std::chrono::seconds(5);  // of one try
  Duration first_pause = std::chrono::milliseconds(250);
  Duration max_pause = std::chrono::seconds(15);
  // After this long without success the receiver counts as gone: what waits is dropped, and each further event is tried
  // once, until one is accepted.
  Duration patience = std::chrono::minutes(10);
  WaitingLimits waiting{.items = 1000, .bytes = 32u << 20};
  // About what one call of the registry stores, at most: a message of NATS has 1 MiB unless it is set otherwise.
  std::size_t kept_bytes = 512u << 10;
};

// One event, ready to be sent. Its id is a UUID, its sequence counts the seat's events from 1.
using Delivery = StoredDelivery;
using DeliveryPtr = std::shared_ptr<const Delivery>;

class WebhookQueue {
 public:
  // The result of a delivery: {"delivery", "event", "attempts", "status"?, "error"?, "dropped"?}. All events before it
  // are done, too.
  using Told = std::function<void(std::uint64_t sequence, json::Object)>;

  // `caller`, `scheduler` and `metrics`, which may be null, outlive it. `payer`: whose budget limits what waits, in
  // addition to the rules; null: nobody's. Nothing is sent before Open.
  WebhookQueue(net::HttpCaller& caller, Scheduler& scheduler, const WebhookRules& rules, std::shared_ptr<Payer> payer,
               Told told, WebhookMetrics* metrics = nullptr);

  // The target. `key` may be empty: then nothing is signed.
  void Open(std::string url, std::string key);
  // There is no target: drops what waits, and all later events.
  void Refuse(std::string why);
  // What an earlier process, or another one, had yet to deliver, and the number of its last event: instead of all that
  // waits here.
  void Restore(std::uint64_t sequence, std::vector<Delivery> waiting);
  // Takes an event, which is not sent before it is released.
  DeliveryPtr Put(std::string_view event, json::Object payload);
  // Everything up to `sequence` may be sent.
  void Release(std::uint64_t sequence);

  bool empty() const { return waiting_.empty(); }
  // {"url"?, "state": "waiting"|"ok"|"failing"|"gone"|"refused", "error"?, "waiting": number, "deliveries": […]}: the
  // latest 100, oldest first.
  json::Object Info() const;

 private:
  struct Waiting {
    DeliveryPtr delivery;
    Lease place;  // of its bytes in the payer's budget
    OneInGauge counted;
  };

  void Wait(const DeliveryPtr& delivery);
  bool Take(const DeliveryPtr& delivery);
  void Send();
  void Done(const Result<net::HttpResponse>& response);
  void Failed(const std::string& error, int status, bool gone, Duration at_least);
  void Finish(const Delivery& delivery, int attempts, int status, const std::string& error);
  void StopSending();
  void DropAll(const std::string& why);

  net::HttpCaller& caller_;
  Scheduler& scheduler_;
  const WebhookRules rules_;
  const std::shared_ptr<Payer> payer_;
  const Told told_;
  WebhookMetrics* const metrics_;
  std::string url_;
  std::string key_;
  std::string refused_;
  std::string last_error_;
  bool open_ = false;
  bool gone_ = false;
  bool sending_ = false;
  int attempts_ = 0;       // at the first that waits
  Instant failing_since_;  // if attempts_ > 0 or gone_
  std::uint64_t sequence_ = 0;
  std::uint64_t released_ = 0;
  WaitingQueue<Waiting> waiting_;
  std::deque<json::Object> finished_;
  net::ScopedHttpCall call_;
  ScopedTimer pause_;
};

// The headers of a try at `now`: the document's, and those of the Standard Webhooks specification (id, timestamp,
// signature), with a number that counts the seat's events.
net::Headers WebhookHeaders(const Delivery& delivery, std::string_view key, Time now);

}  // namespace openseat::agent_api
