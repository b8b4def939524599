// Whoever calls something that can fail looks at what came of it.
#include "base/result.h"

openseat::Result<int> Count();

bool Test() {
#ifdef MISUSE
  Count();
#endif
  return Count().has_value();
}
