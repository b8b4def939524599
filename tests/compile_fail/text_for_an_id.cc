// Text becomes an id only by explicit conversion.
#include <string>

#include "base/ids.h"

using TableId = openseat::StringId<struct TableTag>;

void Open(TableId);

void Test(const std::string& text) {
#ifdef MISUSE
  Open(text);
#endif
  Open(TableId(text));
}
