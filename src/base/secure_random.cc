#include "base/secure_random.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace openseat {
namespace {

void FromKernel(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    OPENSEAT_CHECK(got > 0, "getrandom returns bytes");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

// What a thread has of the kernel's bytes: a system call for each few would cost more than they do. Those that were
// given out are erased.
struct Stock {
  std::array<std::byte, 512> bytes;
  std::size_t left = 0;
};

}  // namespace

void SecureRandom(std::span<std::byte> bytes) {
  thread_local Stock stock;
  if (bytes.size() > stock.bytes.size()) return FromKernel(bytes);
  if (bytes.size() > stock.left) {
    FromKernel(stock.bytes);
    stock.left = stock.bytes.size();
  }
  stock.left -= bytes.size();
  const std::span<std::byte> taken = std::span(stock.bytes).subspan(stock.left, bytes.size());
  std::ranges::copy(taken, bytes.begin());
  explicit_bzero(taken.data(), taken.size());
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
