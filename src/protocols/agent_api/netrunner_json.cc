#include "protocols/agent_api/netrunner_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "base/uuid.h"
#include "protocols/agent_api/cards.h"
#include "protocols/agent_api/legal_data.h"

namespace openseat::agent_api::netrunner {
namespace {

constexpr std::size_t kLinesOfLog = 20;

const json::Object& Seen(const SeatView& look) {
  return look.sight->observation().get_object();
}

// The member, or null.
json::Value Member(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  return value == nullptr ? json::Value(nullptr) : *value;
}

json::Value ArrayMember(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  return value != nullptr && value->is_array() ? *value : json::Value(json::Array());
}

const json::Object& Player(const SeatView& look, bool own) {
  const bool corp = (look.seat() == 0) == own;
  return Seen(look).at(corp ? "corp" : "runner").get_object();
}

json::Object Picked(const json::Object& from, std::initializer_list<std::string_view> names) {
  json::Object out;
  for (const std::string_view name : names) {
    if (const json::Value* value = json::Find(from, name)) out[name] = *value;
  }
  return out;
}

json::Value RunOf(const SeatView& look, std::initializer_list<std::string_view> names) {
  const json::Value* run = json::Find(Seen(look), "run");
  // A match that was given up may have ended in the middle of one.
  if (IsOver(look) || run == nullptr || !run->is_object()) return nullptr;
  return Picked(run->get_object(), names);
}

bool Has(const SeatView& look, std::string_view action) {
  return look.actions().Find(action) != nullptr;
}

std::string_view OwnPromptType(const SeatView& look) {
  const json::Value* prompt = json::Find(Seen(look), "prompt");
  return prompt != nullptr && prompt->is_object() ? json::TextOf(prompt->get_object(), "prompt-type")
                                                  : std::string_view();
}

// --- Cards ---

json::Object Reduced(const json::Object& card) {
  return Picked(card, {"cid",         "code",
                       "title",       "type",
                       "side",        "zone",
                       "rezzed",      "facedown",
                       "installed",   "new",
                       "host",        "hosted",
                       "counter",     "advance-counter",
                       "strength",    "current-strength",
                       "subroutines", "subtypes",
                       "abilities",   "runner-abilities"});
}

json::Array Reduced(const json::Value& cards) {
  json::Array out;
  if (!cards.is_array()) return out;
  for (const json::Value& card : cards.get_array()) {
    if (card.is_object()) out.push_back(Reduced(card.get_object()));
  }
  return out;
}

json::Array Codes(const json::Value& cards) {
  std::vector<std::string> codes;
  for (const json::Value& card : cards.get_array()) {
    if (!card.is_object()) continue;
    if (const std::string_view code = json::TextOf(card.get_object(), "code"); !code.empty()) codes.emplace_back(code);
  }
  std::ranges::sort(codes);
  json::Array out;
  for (const std::string& code : codes) out.emplace_back(code);
  return out;
}

// How many cards of each code of one side are in `value`, at any depth; identities do not belong to the deck.
// NOLINTNEXTLINE(misc-no-recursion): as deep as an observation of ours
void Count(const json::Value& value, std::string_view side, std::map<std::string, int>& counts) {
  if (value.is_array()) {
    for (const json::Value& each : value.get_array()) Count(each, side, counts);
    return;
  }
  if (!value.is_object()) return;
  const json::Object& object = value.get_object();
  const std::string_view code = json::TextOf(object, "code");
  if (!code.empty() && json::TextOf(object, "side") == side) {
    const json::Value* zone = json::Find(object, "zone");
    const bool in_deck = zone != nullptr && zone->is_array() && !zone->get_array().empty() &&
                         zone->get_array()[0] == json::Value("deck");
    if (!in_deck && json::TextOf(object, "type") != "Identity") ++counts[std::string(code)];
  }
  for (const auto& [name, member] : object) {
    if (json::View(name) != "decklist" && (member.is_object() || member.is_array())) Count(member, side, counts);
  }
}

// --- Prompts ---

// `where`: the decision, for no two choices to be alike.
json::Object ChoiceOf(const std::string& where, const json::Object& choice, std::string_view message) {
  const json::Value idx = Member(choice, "idx");
  const std::string seed =
      where + json::Write(idx) + "/" + std::string(message) + "/" + std::string(json::TextOf(choice, "value"));
  json::Object out{{"uuid", UuidOf(seed)}, {"idx", idx}, {"value", Member(choice, "value")}};
  for (const std::string_view name : {"label", "danger"}) {
    if (const json::Value* value = json::Find(choice, name)) out[name] = *value;
  }
  if (const json::Value* card = json::Find(choice, "card"); card != nullptr && card->is_object()) {
    out["card"] = Reduced(card->get_object());
  }
  return out;
}

json::Object WaitingPrompt(const std::string& message) {
  return {{"message", message},          {"prompt-type", "waiting"}, {"choices", json::Array()}, {"card", nullptr},
          {"selectable", json::Array()}, {"eid", nullptr},           {"can-act", false}};
}

std::string WaitingMessage(const SeatView& look) {
  const json::Value* prompt = json::Find(Seen(look), "prompt");
  if (prompt != nullptr && prompt->is_object() && OwnPromptType(look) == "waiting") {
    return std::string(json::TextOf(prompt->get_object(), "message"));
  }
  return "Waiting for opponent action";
}

// --- What may be done ---

json::Value Args(const json::Value& data) {
  if (!data.is_object()) return json::Object();
  json::Object out = data.get_object();
  if (const json::Value* card = json::Find(out, "card"); card != nullptr && card->is_string()) {
    const json::Value cid = *card;
    out["card"] = json::Object{{"cid", cid}};
  }
  return out;
}

std::string LabelOf(const Cards& cards, const Action& action, const json::Value& data) {
  static const std::map<std::string_view, std::string_view> kLabels = {{"start-turn", "Start Turn"},
                                                                       {"end-turn", "End Turn"},
                                                                       {"end-phase-12", "End start-of-turn phase"},
                                                                       {"end-post-discard", "End the discard phase"},
                                                                       {"credit", "Gain 1 credit"},
                                                                       {"draw", "Draw 1 card"},
                                                                       {"purge", "Purge virus counters"},
                                                                       {"remove-tag", "Remove 1 tag"},
                                                                       {"trash-resource", "Trash 1 resource"},
                                                                       {"continue", "Continue"},
                                                                       {"jack-out", "Jack Out"},
                                                                       {"play", "Play"},
                                                                       {"advance", "Advance"},
                                                                       {"score", "Score"},
                                                                       {"rez", "Rez"},
                                                                       {"ability", "Use"},
                                                                       {"auto-break", "Break all subroutines with"},
                                                                       {"runner-ability", "Break a subroutine of"},
                                                                       {"run", "Run"}};
  const auto known = kLabels.find(action.name);
  std::string label(known == kLabels.end() ? std::string_view(action.name) : known->second);
  if (!data.is_object()) return label;
  const json::Object& object = data.get_object();
  const std::string_view cid = json::TextOf(object, "card");
  if (!cid.empty()) label += " " + cards.Title(cid);
  if (const std::string_view server = json::TextOf(object, "server"); !server.empty()) {
    label += (cid.empty() ? " " : ": ") + std::string(server);
  }
  if (const json::Value* index = json::Find(object, "ability"); index != nullptr && index->is_int64()) {
    const json::Object* card = cards.Find(cid);
    const json::Value* list = card == nullptr ? nullptr : json::Find(*card, "abilities");
    const auto at = static_cast<std::size_t>(index->get_int64());
    if (action.name == "ability" && list != nullptr && list->is_array() && at < list->get_array().size()) {
      const json::Value& ability = list->get_array()[at];
      if (ability.is_object()) label += ": " + std::string(json::TextOf(ability.get_object(), "label"));
    }
  }
  if (object.contains("until")) label += " until the turn ends";
  return label;
}

// The rules' words for each choice that is offered.
std::map<std::string, std::string> LabelsOf(const SeatView& look) {
  std::map<std::string, std::string> labels;
  for (const LegalChoice& choice : look.decision->sight->choices()) {
    labels.emplace(choice.choice.action + json::Write(Args(choice.choice.data)), choice.label);
  }
  return labels;
}

// Whether the observation says that passing can hurt.
bool IsDangerous(const SeatView& look, std::string_view action) {
  const json::Value* pass = json::Find(Seen(look), "pass");
  return action == "continue" && pass != nullptr && pass->is_object() && pass->get_object().contains("danger");
}

// Everything that is offered, ready to be posted to /game/action.
json::Array Commands(const SeatView& look, const Cards& cards) {
  const std::map<std::string, std::string> labels = LabelsOf(look);
  json::Array out;
  for (const ActionPtr& action : look.actions().all()) {
    std::set<std::string> listed;  // a schema may allow the same in two ways
    for (const json::Value& data : LegalData(*action)) {
      json::Value args = Args(data);
      if (!listed.insert(json::Write(args)).second) continue;
      const auto words = labels.find(action->name + json::Write(args));
      json::Object command{{"command", action->name},
                           {"label", words == labels.end() ? LabelOf(cards, *action, data) : words->second},
                           {"args", std::move(args)}};
      if (IsDangerous(look, action->name)) command["danger"] = true;
      out.emplace_back(std::move(command));
    }
  }
  return out;
}

json::Array CardsOf(const SeatView& look, const Cards& cards, std::string_view action) {
  json::Array out;
  const ActionPtr found = look.actions().Find(action);
  if (!found) return out;
  for (const json::Value& data : LegalData(*found)) {
    if (const json::Object* card = cards.Find(json::TextOf(data.get_object(), "card"))) {
      out.push_back(Picked(*card, {"cid", "code", "title", "type", "cost", "zone", "advance-counter"}));
    }
  }
  return out;
}

void AddPlays(const SeatView& look, const Cards& cards, json::Object& out) {
  json::Array playable;
  json::Array installable;
  if (const ActionPtr play = look.actions().Find("play")) {
    std::map<std::string, std::size_t> at;  // in installable
    for (const json::Value& data : LegalData(*play)) {
      const std::string cid(json::TextOf(data.get_object(), "card"));
      const json::Object* card = cards.Find(cid);
      if (card == nullptr) continue;
      const std::string_view type = json::TextOf(*card, "type");
      json::Object entry = Picked(*card, {"cid", "code", "title", "type", "cost"});
      if (type == "Operation" || type == "Event") {
        playable.push_back(std::move(entry));
        continue;
      }
      const auto [found, fresh] = at.try_emplace(cid, installable.size());
      if (fresh) {
        if (look.seat() == 0) entry["servers"] = json::Array();
        installable.push_back(std::move(entry));
      }
      if (const std::string_view server = json::TextOf(data.get_object(), "server"); !server.empty()) {
        installable[found->second].get_object()["servers"].get_array().emplace_back(server);
      }
    }
  }
  out["playable-cards"] = std::move(playable);
  out["installable-cards"] = std::move(installable);
}

json::Array Abilities(const SeatView& look, const Cards& cards) {
  json::Array out;
  const ActionPtr action = look.actions().Find("ability");
  if (!action) return out;
  for (const json::Value& data : LegalData(*action)) {
    const json::Object* card = cards.Find(json::TextOf(data.get_object(), "card"));
    const json::Value* index = json::Find(data, "ability");
    if (card == nullptr || index == nullptr || !index->is_int64()) continue;
    json::Object entry{{"card", Picked(*card, {"cid", "code", "title"})}, {"ability", *index}};
    const json::Value* list = json::Find(*card, "abilities");
    const auto at = static_cast<std::size_t>(index->get_int64());
    if (list != nullptr && list->is_array() && at < list->get_array().size() && list->get_array()[at].is_object()) {
      const json::Object& ability = list->get_array()[at].get_object();
      entry["label"] = Member(ability, "label");
      entry["cost-label"] = Member(ability, "cost-label");
    }
    out.push_back(std::move(entry));
  }
  return out;
}

json::Array BasicActions(const SeatView& look) {
  struct Basic {
    std::string_view action;
    std::string_view label;
    int clicks;
    int credits;
  };
  static constexpr std::array kBasic = {Basic{"credit", "Gain 1 credit", 1, 0},
                                        Basic{"draw", "Draw 1 card", 1, 0},
                                        Basic{"purge", "Purge virus counters", 3, 0},
                                        Basic{"trash-resource", "Trash 1 resource of the tagged Runner", 1, 2},
                                        Basic{"advance", "Advance a card", 1, 1},
                                        Basic{"run", "Run a server", 1, 0},
                                        Basic{"remove-tag", "Remove 1 tag", 1, 2}};
  json::Array out;
  for (const Basic& basic : kBasic) {
    if (!Has(look, basic.action)) continue;
    out.push_back(json::Object{{"action", basic.action},
                               {"label", basic.label},
                               {"cost", json::Object{{"clicks", basic.clicks}, {"credits", basic.credits}}}});
  }
  return out;
}

json::Object MainActions(const SeatView& look, const Cards& cards) {
  const json::Object& player = Player(look, true);
  const json::Value clicks = Member(player, "click");
  const json::Value credits = Member(player, "credit");
  json::Object out{
      {"action-type", "main"},
      {"clicks", clicks},
      {"credits", credits},
      {"basic-actions",
       json::Object{
           {"clicks", clicks}, {"credits", credits}, {"can-act", true}, {"basic-actions", BasicActions(look)}}}};
  AddPlays(look, cards, out);
  out["advanceable-cards"] = CardsOf(look, cards, "advance");
  out["scorable-cards"] = CardsOf(look, cards, "score");
  out["rezzable-cards"] = CardsOf(look, cards, "rez");
  out["usable-abilities"] = Abilities(look, cards);
  json::Array servers;
  if (const ActionPtr run = look.actions().Find("run")) {
    for (const json::Value& data : LegalData(*run)) servers.emplace_back(json::TextOf(data.get_object(), "server"));
  }
  out["runnable-servers"] = std::move(servers);
  out["available-commands"] = Commands(look, cards);
  out["eid"] = look.decision->id.value();
  out["can-act"] = true;
  return out;
}

// The last `count` lines.
template <typename Lines>
json::Array Messages(const Lines& lines, std::size_t count) {
  json::Array out;
  for (std::size_t i = lines.size() - std::min(lines.size(), count); i < lines.size(); ++i) {
    out.push_back(json::Object{{"user", "__system__"}, {"text", lines[i]}});
  }
  return out;
}

}  // namespace

bool HasPrompt(const SeatView& look) {
  const std::string_view type = OwnPromptType(look);
  return look.decision && !IsOver(look) && !type.empty() && type != "waiting";
}

json::Value PromptValue(const SeatView& look) {
  if (IsOver(look)) return nullptr;
  if (!look.decision) return WaitingPrompt(WaitingMessage(look));
  if (!HasPrompt(look)) return nullptr;
  const json::Object& prompt = Seen(look).at("prompt").get_object();
  const std::string_view message = json::TextOf(prompt, "message");
  const std::string where =
      GameIdOf(look.table) + "/" + std::to_string(look.seat()) + "/" + std::to_string(look.decision->id.value()) + "/";
  json::Array choices;
  const json::Value listed = ArrayMember(prompt, "choices");
  for (const json::Value& choice : listed.get_array()) {
    choices.push_back(ChoiceOf(where, choice.get_object(), message));
  }
  json::Object out{{"message", message},
                   {"prompt-type", OwnPromptType(look)},
                   {"choices", std::move(choices)},
                   {"card", Member(prompt, "card")},
                   {"selectable", ArrayMember(prompt, "selectable")},
                   {"eid", look.decision->id.value()}};
  if (OwnPromptType(look) == "select") {
    for (const std::string_view name : {"selected", "min", "max"}) out[name] = Member(prompt, name);
  }
  out["can-act"] = true;
  return out;
}

std::optional<json::Value> OptionText(const SeatView& look, const json::Value& idx) {
  if (!HasPrompt(look)) return std::nullopt;
  const json::Value listed = ArrayMember(Seen(look).at("prompt").get_object(), "choices");
  for (const json::Value& choice : listed.get_array()) {
    if (!json::Equal(choice.at("idx"), idx)) continue;
    const json::Value* option = json::Find(choice, "option");
    return option != nullptr ? *option : choice.at("value");
  }
  return std::nullopt;
}

json::Object AvailableActions(const SeatView& look) {
  if (IsOver(look)) return {{"action-type", "game-over"}, {"can-act", false}};
  if (!look.decision) {
    return {{"action-type", "waiting"}, {"message", WaitingMessage(look)}, {"can-act", false}};
  }
  const json::Value eid = look.decision->id.value();
  if (HasPrompt(look)) {
    return {{"action-type", "prompt"}, {"prompt", PromptValue(look)}, {"eid", eid}, {"can-act", true}};
  }
  const Cards cards(look.sight->observation());
  const auto moment = [&](std::string_view type, std::string_view message) {
    json::Object out{{"action-type", type}};
    if (!message.empty()) out["message"] = message;
    out["available-commands"] = Commands(look, cards);
    out["eid"] = eid;
    out["can-act"] = true;
    return out;
  };
  if (Has(look, "end-phase-12")) return moment("phase-12", "Your turn is about to begin");
  if (Has(look, "end-post-discard")) return moment("phase-12", "Your turn is about to end");
  if (Has(look, "continue") || Has(look, "jack-out")) {
    json::Value run = RunOf(look, {"server", "position", "phase"});
    if (run.is_null()) return moment("window", "The Runner is about to act: rez, use abilities, or continue");
    json::Object out = moment(look.seat() == 0 ? "run-corp" : "run-runner", "");
    out["run-info"] = std::move(run);
    return out;
  }
  if (Has(look, "start-turn")) return moment("start-turn", "Start your turn");
  if (Has(look, "end-turn")) return moment("end-turn", "You have no clicks left: end your turn");
  return MainActions(look, cards);
}

json::Object State(const SeatView& look) {
  const json::Object& seen = Seen(look);
  json::Object own = Player(look, true);
  own["prompt-state"] = PromptValue(look);
  json::Object opponent = Player(look, false);
  opponent.erase("hand");
  opponent.erase("deck");
  json::Object out{{"gameid", GameIdOf(look.table)},
                   {"turn", Member(seen, "turn")},
                   {"active-player", Member(seen, "active-player")},
                   {"phase", IsOver(look) ? json::Value("game-over") : Member(seen, "phase")},
                   {"agent-side", Side(look)},
                   {"agent-state", std::move(own)},
                   {"opponent-state", std::move(opponent)},
                   {"run", RunOf(look, {"server", "position", "phase", "no-action"})},
                   {"available-actions", AvailableActions(look)},
                   {"log", Messages(ArrayMember(seen, "log").get_array(), kLinesOfLog)},
                   {"version", look.version}};
  if (IsOver(look)) {
    out["winner"] = WinningSide(look);
    const json::Value* reason = json::Find(seen, "reason");
    out["reason"] = reason != nullptr ? *reason : json::Value(ReasonOf(look));
  }
  return out;
}

json::Object Prompt(const SeatView& look) {
  return {{"prompt", PromptValue(look)}, {"side", Side(look)}};
}

json::Object Actions(const SeatView& look) {
  return {{"actions", AvailableActions(look)}, {"side", Side(look)}};
}

json::Object Board(const SeatView& look) {
  json::Object servers;
  const json::Object& corp = Seen(look).at("corp").get_object();
  if (const json::Value* all = json::Find(corp, "servers"); all != nullptr && all->is_object()) {
    for (const auto& [key, server] : all->get_object()) {
      servers[key] = json::Object{{"content", Reduced(ArrayMember(server.get_object(), "content"))},
                                  {"ices", Reduced(ArrayMember(server.get_object(), "ices"))}};
    }
  }
  json::Object rig;
  const json::Object& runner = Seen(look).at("runner").get_object();
  const json::Value* rows = json::Find(runner, "rig");
  for (const std::string_view row : {"hardware", "program", "resource", "facedown"}) {
    rig[row] = rows == nullptr ? json::Array() : Reduced(ArrayMember(rows->get_object(), row));
  }
  return {{"servers", std::move(servers)}, {"rig", std::move(rig)}, {"side", Side(look)}};
}

json::Object Scored(const SeatView& look) {
  json::Object out;
  for (const std::string_view side : {"corp", "runner"}) {
    const json::Object& player = Seen(look).at(side).get_object();
    out[side] =
        json::Object{{"scored", ArrayMember(player, "scored")}, {"agenda-points", Member(player, "agenda-point")}};
  }
  return out;
}

json::Object Run(const SeatView& look) {
  return {{"run", RunOf(look, {"server", "position", "phase", "no-action", "next-phase"})},
          {"encounters", IsOver(look) ? json::Value(nullptr) : Member(Seen(look), "encounters")}};
}

json::Object Hand(const SeatView& look) {
  return {{"cards", Codes(ArrayMember(Player(look, true), "hand"))}};
}

json::Object Discard(const SeatView& look) {
  return {{"cards", Codes(ArrayMember(Player(look, true), "discard"))}};
}

json::Object Deck(const SeatView& look) {
  std::map<std::string, int> elsewhere;
  const std::string_view side = look.seat() == 0 ? "Corp" : "Runner";
  Count(Seen(look).at("corp"), side, elsewhere);
  Count(Seen(look).at("runner"), side, elsewhere);
  json::Array cards;
  const json::Value list = ArrayMember(Player(look, true), "decklist");
  for (const json::Value& each : list.get_array()) {
    const std::string code(json::TextOf(each.get_object(), "code"));
    const json::Value* quantity = json::Find(each, "qty");
    const std::int64_t all = quantity != nullptr && quantity->is_int64() ? quantity->get_int64() : 0;
    for (std::int64_t left = all - elsewhere[code]; left > 0; --left) cards.emplace_back(code);
  }
  return {{"cards", std::move(cards)}};
}

json::Object Decklist(const SeatView& look) {
  const json::Object& player = Player(look, true);
  const json::Value identity = Member(player, "identity");
  json::Array cards;
  const json::Value list = ArrayMember(player, "decklist");
  for (const json::Value& each : list.get_array()) {
    const json::Object& card = each.get_object();
    cards.push_back(json::Object{{"qty", Member(card, "qty")},
                                 {"title", Member(card, "title")},
                                 {"details", Picked(card, {"code", "title", "type"})}});
  }
  const std::string_view name = json::TextOf(player, "deck-name");
  json::Object out{{"name", name.empty() ? SideTitle(look) : std::string(name)}, {"cards", std::move(cards)}};
  if (identity.is_object()) {
    out["identity"] =
        json::Object{{"title", Member(identity.get_object(), "title")},
                     {"details", Picked(identity.get_object(), {"code", "title", "type", "side", "text"})}};
  }
  return out;
}

json::Object Log(const SeatView& look) {
  const std::vector<std::string> lines = look.sight->Log();
  return {{"messages", Messages(lines, lines.size())}};
}

}  // namespace openseat::agent_api::netrunner
