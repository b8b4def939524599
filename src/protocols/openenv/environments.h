// Environments: all episodes of the process. An episode lives on the scheduler of the socket that began it; sockets on
// other schedulers reach it by posting. The index of those that wait for players is an actor on the first scheduler.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "match/journal_on_terms.h"
#include "match/lobby.h"
#include "match/null_journal.h"
#include "protocols/openenv/episode.h"

namespace openseat::openenv {

// A player of an episode.
struct PlayerRef {
  Scheduler* home = nullptr;  // null: none
  std::uint64_t episode = 0;
  std::size_t player = 0;
};

class Environments {
 public:
  // All outlive it; the schedulers have stopped when it is destroyed. `journal`: of episodes that are recorded.
  Environments(Lobby& lobby, const AgentKinds& kinds, const MatchRules& rules,
               const std::vector<Scheduler*>& schedulers, Journal& journal, AgentFactory make_agent,
               ChoiceJudge judge = {});
  ~Environments();

  // nullptr if there is no game with that id.
  const Game* FindGame(std::string_view id) const { return lobby_.FindOffered(id); }
  const AgentKinds& kinds() const { return kinds_; }
  // For an episode that no socket has: each of the schedulers in turn.
  Scheduler& NextHome() { return *schedulers_[homes_++ % schedulers_.size()]; }

  // All callbacks run on `here`, which is the caller's scheduler; possibly from within the call.
  using Begun = std::function<void(PlayerRef player)>;  // before the answer
  using Answered = Episode::Answered;
  // Errors: kBusy for a limit of `payer` (null: the caller holds the place); the lobby's for options and agents;
  // Episode::Join's.
  void Reset(Scheduler& here, const Game& game, ResetOptions options, const std::shared_ptr<Payer>& payer, Begun begun,
             Answered answered);
  // Whether Reset would accept them: its errors but kBusy and those of Episode::Join.
  Result<void> Check(const Game& game, const ResetOptions& options) const;
  void Step(Scheduler& here, const PlayerRef& player, StepAction action, const Answered& answered);
  void State(Scheduler& here, const PlayerRef& player, const Answered& answered);
  void Leave(const PlayerRef& player);

  // Episodes of all sockets. Any thread.
  std::size_t open() const { return open_; }

 private:
  struct Shelf {
    std::unordered_map<std::uint64_t, std::unique_ptr<Episode>> episodes;
  };
  struct Waiting {
    Scheduler* home = nullptr;
    std::uint64_t episode = 0;
  };
  struct Order;

  Result<void> Check(const Game& game, const ResetOptions& wanted, std::vector<PlannedSeat>& seats) const;
  Shelf& ShelfOf(const Scheduler& scheduler);
  void Make(Scheduler& home, std::uint64_t number, const std::shared_ptr<Order>& order);
  void Seat(Episode& episode, Scheduler& home, std::uint64_t number, const std::shared_ptr<Order>& order);
  void FindOrMake(const std::shared_ptr<Order>& order, int tries);
  void Forget(const std::string& key, std::uint64_t number);
  // Runs `run` with the episode on its scheduler, or answers that it is gone.
  void With(Scheduler& here, const PlayerRef& player, const Answered& answered, std::function<void(Episode&)> run);

  Lobby& lobby_;
  const AgentKinds& kinds_;
  const MatchRules rules_;
  const std::vector<Scheduler*> schedulers_;
  JournalOnTerms journal_;
  NullJournal null_journal_;
  const AgentFactory make_agent_;
  const ChoiceJudge judge_;
  std::vector<std::unique_ptr<Shelf>> shelves_;
  std::unordered_map<std::string, Waiting> waiting_;  // on the first scheduler
  std::atomic<std::uint64_t> last_ = 0;
  std::atomic<std::size_t> homes_ = 0;
  std::atomic<std::size_t> open_ = 0;
};

}  // namespace openseat::openenv
