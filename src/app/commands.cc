#include "app/commands.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace openseat::app {

Error WithFlag(Error error, std::string_view flag) {
  if (error.code == ErrorCode::kConflict) error.message.append("; stop it, or choose another port with ").append(flag);
  return error;
}

void PrintError(const std::string& message) {
  std::fprintf(stderr, "openseat: %s\n", PrintableLines(message).c_str());
}

void FindAuthorities() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const auto is_there = [](const char* path) { return access(path, R_OK) == 0; };
  if (is_set("SSL_CERT_FILE") || is_set("SSL_CERT_DIR") || is_there("/usr/lib/ssl/certs")) return;
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (!is_there(path)) continue;
    setenv("SSL_CERT_FILE", path, 0);
    return;
  }
}

std::uint64_t RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return RLIM_INFINITY;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

}  // namespace openseat::app
