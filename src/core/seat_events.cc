#include "core/seat_events.h"

#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace openseat {
namespace {

// A refusal costs the journal more than the sender: only the size of larger data is recorded.
constexpr std::size_t kMaxRefusalBytes = 16u << 10;
constexpr std::size_t kTypicalBytes = 160;  // of an event

// `name` with what is around it.
void AppendNumber(std::string_view name, std::uint64_t number, std::string& out) {
  out += name;
  json::WriteNumber(number, out);
}

void AppendChoice(SeatIndex seat, const Choice& choice, std::string& out) {
  out.reserve(kTypicalBytes);
  AppendNumber("{\"seat\":", seat, out);
  if (choice.decision) AppendNumber(",\"decision\":", choice.decision->value(), out);
  out += ",\"action\":";
  json::WriteString(choice.action, out);
  if (choice.raw) {
    out += ",\"raw\":";
    json::WriteString(*choice.raw, out);
  } else if (!choice.data.is_null()) {
    out += ",\"data\":";
    json::Write(choice.data, out);
  }
  if (choice.unchecked) out += ",\"unchecked\":true";
}

}  // namespace

std::string DecisionPayload(SeatIndex seat, const Decision& decision) {
  std::string out;
  out.reserve(kTypicalBytes);
  AppendNumber("{\"seat\":", seat, out);
  AppendNumber(",\"decision\":", decision.id.value(), out);
  AppendNumber(",\"attempt\":", static_cast<std::uint64_t>(decision.attempt), out);
  out += ",\"priority\":\"";
  out += PriorityName(decision.priority);
  out += "\",\"actions\":[";
  bool first = true;
  for (const ActionPtr& action : decision.actions.all()) {
    if (!first) out += ',';
    first = false;
    json::WriteString(action->name, out);
  }
  out += "]}";
  return out;
}

std::string ChoicePayload(SeatIndex seat, const PendingChoice& pending) {
  std::string out;
  AppendChoice(seat, pending.choice, out);
  AppendNumber(",\"choice\":", pending.id.value(), out);
  out += ",\"agent\":";
  json::WriteString(pending.agent, out);
  out += '}';
  return out;
}

std::string RefusalPayload(SeatIndex seat, const Choice& choice, const Error& error, std::string_view agent) {
  std::string out;
  AppendChoice(seat, choice, out);
  if (out.size() > kMaxRefusalBytes) {
    Choice shorter;
    shorter.decision = choice.decision;
    shorter.action = Ellipsize(choice.action, 200);
    const std::size_t bytes = std::exchange(out, {}).size();
    AppendChoice(seat, shorter, out);
    out += ",\"bytes\":" + std::to_string(bytes);
  }
  out += ",\"code\":\"";
  out += ErrorCodeName(error.code);
  out += "\",\"message\":";
  json::WriteString(Ellipsize(error.message, kMaxRefusalBytes), out);
  out += ",\"agent\":";
  json::WriteString(agent, out);
  out += '}';
  return out;
}

std::string VerdictPayload(SeatIndex seat, ChoiceId choice, const Verdict& verdict) {
  std::string out;
  out.reserve(kTypicalBytes);
  AppendNumber("{\"seat\":", seat, out);
  AppendNumber(",\"choice\":", choice.value(), out);
  out += ",\"verdict\":\"";
  out += VerdictName(verdict.kind);
  out += '"';
  if (!verdict.message.empty()) {
    out += ",\"message\":";
    json::WriteString(verdict.message, out);
  }
  if (!verdict.result.is_null()) {
    out += ",\"result\":";
    json::Write(verdict.result, out);
  }
  out += '}';
  return out;
}

}  // namespace openseat
