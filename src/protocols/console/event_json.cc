#include "protocols/console/event_json.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace openseat::console {

json::Object EventToJson(const StoredEvent& stored) {
  json::Object out;
  out["seq"] = stored.seq;
  out["time"] = FormatIso8601(stored.event.time);
  const auto name = EventKindName(stored.event.kind);
  out["kind"] = name ? std::string(*name) : "kind-" + std::to_string(static_cast<int>(stored.event.kind));
  // What a game sent may have more values than the limit: then it is returned as text.
  Result<json::Value> payload = json::Parse(stored.event.payload, {.max_values = 100'000});
  if (payload) {
    out["payload"] = std::move(*payload);
  } else {
    out["payload"] = json::Object{{"text", SanitizeUtf8(stored.event.payload)}};
  }
  return out;
}

}  // namespace openseat::console
