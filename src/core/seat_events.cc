#include "core/seat_events.h"

#include "base/json.h"
#include "base/json_sink.h"
#include "base/text.h"

namespace openseat {
namespace {

void PutChoice(SeatIndex seat, const Choice& choice, json::Sink& out) {
  out.Put("{\"seat\":");
  out.PutNumber(seat);
  if (choice.decision) {
    out.Put(",\"decision\":");
    out.PutNumber(choice.decision->value());
  }
  out.Put(",\"action\":");
  out.PutString(choice.action);
  if (choice.raw) {
    out.Put(",\"raw\":");
    out.PutString(*choice.raw);
  } else if (!choice.data.is_null()) {
    out.Put(",\"data\":");
    out.PutValue(choice.data);
  }
  if (choice.unchecked) out.Put(",\"unchecked\":true");
}

}  // namespace

std::string DecisionPayload(SeatIndex seat, const Decision& decision) {
  return json::Compose([&](json::Sink& out) {
    out.Put("{\"seat\":");
    out.PutNumber(seat);
    out.Put(",\"decision\":");
    out.PutNumber(decision.id.value());
    out.Put(",\"attempt\":");
    out.PutNumber(decision.attempt);
    out.Put(",\"priority\":\"");
    out.Put(PriorityName(decision.priority));
    out.Put("\",\"actions\":[");
    bool first = true;
    for (const ActionPtr& action : decision.actions.all()) {
      if (!first) out.Put(',');
      first = false;
      out.PutString(action->name);
    }
    out.Put("]}");
  });
}

std::string ChoicePayload(SeatIndex seat, const PendingChoice& pending) {
  return json::Compose([&](json::Sink& out) {
    PutChoice(seat, pending.choice, out);
    out.Put(",\"choice\":");
    out.PutNumber(pending.id.value());
    out.Put(",\"agent\":");
    out.PutString(pending.agent);
    out.Put('}');
  });
}

std::string RefusalPayload(SeatIndex seat, const Choice& choice, const Error& error, std::string_view agent,
                           std::size_t most_bytes) {
  std::string out = json::Compose([&](json::Sink& sink) { PutChoice(seat, choice, sink); });
  if (out.size() > most_bytes) {
    Choice shorter;
    shorter.decision = choice.decision;
    shorter.action = Ellipsize(choice.action, 200);
    const std::size_t bytes = out.size();
    out = json::Compose([&](json::Sink& sink) { PutChoice(seat, shorter, sink); });
    out += ",\"bytes\":" + std::to_string(bytes);
  }
  out += ",\"code\":\"";
  out += ErrorCodeName(error.code);
  out += "\",\"message\":";
  json::WriteString(Ellipsize(error.message, most_bytes), out);
  out += ",\"agent\":";
  json::WriteString(agent, out);
  out += '}';
  return out;
}

std::string VerdictPayload(SeatIndex seat, ChoiceId choice, const Verdict& verdict) {
  return json::Compose([&](json::Sink& out) {
    out.Put("{\"seat\":");
    out.PutNumber(seat);
    out.Put(",\"choice\":");
    out.PutNumber(choice.value());
    out.Put(",\"verdict\":\"");
    out.Put(VerdictName(verdict.kind));
    out.Put('"');
    if (!verdict.message.empty()) {
      out.Put(",\"message\":");
      out.PutString(verdict.message);
    }
    if (!verdict.result.is_null()) {
      out.Put(",\"result\":");
      out.PutValue(verdict.result);
    }
    out.Put('}');
  });
}

}  // namespace openseat
