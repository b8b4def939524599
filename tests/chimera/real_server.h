// RealServer: `openseat serve` as a child on a port of its own choice, and its API over blocking HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "net/test_client.h"
#include "support/process.h"

namespace openseat::tests {

class RealServer {
 public:
  // Serves from `data_dir`, Chimera at /chimera of its one port. `more`: further arguments. Fails the test where it
  // does not start.
  explicit RealServer(const std::string& data_dir, const std::vector<std::string>& more = {});

  std::uint16_t port() const { return port_; }
  std::string chimera_url() const { return "ws://127.0.0.1:" + std::to_string(port_) + "/chimera"; }
  // kill -9, and waits.
  void Kill();

  // The answer's body; fails the test where the status is another than 200 or 201.
  json::Value Get(const std::string& path);
  json::Value Post(const std::string& path, const json::Value& body);

 private:
  json::Value Answer(std::string_view request);

  Process process_;
  std::uint16_t port_ = 0;
};

// A Chimera client that waits for what comes: for tests that look at each message.
class WireClient {
 public:
  explicit WireClient(const RealServer& server);

  // Sends bytes as one text message.
  void Send(std::string_view text);
  // The next message; null where the connection ended.
  json::Value Next();
  // Sends a request and returns the next message, its response.
  json::Value Ask(std::string_view operation, const json::Value& params);
  net::TestClient& raw() { return client_; }

 private:
  net::TestClient client_;
};

}  // namespace openseat::tests
