#include "protocols/openenv/observation.h"

#include <utility>

#include "core/game_info.h"
#include "protocols/openenv/choices.h"

namespace openseat::openenv {
namespace {

// Writes one object, member by member.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  std::string& Begin(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    json::WriteString(name, out_);
    out_ += ':';
    return out_;
  }
  void Text(std::string_view name, std::string_view text) { json::WriteString(text, Begin(name)); }
  void Flag(std::string_view name, bool flag) { Begin(name) += flag ? "true" : "false"; }
  void Whole(std::string_view name, std::size_t number) { Begin(name) += std::to_string(number); }
  void Number(std::string_view name, double number) { json::WriteNumber(number, Begin(name)); }
  void Texts(std::string_view name, const std::vector<std::string>& texts) {
    Begin(name) += '[';
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i > 0) out_ += ',';
      json::WriteString(texts[i], out_);
    }
    out_ += ']';
  }
  void End() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void AddChoices(const ObservationParts& parts, bool may_choose, Members& members) {
  std::string& out = members.Begin("choices");
  out += '[';
  if (parts.waiting) {
    out += R"({"id":"wait","label":"Wait for the others","action":"wait"})";
  } else if (may_choose) {
    const std::vector<LegalChoice>& choices = parts.sight->choices();
    for (std::size_t place = 0; place < choices.size(); ++place) {
      if (place > 0) out += ',';
      const LegalChoice& legal = choices[place];
      Members choice(out);
      choice.Whole("id", IdOf(*parts.game, legal, place));
      choice.Text("label", legal.label);
      choice.Text("action", legal.choice.action);
      if (!legal.choice.data.is_null()) json::Write(legal.choice.data, choice.Begin("data"));
      choice.End();
    }
  }
  out += ']';
}

void AddMask(const ObservationParts& parts, bool may_choose, Members& members) {
  const std::size_t size = CatalogOf(*parts.game);
  if (size == 0) return;
  std::string mask(2 * size + 1, ',');
  mask.front() = '[';
  mask.back() = ']';
  for (std::size_t id = 0; id < size; ++id) mask[1 + 2 * id] = '0';
  if (may_choose) {
    for (const LegalChoice& legal : parts.sight->choices()) {
      if (legal.move < size) mask[1 + 2 * std::size_t{legal.move}] = '1';
    }
  }
  members.Begin("mask") += mask;
}

void AddOutcome(const ObservationParts& parts, Members& members) {
  const Outcome& outcome = *parts.outcome;
  members.Text("outcome", outcome.winners.empty() ? "draw" : outcome.winners.Contains(parts.seat) ? "win" : "loss");
  members.Text("reason", outcome.reason);
  std::string& out = members.Begin("scores");
  out += '[';
  for (std::size_t seat = 0; seat < outcome.scores.size(); ++seat) {
    if (seat > 0) out += ',';
    json::WriteNumber(outcome.scores[seat], out);
  }
  out += ']';
}

void AddViews(const ObservationParts& parts, Members& members) {
  std::string& out = members.Begin("views");
  out += '[';
  for (std::size_t i = 0; i < parts.views.size(); ++i) {
    if (i > 0) out += ',';
    const SeatPart& part = parts.views[i];
    Members view(out);
    view.Whole("seat", part.seat);
    view.Text("role", part.role);
    view.Number("reward", part.reward);
    if (part.sight->game() != nullptr) {
      if (parts.fields.state) view.Begin("state") += part.sight->observation_text();
      if (parts.fields.text) view.Text("text", part.sight->text());
    }
    view.End();
  }
  out += ']';
}

json::Value Typed(json::Value type, const char* description) {
  return json::Object{{"type", std::move(type)}, {"description", description}};
}

json::Value ListOf(json::Value items, const char* description) {
  return json::Object{{"type", "array"}, {"items", std::move(items)}, {"description", description}};
}

json::Object ActionSchema(const GameInfo& game) {
  return {{"title", game.title + " action"},
          {"type", "object"},
          {"properties",
           json::Object{
               {"choice", Typed(json::Array{"integer", "string"},
                                "The id or label of one of the observation's choices, the name of an action, or a "
                                "model's whole answer.")},
               {"data", json::Object{{"description", "The action's data, if choice names an action."}}},
               {"seat", Typed(json::Array{"integer", "null"}, "Which seat acts, for a socket that plays several.")},
               {"metadata", json::Object{{"type", "object"}, {"default", json::Object()}}}}},
          {"required", json::Array{"choice"}},
          {"additionalProperties", false}};
}

