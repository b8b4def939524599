#include "store/nats_servers.h"

namespace openseat::store {

std::vector<std::string> EachServer(std::string_view servers) {
  std::vector<std::string> out;
  while (!servers.empty()) {
    const std::size_t comma = servers.find(',');
    out.emplace_back(servers.substr(0, comma));
    servers.remove_prefix(comma == std::string_view::npos ? servers.size() : comma + 1);
  }
  return out;
}

std::string ShownServers(std::string_view servers) {
  std::string out;
  for (const std::string& server : EachServer(servers)) {
    const std::size_t scheme = server.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t user = server.rfind('@');
    out += out.empty() ? "" : ",";
    out += user == std::string::npos || user < begin ? server : server.substr(0, begin) + server.substr(user + 1);
  }
  return out;
}

}  // namespace openseat::store
