#include <algorithm>
#include <array>
#include <utility>

#include "base/json_arena.h"
#include "base/text.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/field_reader.h"
#include "schema/repair/repair.h"

namespace openseat::neuro {
namespace {

using Need = FieldReader::Need;

enum class Command : std::uint8_t { kStartup, kContext, kRegister, kUnregister, kForce, kResult, kProposal };

struct CommandName {
  std::string_view name;
  Command command;
  std::string_view meant = {};  // if `name` is a misspelling
};

constexpr auto kCommands = std::to_array<CommandName>({
    {"action/result", Command::kResult},
    {"actions/force", Command::kForce},
    {"context", Command::kContext},
    {"actions/register", Command::kRegister},
    {"actions/unregister", Command::kUnregister},
    {"startup", Command::kStartup},
    {"shutdown/ready", Command::kProposal},
    {"action:result", Command::kResult, "action/result"},
    {"actions/result", Command::kResult, "action/result"},
    {"actions:force", Command::kForce, "actions/force"},
    {"action/force", Command::kForce, "actions/force"},
    {"actions:register", Command::kRegister, "actions/register"},
    {"action/register", Command::kRegister, "actions/register"},
    {"actions:unregister", Command::kUnregister, "actions/unregister"},
    {"action/unregister", Command::kUnregister, "actions/unregister"},
});

// "mygame/score": the API asks that custom commands carry a prefix of their own.
bool IsVendorCommand(std::string_view name) {
  constexpr auto kOurs =
      std::to_array<std::string_view>({"action", "actions", "context", "shutdown", "startup", "voice"});
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < name.size() &&
         std::ranges::find(kOurs, name.substr(0, slash)) == kOurs.end();
}

using Body = decltype(ClientMessage::body);

// Reads one document. Its values live in the caller's memory; the message owns copies of what it needs.
class DocumentDecoder {
 public:
  // Adds to `out`, which has no message yet.
  DocumentDecoder(Decoded& out, const DecodeLimits& limits) : out_(out), reader_(out.issues, limits.max_issues) {}

  // There is a message afterwards if the document is usable.
  void Decode(const json::Value& document) {
    if (const json::Object* object = document.if_object()) {
      DecodeObject(*object, out_.message);
    } else {
      reader_.Add(Diagnostic::kInvalidMessage, "",
                  "a message must be a JSON object; got " + std::string(json::TypeName(document)));
    }
    reader_.Finish();
  }

 private:
  void DecodeObject(const json::Object& object, std::optional<ClientMessage>& message) {
    const json::Value* command = nullptr;
    const json::Value* game = nullptr;
    const json::Value* data = nullptr;
    const Slot slots[] = {{"command", &command}, {"game", &game}, {"data", &data}};
    reader_.Take(object, slots, "");
    if (command == nullptr || !command->is_string()) {
      out_.for_chimera = command == nullptr && object.contains("operation");
      const std::string hint = out_.for_chimera ? "; " + std::string(kChimeraHint) : "";
      reader_.Add(Diagnostic::kInvalidMessage, "command",
                  command == nullptr ? "`command` is missing" + hint : MustBe("command", "a string", *command));
      return;
    }
    const std::string_view name = json::View(command->get_string());
    const auto known = std::ranges::find(kCommands, name, &CommandName::name);

    message.emplace();
    reader_.Text(game, "game", Need::kRequired, message->game);
    if (game != nullptr && game->is_string() && message->game.find_first_not_of(" \t\r\n") == std::string::npos) {
      reader_.Add(Diagnostic::kGameBlank, "game", "`game` is blank; it should be the game's display name");
    }
    if (known == kCommands.end()) {
      reader_.Add(IsVendorCommand(name) ? Diagnostic::kVendorCommand : Diagnostic::kUnknownCommand, "command",
                  "the API has no command " + Backticked(Ellipsize(name, kMaxQuoted)) + "; the message was ignored");
      message->body = UnknownMessage{std::string(name)};
      return;
    }
    if (!known->meant.empty()) {
      reader_.Add(Diagnostic::kCommandMisspelt, "command", Backticked(name) + " should be " + Backticked(known->meant));
    }
    if (!DecodeBody(known->command, name, DataOf(data), message->body)) message.reset();
  }

