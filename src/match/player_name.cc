#include "match/player_name.h"

#include <string>

#include "base/text.h"

namespace openseat {
namespace {

constexpr std::string_view kLineSeparator = "\xE2\x80\xA8";
constexpr std::string_view kParagraphSeparator = "\xE2\x80\xA9";

}  // namespace

Result<void> CheckPlayerName(std::string_view name) {
  const std::string shown = EscapeControls(name);
  if (shown == name && name.find(kLineSeparator) == name.npos && name.find(kParagraphSeparator) == name.npos) return {};
  return Fail(ErrorCode::kInvalid, "a player's name must be one line without control characters; got \"" + shown + "\"",
              "player-name");
}

}  // namespace openseat
