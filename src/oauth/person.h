// Who signed in, as a browser's cookie tells it: signed by this server, so nothing has to be stored. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace openseat::oauth {

struct Person {
  std::string account;  // always the same for the same person: "SUBJECT at ISSUER"
  std::string name;     // for people
};

// How long somebody stays signed in.
inline constexpr Duration kSignedInFor = std::chrono::hours(24 * 30);

// The cookie's value. REQUIRES a secret key.
std::string SealPerson(const Person& person, Time now, std::string_view key);
// nullopt for what was not sealed with this key, or too long ago.
std::optional<Person> OpenPerson(std::string_view sealed, Time now, std::string_view key);

// The value of a cookie in the header "Cookie"; "" if it is not there. Of two cookies with the name, one is not ours,
// and nothing tells which: "".
std::string_view CookieOf(std::string_view header, std::string_view name);

}  // namespace openseat::oauth
