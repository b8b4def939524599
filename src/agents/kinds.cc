#include "agents/kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr std::string_view kNamedBy = "x-namedBy";
constexpr std::size_t kMostText = 64u << 10;  // of an agent as text
constexpr std::array<std::string_view, 4> kNamers{"player", "admin", "owner", "server"};

// Who may set an option.
Namer NamerOf(const json::Value& property) {
  const json::Value* named_by = json::Find(property, kNamedBy);
  if (named_by == nullptr) return Namer::kAdmin;
  const auto* found = std::ranges::find(kNamers, json::TextOf(property, kNamedBy));
  OPENSEAT_CHECK(found != kNamers.end(), "x-namedBy is player, admin, owner or server");
  return static_cast<Namer>(found - kNamers.begin());
}

const json::Object& PropertiesOf(const json::Object& schema) {
  static const json::Object none;
  const json::Value* properties = json::Find(schema, "properties");
  return properties == nullptr ? none : properties->get_object();
}

// "seed=7": the position of the "="; npos if this is a value without a name, such as ws://host/?key=1.
std::size_t EqualsOf(std::string_view option) {
  const std::size_t end = option.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return end != 0 && end != std::string_view::npos && option[end] == '=' ? end : std::string_view::npos;
}

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::string_view NameOf(Namer namer) {
  return kNamers[static_cast<std::size_t>(namer)];
}

std::string_view NameOf(PlaysFrom from) {
  constexpr std::array<std::string_view, 3> names{"here", "elsewhere", "outside"};
  return names[static_cast<std::size_t>(from)];
}

AgentKinds::AgentKinds(std::vector<AgentKind> kinds) : kinds_(std::move(kinds)) {
  for (const AgentKind& kind : kinds_) {
    OPENSEAT_CHECK(Find(kind.kind) == &kind, "two kinds of agents have one name");
    Result<json::Value> source = json::Parse(kind.options);
    OPENSEAT_CHECK(source && source->is_object(), "the options of an agent are a schema");
    Result<std::shared_ptr<const schema::Schema>> options = schema::Schema::Compile(*source);
    OPENSEAT_CHECK(options.has_value(), "the options of an agent are a schema that compiles");
    compiled_.push_back({std::move(source->get_object()), std::move(*options)});
    OPENSEAT_CHECK(kind.bare.empty() || PropertiesOf(compiled_.back().schema).contains(kind.bare),
                   "the bare option of an agent is one of its options");
  }
}

const AgentKind* AgentKinds::Find(std::string_view kind) const {
  const auto found = std::ranges::find(kinds_, kind, &AgentKind::kind);
  return found == kinds_.end() ? nullptr : &*found;
}

const AgentKinds::Compiled& AgentKinds::Of(const AgentKind& kind) const {
  return compiled_[static_cast<std::size_t>(&kind - kinds_.data())];
}

Result<const AgentKind*> AgentKinds::FindOrSay(std::string_view kind, Namer namer) const {
  if (const AgentKind* found = Find(kind)) return found;
  return Fail(ErrorCode::kNotFound, "no agent " + Quote(kind) + "; available: " + Names(namer), "kind");
}

std::string AgentKinds::FormOf(const AgentKind& kind, Namer namer) const {
  const json::Value* bare = json::Find(PropertiesOf(Of(kind).schema), kind.bare);
  return bare == nullptr || NamerOf(*bare) > namer ? kind.kind : kind.kind + ":" + Upper(kind.bare);
}

std::string AgentKinds::Names(Namer namer) const {
  std::vector<std::string> names;
  for (const AgentKind& kind : kinds_) {
    if (kind.named_by <= namer) names.push_back(FormOf(kind, namer));
  }
  return Listing(names);
}

bool AgentKinds::IsPlayedFromOutside(std::string_view kind) const {
  const AgentKind* found = Find(kind);
  return found != nullptr && found->plays_from == PlaysFrom::kOutside;
}

bool AgentKinds::TakesSeed(std::string_view kind) const {
  const AgentKind* found = Find(kind);
  return found != nullptr && PropertiesOf(Of(*found).schema).contains("seed");
}

std::string AgentKinds::OpponentAt(std::string_view game) const {
  const auto found = std::ranges::find_if(kinds_, [game](const AgentKind& kind) {
    return !game.empty() && kind.game == game && kind.named_by == Namer::kPlayer && kind.bare.empty();
  });
  return found == kinds_.end() ? "random" : found->kind;
}

json::Object AgentKinds::OptionsFor(const AgentKind& kind, Namer namer) const {
  json::Object schema = Of(kind).schema;
  json::Object given;
  for (const auto& member : PropertiesOf(schema)) {
    if (NamerOf(member.value()) > namer) continue;
    json::Object property = member.value().get_object();
    property.erase(kNamedBy);
    given[member.key()] = std::move(property);
  }
  schema["properties"] = std::move(given);
  return schema;
}

json::Object AgentKinds::Describe(const AgentKind& kind, Namer namer) const {
  json::Object out{{"kind", kind.kind},
                   {"title", kind.title},
                   {"description", kind.description},
                   {"plays_from", NameOf(kind.plays_from)},
                   {"named_by", NameOf(kind.named_by)},
                   {"takes_seed", TakesSeed(kind.kind)}};
  if (!kind.game.empty()) out["game"] = kind.game;
  if (FormOf(kind, namer) != kind.kind) out["bare"] = kind.bare;
  out["options_schema"] = OptionsFor(kind, namer);
  return out;
}

