// A server on a free loopback port with its shards, for tests.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "base/check.h"
#include "net/server.h"
#include "net/shard.h"

namespace openseat::net {

class TestServer {
 public:
  explicit TestServer(const std::function<void(Router&)>& routes, const ServerLimits& limits = {},
                      std::size_t shard_count = 1, ListenAddress address = {}, const BudgetLimits& budget_limits = {})
      : budget(budget_limits, &metrics), shards(shard_count) {
    routes(router);
    auto made = Server::Listen(shards, router, {std::move(address)}, limits, &metrics, &budget);
    OPENSEAT_CHECK(made.has_value(), made ? "" : made.error().message.c_str());
    server = std::move(*made);
    shards.Start();
  }
  ~TestServer() {
    shards.Stop();
    server.reset();
  }

  std::uint16_t port() const { return server->port(); }

  // Runs `work` on shard `index` and waits for it.
  void On(std::size_t index, const std::function<void()>& work) {
    std::promise<void> done;
    shards.at(index).Post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  Metrics metrics;
  Budget budget;
  Shards shards;
  Router router;
  std::unique_ptr<Server> server;
};

// Echoes what it gets.
class EchoSession final : public WebSocketSession {
 public:
  void OnOpen(std::shared_ptr<WebSocket> socket) override { socket_ = std::move(socket); }
  void OnText(std::string_view message) override { socket_->SendText(message); }
  void OnBinary(std::string_view message) override { socket_->SendBinary(message); }
  void OnClosed(const Closing& /*closing*/) override {}

 private:
  std::shared_ptr<WebSocket> socket_;
};

inline SessionFactory EchoFactory() {
  return
      [](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> { return std::make_unique<EchoSession>(); };
}

}  // namespace openseat::net
