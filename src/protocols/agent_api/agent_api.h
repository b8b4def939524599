// The Agent API, /game/…: a seat's agent reads what its seat sees and acts, with its key in X-JNet-API.
// docs/protocols/agent_api.md.
//
// Handlers run on any shard; a seat is accessed on its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/external/external_agent.h"
#include "base/clock.h"
#include "base/guesses.h"
#include "base/rate_limit.h"
#include "core/registry.h"
#include "core/table.h"
#include "net/other_servers.h"
#include "net/router.h"

namespace openseat::agent_api {

class AgentApi {
 public:
  // All references outlive it, and it outlives the server's connections.
  // `limit`: of strangers' requests, by key. `guesses`: limits how often keys may be wrong; null: no limit.
  AgentApi(TableDirectory& directory, Registry& registry, const Clock& clock, RateLimit limit,
           Guesses* guesses = nullptr);

  void AddRoutes(net::Router& router);
  // In a cluster, where an account's seat may be at another server. Before the first request; outlives this.
  void SetOthers(const net::OtherServers* others) { others_ = others; }

 private:
  class Call;
  using CallPtr = std::shared_ptr<Call>;
  // Runs on the seat's scheduler, if the game has begun.
  using Serve = std::function<void(const CallPtr& call, Table& table, ExternalAgent& agent)>;

  void Add(net::Router& router, net::Method method, const std::string& path, net::RouteInfo info, Serve serve);
  // Finds the seat that the request's key is for, or answers with the error.
  void Admit(const net::HttpRequest& request, net::HttpReply reply, const Serve& serve);
  // False if there were too many requests of a stranger; then that was answered.
  bool WithinLimit(const CallPtr& call, const std::string& payer);
  // False if its address was wrong too often; then that was answered.
  bool Heard(const CallPtr& call, const Result<void>& heard);
  void NotAdmitted(const CallPtr& call, int status, std::string_view message);
  void AdmitSeat(const CallPtr& call, const Serve& serve);
  // `then` gets the account whose key the request has.
  void WithAccount(const CallPtr& call, std::function<void(const AccountId& account)> then);
  struct Found;
  struct Seats;
  // Where the account has seats in the game that is meant. `done` runs later.
  void LocateSeats(const CallPtr& call, const AccountId& account, std::function<void(const Seats& seats)> done);
  void FindSeatOf(const CallPtr& call, const AccountId& account, const Serve& serve);
  // Serves the call here, or has another server do so, by what the others answered about the account's seats.
  void ServeBest(const CallPtr& call, const AccountId& account, const Serve& serve, Seats seats,
                 const std::vector<net::OtherServers::Answer>& answers);
  // Answers another server that looks for the seats of a key's account.
  void TellSeat(const net::HttpRequest& request, net::HttpReply reply);
  bool IsPassedOn(const net::HttpRequest& request) const { return others_ != nullptr && others_->IsPassedOn(request); }
  void AtSeatOf(const CallPtr& call, const AccountId& account, const TableId& table, SeatIndex seat,
                const Serve& serve);
  // For a call that was admitted to this seat a while ago: whether it still is.
  void AdmitAgain(const CallPtr& call, const TableId& table, SeatIndex seat, const Serve& serve);

  // "action", "choice", "select".
  void Act(const std::string& what, const CallPtr& call, Table& table, ExternalAgent& agent);
  // "state", "prompt" …
  void Read(const std::string& what, const CallPtr& call, Table& table, ExternalAgent& agent);
  // "state", perhaps once there is news.
  void State(const CallPtr& call, Table& table, ExternalAgent& agent);
  void Deliveries(const net::HttpRequest& request, net::HttpReply reply);

  TableDirectory& directory_;
  Registry& registry_;
  const Clock& clock_;
  RateLimiter limiter_;
  Guesses* const guesses_;
  const net::OtherServers* others_ = nullptr;
};

}  // namespace openseat::agent_api
