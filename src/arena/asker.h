// Asker: puts a recorded decision to another agent, outside its match: the agent is told and asked what it would be at
// that seat, its choice is judged by the rules, and that is all. Nobody else learns of it.
//
// One thread: its scheduler's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arena/decision_log.h"
#include "arena/recording_journal.h"
#include "core/agent.h"
#include "core/seat.h"
#include "core/transcript.h"
#include "match/past.h"

namespace openseat::arena {

// What became of a question.
struct Asked {
  std::optional<PlayedChoice> choice{};     // nullopt: the agent could not answer
  std::shared_ptr<const GameState> next{};  // after it
  std::string failure{};                    // why there is no choice
  json::Object line{};                      // of decisions.jsonl: everything that a model was sent and answered
};

class Asker final : private SeatHost {
 public:
  using Done = std::function<void(Asked asked)>;

  // `name` is the agent's. REQUIRES decision.before. `game`, `scheduler` and what the agent needs outlive it.
  // `on_model`: of the journal.
  Asker(const Game& game, PastDecision decision, std::string name, Scheduler& scheduler,
        RecordingJournal::OnModel on_model = {});
  ~Asker() override;
  // `done` is called once, later, from a task of the scheduler.
  void Ask(std::unique_ptr<Agent> agent, Done done);

 private:
  bool IsJudge() const override { return true; }
  std::optional<Verdict> Answer(const Seat& seat, const Choice& choice) override;
  void OnChoice(Seat& seat, const PendingChoice& choice) override;
  void OnDecisionEnded(Seat& seat, DecisionId decision, DecisionEnd end) override;
  void OnRefused(Seat&, const Choice&, const Error&) override {}
  std::unique_ptr<GameState> Playout(const Seat& seat, Rng& rng) const override;
  void Finish();

  const Game& game_;
  const PastDecision decision_;
  const std::string name_;
  Scheduler& scheduler_;
  RecordingJournal journal_;
  Transcript transcript_;
  Seat seat_;
  Done done_;
  Asked asked_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace openseat::arena
