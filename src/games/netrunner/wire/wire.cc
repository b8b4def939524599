#include "games/netrunner/wire/wire.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "core/game_base.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

struct ActionText {
  std::string_view name;
  std::string_view description;
};

constexpr std::array kActions = {
    ActionText{"keep", "Keep your opening hand."},
    ActionText{"mulligan", "Shuffle your opening hand into your deck and draw a new one, which you must keep."},
    ActionText{"start-turn", "Start your turn."},
    ActionText{"end-phase-12", "Continue with the beginning of your turn."},
    ActionText{"credit", "Spend a click to gain 1 credit."},
    ActionText{"draw", "Spend a click to draw a card."},
    ActionText{"play", "Spend a click to play or install a card from your hand; the Corp may name the server."},
    ActionText{"ability", "Use an ability of one of your cards, by its number on the card."},
    ActionText{"runner-ability", "Lose a click to break a subroutine of the ice you encounter."},
    ActionText{"advance", "Spend a click and 1 credit to place an advancement counter on a card."},
    ActionText{"score", "Score an agenda that has been advanced enough."},
    ActionText{"rez", "Pay to turn one of your installed cards faceup."},
    ActionText{"purge", "Spend 3 clicks to remove all virus counters."},
    ActionText{"trash-resource", "Spend a click and 2 credits to trash a resource of the tagged Runner."},
    ActionText{"remove-tag", "Spend a click and 2 credits to remove a tag."},
    ActionText{"auto-break",
               "Match the strength of the ice you encounter and break all its subroutines with one card."},
    ActionText{"run", "Spend a click to run a server."},
    ActionText{"continue", "Pass: the run or turn continues."},
    ActionText{"jack-out", "End the run."},
    ActionText{"choice", "Choose one of the options of the prompt."},
    ActionText{"select", "Choose a card for the prompt, one at a time."},
    ActionText{"trash", "Pay to trash the card you access."},
    ActionText{"subroutine", "Choose the subroutine to break, counted from 0."},
    ActionText{"end-post-discard", "Finish your turn."},
    ActionText{"end-turn", "End your turn."},
    ActionText{"undo", "Take back your last click, while nothing new was seen."},
    ActionText{"concede", "Give up: your opponent wins."}};

constexpr std::string_view kUntilTurnEnd = "turn-end";

// `undo` and `concede` are for those who ask for them, and the others are names of a prompt's options, which `choice`
// offers.
bool IsOffered(std::string_view action) {
  static constexpr std::array<std::string_view, 6> kOthers = {"undo",     "concede", "keep",
                                                              "mulligan", "trash",   "subroutine"};
  return std::ranges::find(kOthers, action) == kOthers.end();
}

std::string_view NameOf(CommandKind kind) {
  switch (kind) {
    case CommandKind::kContinue:
    case CommandKind::kContinueTurn:
      return "continue";
    case CommandKind::kJackOut:
      return "jack-out";
    case CommandKind::kStartTurn:
      return "start-turn";
    case CommandKind::kEndPhase12:
      return "end-phase-12";
    case CommandKind::kEndPostDiscard:
      return "end-post-discard";
    case CommandKind::kEndTurn:
      return "end-turn";
    case CommandKind::kCredit:
      return "credit";
    case CommandKind::kDraw:
      return "draw";
    case CommandKind::kPurge:
      return "purge";
    case CommandKind::kRemoveTag:
      return "remove-tag";
    case CommandKind::kTrashResource:
      return "trash-resource";
    case CommandKind::kPlay:
    case CommandKind::kInstall:
      return "play";
    case CommandKind::kAdvance:
      return "advance";
    case CommandKind::kScore:
      return "score";
    case CommandKind::kRez:
      return "rez";
    case CommandKind::kAbility:
      return "ability";
    case CommandKind::kRunnerAbility:
      return "runner-ability";
    case CommandKind::kAutoBreak:
      return "auto-break";
    case CommandKind::kUndo:
      return "undo";
    case CommandKind::kRun:
      return "run";
    case CommandKind::kChoice:
      return "choice";
    case CommandKind::kSelect:
      return "select";
    case CommandKind::kConcede:
      break;
  }
  return "concede";
}

// One way to express a legal command.
struct Entry {
  std::string_view action;
  json::Value data;  // null: none
  Command command;
};

json::Value Data(const State& state, const Command& command, const std::vector<std::string>& labels) {
  const auto card = [&] { return json::Value(CidOf(state, command.card)); };
  switch (command.kind) {
    case CommandKind::kContinueTurn:
      return json::Object{{"until", kUntilTurnEnd}};
    case CommandKind::kPlay:
    case CommandKind::kAdvance:
    case CommandKind::kScore:
    case CommandKind::kRez:
    case CommandKind::kSelect:
    case CommandKind::kAutoBreak:
      return json::Object{{"card", card()}};
    case CommandKind::kInstall:
      return json::Object{{"card", card()}, {"server", ServerName(command.arg)}};
    case CommandKind::kAbility:
    case CommandKind::kRunnerAbility:
      return json::Object{{"card", card()}, {"ability", static_cast<int>(command.arg)}};
    case CommandKind::kRun:
      return json::Object{{"server", ServerName(command.arg)}};
    case CommandKind::kChoice:
      return json::Object{{"choice", labels[command.arg]}};
    default:
      return nullptr;
  }
}

