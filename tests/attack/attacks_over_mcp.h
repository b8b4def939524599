// What strangers try over the Model Context Protocol. Each function makes one round of an attack, of the size that the
// caller wants, and tells what came back; none has expectations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "attack/attackers.h"
#include "attack/attacks_by_requests.h"

namespace openseat::tests {

namespace mcp {

// `headers`: more of them, as whole lines, here and below.

// A request of a client that takes tasks; `name`: of the tool, the id of the task, or the address of the resource.
std::string Request(const std::string& method, const std::string& name, const std::string& params,
                    const std::string& headers = {});
std::string Call(const std::string& tool, const std::string& arguments, const std::string& more = {},
                 const std::string& headers = {});
// In the older revisions, in a session.
std::string Legacy(const std::string& session, const std::string& method, const std::string& params,
                   const std::string& headers = {});
// The id of a new session, "" if there is none.
std::string Session(net::TestClient& client, const std::string& capabilities, const std::string& headers = {});
// The token of a seat of a new match that waits for another player. Throws if there is none.
std::string Seat(net::TestClient& client, const std::string& headers = {});
// Gives seats up, by their tokens.
void Resign(net::TestClient& client, const std::vector<std::string>& tokens, const std::string& headers);
// The header of a request with a key.
std::string Bearing(const std::string& key);
// The headers of a request with a key, from one of many addresses.
std::string From(int address, const std::string& key);

}  // namespace mcp

// As many tasks as one address may have, each with 900 KiB that nobody reads.
class LargeTasks {
 public:
  explicit LargeTasks(const RealServer& server, std::string headers = {});
  // What the server said to each.
  const std::vector<std::string>& answers() const { return answers_; }
  // The answer to a request with as much that waits for nothing.
  std::string AskWithMuch(net::TestClient& client) const;
  // Ends the matches in which they wait.
  void End(net::TestClient& client) const { mcp::Resign(client, tokens_, headers_); }

 private:
  const std::string headers_;
  std::vector<std::string> tokens_;  // of seats
  std::string ballast_;
  std::vector<std::string> answers_;
};

// Opens a session that declares lists that take much memory; its id, "" if there is none.
std::string DeclareMuch(net::TestClient& client, const std::string& headers = {});

// Waits for a turn, with much in the request, whose clients hang up.
class WaitsToLeave {
 public:
  explicit WaitsToLeave(const RealServer& server, std::string headers = {});
  // Whether the server still answers `client` afterwards.
  bool WaitAndHangUp(net::TestClient& client) const;
  std::string WaitBriefly(net::TestClient& client) const;
  // Ends the match in which they wait.
  void End(net::TestClient& client) const { mcp::Resign(client, {token_}, headers_); }

 private:
  const RealServer& server_;
  const std::string headers_;
  std::string session_;
  std::string token_;
};

// Connections that wait for a turn, all with one key.
std::vector<std::unique_ptr<net::TestClient>> WaitFromManyAddresses(const RealServer& server,
                                                                    const std::string& session, const std::string& key,
                                                                    int addresses, int waits);

struct MatchesBegun {
  std::vector<std::string> tokens;  // of the seats of those that were made
  std::size_t answers = 0;          // refusals included
};
// Makes this many matches. `arguments`: of create_match, as JSON.
MatchesBegun BeginMatches(const RealServer& server, const std::string& arguments, std::size_t count,
                          const std::string& headers);

// As AskForTranscripts, of what spectators of the match are told.
LargeAnswers ReadTranscripts(const RealServer& server, const std::string& match, std::size_t clients,
                             std::size_t rounds, const std::string& headers);
// Asks for the transcript and hangs up, this many times; asks for the state after each. The statuses of the latter.
std::vector<int> LeaveTranscripts(const RealServer& server, const std::string& match, std::size_t count,
                                  const std::string& headers);

}  // namespace openseat::tests
