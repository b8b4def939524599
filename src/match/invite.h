// Invitations. The two words that name a match are easy to say, and few enough to be guessed. A match that is not
// public is therefore named by them, a period, and random bits that only invited people know:
// "magnificent-platypus.k3fq2ab7cdk3fq2ab7cdk3fq2a". Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/ids.h"

namespace openseat {

// 130 random bits, as characters a-z and 2-7.
std::string NewInvite();

// The name of a match for those who do not run the server.
struct MatchName {
  TableId id;
  std::string invite;  // "" for none

  std::string Text() const;
};
// Accepts any text; the invitation follows the first period.
MatchName ParseMatchName(std::string_view text);

// Whether this is the name of a match with this invitation ("": it is public) for a caller that needs one. Takes the
// same time whatever part of it is wrong.
bool Opens(const MatchName& name, std::string_view invite);
// The same for the operator, who needs no invitation: but one that is given must be right.
bool OpensForOwner(const MatchName& name, std::string_view invite);

}  // namespace openseat
