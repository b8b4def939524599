#include "app/server_flags.h"

#include <utility>

#include "base/log.h"
#include "net/origin.h"

namespace openseat::app {

Result<void> UseServerFlags(const ServerFlags& flags, Config& config) {
  if (!flags.config_file.empty()) {
    if (Result<void> read = ReadConfigFile(flags.config_file, config); !read) return read;
  }
  // The config file's certificate is that of all its addresses, and of those that take their place.
  net::ListenAddress replaced;
  if (!flags.listen.empty() && !config.listen.empty()) {
    replaced = std::move(config.listen.front());
    config.listen.clear();
  }
  for (const std::string& text : flags.listen) {
    Result<net::ListenAddress> address = ParseListenAddress(text);
    if (!address) return Fail(address.error());
    address->certificate_file = replaced.certificate_file;
    address->key_file = replaced.key_file;
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
