// A client's connection to /api/v1/live in a cluster (docs/cluster.md): what it follows at other nodes comes through
// connections of ours to theirs.
#pragma once

#include <memory>

#include "app/cluster_door.h"
#include "net/http.h"
#include "net/websocket.h"

namespace openseat::app {

// `here` follows what is at this node. `door` outlives the session.
std::unique_ptr<net::WebSocketSession> FollowTheCluster(const ClusterDoor& door, const net::HttpRequest& request,
                                                        std::unique_ptr<net::WebSocketSession> here);

}  // namespace openseat::app
