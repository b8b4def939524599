// Reads bytes as the config file and as the values of flags: they are read, or refused with a sentence, and a config
// that was read can be checked.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "app/config.h"
#include "base/check.h"

namespace openseat::app {
namespace {

template <typename T>
void CheckSentence(const Result<T>& read) {
  OPENSEAT_CHECK(read.has_value() || !read.error().message.empty(), "a refusal says why");
}

}  // namespace
}  // namespace openseat::app

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::string path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm/openseat-fuzz-" : "/tmp/openseat-fuzz-") +
                                  std::to_string(getpid()) + ".toml";
  std::ofstream(path, std::ios::binary) << text;
  Config config;
  const openseat::Result<void> read = ReadConfigFile(path, config);
  unlink(path.c_str());
  CheckSentence(read);
  if (read) CheckSentence(CheckConfig(config));
  CheckSentence(ParseListenAddress(text));
  CheckSentence(ParseMatchRequest(text));
  CheckSentence(ParseAge(text));
  return 0;
}
