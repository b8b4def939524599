#include "protocols/agent_api/request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "protocols/agent_api/netrunner_json.h"

namespace openseat::agent_api {
namespace {

constexpr json::Limits kLimits{.max_bytes = 256u << 10, .max_depth = 32, .max_values = 20'000};

std::string Got(const json::Value* value) {
  return value == nullptr ? "nothing" : json::Excerpt(*value);
}

Result<json::Object> Body(std::string_view text) {
  if (text.empty()) return Fail(ErrorCode::kInvalid, "the body must be a JSON object; got nothing");
  Result<json::Value> body = json::Parse(text, kLimits);
  if (!body) return Fail(body.error().code, "the body must be a JSON object: " + body.error().message);
  if (!body->is_object()) return Fail(ErrorCode::kInvalid, "the body must be a JSON object; got " + Got(&*body));
  return std::move(body->get_object());
}

// Cards are named by {"cid"}, or by the cid alone.
Result<json::Value> CardArg(const json::Object& args) {
  const json::Value* card = json::Find(args, "card");
  const json::Value* cid = card == nullptr ? nullptr : card->is_object() ? json::Find(*card, "cid") : card;
  if (cid == nullptr || !cid->is_string()) {
    return Fail(ErrorCode::kInvalid, "card must be {\"cid\": \"c12\"}; got " + Got(card), "card");
  }
  return *cid;
}

Result<json::Value> NumberArg(const json::Object& args, std::string_view name) {
  const json::Value* value = json::Find(args, name);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " must be a whole number from 0; got " + Got(value),
                std::string(name));
  }
  return *value;
}

Result<json::Value> TextArg(const json::Object& args, std::string_view name) {
  const json::Value* value = json::Find(args, name);
  if (value == nullptr || !value->is_string()) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " must be a string; got " + Got(value), std::string(name));
  }
  return *value;
}

Result<std::optional<DecisionId>> ReadEid(const json::Object& from) {
  const json::Value* eid = json::Find(from, "eid");
  if (eid == nullptr || eid->is_null()) return std::optional<DecisionId>();
  const json::Value* number = eid->is_object() ? json::Find(*eid, "eid") : eid;
  if (number == nullptr || !number->is_int64() || number->get_int64() < 0) {
    return Fail(ErrorCode::kInvalid, "eid must be the number of a prompt or decision; got " + Got(eid), "eid");
  }
  return std::optional(DecisionId(static_cast<std::uint64_t>(number->get_int64())));
}

// Who names the prompt that is answered means no other.
Result<void> CheckEid(const SeatView& look, const json::Object& from) {
  const Result<std::optional<DecisionId>> eid = ReadEid(from);
  if (!eid) return Fail(eid.error());
  if (*eid && (!look.decision || **eid != look.decision->id)) return Fail(EidIsOver(look));
  return {};
}

Choice Chosen(const SeatView& look, std::string_view action, json::Value data) {
  Choice choice{.action = std::string(action), .data = std::move(data)};
  if (look.decision) choice.decision = look.decision->id;
  return choice;
}

bool Names(const json::Object& option, const json::Value& wanted) {
  if (wanted.is_string()) {
    if (option.at("value") == wanted) return true;
    const json::Value* card = json::Find(option, "card");
    const json::Value* title = card == nullptr ? nullptr : json::Find(*card, "title");
    return title != nullptr && *title == wanted;
  }
  if (wanted.is_object()) {
    const json::Value* uuid = json::Find(wanted, "uuid");
    return uuid != nullptr && *uuid == option.at("uuid");
  }
  return json::Equal(wanted, option.at("idx"));
}

// The text of the option that the request means.
Result<json::Value> OptionOf(const SeatView& look, const json::Object& args) {
  const json::Value* wanted = json::Find(args, "choice");
  const json::Value* uuid = wanted == nullptr ? nullptr : json::Find(*wanted, "uuid");
  if (wanted == nullptr || !(wanted->is_string() || wanted->is_int64() || (uuid != nullptr && uuid->is_string()))) {
    return Fail(ErrorCode::kInvalid,
                "choice must be an option's text, {\"uuid\": …}, or its number; got " + Got(wanted), "choice");
  }
  if (Result<void> eid = CheckEid(look, args); !eid) return Fail(eid.error());
  if (!netrunner::HasPrompt(look)) return Fail(ErrorCode::kInvalid, "there is no prompt to answer", "choice");
  const json::Value prompt = netrunner::PromptValue(look);
  const json::Array& options = prompt.at("choices").get_array();
  std::vector<std::string> legal;
  for (const json::Value& option : options) {
    std::optional<json::Value> text = netrunner::OptionText(look, option.at("idx"));
    if (!text) continue;
    if (Names(option.get_object(), *wanted)) return *std::move(text);
    legal.push_back(json::Excerpt(option.at("value")));
  }
  return Fail(ErrorCode::kInvalid,
              legal.empty() ? "this prompt is answered with a select, one card at a time; got " + Got(wanted)
                            : "the prompt offers " + Listing(legal) + "; got " + Got(wanted),
              "choice");
}

