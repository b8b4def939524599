// Invitations. The two words that name a match are for people to say, and few enough to be tried. A match that is not
// public is therefore named by them and, behind a point, by random bits that only those have who were told:
// "magnificent-platypus.k3fq2ab7cdk3fq2ab7cdk3fq2a". Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/ids.h"

namespace openseat {

// 130 random bits, of a-z and 2-7.
std::string NewInvite();

// How a match is named, by whoever does not run the server.
struct MatchName {
  TableId id;
  std::string invite;  // "" for none

  std::string Text() const;
};
// Any text is one; the first point begins the invitation.
MatchName ParseMatchName(std::string_view text);

// Whether this is the name of a match with this invitation ("": it is public) for whoever needs one. Takes the same
// time whatever of it is wrong.
bool Opens(const MatchName& name, std::string_view invite);
// The same for whoever runs the server, and needs none: an invitation that is given must be right all the same.
bool OpensForOwner(const MatchName& name, std::string_view invite);

}  // namespace openseat
