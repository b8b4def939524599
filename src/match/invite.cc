#include "match/invite.h"

#include "base/digest.h"
#include "base/secure_random.h"

namespace openseat {
namespace {

constexpr std::size_t kInviteLength = 26;  // five bits each

}  // namespace

std::string NewInvite() {
  return SecureToken(kInviteLength);
}

std::string MatchName::Text() const {
  return invite.empty() ? id.str() : id.str() + "." + invite;
}

MatchName ParseMatchName(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return {TableId(std::string(text)), {}};
  return {TableId(std::string(text.substr(0, point))), std::string(text.substr(point + 1))};
}

bool Opens(const MatchName& name, std::string_view invite) {
  return EqualSecrets(Sha256Hex(name.invite), Sha256Hex(invite));
}

bool OpensForOwner(const MatchName& name, std::string_view invite) {
  return name.invite.empty() || Opens(name, invite);
}

}  // namespace openseat
