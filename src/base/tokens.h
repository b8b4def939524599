// Estimates of a text's length in a language model's tokens. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace openseat {

// About how many tokens a text has; rather too many than too few. Never more for a part than for the whole.
std::size_t EstimateTokens(std::string_view text);
// More than a text has, with hardly an exception, so that caps hold whatever it says: a token for each digit, sign and
// capital, one for two other letters or spaces, and up to two and a half for a character of another script.
std::size_t MostTokens(std::string_view text);
// The beginning or the end of `text`, of about `max_tokens` at most, cut at a character boundary, with "…" if something
// was cut ("" for no tokens).
std::string BeginningOf(std::string_view text, std::size_t max_tokens);
std::string EndOf(std::string_view text, std::size_t max_tokens);

}  // namespace openseat
