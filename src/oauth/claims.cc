#include "oauth/claims.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json_members.h"
#include "base/text.h"

namespace openseat::oauth {
namespace {

tl::unexpected<Error> NotTaken(std::string why) {
  return Fail(ErrorCode::kInvalid, "the access token " + std::move(why));
}

// A space-separated list in one string, or a list of strings.
std::set<std::string, std::less<>> Words(const json::Object& claims, std::string_view name, bool split) {
  std::set<std::string, std::less<>> out;
  const json::Value* value = json::Find(claims, name);
  if (value == nullptr) return out;
  if (value->is_array()) {
    for (const json::Value& each : value->get_array()) {
      if (each.is_string()) out.emplace(json::View(each.get_string()));
    }
  } else if (value->is_string()) {
    std::string_view text = json::View(value->get_string());
    while (split && !text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (!word.empty()) out.emplace(word);
    }
    if (!split) out.emplace(text);
  }
  return out;
}

}  // namespace

Result<std::string> CheckClaims(const json::Object& claims, const TokenRules& rules, Time now, bool from_jwt) {
  const std::string issuer = std::string(json::TextOf(claims, "iss"));
  if ((from_jwt || !issuer.empty()) && std::ranges::find(rules.issuers, issuer) == rules.issuers.end()) {
    return NotTaken("is from another authorization server");
  }
  // A token for another server must not open this one, however well it is signed.
  if (!Words(claims, "aud", false).contains(rules.resource)) return NotTaken("is not for " + rules.resource);
  using Precise = std::chrono::duration<double>;
  const double time = std::chrono::duration_cast<Precise>(now.time_since_epoch()).count();
  const double skew = std::chrono::duration_cast<Precise>(kClockSkew).count();
  const std::optional<double> expires = json::FindNumber(claims, "exp");
  if (!expires && from_jwt) return NotTaken("has no expiry (exp)");
  if (expires && time >= *expires + skew) return NotTaken("has expired");
  if (const std::optional<double> begins = json::FindNumber(claims, "nbf"); begins && time < *begins - skew) {
    return NotTaken("is not valid yet");
  }
  auto scopes = Words(claims, "scope", true);
  scopes.merge(Words(claims, "scp", true));
  for (const std::string& wanted : rules.scopes) {
    if (!scopes.contains(wanted)) {
      return Fail(ErrorCode::kDenied, "the access token lacks the scope " + Quote(wanted), "scope");
    }
  }
  std::string who = std::string(json::TextOf(claims, "sub"));
  if (who.empty()) who = json::TextOf(claims, "client_id");
  return issuer + " " + who;
}

}  // namespace openseat::oauth
