// A journal event as JSON, for the API and `openseat replay --json`.
#pragma once

#include "base/json.h"
#include "core/journal.h"

namespace openseat::console {

// {"seq", "time", "kind", "payload"}: the payload is a value if it parses as JSON, else {"text": …}.
json::Object EventToJson(const StoredEvent& event);

}  // namespace openseat::console