  // The object behind `data`, or an empty one.
  const json::Object& DataOf(const json::Value* data) {
    static const json::Object kEmpty;
    if (data == nullptr) return kEmpty;
    if (const json::Object* object = data->if_object()) return *object;
    if (data->is_null()) {
      reader_.AddNull("data");
    } else if (const json::Array* array = data->if_array(); array != nullptr && array->empty()) {
      reader_.Add(Diagnostic::kEmptyArrayData, "data", "`data` is [] where {} is meant");
    } else {
      reader_.Add(Diagnostic::kInvalidField, "data", MustBe("data", "an object", *data) + "; it was ignored");
    }
    return kEmpty;
  }

  // False: unusable, and the reason is among the issues.
  bool DecodeBody(Command command, std::string_view name, const json::Object& data, Body& body) {
    switch (command) {
      case Command::kStartup:
        reader_.Take(data, {}, "data.");
        body.emplace<StartupMessage>();
        return true;
      case Command::kContext:
        return Context(data, body.emplace<ContextMessage>());
      case Command::kRegister:
        return Register(data, body.emplace<RegisterMessage>());
      case Command::kUnregister:
        return Unregister(data, body.emplace<UnregisterMessage>());
      case Command::kForce:
        return Force(data, body.emplace<ForceMessage>());
      case Command::kResult:
        return ReadResult(data, body.emplace<ResultMessage>());
      case Command::kProposal:
        reader_.Take(data, {}, "data.");
        reader_.Add(Diagnostic::kProposal, "command", Backticked(name) + " is only proposed for the API");
        body.emplace<ProposalMessage>().command = name;
        return true;
    }
    return false;
  }

  bool Context(const json::Object& data, ContextMessage& context) {
    const json::Value* message = nullptr;
    const json::Value* silent = nullptr;
    const Slot slots[] = {{"message", &message}, {"silent", &silent}};
    reader_.Take(data, slots, "data.");
    reader_.Text(message, "data.message", Need::kRequired, context.message);
    context.silent = reader_.FlagOr(silent, "data.silent", Need::kRequired, context.silent);
    return true;
  }

  bool Register(const json::Object& data, RegisterMessage& message) {
    const json::Value* actions = nullptr;
    const Slot slots[] = {{"actions", &actions}, {"main_thread", &ignored_}};
    reader_.Take(data, slots, "data.");
    if (actions == nullptr || actions->is_null()) {
      reader_.AddMissing(actions, "data.actions", "an empty list was used");
      return true;
    }
    if (const json::Array* list = actions->if_array()) {
      const std::size_t count = reader_.Read(*list, "data.actions");
      message.actions.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        Action((*list)[i], "data.actions[" + std::to_string(i) + "]", message.actions);
      }
      return true;
    }
    if (const json::Object* object = actions->if_object()) {
      // A single action without its list, or an empty list from an encoder that cannot tell it from an empty object.
      reader_.Add(Diagnostic::kInvalidField, "data.actions",
                  MustBe("data.actions", "an array", *actions) +
                      (object->empty() ? "; read as an empty list" : "; read as a list of one"));
      if (!object->empty()) Action(*actions, "data.actions", message.actions);
      return true;
    }
    reader_.Add(Diagnostic::kInvalidMessage, "data.actions", MustBe("data.actions", "an array", *actions));
    return false;
  }

  // Appends the action, or reports why it was skipped: one bad action does not cost the others.
  void Action(const json::Value& value, const std::string& path, std::vector<ActionDefinition>& actions) {
    const json::Object* object = value.if_object();
    if (object == nullptr) {
      reader_.Add(Diagnostic::kInvalidField, path, MustBe(path, "an object", value) + "; the action was skipped");
      return;
    }
    const json::Value* name = nullptr;
    const json::Value* description = nullptr;
    const json::Value* schema = nullptr;
    const Slot slots[] = {{"name", &name}, {"description", &description}, {"schema", &schema}};
    reader_.Take(*object, slots, "data.actions[].");
    if (name == nullptr || !name->is_string()) {
      const std::string name_path = path + ".name";
      reader_.Add(name == nullptr ? Diagnostic::kMissingField : Diagnostic::kInvalidField, name_path,
                  (name == nullptr ? "`" + name_path + "` is missing" : MustBe(name_path, "a string", *name)) +
                      "; the action was skipped");
      return;
    }
    ActionDefinition& action = actions.emplace_back();
    action.name = json::View(name->get_string());
    // action_check reports a missing description, together with empty ones.
    if (description != nullptr && !description->is_null()) {
      reader_.Text(description, path + ".description", Need::kOptional, action.description);
    }
    if (schema == nullptr) return;
    const std::string schema_path = path + ".schema";
    if (schema->is_null()) {
      reader_.Add(Diagnostic::kSchemaEmpty, schema_path, "`" + schema_path + "` is null; leave it out instead");
    } else if (schema->is_array() && schema->get_array().empty()) {
      reader_.Add(Diagnostic::kEmptyArrayData, schema_path, "`" + schema_path + "` is [] where {} is meant");
    } else {
      action.schema.emplace(*schema, json::Storage());  // a copy that outlives the document's memory
    }
  }

