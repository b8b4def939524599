// The formats of JSON Schema 2020-12, as predicates on strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace openseat::schema {

enum class Format : std::uint8_t {
  kDateTime,
  kDate,
  kTime,
  kDuration,
  kEmail,
  kIdnEmail,
  kHostname,
  kIdnHostname,
  kIpv4,
  kIpv6,
  kUri,
  kUriReference,
  kIri,
  kIriReference,
  kUuid,
  kUriTemplate,
  kJsonPointer,
  kRelativeJsonPointer,
  kRegex,
};

// nullopt for a format that the specification does not define: it is never asserted.
std::optional<Format> FindFormat(std::string_view name);
std::string_view FormatName(Format format);
// REQUIRES valid UTF-8.
bool HasFormat(Format format, std::string_view text);

bool IsIpv4(std::string_view text);
bool IsIpv6(std::string_view text);

}  // namespace openseat::schema