// The arguments that a command must have.
enum class Form { kNone, kCard, kCardServer, kCardAbility, kServer, kContinue, kChoice, kSelect, kSubroutine };

struct CommandForm {
  std::string_view command;
  std::string_view action;  // of the game
  Form form;
};

constexpr std::array kCommands = {CommandForm{"keep", "keep", Form::kNone},
                                  CommandForm{"mulligan", "mulligan", Form::kNone},
                                  CommandForm{"start-turn", "start-turn", Form::kNone},
                                  CommandForm{"end-turn", "end-turn", Form::kNone},
                                  CommandForm{"end-phase-12", "end-phase-12", Form::kNone},
                                  CommandForm{"phase-12-pass-priority", "end-phase-12", Form::kNone},
                                  CommandForm{"end-post-discard", "end-post-discard", Form::kNone},
                                  CommandForm{"post-discard-pass-priority", "end-post-discard", Form::kNone},
                                  CommandForm{"credit", "credit", Form::kNone},
                                  CommandForm{"draw", "draw", Form::kNone},
                                  CommandForm{"purge", "purge", Form::kNone},
                                  CommandForm{"remove-tag", "remove-tag", Form::kNone},
                                  CommandForm{"trash-resource", "trash-resource", Form::kNone},
                                  CommandForm{"play", "play", Form::kCardServer},
                                  CommandForm{"advance", "advance", Form::kCard},
                                  CommandForm{"score", "score", Form::kCard},
                                  CommandForm{"rez", "rez", Form::kCard},
                                  CommandForm{"ability", "ability", Form::kCardAbility},
                                  CommandForm{"runner-ability", "runner-ability", Form::kCardAbility},
                                  CommandForm{"run", "run", Form::kServer},
                                  CommandForm{"continue", "continue", Form::kContinue},
                                  CommandForm{"unbroken-subroutines", "continue", Form::kNone},
                                  CommandForm{"jack-out", "jack-out", Form::kNone},
                                  CommandForm{"choice", "choice", Form::kChoice},
                                  CommandForm{"select", "select", Form::kSelect},
                                  CommandForm{"trash", "trash", Form::kNone},
                                  CommandForm{"subroutine", "subroutine", Form::kSubroutine},
                                  CommandForm{"auto-break", "auto-break", Form::kCard},
                                  CommandForm{"undo", "undo", Form::kNone},
                                  CommandForm{"concede", "concede", Form::kNone}};

Result<json::Value> WithCard(const json::Object& args, json::Object more) {
  Result<json::Value> card = CardArg(args);
  if (!card) return card;
  json::Object data{{"card", *std::move(card)}};
  for (auto& [name, value] : more) data[name] = std::move(value);
  return json::Value(std::move(data));
}

Result<json::Value> SelectData(const SeatView& look, const json::Object& args) {
  Result<json::Value> data = WithCard(args, {});
  if (!data) return data;
  if (Result<void> eid = CheckEid(look, args); !eid) return Fail(eid.error());
  if (look.actions().Find("select") == nullptr) {
    return Fail(ErrorCode::kInvalid, "there is no prompt that a card is selected for", "card");
  }
  return data;
}

// A server by its name, or by the board's name for it: "hq", "rd", "archives", "remote1".
Result<json::Value> ServerArg(const json::Object& args) {
  Result<json::Value> text = TextArg(args, "server");
  if (!text) return text;
  std::string name;
  for (const char c : json::View(text->get_string()))
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name == "hq") return json::Value("HQ");
  if (name == "rd" || name == "r&d") return json::Value("R&D");
  if (name == "archives") return json::Value("Archives");
  if (name == "new remote") return json::Value("New remote");
  for (const std::string_view prefix : {"remote", "server "}) {
    const bool numbered = name.starts_with(prefix) && name.size() > prefix.size() &&
                          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (numbered) return json::Value("Server " + name.substr(prefix.size()));
  }
  return text;
}

