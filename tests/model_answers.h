// A model's answer in each provider's format, whole or as the events of a stream: for the stand-in of the providers.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "testing/provider_check.h"

namespace openseat::testing {

// What a model says, for all providers.
struct Said {
  std::string text{};
  std::string thoughts{};
  std::string refusal{};  // if set, it declines
  bool cut_off = false;
};

// The documents of an answer: one, or the events of a stream.
using Documents = std::vector<json::Value>;

// As the request wants it.
Documents AnswerOf(const ProviderRequest& request, const Said& said);
// One event of a stream as its provider writes it.
std::string EventText(const ProviderRequest& request, const json::Value& event);

}  // namespace openseat::testing
