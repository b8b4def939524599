// HttpEndpoint: MCP over streamable HTTP at /mcp, for clients of both eras. It checks what HTTP says of a message in
// the order of docs/protocols/mcp.md, and hands it to the Server. Requests are taken on any shard and served on one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "base/scheduler.h"
#include "net/router.h"
#include "protocols/mcp/server.h"
#include "protocols/mcp/sessions.h"

namespace openseat::mcp {

// Who may call, as the program that serves knows it; pages and hosts are the router's guard's to check. On the server's
// scheduler.
class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;
  // `done` gets, at once or later, who calls ("" for anyone on this machine), or the answer that refuses it.
  using Admitted = std::function<void(tl::expected<std::string, net::HttpResponse>)>;
  virtual void Admit(const net::HttpRequest& request, Admitted done) = 0;
};

class HttpEndpoint {
 public:
  // All outlive it, and it outlives the connections. `home` is the server's scheduler.
  HttpEndpoint(Server& server, Doorkeeper& doorkeeper, Scheduler& home);

  void AddRoutes(net::Router& router);

 private:
  struct Arrived;  // a request on its way
  void Take(const net::HttpRequest& request, net::HttpReply reply);
  void Serve(const std::shared_ptr<Arrived>& arrived, const std::string& principal);
  void ServeLegacy(const std::shared_ptr<Arrived>& arrived, const std::string& principal, Server::Incoming incoming);
  void End(const std::shared_ptr<Arrived>& arrived, const std::string& principal);

  Server& server_;
  Doorkeeper& doorkeeper_;
  Scheduler& home_;
  Sessions sessions_;
};

}  // namespace openseat::mcp
