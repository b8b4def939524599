#include "attack/attack.h"

#include <cstdlib>

namespace openseat::tests {

void Attack::StartAlone(const std::string& config, const std::vector<std::string>& more) {
  const std::string file = data_.path() + "/openseat.toml";
  WriteTextFile(file, config);
  std::vector<std::string> arguments{"--config", file, "--shards", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  server_ = std::make_unique<RealServer>(data_.path(), arguments, data_.path() + "/log");
}

void Attack::Start(const std::string& config, const std::vector<std::string>& more) {
  StartAlone(config, more);
  neighbor_ = std::make_unique<Neighbor>(*server_);
}

std::size_t Attack::Scaled(std::size_t short_form) {
  const char* scale = std::getenv("OPENSEAT_ATTACK_SCALE");
  return scale == nullptr ? short_form : short_form * std::stoul(scale);
}

}  // namespace openseat::tests