// The other names of a prompt's option.
std::optional<Entry> Alias(const State& state, const Command& command) {
  if (command.kind != CommandKind::kChoice || state.prompt.kind == PromptKind::kSelect) return std::nullopt;
  const PromptOption& option = state.prompt.options[command.arg];
  switch (option.text) {
    case OptionText::kKeep:
      return Entry{"keep", nullptr, command};
    case OptionText::kMulligan:
      return Entry{"mulligan", nullptr, command};
    case OptionText::kPayToTrash:
      return Entry{"trash", nullptr, command};
    case OptionText::kSubroutine:
      return Entry{"subroutine", json::Object{{"subroutine", static_cast<int>(option.n)}}, command};
    default:
      return std::nullopt;
  }
}

std::vector<Entry> Entries(const State& state) {
  CommandList commands;
  ListCommands(state, commands);
  const std::vector<std::string> labels = OptionLabels(state);
  std::vector<Entry> entries;
  for (const Command& command : commands.all()) {
    entries.push_back({NameOf(command.kind), Data(state, command, labels), command});
    if (std::optional<Entry> alias = Alias(state, command)) entries.push_back(*std::move(alias));
  }
  if (CanUndo(state)) entries.push_back({"undo", nullptr, {CommandKind::kUndo}});
  entries.push_back({"concede", nullptr, {CommandKind::kConcede}});
  return entries;
}

void AddOnce(json::Array& array, const json::Value& value) {
  if (std::find(array.begin(), array.end(), value) == array.end()) array.push_back(value);
}

json::Value ObjectSchema(json::Object properties, json::Array required) {
  return json::Object{{"type", "object"},
                      {"properties", std::move(properties)},
                      {"required", std::move(required)},
                      {"additionalProperties", false}};
}

// The schema of actions on a card with an optional second member: groups cards with the same values for it.
json::Value CardSchema(const std::vector<const Entry*>& entries, std::string_view second, bool second_required) {
  struct Group {
    json::Array cards;
    json::Array values;
  };
  std::vector<std::pair<json::Value, json::Array>> by_card;
  for (const Entry* entry : entries) {
    const json::Value& card = *json::Find(entry->data, "card");
    auto found = std::find_if(by_card.begin(), by_card.end(), [&](const auto& pair) { return pair.first == card; });
    if (found == by_card.end()) found = by_card.insert(by_card.end(), {card, {}});
    if (const json::Value* value = json::Find(entry->data, second)) AddOnce(found->second, *value);
  }
  std::vector<Group> groups;
  for (auto& [card, values] : by_card) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.values == values; });
    if (found == groups.end()) found = groups.insert(groups.end(), {{}, values});
    found->cards.push_back(card);
  }
  json::Array schemas;
  for (Group& group : groups) {
    json::Object properties{{"card", json::Object{{"enum", std::move(group.cards)}}}};
    json::Array required{"card"};
    if (!group.values.empty()) {
      properties[second] = json::Object{{"enum", std::move(group.values)}};
      if (second_required) required.emplace_back(second);
    }
    schemas.push_back(ObjectSchema(std::move(properties), std::move(required)));
  }
  if (schemas.size() == 1) return schemas[0];
  return json::Object{{"anyOf", std::move(schemas)}};
}

json::Value EnumSchema(const std::vector<const Entry*>& entries, std::string_view member) {
  json::Array values;
  for (const Entry* entry : entries) AddOnce(values, *json::Find(entry->data, member));
  return OneMemberSchema(member, json::Object{{"enum", std::move(values)}});
}

json::Value SchemaOf(std::string_view action, const std::vector<const Entry*>& entries) {
  if (action == "continue") {
    const bool until = std::any_of(entries.begin(), entries.end(), [](const Entry* e) { return !e->data.is_null(); });
    if (!until) return nullptr;
    return ObjectSchema({{"until", json::Object{{"enum", json::Array{kUntilTurnEnd}}}}}, {});
  }
  if (entries.front()->data.is_null()) return nullptr;
  if (action == "play") return CardSchema(entries, "server", false);
  if (action == "ability" || action == "runner-ability") return CardSchema(entries, "ability", true);
  if (action == "run") return EnumSchema(entries, "server");
  if (action == "choice") return EnumSchema(entries, "choice");
  if (action == "subroutine") return EnumSchema(entries, "subroutine");
  return EnumSchema(entries, "card");
}

// The cards meant: "c5: Hedge Fund".
std::string Legend(const State& state, const std::vector<const Entry*>& entries) {
  std::string text;
  Inst last = kNoInst;
  for (const Entry* entry : entries) {
    const Inst inst = entry->command.card;
    if (inst == kNoInst || inst == last) continue;
    last = inst;
    text += (text.empty() ? " " : "; ") + CidOf(state, inst) + ": " + CardName(state, inst, state.prompt.side);
  }
  return text.empty() ? text : text + ".";
}

