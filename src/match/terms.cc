#include "match/terms.h"

#include <cmath>
#include <string>

#include "base/text.h"

namespace openseat {
namespace {

constexpr double kLongest = 30 * 24 * 3600.0;
constexpr double kLongestIncrement = 3600;

tl::unexpected<Error> WrongTerm(std::string_view name, const std::string& expected, const json::Value& got) {
  const std::string path = "terms." + std::string(name);
  return Fail(ErrorCode::kInvalid, path + " must be " + expected + "; got " + json::Excerpt(got), path);
}

Result<Duration> TermSeconds(std::string_view name, const json::Value& value, double least, double most) {
  const double seconds = value.is_number() ? value.to_number<double>() : -1;
  if (!(seconds >= least && seconds <= most)) {
    return WrongTerm(name,
                     "a number of seconds from " + std::to_string(static_cast<int>(least)) + " to " +
                         std::to_string(static_cast<int>(most)),
                     value);
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Result<MatchTerms> ReadTerms(const json::Value& given) {
  MatchTerms terms;
  if (!given.is_object()) {
    return Fail(ErrorCode::kInvalid, "terms must be an object; got " + std::string(json::TypeName(given)), "terms");
  }
  for (const auto& member : given.get_object()) {
    const std::string_view name = json::View(member.key());
    if (name == "agents_chat") {
      if (!member.value().is_bool()) return WrongTerm(name, "true or false", member.value());
      terms.agents_chat = member.value().get_bool();
      continue;
    }
    const bool increment = name == "increment";
    if (!increment && name != "move_time" && name != "game_time" && name != "grace") {
      return Fail(ErrorCode::kInvalid,
                  "terms are move_time, game_time, increment, grace and agents_chat; got " + Quote(name), "terms");
    }
    const Result<Duration> time =
        TermSeconds(name, member.value(), increment ? 0 : 1, increment ? kLongestIncrement : kLongest);
    if (!time) return Fail(time.error());
    if (increment) terms.increment = *time;
    if (name == "move_time") terms.move_time = *time;
    if (name == "game_time") terms.game_time = *time;
    if (name == "grace") terms.grace = *time;
  }
  if (terms.increment > Duration(0) && !terms.game_time) {
    return Fail(ErrorCode::kInvalid, "terms.increment is for matches with game_time", "terms.increment");
  }
  return terms;
}

json::Value SecondsJson(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const double whole = std::floor(seconds);
  return seconds == whole ? json::Value(static_cast<std::int64_t>(whole)) : json::Value(seconds);
}

json::Object ToJson(const MatchTerms& terms) {
  json::Object shown;
  if (terms.move_time) shown["move_time"] = SecondsJson(*terms.move_time);
  if (terms.game_time) shown["game_time"] = SecondsJson(*terms.game_time);
  if (terms.increment > Duration(0)) shown["increment"] = SecondsJson(terms.increment);
  if (terms.grace) shown["grace"] = SecondsJson(*terms.grace);
  if (terms.agents_chat) shown["agents_chat"] = true;
  return shown;
}

}  // namespace openseat