Result<json::Value> DataOf(const SeatView& look, const CommandForm& command, const json::Object& args) {
  const auto one = [](std::string_view name, Result<json::Value> value) -> Result<json::Value> {
    if (!value) return value;
    return json::Value(json::Object{{name, *std::move(value)}});
  };
  switch (command.form) {
    case Form::kNone:
      return json::Value(nullptr);
    case Form::kCard:
      if (json::Find(args, "press-continue") != nullptr) {
        return Fail(ErrorCode::kInvalid, "press-continue is not offered: send continue after it", "press-continue");
      }
      return WithCard(args, {});
    case Form::kCardServer: {
      const json::Value* server = json::Find(args, "server");
      if (server == nullptr || server->is_null()) return WithCard(args, {});
      Result<json::Value> name = ServerArg(args);
      if (!name) return name;
      return WithCard(args, {{"server", *std::move(name)}});
    }
    case Form::kCardAbility: {
      Result<json::Value> number = NumberArg(args, "ability");
      if (!number) return number;
      return WithCard(args, {{"ability", *std::move(number)}});
    }
    case Form::kServer:
      return one("server", ServerArg(args));
    case Form::kContinue: {
      const json::Value* until = json::Find(args, "until");
      if (until != nullptr && !until->is_null()) return one("until", TextArg(args, "until"));
      // Where it takes data at all, none is an empty object.
      const ActionPtr action = look.actions().Find("continue");
      return action != nullptr && action->schema ? json::Value(json::Object()) : json::Value(nullptr);
    }
    case Form::kChoice:
      return one("choice", OptionOf(look, args));
    case Form::kSelect:
      return SelectData(look, args);
    case Form::kSubroutine:
      return one("subroutine", NumberArg(args, "subroutine"));
  }
  return json::Value(nullptr);
}

}  // namespace

Error EidIsOver(const SeatView& look) {
  return {ErrorCode::kInvalid,
          "that prompt is over" +
              (look.decision ? "; the current one is " + std::to_string(look.decision->id.value()) : std::string()),
          "eid"};
}

std::optional<DecisionId> EidOf(std::string_view body) {
  const Result<json::Object> object = Body(body);
  if (!object) return std::nullopt;
  const Result<std::optional<DecisionId>> eid = ReadEid(*object);
  if (eid && *eid) return *eid;
  // {"command": "choice", "args": {"choice", "eid"}}
  const json::Value* args = json::Find(*object, "args");
  if (args == nullptr || !args->is_object()) return std::nullopt;
  const Result<std::optional<DecisionId>> inner = ReadEid(args->get_object());
  return inner ? *inner : std::nullopt;
}

Result<Wanted> ReadAction(const SeatView& look, std::string_view body) {
  const Result<json::Object> object = Body(body);
  if (!object) return Fail(object.error());
  const Result<json::Value> name = TextArg(*object, "command");
  if (!name) return Fail(name.error());
  const std::string command(json::View(name->get_string()));
  const json::Value* given = json::Find(*object, "args");
  if (given != nullptr && !given->is_null() && !given->is_object()) {
    return Fail(ErrorCode::kInvalid, "args must be an object; got " + Got(given), "args");
  }
  if (Result<std::optional<DecisionId>> eid = ReadEid(*object); !eid) return Fail(std::move(eid).error());
  if (!IsNetrunner(look)) {
    const ActionPtr action = look.actions().Find(command);
    json::Value data = given == nullptr ? json::Value(nullptr) : *given;
    if (action != nullptr && !action->schema && data.is_object() && data.get_object().empty()) data = nullptr;
    return Wanted{command, Chosen(look, command, std::move(data))};
  }
  const auto known = std::ranges::find(kCommands, command, &CommandForm::command);
  if (known == kCommands.end()) {
    return Fail(ErrorCode::kInvalid, "there is no command " + json::Excerpt(*name), "command");
  }
  static const json::Object kNoArgs;
  CommandForm form = *known;
  // The published clients' Corp resolves subroutines by hand; here that is passing.
  if (form.form == Form::kSubroutine && look.seat() == 0) form = {form.command, "continue", Form::kNone};
  Result<json::Value> data = DataOf(look, form, given != nullptr && given->is_object() ? given->get_object() : kNoArgs);
  if (!data) return Fail(std::move(data).error());
  return Wanted{command, Chosen(look, form.action, *std::move(data))};
}

Result<Wanted> ReadChoice(const SeatView& look, std::string_view body) {
  const Result<json::Object> object = Body(body);
  if (!object) return Fail(object.error());
  Result<json::Value> option = OptionOf(look, *object);
  if (!option) return Fail(std::move(option).error());
  return Wanted{"choice", Chosen(look, "choice", json::Object{{"choice", *std::move(option)}})};
}

Result<Wanted> ReadSelect(const SeatView& look, std::string_view body) {
  const Result<json::Object> object = Body(body);
  if (!object) return Fail(object.error());
  Result<json::Value> data = SelectData(look, *object);
  if (!data) return Fail(std::move(data).error());
  return Wanted{"select", Chosen(look, "select", *std::move(data))};
}

}  // namespace openseat::agent_api
