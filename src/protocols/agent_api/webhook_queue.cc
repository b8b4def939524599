#include "protocols/agent_api/webhook_queue.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/digest.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "base/uuid.h"

namespace openseat::agent_api {
namespace {

constexpr std::size_t kMaxFinished = 100;
constexpr int kGone = 410;
constexpr int kMaxDoublings = 10;

std::int64_t MillisOf(Time time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Duration RetryAfter(const net::HttpResponse& response) {
  const std::string_view text = response.headers.Get("Retry-After");
  int seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return parsed.ec == std::errc() && seconds > 0 ? Duration(std::chrono::seconds(seconds)) : Duration(0);
}

}  // namespace

net::Headers WebhookHeaders(const Delivery& delivery, std::string_view key, Time now) {
  net::Headers headers;
  headers.Add("Content-Type", "application/json");
  headers.Add("X-Agent-API-Key", std::string(key));
  headers.Add("X-Event-Type", delivery.event);
  const std::string seconds = std::to_string(MillisOf(now) / 1000);
  headers.Add("webhook-id", delivery.id);
  headers.Add("webhook-timestamp", seconds);
  if (!key.empty()) {
    headers.Add("webhook-signature",
                "v1," + HmacSha256Base64OfParts(key, {delivery.id, ".", seconds, ".", delivery.body}));
  }
  headers.Add("X-Openseat-Sequence", std::to_string(delivery.sequence));
  return headers;
}

WebhookQueue::WebhookQueue(net::HttpCaller& caller, Scheduler& scheduler, const WebhookRules& rules,
                           std::shared_ptr<Payer> payer, Told told, WebhookMetrics* metrics)
    : caller_(caller),
      scheduler_(scheduler),
      rules_(rules),
      payer_(std::move(payer)),
      told_(std::move(told)),
      metrics_(metrics),
      waiting_(rules.waiting) {}

void WebhookQueue::Open(std::string url, std::string key) {
  url_ = std::move(url);
  key_ = std::move(key);
  open_ = true;
  Send();
}

void WebhookQueue::Refuse(std::string why) {
  refused_ = std::move(why);
  DropAll(refused_);
}

void WebhookQueue::Restore(std::uint64_t sequence, std::vector<Delivery> waiting) {
  StopSending();
  waiting_.Clear();
  sequence_ = sequence;
  released_ = sequence;
  for (Delivery& delivery : waiting) {
    if (!refused_.empty()) {
      Finish(delivery, 0, 0, refused_);
    } else {
      Wait(std::make_shared<const Delivery>(std::move(delivery)));
    }
  }
  Send();
}

DeliveryPtr WebhookQueue::Put(std::string_view event, json::Object payload) {
  const auto delivery = std::make_shared<Delivery>();
  delivery->id = UuidOf(SecureToken(26));
  delivery->sequence = ++sequence_;
  delivery->event = event;
  delivery->made = scheduler_.clock().Now();
  std::string& body = delivery->body;
  body = "{\"event\":";
  json::WriteString(event, body);
  body += ",\"payload\":" + json::Write(std::move(payload)) + ",\"timestamp\":";
  json::WriteNumber(MillisOf(delivery->made), body);
  body += '}';
  if (!refused_.empty()) {
    Finish(*delivery, 0, 0, refused_);
    return delivery;
  }
  Wait(delivery);
  return delivery;
}

void WebhookQueue::Wait(const DeliveryPtr& delivery) {
  if (Take(delivery)) return;
  DropAll("too many events wait for the receiver");
  Take(delivery);
}

// If nothing waits, any event is taken: others of its address, or of the server, may have used up what there is.
bool WebhookQueue::Take(const DeliveryPtr& delivery) {
  const std::size_t bytes = delivery->body.size();
  Waiting taken{.delivery = delivery, .place = {}, .counted = {}};
  if (metrics_ != nullptr) taken.counted = AddToGauge(metrics_->waiting);
  if (payer_ != nullptr) {
    auto place = payer_->Hold(Holding::kWebhookBytes, bytes);
    if (!place && !waiting_.empty()) return false;
    if (place) taken.place = std::move(*place);
  }
  return waiting_.Push(std::move(taken), bytes);
}

void WebhookQueue::Release(std::uint64_t sequence) {
  released_ = std::max(released_, sequence);
  Send();
}

void WebhookQueue::Send() {
  if (!open_ || sending_ || waiting_.empty() || waiting_.front().delivery->sequence > released_) return;
  if (Result<void> allowed = CheckWebhookUrl(url_, rules_.policy); !allowed) {
    Refuse(allowed.error().message);
    return;
  }
  sending_ = true;
  ++attempts_;
  if (attempts_ > 1 && metrics_ != nullptr) metrics_->retries.Add();
  if (attempts_ == 1 && !gone_) failing_since_ = scheduler_.clock().Monotonic();
  const Delivery& delivery = *waiting_.front().delivery;
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = url_;
  call.headers = WebhookHeaders(delivery, key_, scheduler_.clock().Now());
  call.body = delivery.body;
  call.timeout = rules_.timeout;
  call.connect_timeout = rules_.timeout;
  call.max_body_bytes = 1u << 20;
  call.allow_address = AddressesFor(url_, rules_.policy);
  call_.Start(caller_, scheduler_, std::move(call),
              [this](const Result<net::HttpResponse>& response) { Done(response); });
}

void WebhookQueue::Done(const Result<net::HttpResponse>& response) {
  sending_ = false;
  if (!response) {
    Failed(response.error().message, 0, false, Duration(0));
    return;
  }
  if (response->status < 200 || response->status > 299) {
    Failed("the receiver answered " + std::to_string(response->status), response->status, response->status == kGone,
           RetryAfter(*response));
    return;
  }
  gone_ = false;
  last_error_.clear();
  Finish(*waiting_.Pop().delivery, std::exchange(attempts_, 0), response->status, "");
  Send();
}

void WebhookQueue::Failed(const std::string& error, int status, bool gone, Duration at_least) {
  last_error_ = Ellipsize(error, 300);
  const Instant now = scheduler_.clock().Monotonic();
  if (gone_ || gone || now - failing_since_ >= rules_.patience) {
    gone_ = true;
    Finish(*waiting_.Pop().delivery, std::exchange(attempts_, 0), status, last_error_);
    DropAll("the receiver is gone: " + last_error_);
    return;
  }
  const Duration pause = rules_.first_pause * (1 << std::min(attempts_ - 1, kMaxDoublings));
  sending_ = true;  // until then
  pause_.Set(scheduler_, std::max(std::min(pause, rules_.max_pause), std::min(at_least, rules_.patience)), [this] {
    sending_ = false;
    Send();
  });
}

void WebhookQueue::Finish(const Delivery& delivery, int attempts, int status, const std::string& error) {
  json::Object out{{"delivery", delivery.id}, {"event", delivery.event}, {"attempts", attempts}};
  if (status != 0) out["status"] = status;
  if (!error.empty()) {
    out["error"] = error;
    out["dropped"] = true;
  }
  json::Object shown = out;
  shown["sequence"] = delivery.sequence;
  shown["made"] = FormatIso8601(delivery.made);
  finished_.push_back(std::move(shown));
  if (finished_.size() > kMaxFinished) finished_.pop_front();
  if (metrics_ != nullptr) (error.empty() ? metrics_->delivered : metrics_->given_up).Add();
  told_(delivery.sequence, std::move(out));
}

void WebhookQueue::StopSending() {
  call_.Cancel();
  pause_.Cancel();
  sending_ = false;
  attempts_ = 0;
}

void WebhookQueue::DropAll(const std::string& why) {
  StopSending();
  // Only those that wait now: a callback may add more.
  for (std::size_t left = waiting_.size(); left > 0; --left) Finish(*waiting_.Pop().delivery, 0, 0, why);
}

json::Object WebhookQueue::Info() const {
  const std::string_view state = !refused_.empty()     ? "refused"
                                 : !open_              ? "waiting"
                                 : gone_               ? "gone"
                                 : last_error_.empty() ? "ok"
                                                       : "failing";
  json::Object out{{"state", state}, {"waiting", waiting_.size()}};
  if (!url_.empty()) out["url"] = ShownUrl(url_);
  if (const std::string& error = refused_.empty() ? last_error_ : refused_; !error.empty()) out["error"] = error;
  json::Array deliveries;
  for (const json::Object& each : finished_) deliveries.push_back(each);
  int attempts = attempts_;  // at the first
  waiting_.ForEach([&](const Waiting& waiting) {
    const Delivery& each = *waiting.delivery;
    deliveries.push_back(json::Object{{"delivery", each.id},
                                      {"event", each.event},
                                      {"attempts", std::exchange(attempts, 0)},
                                      {"waiting", true},
                                      {"sequence", each.sequence},
                                      {"made", FormatIso8601(each.made)}});
  });
  out["deliveries"] = std::move(deliveries);
  return out;
}

}  // namespace openseat::agent_api
