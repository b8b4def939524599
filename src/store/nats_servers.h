// The addresses of NATS servers, as one text. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace openseat::store {

// "nats://a,nats://b" as two.
std::vector<std::string> EachServer(std::string_view servers);
// The servers without user names and passwords: for messages and the log.
std::string ShownServers(std::string_view servers);

}  // namespace openseat::store
