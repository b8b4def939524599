// Models: all models of the process by name, with each one's spending and statistics, and the agents that they play.
//
// Immutable except for the statistics, which have a lock of their own: any thread. Outlives its agents.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/kinds.h"
#include "agents/llm/call_gate.h"
#include "agents/llm/model.h"
#include "agents/llm/model_call.h"
#include "agents/llm/quirks.h"
#include "agents/llm/redact.h"
#include "agents/llm/spending.h"
#include "core/agent.h"
#include "core/ids.h"
#include "net/http_client.h"

namespace openseat::llm {

class ModelEntry {
 public:
  explicit ModelEntry(Model described)
      : model(std::move(described)),
        redact(model),
        gate(static_cast<std::size_t>(model.max_concurrent), model.requests_per_minute) {}

  // What this model has spent at that table. The object belongs to the table's thread.
  std::shared_ptr<Spending> SpendingAt(const TableId& table);

  const Model model;
  const Redactor redact;
  SharedStats stats;
  DailySpending daily;
  Quirks quirks;
  CallGate gate;

 private:
  std::mutex mutex_;
  std::map<TableId, std::shared_ptr<Spending>> spendings_;
};

class Models {
 public:
  // `http` outlives it. If two models have the same name, the last one counts.
  Models(std::vector<Model> models, net::HttpCaller& http, CallPolicy policy = {});

  // REQUIRES options that fit LlmKind's schema. Errors: kNotFound if no model has that name.
  Result<std::unique_ptr<Agent>> MakeAgent(const json::Object& options) const;
  // nullptr if there is none.
  ModelEntry* Find(std::string_view name) const;
  // By name.
  std::vector<const ModelEntry*> All() const;
  // "a, b": for messages.
  std::string Names() const;

 private:
  std::map<std::string, std::unique_ptr<ModelEntry>, std::less<>> models_;
  net::HttpCaller& http_;
  const CallPolicy policy_;
};

// `models` outlives it; nullptr: the kind is only described.
AgentKind LlmKind(const Models* models);

}  // namespace openseat::llm
