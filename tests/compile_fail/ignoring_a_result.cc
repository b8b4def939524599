// The caller of a function that can fail must check the result.
#include "base/result.h"

openseat::Result<int> Count();

bool Test() {
#ifdef MISUSE
  Count();
#endif
  return Count().has_value();
}
