// What strangers try over the Model Context Protocol. Each function makes one round of an attack, of the size that the
// caller wants, and tells what came back; none has expectations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "attack/attackers.h"

namespace openseat::tests {

namespace mcp {

// A request of a client that takes tasks; `name`: of the tool, or the id of the task.
std::string Request(const std::string& method, const std::string& name, const std::string& params);
std::string Call(const std::string& tool, const std::string& arguments, const std::string& more = {});
// In the older revisions, in a session. `headers`: more of them, as whole lines.
std::string Legacy(const std::string& session, const std::string& method, const std::string& params,
                   const std::string& headers = {});
// The id of a new session, "" if there is none.
std::string Session(net::TestClient& client, const std::string& capabilities, const std::string& headers = {});
// The token of a seat of a new match that waits for another player. Throws if there is none.
std::string Seat(net::TestClient& client);
// The headers of a request with a key, from one of many addresses.
std::string From(int address, const std::string& key);

}  // namespace mcp

// As many tasks as one address may have, each with 900 KiB that nobody reads.
class LargeTasks {
 public:
  explicit LargeTasks(const RealServer& server);
  // What the server said to each.
  const std::vector<std::string>& answers() const { return answers_; }
  // The answer to a request with as much that waits for nothing.
  std::string AskWithMuch(net::TestClient& client) const;

 private:
  std::vector<std::string> tokens_;  // of seats
  std::string ballast_;
  std::vector<std::string> answers_;
};

// Opens a session that declares lists that take much memory; its id, "" if there is none.
std::string DeclareMuch(net::TestClient& client, const std::string& headers = {});

// Waits for a turn, with much in the request, whose clients hang up.
class WaitsToLeave {
 public:
  explicit WaitsToLeave(const RealServer& server);
  // Whether the server still answers `client` afterwards.
  bool WaitAndHangUp(net::TestClient& client) const;
  std::string WaitBriefly(net::TestClient& client) const;

 private:
  const RealServer& server_;
  std::string session_;
  std::string token_;
};

// Connections that wait for a turn, all with one key.
std::vector<std::unique_ptr<net::TestClient>> WaitFromManyAddresses(const RealServer& server,
                                                                    const std::string& session, const std::string& key,
                                                                    int addresses, int waits);

}  // namespace openseat::tests
