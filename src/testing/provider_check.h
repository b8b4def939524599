// Checks requests to the model providers against what each publishes; written apart from agents/llm, for its tests and
// for the stand-in of a provider (tests/model_stand_in.cc).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/rng.h"

namespace openseat::testing {

struct ProviderRequest {
  std::string provider;                        // "openai", "responses", "gemini", "anthropic"
  std::string path;                            // below the base URL: "/chat/completions"
  std::map<std::string, std::string> headers;  // names in lower case
  json::Value body;
};

// The faults, one sentence per fault. `key`: what must be sent as the key.
std::vector<std::string> RequestFaults(const ProviderRequest& request, std::string_view key);

// How the provider answers a request that its model does not take, as documented: an HTTP status and its error's body.
// A model's version is told by the beginning of its name: "flagship" is of today, "legacy" older than structured
// answers, "small" a server with few features; any other takes everything.
struct ProviderRefusal {
  int status = 400;
  json::Value body;
};
std::optional<ProviderRefusal> RefusalOf(const ProviderRequest& request);

// Whether the answer is to be a stream.
bool WantsStream(const ProviderRequest& request);

// All texts of the conversation, the system's first. Empty if the request has none.
std::vector<std::string> TextsOf(const ProviderRequest& request);
// The schema that the answer must fit; nullptr if there is none.
const json::Value* AnswerSchemaOf(const ProviderRequest& request);

// An answer as a good model would give it, to the actions and schemas that the conversation names last. nullopt if it
// does not name any.
std::optional<json::Value> GoodAnswer(const ProviderRequest& request, Rng& rng);
// With null for every member that `schema` requires and `answer` leaves out, as strict schemas demand.
void FillNulls(const json::Value& schema, json::Value& answer, int depth = 0);

}  // namespace openseat::testing
