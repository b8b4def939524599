#include "games/narrative/scenario.h"

#include "base/check.h"
#include "games/narrative/data.h"

namespace openseat::games::narrative {
namespace {

std::string Text(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  OPENSEAT_CHECK(value != nullptr && value->is_string(), "a scenario has all its texts");
  return std::string(json::View(value->get_string()));
}

std::vector<Party> Parties(const json::Object& object, std::string_view name, std::string_view standing) {
  std::vector<Party> parties;
  const json::Value* list = json::Find(object, name);
  OPENSEAT_CHECK(list != nullptr && list->is_array(), "a scenario has characters and factions");
  for (const json::Value& each : list->get_array()) {
    const json::Object& party = each.as_object();
    parties.push_back({Text(party, "id"), Text(party, "name"), Text(party, "about"),
                       json::Find(party, standing)->to_number<double>()});
  }
  return parties;
}

Scenario Read(std::string_view text) {
  const Result<json::Value> parsed = json::Parse(text);
  OPENSEAT_CHECK(parsed.has_value() && parsed->is_object(), "the built-in scenarios are JSON objects");
  const json::Object& object = parsed->get_object();
  return {.id = Text(object, "id"),
          .title = Text(object, "title"),
          .summary = Text(object, "summary"),
          .premise = Text(object, "premise"),
          .style = Text(object, "style"),
          .secrets = Text(object, "secrets"),
          .turns = json::Find(object, "turns")->to_number<int>(),
          .characters = Parties(object, "characters", "relationship"),
          .factions = Parties(object, "factions", "standing"),
          .world = json::Find(object, "world")->as_object()};
}

}  // namespace

std::span<const Scenario> Scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> scenarios;
    for (const std::string_view text : kScenarioJson) scenarios.push_back(Read(text));
    return scenarios;
  }();
  return all;
}

const Scenario* FindScenario(std::string_view id) {
  for (const Scenario& scenario : Scenarios()) {
    if (scenario.id == id) return &scenario;
  }
  return nullptr;
}

}  // namespace openseat::games::narrative
