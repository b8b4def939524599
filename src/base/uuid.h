// UUIDs that identify a text.
#pragma once

#include <string>
#include <string_view>

namespace openseat {

// The same text always gets the same one (RFC 9562, version 8), which does not reveal the text.
std::string UuidOf(std::string_view text);

}  // namespace openseat
