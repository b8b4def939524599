// What `openseat games new` writes: a whole game, to be changed.
#pragma once

#include <string>
#include <string_view>

namespace openseat::app {

// TypeScript if the file is called so.
std::string NewScriptText(std::string_view id, std::string_view file);

}  // namespace openseat::app
