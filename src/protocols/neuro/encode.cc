#include <utility>

#include "base/json_sink.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

// Writes `"name":`, with a comma before it unless it is the first member of its object.
void Name(std::string_view name, std::string& out) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void Member(std::string_view name, std::string_view value, std::string& out) {
  Name(name, out);
  json::WriteString(value, out);
}
void Flag(std::string_view name, bool value, std::string& out) {
  Name(name, out);
  out += value ? "true" : "false";
}

void Begin(std::string_view command, std::string& out) {
  out += "{\"command\":";
  json::WriteString(command, out);
}
void BeginOfGame(std::string_view command, std::string_view game, std::string& out) {
  Begin(command, out);
  Member("game", game, out);
}
void BeginData(std::string& out) {
  out += ",\"data\":{";
}
void EndData(std::string& out) {
  out += "}}";
}

void Names(std::span<const std::string> names, std::string& out) {
  Name("action_names", out);
  out += '[';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    json::WriteString(names[i], out);
  }
  out += ']';
}

}  // namespace

void EncodeAction(std::string_view id, std::string_view name, std::optional<std::string_view> data, std::string& out,
                  ActionForm form) {
  json::Sink sink(out);
  if (form == ActionForm::kDataFirst) {
    sink.Put("{\"data\":{");
    if (data) {
      sink.Put("\"data\":");
      sink.PutString(*data);
      sink.Put(',');
    }
    sink.Put("\"name\":");
    sink.PutString(name);
    sink.Put(",\"id\":");
    sink.PutString(id);
    sink.Put("},\"command\":\"action\"}");
    return;
  }
  sink.Put("{\"command\":\"action\",\"data\":{\"id\":");
  sink.PutString(id);
  sink.Put(",\"name\":");
  sink.PutString(name);
  if (data) {
    sink.Put(",\"data\":");
    sink.PutString(*data);
  }
  sink.Put("}}");
}

void EncodeStartupAck(std::string_view session_id, std::string_view character_id, std::string_view display_name,
                      std::string& out) {
  Begin("startup", out);
  BeginData(out);
  out += "\"session\":{";
  Member("sessionId", session_id, out);
  Member("characterId", character_id, out);
  Member("displayName", display_name, out);
  out += '}';
  EndData(out);
}

void EncodeReregisterAll(std::string& out) {
  Begin("actions/reregister_all", out);
  out += '}';
}

void EncodeShutdownGraceful(bool wants_shutdown, std::string& out) {
  Begin("shutdown/graceful", out);
  BeginData(out);
  Flag("wants_shutdown", wants_shutdown, out);
  EndData(out);
}

void EncodeShutdownImmediate(std::string& out) {
  Begin("shutdown/immediate", out);
  out += '}';
}

void EncodeSpeechFinished(bool is_final, std::optional<bool> canceled, std::optional<std::string_view> reason,
                          std::string& out) {
  Begin("speech_finished", out);
  BeginData(out);
  Flag("isFinal", is_final, out);
  if (canceled) Flag("cancelled", *canceled, out);
  if (reason) Member("reason", *reason, out);
  EndData(out);
}

void EncodeVoiceUnavailable(std::string_view reason, std::string& out) {
  Begin("voice/unavailable", out);
  BeginData(out);
  Member("reason", reason, out);
  EndData(out);
}

void EncodeStartup(std::string_view game, std::string& out) {
  BeginOfGame("startup", game, out);
  out += '}';
}

void EncodeContext(std::string_view game, const ContextMessage& context, std::string& out) {
  BeginOfGame("context", game, out);
  BeginData(out);
  Member("message", context.message, out);
  Flag("silent", context.silent, out);
  EndData(out);
}

void EncodeRegister(std::string_view game, std::span<const ActionDefinition> actions, std::string& out) {
  BeginOfGame("actions/register", game, out);
  BeginData(out);
  Name("actions", out);
  out += '[';
  for (std::size_t i = 0; i < actions.size(); ++i) {
    out += i > 0 ? ",{" : "{";
    Member("name", actions[i].name, out);
    Member("description", actions[i].description, out);
    if (actions[i].schema) {
      Name("schema", out);
      json::Write(*actions[i].schema, out);
    }
    out += '}';
  }
  out += ']';
  EndData(out);
}

void EncodeUnregister(std::string_view game, std::span<const std::string> action_names, std::string& out) {
  BeginOfGame("actions/unregister", game, out);
  BeginData(out);
  Names(action_names, out);
  EndData(out);
}

void EncodeForce(std::string_view game, const ForceMessage& force, std::string& out) {
  BeginOfGame("actions/force", game, out);
  BeginData(out);
  if (force.state) Member("state", *force.state, out);
  Member("query", force.query, out);
  if (force.ephemeral_context) Flag("ephemeral_context", true, out);
  if (force.priority != Priority::kLow) Member("priority", PriorityName(force.priority), out);
  Names(force.action_names, out);
  EndData(out);
}

void EncodeResult(std::string_view game, const ResultMessage& result, std::string& out) {
  BeginOfGame("action/result", game, out);
  BeginData(out);
  Member("id", result.id, out);
  Flag("success", result.success, out);
  if (!result.message.empty()) Member("message", result.message, out);
  EndData(out);
}

namespace {

struct BodyEncoder {
  std::string_view game;
  std::string& out;

  void operator()(const StartupMessage& /*body*/) const { EncodeStartup(game, out); }
  void operator()(const ContextMessage& body) const { EncodeContext(game, body, out); }
  void operator()(const RegisterMessage& body) const { EncodeRegister(game, body.actions, out); }
  void operator()(const UnregisterMessage& body) const { EncodeUnregister(game, body.action_names, out); }
  void operator()(const ForceMessage& body) const { EncodeForce(game, body, out); }
  void operator()(const ResultMessage& body) const { EncodeResult(game, body, out); }
  void operator()(const ProposalMessage& body) const { Bare(body.command); }
  void operator()(const UnknownMessage& body) const { Bare(body.command); }

  void Bare(std::string_view command) const {
    BeginOfGame(command, game, out);
    out += '}';
  }
};

}  // namespace

void EncodeClient(const ClientMessage& message, std::string& out) {
  std::visit(BodyEncoder{message.game, out}, message.body);
}

}  // namespace openseat::neuro
