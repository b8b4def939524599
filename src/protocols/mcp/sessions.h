// Sessions: the legacy clients that have completed the handshake over HTTP. A session holds the client's capabilities
// and nothing about any game: seats are named by their tokens. On the server's scheduler.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

class Sessions {
 public:
  // Beyond `max_sessions`, the one that was silent longest is forgotten. Ids begin with `prefix`.
  Sessions(const Clock& clock, std::size_t max_sessions, std::string prefix = {});
  ~Sessions();

  // A session that cannot be found until it is kept.
  std::shared_ptr<Session> Begin(std::string principal) const;
  void Keep(const std::shared_ptr<Session>& session);
  // nullptr if this principal started no session with that id.
  std::shared_ptr<Session> Find(std::string_view id, std::string_view principal);
  bool End(std::string_view id, std::string_view principal);
  std::size_t size() const { return sessions_.size(); }

 private:
  static void Forget(Session& session);

  const Clock& clock_;
  const std::size_t max_sessions_;
  const std::string prefix_;
  std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace openseat::mcp
