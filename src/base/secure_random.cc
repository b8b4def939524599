#include "base/secure_random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace openseat {

void SecureRandom(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    OPENSEAT_CHECK(got > 0, "getrandom returns bytes");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t SecureRandom64() {
  std::uint64_t value = 0;
  SecureRandom(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::string SecureToken(std::size_t length) {
  static constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  std::string token(length, '\0');
  SecureRandom(std::as_writable_bytes(std::span(token)));
  for (char& c : token) c = kAlphabet[static_cast<unsigned char>(c) & 31];
  return token;
}

}  // namespace openseat
