// The arena's API, /api/v1/arena…: results of recorded runs of `openseat play`. Described in docs/protocols/console.md.
#pragma once

#include <string>

#include "base/worker.h"
#include "net/router.h"

namespace openseat::console {

class ArenaApi {
 public:
  // Outlives the server's connections.
  explicit ArenaApi(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  void AddRoutes(net::Router& router);

 private:
  void List(const net::HttpRequest& request, net::HttpReply reply);
  void Show(const net::HttpRequest& request, net::HttpReply reply);

  const std::string data_dir_;
  Worker reader_;  // reads from the disk
};

}  // namespace openseat::console
