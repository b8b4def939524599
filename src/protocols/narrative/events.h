// The progress of one story as Server-Sent Events, for one listener:
//
//   status        {"status", "turnNumber"}: the state when the stream begins
//   turn-started  {"turnNumber", "input"}: a turn is being narrated
//   turn          the turn, as in GET /api/games/:id/turns; its number is the event's id
//   turn-failed   {"turnNumber", "error": {"code", "message", "details"}}: none of it counts
//   over          {"reason"}; then the stream ends
//
// A listener that comes back with Last-Event-ID gets the turns that it missed. A comment is sent now and then, so that
// no proxy takes the connection for dead.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "match/lobby.h"
#include "match/match.h"
#include "net/http.h"

namespace openseat::narrative {

// Lives as long as its watch over the match, on the match's scheduler.
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  // On the match's scheduler. `last_seen` is the number of the last turn that the listener knows, nullopt if it wants
  // only new ones. `lobby` outlives it.
  static void Begin(Lobby& lobby, MatchRef ref, Match& match, net::HttpStream stream,
                    std::optional<std::size_t> last_seen);

  EventStream(Lobby& lobby, MatchRef ref, Match& match, net::HttpStream stream);

 private:
  void Notice(MatchEvent event);
  // Sends what the listener missed, some turns at a time, and then how the story stands.
  void CatchUp();
  // False if turns are left.
  bool SendTurns();
  void SendOver();
  void Send(std::string_view event, const json::Value& data, std::string_view id = {});
  void KeepAlive();
  // Nobody listens any more, or there is nothing more to tell.
  void End();

  Lobby& lobby_;
  const MatchRef ref_;
  Match& match_;
  std::optional<net::HttpStream> stream_;  // nullopt once it has ended
  Match::WatchId watch_;
  std::size_t told_ = 0;  // turns that the listener knows
  bool in_turn_ = false;  // the listener was told of a turn in progress
  bool behind_ = false;   // CatchUp goes on
  ScopedTimer keep_alive_;
};

}  // namespace openseat::narrative