std::vector<const Entry*> Of(const std::vector<Entry>& entries, std::string_view action) {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries) {
    if (entry.action == action) found.push_back(&entry);
  }
  return found;
}

bool IsNoData(const json::Value& data) {
  return data.is_null() || (data.is_object() && data.get_object().empty());
}

json::Value TextSchema() {
  return json::Object{{"type", "string"}};
}

}  // namespace

std::vector<ActionSpec> Catalog() {
  std::vector<ActionSpec> actions;
  const json::Value number = json::Object{{"type", "integer"}, {"minimum", 0}};
  for (const ActionText& text : kActions) {
    ActionSpec action{.name = std::string(text.name), .description = std::string(text.description), .schema = nullptr};
    action.offered = IsOffered(text.name);
    if (text.name == "play") {
      action.schema = ObjectSchema({{"card", TextSchema()}, {"server", TextSchema()}}, {"card"});
    } else if (text.name == "ability" || text.name == "runner-ability") {
      action.schema = ObjectSchema({{"card", TextSchema()}, {"ability", number}}, {"card", "ability"});
    } else if (text.name == "advance" || text.name == "score" || text.name == "rez" || text.name == "select" ||
               text.name == "auto-break") {
      action.schema = OneMemberSchema("card", TextSchema());
    } else if (text.name == "run") {
      action.schema = OneMemberSchema("server", TextSchema());
    } else if (text.name == "choice") {
      action.schema = OneMemberSchema("choice", TextSchema());
    } else if (text.name == "subroutine") {
      action.schema = OneMemberSchema("subroutine", number);
    } else if (text.name == "continue") {
      action.schema =
          json::Object{{"type", json::Array{"object", "null"}},
                       {"properties", json::Object{{"until", json::Object{{"enum", json::Array{kUntilTurnEnd}}}}}},
                       {"additionalProperties", false}};
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

std::vector<ActionSpec> ActionsNow(const State& state) {
  const std::vector<Entry> entries = Entries(state);
  std::vector<ActionSpec> actions;
  for (const ActionText& text : kActions) {
    const std::vector<const Entry*> of = Of(entries, text.name);
    if (of.empty()) continue;
    actions.push_back({.name = std::string(text.name),
                       .description = std::string(text.description) + Legend(state, of),
                       .schema = SchemaOf(text.name, of),
                       .offered = IsOffered(text.name)});
  }
  return actions;
}

PlayedChoice ToChoice(const State& state, const Command& command) {
  json::Value data = Data(state, command, OptionLabels(state));
  // If `continue` takes data, no data means an empty object.
  if (command.kind == CommandKind::kContinue) data = json::Object();
  return {std::string(NameOf(command.kind)), std::move(data)};
}

Result<Command> ReadCommand(const State& state, std::string_view action, const json::Value& data) {
  const std::vector<Entry> all = Entries(state);
  const std::vector<const Entry*> entries = Of(all, action);
  const std::string name = Ellipsize(action, kQuotedBytes);
  if (entries.empty()) {
    std::string now;
    for (const ActionText& text : kActions) {
      if (!Of(all, text.name).empty()) now += (now.empty() ? "" : ", ") + std::string(text.name);
    }
    return Fail(ErrorCode::kIncorrectMove, name + " is not possible now; possible actions: " + now);
  }
  const json::Value schema = SchemaOf(action, entries);
  if (schema.is_null() && IsNoData(data)) return entries.front()->command;
  if (!schema.is_null() && !data.is_object()) {
    return Fail(ErrorCode::kIncorrectData, "the data of " + name + " must be an object; got " + json::Excerpt(data));
  }
  if (schema.is_null()) return Fail(ErrorCode::kIncorrectData, name + " takes no data; got " + json::Excerpt(data));
  for (const Entry* entry : entries) {
    if (entry->data.is_null() ? IsNoData(data) : json::Equal(entry->data, data)) return entry->command;
  }
  const json::Object* known = entries.front()->data.if_object();
  for (const auto& [member, value] : data.get_object()) {
    if (known != nullptr && known->contains(member)) {
      if (value.kind() == known->at(member).kind()) continue;
      return Fail(ErrorCode::kIncorrectData,
                  Ellipsize(json::View(member), kQuotedBytes) + " must be of the same type as " +
                      json::Excerpt(known->at(member)) + "; got " + json::Excerpt(value),
                  Ellipsize(json::View(member), kQuotedBytes));
    }
    if (member != "server" && member != "until") {
      return Fail(ErrorCode::kIncorrectData, name + " has no member " + Quote(json::View(member)),
                  Ellipsize(json::View(member), kQuotedBytes));
    }
  }
  std::string legal;
  for (const Entry* entry : entries) {
    if (legal.size() > 200) {
      legal += " …";
      break;
    }
    legal += (legal.empty() ? "" : ", ") + json::Write(entry->data);
  }
  return Fail(ErrorCode::kIncorrectMove,
              "the data of " + name + " must be one of " + legal + "; got " + json::Excerpt(data));
}

}  // namespace openseat::games::netrunner
