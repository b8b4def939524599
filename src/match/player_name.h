// The name that a player gives.
#pragma once

#include <string_view>

#include "base/result.h"

namespace openseat {

// Checks that it is one line of text: others see it, and models are told it within sentences, where a line of its own
// could be taken for anything. kInvalid (path "player-name") if it has a control character, such as a line break, one
// of Unicode's separators of lines and paragraphs, or one of its embeddings, overrides and isolates, which show text in
// another order. Marks of direction (U+200E, U+200F, U+061C), which names in some scripts need, are allowed.
Result<void> CheckPlayerName(std::string_view name);

}  // namespace openseat
