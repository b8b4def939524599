// The text of engine/harness.js, which is compiled into the program.
#pragma once

#include <string_view>

namespace openseat::games {

std::string_view HarnessText();

}  // namespace openseat::games
