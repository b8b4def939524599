#include "relay/relay.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "net/paging.h"
#include "protocols/neuro/owner.h"
#include "relay/game_session.h"
#include "relay/voice_pass.h"

namespace openseat::relay {
namespace {

// The choices that it would have made arrive from the upstream.
class UpstreamPlayer final : public Agent {
 public:
  std::string_view kind() const override { return neuro::kRelayName; }
  bool interactive() const override { return true; }
  bool listens() const override { return false; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
};

// The number of the last channel on the previous page.
Result<std::uint64_t> NumberOf(const std::string& cursor) {
  std::uint64_t number = 0;
  if (cursor.empty()) return number;
  const char* const end = cursor.data() + cursor.size();
  const auto parsed = std::from_chars(cursor.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return number;
  return Fail(ErrorCode::kInvalid, "cursor must be `next` of the previous page; got \"" + cursor + "\"", "cursor");
}

constexpr const char* kMessages = "Messages that the relay passed on.";

}  // namespace

std::unique_ptr<Agent> MakeUpstreamPlayer() {
  return std::make_unique<UpstreamPlayer>();
}

Relay::Relay(RelayOptions options, neuro::NeuroServer& server, Scheduler& scheduler, neuro::Dial dial, Metrics& metrics)
    : options_(std::move(options)),
      server_(server),
      scheduler_(scheduler),
      dial_(std::move(dial)),
      to_upstream_(metrics.AddCounter("openseat_relay_messages_total", kMessages, {{"to", "upstream"}})),
      to_game_(metrics.AddCounter("openseat_relay_messages_total", kMessages, {{"to", "game"}})) {}

Relay::~Relay() = default;

void Relay::AddRoutes(net::Router& router, net::AdmitUpgrade admit) {
  server_.AddRoutes(
      router, std::move(admit),
      [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
        return MakeSession(request.Param("name"), neuro::OwnerOf(request), request.payer);
      },
      [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
        return MakeVoicePass(options_.upstream, request.Param("name"), dial_, request.payer);
      });
  router.Add(net::Method::kGet, "/api/v1/relay", {},
             [this](const net::HttpRequest& request, net::HttpReply reply) { std::move(reply).Send(List(request)); });
}

net::HttpResponse Relay::List(const net::HttpRequest& request) const {
  const Result<net::Page> page = net::PageOf(request);
  if (!page) return net::HttpResponse::FromError(page.error());
  const Result<std::uint64_t> after = NumberOf(page->cursor);
  if (!after) return net::HttpResponse::FromError(after.error());
  json::Array channels;
  std::string next;
  std::uint64_t last = *after;
  for (auto at = channels_.upper_bound(*after); at != channels_.end(); ++at) {
    if (channels.size() == page->limit) {
      next = std::to_string(last);
      break;
    }
    last = at->first;
    channels.push_back(at->second->Info());
  }
  json::Object body = net::PageBody("channels", std::move(channels), next);
  body["upstream"] = options_.upstream.substr(0, options_.upstream.find('?'));
  return net::HttpResponse::Json(200, body);
}

std::unique_ptr<net::WebSocketSession> Relay::MakeSession(std::string_view hint, std::string owner,
                                                          std::shared_ptr<Payer> payer) {
  return std::make_unique<GameSession>(*this, hint, std::move(owner), std::move(payer));
}

Result<std::shared_ptr<Channel>> Relay::Open(const std::string& owner, const std::string& peer,
                                             std::shared_ptr<Payer> payer) {
  Lease lease;
  if (payer != nullptr) {
    auto held = payer->Hold(Holding::kConnections);
    if (!held) return Fail(held.error().ToError());
    lease = std::move(*held);
  }
  const std::uint64_t number = ++last_number_;
  auto channel = std::make_shared<Channel>(*this, number, owner, peer, std::move(payer), std::move(lease));
  channels_.emplace(number, channel);
  channel->Start();
  return channel;
}

std::vector<std::shared_ptr<Channel>> Relay::Waiting(const std::string& owner) const {
  std::vector<std::shared_ptr<Channel>> waiting;
  if (owner.empty()) return waiting;  // an unknown owner never comes back
  for (const auto& [number, channel] : channels_) {
    if (channel->waits() && channel->owner() == owner) waiting.push_back(channel);
  }
  return waiting;
}

void Relay::Ended(std::uint64_t number) {
  scheduler_.Post([this, number] { channels_.erase(number); });
}

}  // namespace openseat::relay
