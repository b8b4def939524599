// Elsewhere: the other servers of a cluster, as one connection of a game sees them (docs/cluster.md). On the
// connection's shard.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/websocket.h"

namespace openseat::neuro {

class Elsewhere {
 public:
  virtual ~Elsewhere() = default;

  enum class Found : std::uint8_t {
    kWaitsHere,  // a table of this server waits for the connection
    kNewHere,    // none waits; this server may make one
    kElsewhere,  // the connection goes on at another one
    kNowhere,    // for a connection that says nothing: no table, or more than one, waits for it
  };
  // Where the table of this game and owner waits, if one does; `game` is "" for a connection that says nothing. `found`
  // runs later on the socket's scheduler, unless this is destroyed before. May be asked again if the table was gone.
  virtual void Find(std::shared_ptr<net::WebSocket> socket, const std::string& game, const std::string& owner,
                    std::function<void(Found)> found) = 0;

  // --- After kElsewhere ---

  // What comes back goes to the socket.
  virtual void Connect() = 0;
  virtual void Send(std::string_view message) = 0;
  // The game's connection ended.
  virtual void End(const net::Closing& closing) = 0;
};

// How a connection that was passed on ended at its own server, as a code of a close frame (4000 to 4999) between
// servers, and back. Any other code is what the game said.
std::uint16_t PassedOnCode(const net::Closing& closing);
net::Closing PassedOnClosing(net::Closing closing);

}  // namespace openseat::neuro