json::Object AgentKinds::SpecSchema(Namer namer) const {
  json::Array any;
  for (const AgentKind& kind : kinds_) {
    if (kind.named_by > namer) continue;
    json::Object schema = OptionsFor(kind, namer);
    json::Object properties{{"kind", json::Object{{"const", kind.kind}}}};
    for (const auto& member : PropertiesOf(schema)) properties[member.key()] = member.value();
    json::Array required{"kind"};
    if (const json::Value* more = json::Find(schema, "required")) {
      for (const json::Value& name : more->get_array()) required.push_back(name);
    }
    schema["title"] = kind.title;
    schema["description"] = kind.description;
    schema["properties"] = std::move(properties);
    schema["required"] = std::move(required);
    any.push_back(std::move(schema));
  }
  return {{"description", "Who plays, with the options of the kind."}, {"oneOf", std::move(any)}};
}

Result<AgentSpec> AgentKinds::Parse(std::string_view text, Namer namer) const {
  if (text.size() > kMostText) {
    return Fail(ErrorCode::kTooLarge, "an agent has at most " + std::to_string(kMostText) + " bytes of options; got " +
                                          std::to_string(text.size()));
  }
  const std::size_t colon = text.find(':');
  AgentSpec spec{std::string(text.substr(0, colon)), {}};
  if (spec.kind.empty()) {
    return Fail(ErrorCode::kInvalid, "an agent is one of " + Names(namer) + "; got " + Quote(text));
  }
  const Result<const AgentKind*> kind = FindOrSay(spec.kind, namer);
  if (!kind) return Fail(kind.error());
  const json::Object& properties = PropertiesOf(Of(**kind).schema);
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(option.size() == rest.size() ? rest.size() : option.size() + 1);
    std::size_t equals = EqualsOf(option);
    // The part before the first comma may be a file name or an address, which may contain any character.
    if (spec.options.empty() && !(*kind)->bare.empty() && !properties.contains(option.substr(0, equals))) {
      equals = std::string_view::npos;
    }
    if (equals == std::string_view::npos && ((*kind)->bare.empty() || spec.options.contains((*kind)->bare))) {
      return Fail(ErrorCode::kInvalid, "an agent's options are name=value,…; got " + Quote(option));
    }
    const std::string_view name = equals == std::string_view::npos ? (*kind)->bare : option.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? option : option.substr(equals + 1);
    const json::Value* property = json::Find(properties, name);
    const bool is_text = property != nullptr && json::TextOf(*property, "type") == "string";
    Result<json::Value> parsed = is_text ? Fail(ErrorCode::kParse, "") : json::Parse(value);
    spec.options[name] = parsed ? std::move(*parsed) : json::Value(std::string(value));
  }
  return spec;
}

Result<void> AgentKinds::Check(const AgentSpec& spec, Namer namer) const {
  const Result<const AgentKind*> found = FindOrSay(spec.kind, namer);
  if (!found) return Fail(found.error());
  const AgentKind& kind = **found;
  if (kind.named_by > namer) {
    return Fail(ErrorCode::kDenied,
                "the agent " + Quote(kind.kind) + " cannot be named here; available: " + Names(namer), "kind");
  }
  const json::Object& properties = PropertiesOf(Of(kind).schema);
  for (const auto& option : spec.options) {
    const json::Value* property = json::Find(properties, json::KeyOf(option));
    const std::string name = Ellipsize(json::KeyOf(option), kQuotedBytes);
    if (property == nullptr) {
      const json::Object options = OptionsFor(kind, namer);
      std::vector<std::string> names;
      for (const auto& each : PropertiesOf(options)) names.emplace_back(json::KeyOf(each));
      return Fail(ErrorCode::kInvalid,
                  "the agent " + Quote(kind.kind) + " has " +
                      (names.empty() ? "no options" : "the options " + Listing(names)) + "; got " + Quote(name),
                  name);
    }
    const Namer of_option = NamerOf(*property);
    if (of_option <= namer) continue;
    if (of_option == Namer::kServer) {
      return Fail(ErrorCode::kDenied, name + " cannot be chosen: the server makes it", name);
    }
    return Fail(
        ErrorCode::kDenied,
        name + " cannot be named here: it is for " +
            (of_option == Namer::kOwner ? "the server's command line and configuration" : "the operator of the server"),
        name);
  }
  if (const json::Value* required = json::Find(Of(kind).schema, "required")) {
    for (const json::Value& name : required->get_array()) {
      const json::Value* given = json::Find(spec.options, json::View(name.get_string()));
      if (given != nullptr) continue;
      const std::string missing(json::View(name.get_string()));
      return Fail(ErrorCode::kInvalid,
                  "the agent " + Quote(kind.kind) + " needs the " + missing + ": " +
                      std::string(json::TextOf(properties.at(missing), "description")),
                  missing);
    }
  }
  const std::vector<schema::Violation> wrong = Of(kind).options->Validate(spec.options, 1);
  if (wrong.empty()) return {};
  return Fail(ErrorCode::kInvalid, "the agent " + Quote(kind.kind) + ": " + schema::Explain(wrong),
              wrong.front().instance_path);
}

Result<void> AgentKinds::CheckGame(const AgentSpec& spec, std::string_view game) const {
  const AgentKind* kind = Find(spec.kind);
  if (kind == nullptr || kind->game.empty() || kind->game == game) return {};
  return Fail(ErrorCode::kInvalid, "the agent " + Quote(kind->kind) + " plays only " + kind->game, "kind");
}

Result<std::unique_ptr<Agent>> AgentKinds::Make(const AgentSpec& spec) const {
  if (Result<void> fits = Check(spec, Namer::kServer); !fits) return Fail(std::move(fits).error());
  return Find(spec.kind)->make(spec.options);
}

}  // namespace openseat
