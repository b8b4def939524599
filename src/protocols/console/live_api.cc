#include "protocols/console/live_api.h"

#include <memory>
#include <utility>

#include "protocols/console/live_session.h"
#include "protocols/console/route_info.h"

namespace openseat::console {
namespace {

// The connection owns this; other threads may still hold the session itself.
class Connection final : public net::WebSocketSession {
 public:
  explicit Connection(std::shared_ptr<LiveSession> session) : session_(std::move(session)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override { session_->OnOpen(std::move(socket)); }
  void OnText(std::string_view message) override { session_->OnText(message); }
  void OnBinary(std::string_view message) override { session_->OnText(message); }
  void OnClosed(const net::Closing& /*closing*/) override { session_->OnClosed(); }

 private:
  std::shared_ptr<LiveSession> session_;
};

constexpr std::size_t kMaxMessage = std::size_t{64} << 10;

}  // namespace

void LiveApi::AddRoutes(net::Router& router) {
  net::UpgradeOptions options;
  options.max_message_bytes = kMaxMessage;
  // A page that sends its token as a subprotocol needs another subprotocol to be chosen.
  options.subprotocols = {std::string(kLiveSubprotocol)};
  router.AddWebSocket(
      "/api/v1/live", options,
      [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
        auto own = std::make_unique<Connection>(std::make_shared<LiveSession>(feed_, directory_, reader_));
        if (wrap_) return wrap_(request, std::move(own));
        return own;
      },
      LiveInfo());
}

}  // namespace openseat::console
