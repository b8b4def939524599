#include "protocols/agent_api/plain_json.h"

#include <string>
#include <utility>

namespace openseat::agent_api::plain {
namespace {

constexpr std::size_t kLinesOfLog = 20;

json::Array Messages(const SeatLook& look, std::size_t count) {
  json::Array out;
  for (std::size_t i = look.told.size() > count ? look.told.size() - count : 0; i < look.told.size(); ++i) {
    out.push_back(json::Object{{"user", "__system__"}, {"text", look.told[i].text}});
  }
  return out;
}

json::Array ActionList(const SeatLook& look) {
  json::Array out;
  for (const ActionPtr& action : look.actions.all()) {
    out.push_back(json::Object{{"command", action->name},
                               {"label", action->description},
                               {"schema", action->schema ? *action->schema : json::Value(nullptr)}});
  }
  return out;
}

}  // namespace

json::Value PromptValue(const SeatLook& look) {
  if (look.over || !look.asked) return nullptr;
  json::Object out{
      {"message", look.asked->query}, {"prompt-type", "action"},       {"choices", json::Array()}, {"card", nullptr},
      {"selectable", json::Array()},  {"eid", look.asked->id.value()}, {"can-act", true}};
  if (!look.asked->state.empty()) out["state"] = look.asked->state;
  if (!look.asked->refusal.empty()) out["refusal"] = look.asked->refusal;
  return out;
}

json::Object AvailableActions(const SeatLook& look) {
  if (look.over) return {{"action-type", "game-over"}, {"can-act", false}};
  if (look.asked) {
    return {{"action-type", "decision"},
            {"message", look.asked->query},
            {"available-commands", ActionList(look)},
            {"eid", look.asked->id.value()},
            {"can-act", true}};
  }
  if (look.actions.empty()) {
    return {{"action-type", "waiting"}, {"message", "Waiting for opponent action"}, {"can-act", false}};
  }
  // Nobody asks, but a game elsewhere takes actions at any time.
  return {{"action-type", "voluntary"}, {"available-commands", ActionList(look)}, {"can-act", true}};
}

json::Object State(const SeatLook& look) {
  json::Object out{{"gameid", look.gameid},
                   {"game", look.game},
                   {"turn", look.asked ? look.asked->id.value() : 0},
                   {"active-player", look.asked ? json::Value(look.Side()) : json::Value(nullptr)},
                   {"phase", look.over    ? "game-over"
                             : look.asked ? "main"
                                          : "waiting"},
                   {"agent-side", look.Side()},
                   {"agent-state", look.observation ? *look.observation : json::Value(json::Object())},
                   {"opponent-state", json::Object()},
                   {"run", nullptr},
                   {"available-actions", AvailableActions(look)},
                   {"log", Messages(look, kLinesOfLog)},
                   {"version", look.version}};
  if (look.over) {
    out["winner"] = look.winner ? json::Value(SideOf(look, *look.winner)) : json::Value(nullptr);
    out["reason"] = look.reason;
  }
  return out;
}

json::Object Prompt(const SeatLook& look) {
  return {{"prompt", PromptValue(look)}, {"side", look.Side()}};
}

json::Object Actions(const SeatLook& look) {
  return {{"actions", AvailableActions(look)}, {"side", look.Side()}};
}

json::Object Log(const SeatLook& look) {
  return {{"messages", Messages(look, look.told.size())}};
}

}  // namespace openseat::agent_api::plain
