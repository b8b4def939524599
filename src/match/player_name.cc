#include "match/player_name.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace openseat {
namespace {

// In UTF-8, U+2028 to U+202E (separators of lines and paragraphs, embeddings, overrides) are E2 80 A8 to E2 80 AE, and
// U+2066 to U+2069 (isolates) are E2 81 A6 to E2 81 A9.
bool Rearranges(std::string_view text) {
  for (std::size_t at = text.find('\xE2'); at != text.npos && at + 2 < text.size(); at = text.find('\xE2', at + 1)) {
    const auto last = static_cast<unsigned char>(text[at + 2]);
    if (text[at + 1] == '\x80' && last >= 0xA8 && last <= 0xAE) return true;
    if (text[at + 1] == '\x81' && last >= 0xA6 && last <= 0xA9) return true;
  }
  return false;
}

}  // namespace

Result<void> CheckPlayerName(std::string_view name) {
  // Not quoted: it would rearrange the message.
  if (Rearranges(name)) {
    return Fail(ErrorCode::kInvalid,
                "a player's name must be one line without characters that change the order of text", "player-name");
  }
  const std::string shown = EscapeControls(name);
  if (shown == name) return {};
  return Fail(ErrorCode::kInvalid, "a player's name must be one line without control characters; got " + Quote(shown),
              "player-name");
}

}  // namespace openseat
