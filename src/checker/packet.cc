#include "checker/packet.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "checker/wording.h"
#include "protocols/neuro/codec.h"

namespace openseat::checker {
namespace {

using neuro::Diagnostic;

enum class Type : std::uint8_t { kString, kBoolean, kObject, kArray, kStrings, kActions, kSchema, kPriority };
enum class Need : std::uint8_t { kRequired, kOptional };

struct Member {
  std::string_view name;
  Type type;
  Need need = Need::kRequired;
  std::string_view alias = {};  // another accepted name, with a finding
};

struct Shape {
  std::string_view command;
  std::span<const Member> data;
};

// The names and required members of neuro-api.md, and `priority` of today's protocol.
constexpr auto kContext = std::to_array<Member>({{"message", Type::kString}, {"silent", Type::kBoolean}});
constexpr auto kRegister = std::to_array<Member>({{"actions", Type::kActions}});
constexpr auto kUnregister = std::to_array<Member>({{"action_names", Type::kStrings, Need::kRequired, "aciton_names"}});
constexpr auto kForce = std::to_array<Member>({
    {"state", Type::kString, Need::kOptional},
    {"query", Type::kString},
    {"ephemeral_context", Type::kBoolean, Need::kOptional, "ephermeral_context"},
    {"action_names", Type::kStrings, Need::kRequired, "actions"},
    {"priority", Type::kPriority, Need::kOptional},
});
constexpr auto kResult = std::to_array<Member>(
    {{"id", Type::kString}, {"success", Type::kBoolean}, {"message", Type::kString, Need::kOptional}});
constexpr auto kAction = std::to_array<Member>(
    {{"name", Type::kString}, {"description", Type::kString}, {"schema", Type::kSchema, Need::kOptional}});
constexpr auto kShapes = std::to_array<Shape>({{"startup", {}},
                                               {"context", kContext},
                                               {"actions/register", kRegister},
                                               {"actions/unregister", kUnregister},
                                               {"actions/force", kForce},
                                               {"action/result", kResult}});

// The same, where vicky.md literally differs.
constexpr auto kLetterUnregister = std::to_array<Member>({{"aciton_names", Type::kStrings}});
constexpr auto kLetterForce = std::to_array<Member>({
    {"state", Type::kString, Need::kOptional},
    {"query", Type::kString},
    {"ephermeral_context", Type::kBoolean},
    {"actions", Type::kStrings},
});
constexpr auto kLetterShapes = std::to_array<Shape>({{"startup", {}},
                                                     {"context", kContext},
                                                     {"actions/register", kRegister},
                                                     {"actions/unregister", kLetterUnregister},
                                                     {"actions/force", kLetterForce},
                                                     {"action/result", kResult}});

class Reader {
 public:
  Reader(Packet& out, Strictness strictness) : out_(out), strictness_(strictness) {}

  void Add(Diagnostic rule, std::string detail) {
    if (out_.findings.size() < Packet::kMaxFindings) out_.findings.push_back({rule, std::move(detail)});
  }

  // `data` of a command that has `members`; without members, the command takes no data.
  void Data(const json::Value* data, std::span<const Member> members) {
    if (members.empty()) {
      NoData(data);
      return;
    }
    if (data == nullptr) {
      Add(Diagnostic::kMissingField, "`data` must be an object; it is missing");
      return;
    }
    const json::Object* object = data->if_object();
    if (object == nullptr) {
      Expected("data", "an object", *data);
      return;
    }
    Members(*object, members, "data.");
  }

  void Members(const json::Object& object, std::span<const Member> members, const std::string& prefix) {
    for (const Member& member : members) {
      const json::Value* value = json::Find(object, member.name);
      const json::Value* misspelled = member.alias.empty() ? nullptr : json::Find(object, member.alias);
      if (misspelled != nullptr) {
        Add(Diagnostic::kMisspelt, "`" + prefix + std::string(member.alias) + "` should be `" +
                                       std::string(member.name) + "`" +
                                       (value == nullptr ? "" : ", which is also present and takes precedence"));
        if (value == nullptr) value = misspelled;
      }
      const std::string path = prefix + std::string(member.name);
      if (value == nullptr) {
        if (member.need == Need::kRequired) {
          Add(Diagnostic::kMissingField,
              "`" + path + "` must be " + std::string(Word(member.type)) + "; it is missing");
        }
        continue;
      }
      // Many languages write an omitted member as null; the document knows only undefined.
      if (value->is_null() && member.need == Need::kOptional && strictness_ != Strictness::kLetter) {
        if (member.type != Type::kSchema) Add(Diagnostic::kNullField, "`" + path + "` is null; it can be left out");
        continue;
      }
      Value(*value, member.type, path);
    }
    for (const auto& [name, value] : object) {
      if (!Known(json::View(name), members)) {
        Add(Diagnostic::kUnknownField,
            "`" + prefix + Ellipsize(json::View(name), kMaxQuoted) + "` is not a member in the API");
      }
    }
  }