json::Object ObservationSchema(const GameInfo& game) {
  const json::Value whole = json::Object{{"type", "integer"}};
  const json::Value text = json::Object{{"type", "string"}};
  const json::Value number = json::Object{{"type", "number"}};
  json::Object choice{{"type", "object"},
                      {"properties", json::Object{{"id", json::Object{{"type", json::Array{"integer", "string"}}}},
                                                  {"label", text},
                                                  {"action", text},
                                                  {"data", json::Object()}}},
                      {"required", json::Array{"id", "label", "action"}}};
  json::Object view{
      {"type", "object"},
      {"properties",
       json::Object{{"seat", whole}, {"role", text}, {"reward", number}, {"state", json::Object()}, {"text", text}}},
      {"required", json::Array{"seat", "role", "reward"}}};
  json::Object properties{{"seat", Typed("integer", "Whose position this is.")},
                          {"role", Typed("string", "That seat's name in the game.")},
                          {"waiting", Typed("boolean", "Whether others are to choose: the only choice is \"wait\".")},
                          {"state", json::Object{{"description", "What the seat sees."}}},
                          {"text", Typed("string", "The same for a language model.")},
                          {"log", ListOf(text, "New lines of the game's log.")},
                          {"choices", ListOf(std::move(choice), "What is legal now.")},
                          {"refused", Typed("string", "Why the last action did not count.")},
                          {"result", json::Object{{"description", "What the last action returned."}}},
                          {"outcome", json::Object{{"enum", json::Array{"win", "draw", "loss"}}}},
                          {"reason", Typed("string", "How the game ended.")},
                          {"scores", ListOf(number, "Of all seats, at the end.")},
                          {"views", ListOf(std::move(view), "Every seat that this socket plays, if it plays several.")},
                          {"done", json::Object{{"type", "boolean"}, {"default", false}}},
                          {"reward", json::Object{{"type", json::Array{"number", "null"}}, {"default", nullptr}}},
                          {"metadata", json::Object{{"type", "object"}, {"default", json::Object()}}}};
  if (const std::size_t size = CatalogOf(game); size > 0) {
    properties["mask"] = json::Object{{"type", "array"},
                                      {"items", json::Object{{"enum", json::Array{0, 1}}}},
                                      {"minItems", size},
                                      {"maxItems", size},
                                      {"description", "1 for each id that is legal now."}};
  }
  return {{"title", game.title + " observation"},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::Array{"seat", "role", "waiting"}},
          {"additionalProperties", false}};
}

json::Object StateSchema(const GameInfo& game) {
  return {{"title", game.title + " episode"},
          {"type", "object"},
          {"properties",
           json::Object{{"episode_id", json::Object{{"type", json::Array{"string", "null"}}}},
                        {"step_count", json::Object{{"type", "integer"}, {"minimum", 0}}},
                        {"game", json::Object{{"type", "string"}}},
                        {"seats", json::Object{{"type", "array"}, {"items", json::Object{{"type", "integer"}}}}},
                        {"roles", json::Object{{"type", "array"}, {"items", json::Object{{"type", "string"}}}}},
                        {"started", json::Object{{"type", "boolean"}}},
                        {"done", json::Object{{"type", "boolean"}}}}},
          {"additionalProperties", true}};
}

}  // namespace

std::string RenderObservation(const ObservationParts& parts) {
  std::string out;
  const bool done = parts.outcome != nullptr;
  const bool seen = parts.sight->game() != nullptr;
  const bool may_choose = seen && !done && !parts.waiting;
  const std::string metadata =
      parts.match.empty() ? std::string("{}") : json::Write(json::Object{{"match", parts.match}});
  Members data(out);
  data.Begin("observation");
  Members observation(out);
  observation.Whole("seat", parts.seat);
  observation.Text("role", parts.role);
  observation.Flag("waiting", parts.waiting);
  if (seen && parts.fields.state) observation.Begin("state") += parts.sight->observation_text();
  if (seen && parts.fields.text) observation.Text("text", parts.sight->text());
  if (!parts.log.empty()) observation.Texts("log", parts.log);
  if (parts.fields.choices) AddChoices(parts, may_choose, observation);
  if (parts.fields.mask) AddMask(parts, may_choose, observation);
  if (!parts.refused.empty()) observation.Text("refused", parts.refused);
  if (parts.result != nullptr && !parts.result->is_null()) json::Write(*parts.result, observation.Begin("result"));
  if (done) AddOutcome(parts, observation);
  if (!parts.views.empty()) AddViews(parts, observation);
  observation.Begin("metadata") += metadata;
  observation.End();
  if (parts.reward) {
    data.Number("reward", *parts.reward);
  } else {
    data.Begin("reward") += "null";
  }
  data.Flag("done", done);
  if (!parts.match.empty()) data.Begin("metadata") += metadata;
  data.End();
  return out;
}

json::Object SchemasOf(const GameInfo& game) {
  return {{"action", ActionSchema(game)}, {"observation", ObservationSchema(game)}, {"state", StateSchema(game)}};
}

json::Object MetadataOf(const GameInfo& game) {
  return {{"name", game.id},
          {"description", game.description},
          {"readme_content", RulesAndGuide(game)},
          {"version", std::to_string(game.rules_version)},
          {"author", nullptr},
          {"documentation_url", nullptr}};
}

json::Object OpenApiOf(const GameInfo& game) {
  json::Object paths;
  const auto add = [&paths](const char* path, const char* method, const char* summary) {
    paths[path] = json::Object{
        {method, json::Object{{"summary", summary},
                              {"responses", json::Object{{"200", json::Object{{"description", "As documented"}}}}}}}};
  };
  add("/health", "get", "Whether the environment can be used.");
  add("/metadata", "get", "What the environment is.");
  add("/schema", "get", "The schemas of action, observation and state.");
  add("/reset", "post", "The first observation of an environment of the request's own.");
  add("/step", "post", "One step in an environment of the request's own.");
  add("/state", "get", "The state of an environment of the request's own.");
  add("/mcp", "post", "JSON-RPC: this is not an MCP environment.");
  return {{"openapi", "3.1.0"},
          {"info", json::Object{{"title", game.title}, {"version", "1.0.0"}, {"description", game.description}}},
          {"paths", std::move(paths)}};
}

}  // namespace openseat::openenv
