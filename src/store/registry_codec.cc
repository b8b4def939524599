#include "store/registry_codec.h"

#include <zlib.h>

#include <array>
#include <charconv>

#include "base/check.h"
#include "base/text.h"

namespace openseat::store {
namespace {

constexpr std::size_t kSizeBytes = 8;
// zlib cannot do better than this. A size that needs more is no reason to reserve memory.
constexpr std::uint64_t kBestRatio = 1100;

}  // namespace

std::string WriteRegistryStamp(const RegistryStamp& stamp) {
  std::string out = std::to_string(kRegistryMessageVersion);
  for (const std::uint64_t number : {stamp.session, stamp.number, stamp.part, stamp.parts}) {
    out += ' ' + std::to_string(number);
  }
  return out;
}

Result<RegistryStamp> ReadRegistryStamp(std::string_view text) {
  std::array<std::uint64_t, 5> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  bool proper = true;
  for (std::size_t i = 0; i < numbers.size() && proper; ++i) {
    if (i > 0) proper = at != end && *at++ == ' ';
    const auto [stop, error] = std::from_chars(at, end, numbers[i]);
    proper = proper && error == std::errc();
    at = stop;
    if (i == 0 && proper && numbers[0] != kRegistryMessageVersion) {
      return Fail(ErrorCode::kUnsupported, "a message of the registry has version " + std::to_string(numbers[0]) +
                                               "; this program supports version " +
                                               std::to_string(kRegistryMessageVersion));
    }
  }
  const RegistryStamp stamp{numbers[1], numbers[2], numbers[3], numbers[4]};
  // Each stamp has one form only.
  if (proper && at == end && stamp.part <= stamp.parts && (stamp.part == 0) == (stamp.parts == 0) &&
      stamp.parts <= kMaxSnapshotParts && WriteRegistryStamp(stamp) == text) {
    return stamp;
  }
  return Fail(ErrorCode::kParse, "the header \"" + Ellipsize(EscapeControls(SanitizeUtf8(text)), 300) +
                                     "\" is not that of a message of the registry");
}

void AppendSize(std::string& out, std::uint64_t size) {
  for (std::size_t i = 0; i < kSizeBytes; ++i) out.push_back(static_cast<char>(size >> (8 * i)));
}

Result<std::uint64_t> TakeSize(std::string_view& in) {
  if (in.size() < kSizeBytes) {
    return Fail(ErrorCode::kParse, "a size of 8 bytes was expected; got " + std::to_string(in.size()) + " bytes");
  }
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) {
    size |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(in[i])) << (8 * i);
  }
  in.remove_prefix(kSizeBytes);
  return size;
}

std::string Pack(std::string_view text) {
  std::string out;
  AppendSize(out, text.size());
  uLongf size = compressBound(text.size());
  out.resize(kSizeBytes + size);
  const int done = compress2(reinterpret_cast<Bytef*>(out.data() + kSizeBytes), &size,
                             reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_SPEED);
  OPENSEAT_CHECK(done == Z_OK, "zlib compresses what fits in memory");
  out.resize(kSizeBytes + size);
  return out;
}

Result<std::string> Unpack(std::string_view bytes, std::size_t max_bytes) {
  const Result<std::uint64_t> size = TakeSize(bytes);
  if (!size) return Fail(size.error());
  if (*size > max_bytes) {
    return Fail(ErrorCode::kTooLarge, "a message of the registry has a text of " + std::to_string(*size) +
                                          " bytes; at most " + std::to_string(max_bytes) + " are read");
  }
  std::string out;
  if (*size / kBestRatio <= bytes.size()) {
    out.resize(*size);
    uLongf got = out.size();
    uLong used = bytes.size();
    const int done =
        uncompress2(reinterpret_cast<Bytef*>(out.data()), &got, reinterpret_cast<const Bytef*>(bytes.data()), &used);
    if (done == Z_OK && got == out.size() && used == bytes.size()) return out;
  }
  return Fail(ErrorCode::kParse, "the body of a message of the registry is damaged");
}

}  // namespace openseat::store
