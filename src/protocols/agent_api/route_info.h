// Descriptions of the Agent API's routes, for /openapi.json.
#pragma once

#include <string>

#include "net/router.h"

namespace openseat::agent_api {

net::RouteInfo ReadInfo(const std::string& name);
net::RouteInfo ActInfo(const std::string& name);
net::RouteInfo DeliveriesInfo();

}  // namespace openseat::agent_api