 private:
  static bool Known(std::string_view name, std::span<const Member> members) {
    return std::ranges::any_of(members, [&](const Member& m) { return m.name == name || m.alias == name; });
  }

  static std::string_view Word(Type type) {
    switch (type) {
      case Type::kString:
        return "a string";
      case Type::kBoolean:
        return "a boolean";
      case Type::kObject:
        return "an object";
      case Type::kArray:
      case Type::kActions:
        return "an array";
      case Type::kStrings:
        return "an array of strings";
      case Type::kSchema:
        return "a JSON Schema";
      case Type::kPriority:
        return "\"low\", \"medium\", \"high\" or \"critical\"";
    }
    return "";
  }

  void Expected(const std::string& path, std::string_view expected, const json::Value& got) {
    Add(Diagnostic::kInvalidField,
        "`" + path + "` must be " + std::string(expected) + "; got " + std::string(json::TypeName(got)));
  }

  void NoData(const json::Value* data) {
    if (data == nullptr) return;
    if (strictness_ == Strictness::kLetter) {
      Add(Diagnostic::kUnknownField, "this command has no member `data`");
      return;
    }
    if (data->is_null()) return;
    if (const json::Array* array = data->if_array(); array != nullptr && array->empty()) {
      Add(Diagnostic::kEmptyArrayData, "`data` is []; omit it or send {}");
      return;
    }
    const json::Object* object = data->if_object();
    if (object == nullptr) {
      Expected("data", "omitted or {}", *data);
      return;
    }
    Members(*object, {}, "data.");
  }

  void Value(const json::Value& value, Type type, const std::string& path) {
    switch (type) {
      case Type::kString:
        if (!value.is_string()) Expected(path, Word(type), value);
        return;
      case Type::kBoolean:
        if (!value.is_bool()) Expected(path, Word(type), value);
        return;
      case Type::kObject:
        if (!value.is_object()) Expected(path, Word(type), value);
        return;
      case Type::kArray:
        if (!value.is_array()) Expected(path, Word(type), value);
        return;
      case Type::kStrings:
        Strings(value, path);
        return;
      case Type::kActions:
        Actions(value, path);
        return;
      case Type::kSchema:
        // Whether it is a schema is checked by the checker; [] is an empty table in languages that have only one
        // kind.
        if (const json::Array* array = value.if_array(); array != nullptr && array->empty()) {
          Add(Diagnostic::kEmptyArrayData, "`" + path + "` is []; omit it or send {}");
        }
        return;
      case Type::kPriority:
        if (!value.is_string() || !ParsePriority(json::View(value.get_string()))) {
          Add(Diagnostic::kInvalidField,
              "`" + path + "` must be " + std::string(Word(type)) + "; got " + json::Excerpt(value, kMaxQuoted));
        }
        return;
    }
  }

  void Strings(const json::Value& value, const std::string& path) {
    const json::Array* array = value.if_array();
    if (array == nullptr) return Expected(path, Word(Type::kStrings), value);
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (!(*array)[i].is_string()) Expected(path + "[" + std::to_string(i) + "]", "a string", (*array)[i]);
    }
  }

  void Actions(const json::Value& value, const std::string& path) {
    const json::Array* array = value.if_array();
    if (array == nullptr) return Expected(path, Word(Type::kActions), value);
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string item = path + "[" + std::to_string(i) + "]";
      if (const json::Object* object = (*array)[i].if_object()) {
        Members(*object, kAction, item + ".");
      } else {
        Expected(item, "an object", (*array)[i]);
      }
    }
  }

  Packet& out_;
  const Strictness strictness_;
};

