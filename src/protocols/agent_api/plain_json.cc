#include "protocols/agent_api/plain_json.h"

#include <limits>
#include <string>
#include <utility>

#include "agents/external/seat_token.h"
#include "schema/measure.h"

namespace openseat::agent_api::plain {
namespace {

constexpr std::size_t kLinesOfLog = 20;

json::Array Messages(const SeatView& look, std::size_t count) {
  json::Array out;
  for (std::size_t i = look.told.size() > count ? look.told.size() - count : 0; i < look.told.size(); ++i) {
    out.push_back(json::Object{{"user", "__system__"}, {"text", look.told[i].context.message}});
  }
  return out;
}

json::Array ActionList(const SeatView& look) {
  json::Array out;
  for (const ActionPtr& action : look.actions().all()) {
    out.push_back(json::Object{{"command", action->name},
                               {"label", action->description},
                               {"schema", action->schema ? *action->schema : json::Value(nullptr)}});
  }
  return out;
}

// Whether the actions take no more than so many bytes, about. What is beyond them is not looked at.
bool AreShort(const ActionSet& actions, std::size_t most) {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  std::size_t bytes = 0;
  for (const ActionPtr& action : actions.all()) {
    bytes += action->name.size() + action->description.size();
    if (bytes > most) return false;
    if (action->schema) bytes += schema::MeasureValue(*action->schema, {most - bytes, kNoLimit, kNoLimit}).bytes;
    if (bytes > most) return false;
  }
  return true;
}

}  // namespace

json::Value PromptValue(const SeatView& look) {
  if (IsOver(look) || !look.decision) return nullptr;
  json::Object out{{"message", look.decision->query},
                   {"prompt-type", "action"},
                   {"choices", json::Array()},
                   {"card", nullptr},
                   {"selectable", json::Array()},
                   {"eid", look.decision->id.value()},
                   {"can-act", true}};
  if (const std::string& state = look.decision->sight->text(); !state.empty()) out["state"] = state;
  if (!look.decision->refusal.empty()) out["refusal"] = look.decision->refusal;
  return out;
}

json::Object AvailableActions(const SeatView& look) {
  if (IsOver(look)) return {{"action-type", "game-over"}, {"can-act", false}};
  if (look.decision) {
    return {{"action-type", "decision"},
            {"message", look.decision->query},
            {"available-commands", ActionList(look)},
            {"eid", look.decision->id.value()},
            {"can-act", true}};
  }
  if (look.actions().empty()) {
    return {{"action-type", "waiting"}, {"message", "Waiting for opponent action"}, {"can-act", false}};
  }
  // Nothing is asked, but a game elsewhere accepts actions at any time.
  return {{"action-type", "voluntary"}, {"available-commands", ActionList(look)}, {"can-act", true}};
}

json::Object AvailableActionsInShort(const SeatView& look) {
  constexpr std::size_t kShort = 64u << 10;
  if (AreShort(look.actions(), kShort)) return AvailableActions(look);
  return {{"action-type", "too-long"},
          {"message", "The actions are too long to be repeated here: /game/actions has them"},
          {"can-act", false}};
}

json::Object State(const SeatView& look) {
  const json::Value& seen = look.sight->observation();
  json::Object out{{"gameid", GameIdOf(look.table)},
                   {"game", GameOf(look)},
                   {"turn", look.decision ? look.decision->id.value() : 0},
                   {"active-player", look.decision ? json::Value(Side(look)) : json::Value(nullptr)},
                   {"phase", IsOver(look)    ? "game-over"
                             : look.decision ? "main"
                                             : "waiting"},
                   {"agent-side", Side(look)},
                   {"agent-state", seen.is_null() ? json::Value(json::Object()) : seen},
                   {"opponent-state", json::Object()},
                   {"run", nullptr},
                   {"available-actions", AvailableActions(look)},
                   {"log", Messages(look, kLinesOfLog)},
                   {"version", look.version}};
  if (IsOver(look)) {
    out["winner"] = WinningSide(look);
    out["reason"] = ReasonOf(look);
  }
  return out;
}

json::Object Prompt(const SeatView& look) {
  return {{"prompt", PromptValue(look)}, {"side", Side(look)}};
}

json::Object Actions(const SeatView& look) {
  return {{"actions", AvailableActions(look)}, {"side", Side(look)}};
}

json::Object Log(const SeatView& look) {
  return {{"messages", Messages(look, look.told.size())}};
}

}  // namespace openseat::agent_api::plain
