#include <utility>

#include "base/json_arena.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

std::string TextOr(const json::Value* value, std::string_view fallback) {
  const json::String* text = value == nullptr ? nullptr : value->if_string();
  return std::string(text == nullptr ? fallback : json::View(*text));
}

bool FlagOr(const json::Value* value, bool fallback) {
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  return flag == nullptr ? fallback : *flag;
}

Result<ServerMessage> Mistyped(std::string_view path, const json::Value* got) {
  std::string message = "`";
  message.append(path).append("` must be a string; ");
  message.append(got == nullptr ? "it is missing" : "got ");
  if (got != nullptr) message.append(json::TypeName(*got));
  return Fail(ErrorCode::kInvalid, std::move(message), std::string(path));
}

Result<ServerMessage> DecodeAction(const json::Value& data) {
  const json::Value* id = json::Find(data, "id");
  if (id == nullptr || !id->is_string()) return Mistyped("data.id", id);
  const json::Value* name = json::Find(data, "name");
  if (name == nullptr || !name->is_string()) return Mistyped("data.name", name);
  ActionMessage action{.id = TextOr(id, ""), .name = TextOr(name, ""), .data = std::nullopt};
  // The API sends JSON in a string here; some servers send the object itself.
  if (const json::Value* text = json::Find(data, "data"); text != nullptr && !text->is_null()) {
    action.data = text->is_string() ? TextOr(text, "") : json::Write(*text);
  }
  return action;
}

}  // namespace

Result<ServerMessage> DecodeServer(std::string_view text, const json::Limits& limits) {
  json::Arena arena;
  const Result<json::Value> document = json::Parse(text, limits, arena.storage());
  if (!document) return Fail(document.error());
  if (!document->is_object()) {
    return Fail(ErrorCode::kInvalid, "a message must be a JSON object; got " + std::string(json::TypeName(*document)));
  }
  const json::Value* name = json::Find(*document, "command");
  if (name == nullptr || !name->is_string()) return Mistyped("command", name);
  const std::string_view command = json::View(name->get_string());

  const json::Value* found = json::Find(*document, "data");
  const json::Value none;
  const json::Value& data = found == nullptr ? none : *found;
  if (command == "action") return DecodeAction(data);
  if (command == "startup") {
    const json::Value* given = json::Find(data, "session");
    const json::Value& session = given == nullptr ? none : *given;
    return StartupAckMessage{.session_id = TextOr(json::Find(session, "sessionId"), ""),
                             .character_id = TextOr(json::Find(session, "characterId"), ""),
                             .display_name = TextOr(json::Find(session, "displayName"), "")};
  }
  if (command == "actions/reregister_all") return ReregisterAllMessage{};
  if (command == "shutdown/graceful") {
    return ShutdownGracefulMessage{.wants_shutdown = FlagOr(json::Find(data, "wants_shutdown"), true)};
  }
  if (command == "shutdown/immediate") return ShutdownImmediateMessage{};
  if (command == "speech_finished") {
    return SpeechFinishedMessage{.is_final = FlagOr(json::Find(data, "isFinal"), true),
                                 .canceled = FlagOr(json::Find(data, "cancelled"), false),
                                 .reason = TextOr(json::Find(data, "reason"), "")};
  }
  if (command == "voice/unavailable") return VoiceUnavailableMessage{.reason = TextOr(json::Find(data, "reason"), "")};
  return UnknownMessage{std::string(command)};
}

}  // namespace openseat::neuro