void CheckShape(const json::Object& object, Strictness strictness, const Proposals& proposals, Reader& reader,
                const std::vector<neuro::Issue>& issues, Packet& packet) {
  const json::Value* command = json::Find(object, "command");
  const json::Value* game = json::Find(object, "game");
  if (command == nullptr) {
    reader.Add(Diagnostic::kMissingField, "`command` must be a string; it is missing");
  } else if (!command->is_string()) {
    reader.Add(Diagnostic::kInvalidField, "`command` must be a string; got " + std::string(json::TypeName(*command)));
  }
  if (command == nullptr || !command->is_string()) return;
  const std::string_view name = json::View(command->get_string());
  const std::span<const Shape> shapes =
      strictness == Strictness::kLetter ? std::span<const Shape>(kLetterShapes) : std::span<const Shape>(kShapes);
  const auto shape = std::ranges::find(shapes, name, &Shape::command);
  const bool proposal = shape == shapes.end() && proposals.Find(name) != nullptr;
  if (shape == shapes.end() && !proposal) {
    Diagnostic rule = Diagnostic::kUnknownCommand;
    std::string detail = "the API has no command " + Quote(name);
    if (const auto& decoded = packet.message) {
      if (!std::holds_alternative<neuro::UnknownMessage>(decoded->body)) {
        constexpr std::array<std::string_view, 8> kMeant = {
            "startup",       "context",       "actions/register", "actions/unregister",
            "actions/force", "action/result", "a proposal",       ""};
        if (!std::holds_alternative<neuro::ProposalMessage>(decoded->body)) rule = Diagnostic::kCommandMisspelt;
        detail += "; did you mean `" + std::string(kMeant[decoded->body.index()]) + "`?";
      } else if (std::ranges::find(issues, Diagnostic::kVendorCommand, &neuro::Issue::diagnostic) != issues.end()) {
        rule = Diagnostic::kVendorCommand;
      }
    }
    reader.Add(rule, std::move(detail));
    return;
  }
  if (game == nullptr) {
    reader.Add(Diagnostic::kMissingField, "`game` must be a string; it is missing");
  } else if (!game->is_string()) {
    reader.Add(Diagnostic::kInvalidField, "`game` must be a string; got " + std::string(json::TypeName(*game)));
  }
  for (const auto& [member, value] : object) {
    const std::string_view text(member.data(), member.size());
    if (text != "command" && text != "game" && text != "data") {
      reader.Add(Diagnostic::kUnknownField, Quote(text) + " is not a member in the API");
    }
  }
  if (proposal) {
    packet.message.emplace();
    if (game != nullptr && game->is_string()) packet.message->game = json::View(game->get_string());
    packet.message->body = neuro::ProposalMessage{std::string(name)};
    return;
  }
  reader.Data(json::Find(object, "data"), shape->data);
}

}  // namespace

Packet ReadPacket(std::string_view text, Strictness strictness, const Proposals& proposals) {
  Packet packet;
  Reader reader(packet, strictness);
  // The message, read as leniently as the server reads it; if the shapes are right, there is nothing to tolerate.
  std::vector<neuro::Decoded> documents = neuro::DecodeClient(text);
  neuro::Decoded& decoded = documents.front();
  packet.message = std::move(decoded.message);
  const auto pass_on = [&](std::initializer_list<Diagnostic> rules) {
    for (const neuro::Issue& issue : decoded.issues) {
      if (std::ranges::find(rules, issue.diagnostic) != rules.end()) reader.Add(issue.diagnostic, issue.detail);
    }
  };
  const Result<json::Value> document = json::Parse(text, neuro::DecodeLimits().json);
  if (!document) {
    pass_on({Diagnostic::kInvalidMessage, Diagnostic::kSeveralDocuments, Diagnostic::kInvalidUtf8,
             Diagnostic::kRepairedJson});
    if (packet.findings.empty()) reader.Add(Diagnostic::kInvalidMessage, document.error().message);
  } else if (const json::Object* object = document->if_object()) {
    CheckShape(*object, strictness, proposals, reader, decoded.issues, packet);
    pass_on({Diagnostic::kDuplicateEntry, Diagnostic::kGameBlank, Diagnostic::kSchemaEmpty});
    // What the message cannot do without.
    for (Finding& finding : packet.findings) {
      const bool lost = finding.rule == Diagnostic::kMissingField || finding.rule == Diagnostic::kInvalidField;
      if (!packet.message && lost) finding.rule = Diagnostic::kInvalidMessage;
    }
  } else {
    reader.Add(Diagnostic::kInvalidMessage,
               "a packet must be an object; got " + std::string(json::TypeName(*document)));
  }
  return packet;
}

}  // namespace openseat::checker
