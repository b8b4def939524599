// HttpEndpoint: MCP over streamable HTTP at /mcp, for clients of both eras. It checks the HTTP side of a message in the
// order of docs/protocols/mcp.md, and passes it to the Server. Requests are accepted on any shard and served on one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/scheduler.h"
#include "net/router.h"
#include "protocols/mcp/places.h"
#include "protocols/mcp/server.h"
#include "protocols/mcp/sessions.h"

namespace openseat::mcp {

inline constexpr std::string_view kOperator = "admin";  // the caller who has the admin token

// Checks who may call, for the program that serves; the router's guard checks pages and hosts. On the server's
// scheduler.
class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;
  // `done` gets, at once or later, the caller's name ("" for anyone on this machine, kOperator), or the answer that
  // refuses it.
  using Admitted = std::function<void(tl::expected<std::string, net::HttpResponse>)>;
  virtual void Admit(const net::HttpRequest& request, Admitted done) = 0;
  // Whether another server of the cluster sends a call of its own client (Caller::passed_on).
  virtual bool IsPassedOn(const net::HttpRequest&) const { return false; }
};

class HttpEndpoint {
 public:
  // All outlive it, and it outlives the connections. `home` is the server's scheduler. The ids of sessions begin with
  // `prefix`.
  HttpEndpoint(Server& server, Doorkeeper& doorkeeper, Scheduler& home, std::string prefix = {});

  void AddRoutes(net::Router& router);

 private:
  struct Arrived;  // a request in progress
  void Take(const net::HttpRequest& request, net::HttpReply reply);
  void Serve(const std::shared_ptr<Arrived>& arrived, const std::string& principal);
  void ServeLegacy(const std::shared_ptr<Arrived>& arrived, const std::string& principal, Server::Incoming incoming,
                   std::shared_ptr<Payer> payer, std::shared_ptr<void> place);
  // Passes the message on, and the call's client's hanging up.
  void Pass(const std::shared_ptr<Arrived>& arrived, const Server::Incoming& incoming,
            std::shared_ptr<Exchange> exchange);
  void End(const std::shared_ptr<Arrived>& arrived, const std::string& principal);

  Server& server_;
  Doorkeeper& doorkeeper_;
  Scheduler& home_;
  Sessions sessions_;
  Places calls_;
};

}  // namespace openseat::mcp