  bool Unregister(const json::Object& data, UnregisterMessage& message) {
    const json::Value* names = nullptr;
    const Slot slots[] = {{"action_names", &names},
                          {"aciton_names", &names, "action_names"},
                          {"actions", &names, "action_names"},
                          {"main_thread", &ignored_}};
    reader_.Take(data, slots, "data.");
    message.action_names = reader_.Names(names, "data.action_names");
    return true;
  }

  bool Force(const json::Object& data, ForceMessage& force) {
    const json::Value* state = nullptr;
    const json::Value* query = nullptr;
    const json::Value* ephemeral = nullptr;
    const json::Value* priority = nullptr;
    const json::Value* names = nullptr;
    const Slot slots[] = {{"state", &state},
                          {"query", &query},
                          {"ephemeral_context", &ephemeral},
                          {"priority", &priority},
                          {"action_names", &names},
                          {"ephermeral_context", &ephemeral, "ephemeral_context"},
                          {"aciton_names", &names, "action_names"},
                          {"actions", &names, "action_names"},
                          {"main_thread", &ignored_}};
    reader_.Take(data, slots, "data.");
    if (!reader_.Text(state, "data.state", Need::kOptional, force.state.emplace())) force.state.reset();
    reader_.Text(query, "data.query", Need::kRequired, force.query);
    force.ephemeral_context = reader_.FlagOr(ephemeral, "data.ephemeral_context", Need::kOptional, false);
    force.priority = ReadPriority(priority);
    force.action_names = reader_.Names(names, "data.action_names");
    return true;
  }

  Priority ReadPriority(const json::Value* value) {
    if (value == nullptr) return Priority::kLow;
    if (value->is_null()) {
      reader_.AddNull("data.priority");
      return Priority::kLow;
    }
    std::string word;
    if (value->is_string()) {
      word = json::View(value->get_string());
      if (const auto priority = ParsePriority(word)) return *priority;
    }
    std::string lower = word;
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const auto priority = ParsePriority(lower);
    reader_.Add(Diagnostic::kInvalidField, "data.priority",
                "`data.priority` must be \"low\", \"medium\", \"high\" or \"critical\"; got " +
                    (value->is_string() ? Quote(word, 40) : std::string(json::TypeName(*value))) + ", read as \"" +
                    std::string(PriorityName(priority.value_or(Priority::kLow))) + "\"");
    return priority.value_or(Priority::kLow);
  }

  bool ReadResult(const json::Object& data, ResultMessage& result) {
    const json::Value* id = nullptr;
    const json::Value* success = nullptr;
    const json::Value* message = nullptr;
    const Slot slots[] = {{"id", &id}, {"success", &success}, {"message", &message}};
    reader_.Take(data, slots, "data.");
    if (id == nullptr || !(id->is_string() || id->is_number())) {
      reader_.Add(Diagnostic::kInvalidMessage, "data.id",
                  id == nullptr ? "a result must say which action it is for: `data.id` is missing"
                                : MustBe("data.id", "a string", *id));
      return false;
    }
    reader_.Text(id, "data.id", Need::kRequired, result.id);
    if (success == nullptr || success->is_null()) {
      reader_.Add(Diagnostic::kInvalidMessage, "data.success",
                  std::string("a result must say whether the action succeeded: `data.success` is ") +
                      (success == nullptr ? "missing" : "null"));
      return false;
    }
    const auto flag = reader_.Flag(*success, "data.success");
    if (!flag) {
      reader_.Add(Diagnostic::kInvalidMessage, "data.success", MustBe("data.success", "true or false", *success));
      return false;
    }
    result.success = *flag;
    reader_.Text(message, "data.message", Need::kOptional, result.message);
    return true;
  }

