// How the checker's messages name things.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace openseat::checker {

// Maximum bytes of input repeated in a message.
constexpr std::size_t kMaxQuoted = 80;

// "`text`", cut to kMaxQuoted.
std::string Quote(std::string_view text);

// "`a`, `b`".
std::string List(const std::vector<std::string>& names);

// "2.5 s".
std::string Seconds(Duration duration);

}  // namespace openseat::checker
