// Relay: any games on one side, any Neuro backend (the upstream) on the other, and this server between them as a flight
// recorder. Every message passes unchanged, both ways, in order; the journal, the diagnostics and the console see a
// copy afterwards. docs/protocols/neuro.md, "The relay", says what happens when a side is away.
//
// Everything is on one scheduler: the process has a single shard.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "net/http.h"
#include "net/router.h"
#include "protocols/neuro/neuro_server.h"
#include "relay/channel.h"

namespace openseat::relay {

class GameSession;

// Sits where nobody plays but the upstream.
std::unique_ptr<Agent> MakeUpstreamPlayer();

class Relay final : public ChannelHost {
 public:
  // All references outlive it. `server` keeps the tables, whose options have `relayed` set. Destroy it when its
  // scheduler has stopped.
  Relay(RelayOptions options, neuro::NeuroServer& server, Scheduler& scheduler, neuro::Dial dial, Metrics& metrics);
  ~Relay() override;

  // The games' paths, and /api/v1/relay, which lists the channels in pages. `admit`: who may connect.
  void AddRoutes(net::Router& router, net::AdmitUpgrade admit = {});
  // The session of a game's connection.
  std::unique_ptr<net::WebSocketSession> MakeSession(std::string_view hint, std::string owner,
                                                     std::shared_ptr<Payer> payer);

  // --- For its sessions ---

  // A channel of its own for a new connection. Errors: the budget's refusal.
  Result<std::shared_ptr<Channel>> Open(const std::string& owner, const std::string& peer,
                                        std::shared_ptr<Payer> payer);
  // The channels of that owner that wait for their game.
  std::vector<std::shared_ptr<Channel>> Waiting(const std::string& owner) const;
  neuro::NeuroServer& server() { return server_; }

  // --- ChannelHost ---

  const RelayOptions& options() const override { return options_; }
  const neuro::Dial& dial() const override { return dial_; }
  Scheduler& scheduler() override { return scheduler_; }
  NameBook& names() override { return names_; }
  void CountToUpstream() override { to_upstream_.Add(); }
  void CountToGame() override { to_game_.Add(); }
  void Ended(std::uint64_t number) override;

 private:
  // A page of the channels, the oldest first.
  net::HttpResponse List(const net::HttpRequest& request) const;

  const RelayOptions options_;
  neuro::NeuroServer& server_;
  Scheduler& scheduler_;
  const neuro::Dial dial_;
  Counter& to_upstream_;
  Counter& to_game_;
  NameBook names_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Channel>> channels_;
};

}  // namespace openseat::relay