  Decoded& out_;
  FieldReader reader_;
  const json::Value* ignored_ = nullptr;  // members that are known and not used
};

Decoded Invalid(std::string detail) {
  Decoded decoded;
  decoded.issues.push_back({Diagnostic::kInvalidMessage, "", std::move(detail)});
  return decoded;
}

// What real clients get wrong. Where more would have to be guessed, the message is not read.
constexpr schema::FixSet kToleratedFixes = {schema::Fix::kTrailingComma, schema::Fix::kInnerQuotes,
                                            schema::Fix::kLiteral, schema::Fix::kControl, schema::Fix::kEscape};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// `text` without the white space, NUL bytes and byte order marks at its front; `odd`: whether there were any of the
// latter two.
std::string_view SkipBetweenDocuments(std::string_view text, bool& odd) {
  while (!text.empty()) {
    const char c = text.front();
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      text.remove_prefix(1);
    } else if (c == '\0' || text.starts_with(kByteOrderMark)) {
      odd = true;
      text.remove_prefix(c == '\0' ? 1 : kByteOrderMark.size());
    } else {
      break;
    }
  }
  return text;
}

// Issues about the text itself come before those about its members.
void AddFixes(const schema::FixSet& fixes, bool odd_around, const std::string& error, std::vector<Issue>& issues) {
  std::string names;
  for (const schema::Fix fix : fixes.List()) names += (names.empty() ? "" : ", ") + std::string(schema::FixName(fix));
  if (odd_around) names += std::string(names.empty() ? "" : ", ") + "a byte order mark or NUL bytes around it";
  if (!names.empty()) issues.push_back({Diagnostic::kRepairedJson, "", error + "; read after repairs: " + names});
}

// Text that strict parsing rejected with `error`.
std::vector<Decoded> DecodeLenient(std::string_view text, const std::string& error, const DecodeLimits& limits) {
  std::vector<Decoded> out;
  std::string valid_utf8;
  const bool bad_utf8 = !IsValidUtf8(text);
  if (bad_utf8) text = valid_utf8 = SanitizeUtf8(text);
  std::size_t usable = 0;
  bool odd = false;
  std::string_view rest = SkipBetweenDocuments(text, odd);
  while (!rest.empty()) {
    if (out.size() == limits.max_documents) {
      out.push_back(Invalid("a message may hold at most " + std::to_string(limits.max_documents) +
                            " JSON documents; the rest was ignored"));
      break;
    }
    Result<schema::RepairedDocument> document = schema::RepairDocument(rest, kToleratedFixes, limits.json);
    if (!document) document = schema::RepairedDocument{std::string(rest), rest.size(), {}};
    rest = SkipBetweenDocuments(rest.substr(document->consumed), odd);

    json::Arena arena;
    // Repairs can make a document longer, by \u00NN for a byte at most.
    const json::Limits repaired_limits{.max_bytes = limits.json.max_bytes * 6 + 16,
                                       .max_depth = limits.json.max_depth,
                                       .max_values = limits.json.max_values};
    const Result<json::Value> value = json::Parse(document->text, repaired_limits, arena.storage());
    if (!value) {
      out.push_back(Invalid(out.empty() ? error : "what follows in the same message: " + value.error().message));
      continue;
    }
    Decoded& decoded = out.emplace_back();
    if (bad_utf8 && usable == 0) {
      decoded.issues.push_back(
          {Diagnostic::kInvalidUtf8, "", "a text is not valid UTF-8; its bad bytes were replaced"});
    }
    AddFixes(document->fixes, std::exchange(odd, false), error, decoded.issues);
    DocumentDecoder(decoded, limits).Decode(*value);
    ++usable;
  }
  if (out.empty()) out.push_back(Invalid(error));
  if (usable > 1) {
    std::vector<Issue>& issues = out.front().issues;
    issues.insert(issues.begin(), {Diagnostic::kSeveralDocuments, "",
                                   "one message held " + std::to_string(usable) + " JSON documents"});
  }
  return out;
}

}  // namespace

std::vector<Decoded> DecodeClient(std::string_view text, const DecodeLimits& limits) {
  json::Arena arena;
  const Result<json::Value> value = json::Parse(text, limits.json, arena.storage());
  if (!value) {
    // Text that is too large is not read a second time.
    if (value.error().code == ErrorCode::kTooLarge) {
      std::vector<Decoded> out;
      out.push_back(Invalid(value.error().message));
      return out;
    }
    if (text.size() > limits.max_repaired_bytes) {
      std::vector<Decoded> out;
      out.push_back(Invalid(value.error().message + "; a message of more than " +
                            std::to_string(limits.max_repaired_bytes) + " bytes is not repaired"));
      return out;
    }
    return DecodeLenient(text, value.error().message, limits);
  }
  std::vector<Decoded> out(1);
  DocumentDecoder(out.front(), limits).Decode(*value);
  return out;
}

}  // namespace openseat::neuro
