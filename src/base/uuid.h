// UUIDs that stand for a text.
#pragma once

#include <string>
#include <string_view>

namespace openseat {

// The same text has the same one (RFC 9562, version 8), and nobody finds the text by it.
std::string UuidOf(std::string_view text);

}  // namespace openseat
