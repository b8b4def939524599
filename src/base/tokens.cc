#include "base/tokens.h"

namespace openseat {
namespace {

constexpr std::size_t kPerToken = 4;  // ASCII characters

bool BeginsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}
// In quarters of a token.
std::size_t Weight(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 ? 1 : byte >= 0xC0 ? kPerToken : 0;
}

}  // namespace

// Four ASCII characters per token, according to the published rule of thumb; other scripts have one character per token
// or less.
std::size_t EstimateTokens(std::string_view text) {
  std::size_t weight = 0;
  for (const char c : text) weight += Weight(c);
  return (weight + kPerToken - 1) / kPerToken;
}

// Digits, signs and capitals may be a token each, and characters of other scripts several; rare sequences of letters
// have about one for two.
std::size_t MostTokens(std::string_view text) {
  std::size_t halves = 0;
  for (const char c : text) {
    const bool half = (c >= 'a' && c <= 'z') || c == ' ' || !BeginsCharacter(c);
    halves += half ? 1 : 2;
  }
  return (halves + 1) / 2;
}

std::string BeginningOf(std::string_view text, std::size_t max_tokens) {
  if (EstimateTokens(text) <= max_tokens) return std::string(text);
  if (max_tokens == 0) return {};
  std::size_t left = (max_tokens - 1) * kPerToken;  // except for the mark
  std::size_t end = 0;
  while (end < text.size() && Weight(text[end]) <= left) left -= Weight(text[end++]);
  return std::string(text.substr(0, end)) + "…";
}

std::string EndOf(std::string_view text, std::size_t max_tokens) {
  if (EstimateTokens(text) <= max_tokens) return std::string(text);
  if (max_tokens == 0) return {};
  std::size_t left = (max_tokens - 1) * kPerToken;
  std::size_t begin = text.size();
  while (begin > 0 && Weight(text[begin - 1]) <= left) left -= Weight(text[--begin]);
  while (begin < text.size() && !BeginsCharacter(text[begin])) ++begin;
  return "…" + std::string(text.substr(begin));
}

}  // namespace openseat
