// SearchAgent: plays hosted games by searching (search.h), on threads that serve nobody: there, too, it draws the
// samples that it plays ahead from. If the game gives none, it gives up. A search ends early when its decision does,
// and when the agent leaves the seat.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/kinds.h"
#include "agents/search/levels.h"
#include "agents/search/search.h"
#include "base/rng.h"
#include "base/worker_pool.h"
#include "core/agent.h"
#include "core/seat.h"
#include "core/sight.h"

namespace openseat::search {

struct SearchAgentOptions {
  SearchOptions search{};
  std::string_view kind = "search";  // the name of the kind of agents, a literal
  double slip = 0;                   // Level::slip, without a level
  std::optional<int> level{};        // 1 … kLevels: then it says how long to search, and how to choose
};

// `pool` outlives the agents; nullptr: they search where their scheduler offloads work to.
AgentKind SearchKind(WorkerPool* pool);

class SearchAgent final : public Agent {
 public:
  SearchAgent(SearchAgentOptions options, WorkerPool* pool);
  ~SearchAgent() override;
  SearchAgent(const SearchAgent&) = delete;
  SearchAgent& operator=(const SearchAgent&) = delete;

  std::string_view kind() const override { return options_.kind; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId, DecisionEnd) override { Stop(); }
  void OnDismissed() override { Stop(); }

 private:
  struct Thinking;

  void Think(const Decision& decision, const Game& game);
  void GiveUp(DecisionId decision, const std::string& why);
  void Stop();
  void Finish(const Thinking& thinking);
  void Choose(DecisionId decision, const Sight& sight, Move move);

  const SearchAgentOptions options_;
  WorkerPool* const pool_;
  Rng rng_;
  Seat* seat_ = nullptr;
  std::shared_ptr<Thinking> thinking_;  // null: nothing is searched
};

}  // namespace openseat::search
