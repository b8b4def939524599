#include "protocols/agent_api/plain_json.h"

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

// Its length as JSON; that of a long one, about.
std::size_t Written(std::string_view text) {
  return text.size() > kShort ? text.size() : schema::WrittenBytes(text);
}

std::size_t MessagesWritten(const SeatView& look, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = look.told.size() > count ? look.told.size() - count : 0; i < look.told.size(); ++i) {
    bytes += Written(look.told[i].context.message);
  }
  return bytes;
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

std::size_t AvailableBytes(const SeatView& look, std::size_t most) {
  if (look.game != nullptr || IsOver(look)) return 0;
  const std::size_t asked = look.decision ? Written(look.decision->query) : 0;
  return asked > most ? asked : asked + WrittenBytes(look.actions(), most - asked);
}

json::Object AvailableActionsWithin(const SeatView& look, std::size_t most, bool asks) {
  if (AvailableBytes(look, most) <= most) return AvailableActions(look);
  json::Object out{{"action-type", "too-long"},
                   {"message", "The actions are too long to be repeated here: /game/actions has them"}};
  if (asks && look.decision) out["eid"] = look.decision->id.value();
  out["can-act"] = asks;
  return out;
}

bool IsLong(std::string_view what, const SeatView& look) {
  if (look.game != nullptr) return false;
  if (what == "actions") return AvailableBytes(look, kShort) > kShort;
  if (what == "state") return MessagesWritten(look, kLinesOfLog) > kShort;
  if (what == "log") return MessagesWritten(look, look.told.size()) > kShort;
  if (what != "prompt" || !look.decision) return false;
  const Decision& asked = *look.decision;
  return Written(asked.query) + Written(asked.sight->text()) + Written(asked.refusal) > kShort;
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
                   {"available-actions", AvailableActionsWithin(look, kShort, true)},
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
