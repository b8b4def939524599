#include "core/game_info.h"

#include <utility>

namespace openseat {

json::Object ToJson(const GameInfo& info) {
  json::Object game{{"id", info.id},
                    {"title", info.title},
                    {"description", info.description},
                    {"rules", info.rules},
                    {"min_seats", info.min_seats},
                    {"max_seats", info.max_seats},
                    {"rules_version", info.rules_version},
                    {"hides", info.hides}};
  json::Array roles;
  for (const std::string& role : info.roles) roles.push_back(json::Value(role));
  game["roles"] = std::move(roles);
  game["options_schema"] = info.options_schema;
  json::Array actions;
  for (const ActionSpec& action : info.actions) {
    json::Object each{{"name", action.name}, {"description", action.description}};
    if (!action.schema.is_null()) each["schema"] = action.schema;
    actions.push_back(std::move(each));
  }
  game["actions"] = std::move(actions);
  return game;
}

std::string RulesAndGuide(const GameInfo& info) {
  return info.guide.empty() ? info.rules : info.rules + "\n\nHow to play it well:\n\n" + info.guide;
}

}  // namespace openseat
