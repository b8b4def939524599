#include "arena/run_spec.h"

#include <array>
#include <string_view>
#include <utility>

#include "arena/game_line.h"
#include "base/json_members.h"
#include "base/text.h"

namespace openseat::arena {
namespace {

constexpr std::size_t kMaxShown = 200;  // bytes of a value in a message

json::Value ValueOrNull(const auto& value) {
  return value ? json::Value(*value) : json::Value();
}

json::Array Texts(const std::vector<std::string>& texts) {
  json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

json::Object PartToJson(const RunPart& part) {
  return {{"started", FormatIso8601(part.started)},
          {"seconds", ValueOrNull(part.seconds)},
          {"tokens", part.spent.tokens},
          {"cost", part.spent.cost}};
}

// Reads members, and remembers the first that is not what it should be.
class SpecReader {
 public:
  explicit SpecReader(const json::Object& object, std::string where = {}) : object_(object), where_(std::move(where)) {}

  std::string Text(std::string_view name, bool required = true) {
    const json::Value* value = Member(name, required);
    if (value == nullptr) return {};
    if (value->is_string()) return std::string(json::View(value->get_string()));
    Expected(name, "a string", *value);
    return {};
  }
  std::optional<std::uint64_t> Whole(std::string_view name, bool required = true) {
    const json::Value* value = Member(name, required);
    if (value == nullptr || value->is_null()) return std::nullopt;
    const std::optional<std::uint64_t> whole = json::WholeOf(object_, name);
    if (!whole) Expected(name, "a whole number of at least 0", *value);
    return whole;
  }
  std::optional<double> Number(std::string_view name) {
    const json::Value* value = Member(name, false);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (value->is_number() && value->to_number<double>() >= 0) return value->to_number<double>();
    Expected(name, "a number of at least 0", *value);
    return std::nullopt;
  }
  bool Flag(std::string_view name) {
    const json::Value* value = Member(name, false);
    if (value == nullptr) return false;
    if (!value->is_bool()) Expected(name, "true or false", *value);
    return value->is_bool() && value->get_bool();
  }
  Time When(std::string_view name) {
    const std::optional<Time> time = ParseIso8601(Text(name));
    if (!time && !error_) Expected(name, "a time like 2026-11-22T01:03:00.000Z", *json::Find(object_, name));
    return time.value_or(Time());
  }
  std::vector<std::string> List(std::string_view name, bool required = true) {
    std::vector<std::string> texts;
    for (const json::Value& value : Items(name, required)) {
      if (!value.is_string()) {
        Expected(name, "a list of strings", value);
        break;
      }
      texts.emplace_back(json::View(value.get_string()));
    }
    return texts;
  }
  json::Array Items(std::string_view name, bool required = true) {
    const json::Value* value = Member(name, required);
    if (value == nullptr) return {};
    if (value->is_array()) return value->get_array();
    Expected(name, "a list", *value);
    return {};
  }
  json::Object Members(std::string_view name) {
    const json::Value* value = Member(name, false);
    if (value == nullptr || value->is_null()) return {};
    if (value->is_object()) return value->get_object();
    Expected(name, "an object", *value);
    return {};
  }
  json::Value Any(std::string_view name) const {
    const json::Value* value = json::Find(object_, name);
    return value == nullptr ? json::Value() : *value;
  }
  void Adopt(const SpecReader& inner) {
    if (!error_) error_ = inner.error_;
  }
  void Reject(Error error) {
    if (!error_) error_ = std::move(error);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const json::Value* Member(std::string_view name, bool required) {
    const json::Value* value = json::Find(object_, name);
    if (value == nullptr && required && !error_) {
      error_ =
          Error{ErrorCode::kInvalid, "\"" + where_ + std::string(name) + "\" is missing", where_ + std::string(name)};
    }
    return value;
  }
  void Expected(std::string_view name, std::string_view what, const json::Value& got) {
    if (error_) return;
    const std::string path = where_ + std::string(name);
    error_ = Error{ErrorCode::kInvalid, "\"" + path + "\" must be " + std::string(what) + "; got " + json::Excerpt(got),
                   path};
  }

  const json::Object& object_;
  const std::string where_;
  std::optional<Error> error_;
};

RunGame ReadRunGame(const json::Value& value, SpecReader& outer) {
  const json::Object none;
  SpecReader read(value.is_object() ? value.get_object() : none, "games[].");
  RunGame game{.id = read.Text("id"),
               .title = read.Text("title", false),
               .rules_version = static_cast<int>(read.Whole("rules_version").value_or(1)),
               .options = read.Any("options")};
  outer.Adopt(read);
  return game;
}

RunFork ReadRunFork(const json::Object& object, SpecReader& outer) {
  SpecReader read(object, "fork.");
  RunFork fork{.source = read.Text("source", false),
               .decision = read.Whole("decision").value_or(0),
               .seed = read.Whole("seed").value_or(0),
               .fork = {TableId(read.Text("table")), read.Whole("event").value_or(0), {}}};
  Result<std::vector<ForkChoice>> choices = ReadForked(json::Value(object));
  if (choices) fork.fork.choices = std::move(*choices);
  if (!choices) outer.Reject({ErrorCode::kInvalid, "\"fork.choices\": " + choices.error().message, "fork.choices"});
  outer.Adopt(read);
  return fork;
}

RunPart ReadRunPart(const json::Value& value, SpecReader& outer) {
  const json::Object none;
  SpecReader read(value.is_object() ? value.get_object() : none, "parts[].");
  RunPart part{.started = read.When("started"),
               .seconds = read.Number("seconds"),
               .spent = {read.Whole("tokens", false).value_or(0), read.Number("cost").value_or(0)}};
  outer.Adopt(read);
  return part;
}

// The settings that make a model what it is. The others say how it is reached and what it costs.
constexpr std::array<std::string_view, 12> kNature = {"provider",        "model",      "body",       "temperature",
                                                      "top_p",           "seed",       "reasoning",  "effort",
                                                      "thinking_tokens", "structured", "max_tokens", "context_tokens"};

// What a run asks for, without what may change from part to part; for comparisons.
json::Object AskedOf(const RunSpec& spec) {
  json::Object asked = ToJson(spec);
  for (const char* name :
       {"name", "openseat", "started", "parts", "seconds", "budget", "summary", "model_flags", "config"}) {
    asked.erase(name);
  }
  // One member each, so that a difference is short.
  asked.erase("models");
  for (const auto& model : spec.models) {
    const std::string name = "model " + std::string(json::KeyOf(model));
    for (const std::string_view setting : kNature) {
      const json::Value* value = json::Find(model.value(), setting);
      asked[name + "'s " + std::string(setting)] = value == nullptr ? json::Value() : *value;
    }
  }
  return asked;
}

}  // namespace

json::Object ToJson(const RunSpec& spec) {
  json::Array games;
  for (const RunGame& game : spec.games) {
    games.push_back(json::Object{
        {"id", game.id}, {"title", game.title}, {"rules_version", game.rules_version}, {"options", game.options}});
  }
  json::Array parts;
  double seconds = 0;
  for (const RunPart& part : spec.parts) {
    parts.push_back(PartToJson(part));
    seconds += part.seconds.value_or(0);
  }
  json::Object written{{"format", kRunFormat}, {"version", kRunVersion}, {"command", spec.command}};
  written["name"] = spec.name;
  written["openseat"] = spec.openseat;
  written["started"] = spec.parts.empty() ? json::Value() : json::Value(FormatIso8601(spec.parts.front().started));
  written["seconds"] = seconds;
  written["games"] = std::move(games);
  written["agents"] = Texts(spec.agents);
  if (spec.command == "tournament") {
    json::Value pool;
    if (spec.pool) pool = json::Object{{"file", spec.pool->file}, {"runs", Texts(spec.pool->runs)}};
    written["schedule"] = json::Object{{"format", spec.format},
                                       {"pairs", spec.pairs},
                                       {"until_interval", ValueOrNull(spec.until_interval)},
                                       {"pool", std::move(pool)}};
  } else {
    written["wanted"] = spec.wanted;
  }
  if (spec.fork) {
    json::Object fork = json::Parse(ForkedPayload(spec.fork->fork))->as_object();
    for (auto& member : ForkName(spec.fork->fork)) fork[member.key()] = std::move(member.value());
    fork["source"] = spec.fork->source;
    fork["decision"] = spec.fork->decision;
    fork["seed"] = spec.fork->seed;
    written["fork"] = std::move(fork);
  }
  written["seed"] = spec.seed;
  written["fixed_roles"] = spec.fixed_roles;
  written["models"] = spec.models;
  written["model_flags"] = Texts(spec.model_flags);
  written["config"] = spec.config;
  written["budget"] = json::Object{{"cost", ValueOrNull(spec.budget.cost)},
                                   {"tokens", ValueOrNull(spec.budget.tokens)},
                                   {"hours", ValueOrNull(spec.budget.hours)}};
  written["parts"] = std::move(parts);
  written["summary"] = spec.summary;
  return written;
}

Result<RunSpec> ParseRunSpec(const json::Value& value) {
  if (!value.is_object() || json::TextOf(value, "format") != kRunFormat) {
    return Fail(ErrorCode::kInvalid, "it is not a run: \"format\" is not \"" + std::string(kRunFormat) + "\"",
                "format");
  }
  SpecReader read(value.get_object());
  const std::uint64_t version = read.Whole("version").value_or(0);
  if (version != kRunVersion) {
    return Fail(ErrorCode::kUnsupported,
                "it has version " + std::to_string(version) + "; this program continues runs of version " +
                    std::to_string(kRunVersion),
                "version");
  }
  RunSpec spec;
  spec.command = read.Text("command");
  spec.name = read.Text("name", false);
  spec.openseat = read.Text("openseat", false);
  for (const json::Value& game : read.Items("games")) spec.games.push_back(ReadRunGame(game, read));
  spec.agents = read.List("agents");
  if (spec.command == "tournament") {
    const json::Object schedule = read.Members("schedule");
    SpecReader inner(schedule, "schedule.");
    spec.format = inner.Text("format");
    spec.pairs = inner.Whole("pairs").value_or(0);
    spec.until_interval = inner.Number("until_interval");
    read.Adopt(inner);
    const json::Object pool = inner.Members("pool");
    SpecReader in_pool(pool, "schedule.pool.");
    if (!pool.empty()) spec.pool = {.file = in_pool.Text("file"), .runs = in_pool.List("runs")};
    read.Adopt(in_pool);
  } else {
    spec.wanted = read.Whole("wanted").value_or(0);
  }
  if (const json::Object fork = read.Members("fork"); !fork.empty()) spec.fork = ReadRunFork(fork, read);
  spec.seed = read.Whole("seed").value_or(0);
  spec.fixed_roles = read.Flag("fixed_roles");
  spec.models = read.Members("models");
  spec.model_flags = read.List("model_flags", false);
  spec.config = read.Text("config", false);
  const json::Object budget = read.Members("budget");
  SpecReader limits(budget, "budget.");
  spec.budget = {limits.Number("cost"), limits.Whole("tokens", false), limits.Number("hours")};
  read.Adopt(limits);
  for (const json::Value& part : read.Items("parts", false)) spec.parts.push_back(ReadRunPart(part, read));
  spec.summary = read.Any("summary");
  if (read.error()) return Fail(*read.error());
  if (spec.games.empty() || spec.agents.empty()) {
    return Fail(ErrorCode::kInvalid, "\"games\" and \"agents\" must not be empty", "games");
  }
  return spec;
}

Result<void> CheckSameRun(const RunSpec& before, const RunSpec& now) {
  const json::Object asked = AskedOf(now);
  const json::Object asked_before = AskedOf(before);
  for (const auto& member : asked) {
    const json::Value* old = json::Find(asked_before, json::KeyOf(member));
    if (old != nullptr && json::Equal(*old, member.value())) continue;
    const std::string name(json::KeyOf(member));
    return Fail(ErrorCode::kConflict,
                "the run was begun with another " + name + ": " +
                    (old == nullptr ? "nothing" : json::Excerpt(*old, kMaxShown)) + ", not " +
                    json::Excerpt(member.value(), kMaxShown),
                name);
  }
  return {};
}

}  // namespace openseat::arena
