#include "app/commands.h"

#include <sys/resource.h>

#include <cstdio>

namespace openseat::app {

void PrintError(const std::string& message) {
  std::fprintf(stderr, "openseat: %s\n", message.c_str());
}

void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace openseat::app
