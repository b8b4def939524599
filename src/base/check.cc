#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/log.h"

namespace openseat {

void CheckFailed(const char* condition, const char* file, int line, const char* message) {
  log::Flush();
  std::fprintf(stderr, "openseat: broken invariant at %s:%d: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace openseat
