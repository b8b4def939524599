// About how much a text is to a language model. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace openseat {

// About how many tokens a text is; rather too many than too few. Of a part it is never more than of the whole.
std::size_t EstimateTokens(std::string_view text);
// The beginning of `text`, or its end, of at most about `max_tokens`, cut at a character's border, with "…" where
// something was cut ("" for no tokens).
std::string BeginningOf(std::string_view text, std::size_t max_tokens);
std::string EndOf(std::string_view text, std::size_t max_tokens);

}  // namespace openseat
