// Sessions: the legacy clients that have completed the handshake over HTTP. A session holds the client's capabilities
// and nothing about any game: seats are named by their tokens. One principal's sessions do not push out those of
// others. On the server's scheduler.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

class Sessions {
 public:
  // Ids begin with `prefix`. Beyond `most_of_one`, a principal loses the session that was silent longest; beyond
  // `most`, the principal who has the most sessions does.
  Sessions(const Clock& clock, std::size_t most, std::size_t most_of_one, std::string prefix = {});
  ~Sessions();

  // A session that cannot be found until it is kept.
  std::shared_ptr<Session> Begin(std::string principal) const;
  // `operates`: of one who runs the server, and may have as many as fit.
  void Keep(const std::shared_ptr<Session>& session, bool operates = false);
  // nullptr if this principal started no session with that id.
  std::shared_ptr<Session> Find(std::string_view id, std::string_view principal);
  bool End(std::string_view id, std::string_view principal);
  std::size_t size() const { return by_id_.size(); }

  static constexpr Duration kIdle = std::chrono::hours(24);  // after which a session is forgotten

 private:
  using Silent = std::list<std::shared_ptr<Session>>;  // of one principal; the one that was silent longest comes first
  using Entry = std::unordered_map<std::string, Silent::iterator>::iterator;
  void Forget(Entry entry);
  void ForgetSilent(Silent& sessions) { Forget(by_id_.find(sessions.front()->id)); }
  void ForgetIdle();

  const Clock& clock_;
  const std::size_t most_;
  const std::size_t most_of_one_;
  const std::string prefix_;
  std::unordered_map<std::string, Silent::iterator> by_id_;
  std::map<std::string, Silent> by_principal_;  // no list is empty
  Instant swept_;                               // when ForgetIdle last looked
};

}  // namespace openseat::mcp
