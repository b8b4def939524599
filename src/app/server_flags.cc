#include "app/server_flags.h"

#include <utility>

#include "base/log.h"
#include "net/origin.h"

namespace openseat::app {

Result<void> UseServerFlags(const ServerFlags& flags, Config& config) {
  if (!flags.config_file.empty()) {
    if (Result<void> read = ReadConfigFile(flags.config_file, config); !read) return read;
  }
  if (!flags.listen.empty()) config.listen.clear();
  for (const std::string& text : flags.listen) {
    Result<net::ListenAddress> address = ParseListenAddress(text);
    if (!address) return Fail(address.error());
    config.listen.push_back(std::move(*address));
  }
  for (net::ListenAddress& address : config.listen) {
    if (!flags.certificate.empty()) address.certificate_file = flags.certificate;
    if (!flags.key.empty()) address.key_file = flags.key;
  }
  if (!flags.data_dir.empty()) config.data_dir = flags.data_dir;
  if (!flags.log_level.empty()) {
    const Result<log::Level> level = log::ParseLevel(flags.log_level);
    if (!level) return Fail(level.error());
    config.log_level = *level;
  }
  for (const std::string& text : flags.origins) {
    Result<std::string> origin = net::ParseOrigin(text);
    if (!origin) return Fail(origin.error());
    config.access.origins.push_back(std::move(*origin));
  }
  if (flags.open_games) config.access.games = Games::kOpen;
  if (flags.insecure) config.insecure = true;
  return {};
}

}  // namespace openseat::app
