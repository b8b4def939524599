// The models API, GET /api/v1/models: which language models can be given a seat, by the names that agents are made
// with. Described in docs/protocols/console.md. It never shows keys or addresses.
#pragma once

#include <string>
#include <vector>

#include "net/router.h"

namespace openseat::console {

struct OfferedModel {
  std::string name;      // as in {"kind": "llm", "model": name}
  std::string provider;  // "openai", "gemini", "anthropic"
  std::string model;     // as the provider names it
};

void AddModelsRoute(net::Router& router, const std::vector<OfferedModel>& models);

}  // namespace openseat::console
