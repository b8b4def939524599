#include "base/uuid.h"

#include <cstddef>

#include "base/digest.h"

namespace openseat {

std::string UuidOf(std::string_view text) {
  std::string hex = Sha256Hex(text).substr(0, 32);
  hex[12] = '8';  // RFC 9562: a custom version 8 UUID
  hex[16] = "89ab"[static_cast<std::size_t>(hex[16] <= '9' ? hex[16] - '0' : hex[16] - 'a' + 10) & 3];
  for (const std::size_t at : {20, 16, 12, 8}) hex.insert(at, 1, '-');
  return hex;
}

}  // namespace openseat
