#include "oauth/person.h"

#include "base/digest.h"
#include "base/json.h"
#include "base/json_members.h"
#include "oauth/encoding.h"

namespace openseat::oauth {
namespace {

constexpr std::size_t kMaxSealed = 2048;
// Signs nothing else than these cookies.
constexpr std::string_view kPurpose = "openseat-person-1.";

std::int64_t SecondsOf(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

std::string SealPerson(const Person& person, Time now, std::string_view key) {
  const std::string body = Base64Url(json::Write(
      json::Object{{"account", person.account}, {"name", person.name}, {"until", SecondsOf(now + kSignedInFor)}}));
  return body + "." + Base64Url(HmacSha256Base64(key, std::string(kPurpose) + body));
}

std::optional<Person> OpenPerson(std::string_view sealed, Time now, std::string_view key) {
  const std::size_t dot = sealed.find('.');
  if (sealed.size() > kMaxSealed || dot == std::string_view::npos) return std::nullopt;
  const std::string_view body = sealed.substr(0, dot);
  const std::string signature = Base64Url(HmacSha256Base64(key, std::string(kPurpose) + std::string(body)));
  if (!EqualSecrets(signature, sealed.substr(dot + 1))) return std::nullopt;
  const Result<json::Value> read = json::Parse(FromBase64Url(body));
  if (!read || !read->is_object()) return std::nullopt;
  const double until = json::NumberOf(read->get_object(), "until", 0);
  if (static_cast<double>(SecondsOf(now)) >= until) return std::nullopt;
  Person person{std::string(json::TextOf(*read, "account")), std::string(json::TextOf(*read, "name"))};
  if (person.account.empty()) return std::nullopt;
  return person;
}

std::string_view CookieOf(std::string_view header, std::string_view name) {
  std::optional<std::string_view> found;
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      if (found) return {};
      found = pair.substr(name.size() + 1);
    }
  }
  return found.value_or(std::string_view());
}

}  // namespace openseat::oauth
