// Episode: one match that is played through environments, by one socket or several. It owns its match, which is played
// like every other: its players hold seats by their leases and choose through Match::Choose.
//
// One thread: its scheduler's. Callbacks run there, too. Destroyed there, never from within a callback.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "match/match.h"
#include "protocols/openenv/choices.h"
#include "protocols/openenv/reset_options.h"

namespace openseat::openenv {

// Who says what choices are worth, for the reward "judge". Empty functions: nobody does.
struct ChoiceJudge {
  struct Question {
    const Game* game = nullptr;
    std::shared_ptr<const GameState> state;  // one that the seat cannot tell from the real one
    SeatIndex seat = 0;
    PlayedChoice choice;  // a legal one
    std::uint64_t seed = 0;
    std::stop_token stop{};          // nobody waits for it any more
    std::shared_ptr<Payer> payer{};  // of the player who waits; null: not known
  };
  // Whether choices of this game can be judged. Errors: kUnsupported, with the reason.
  std::function<Result<void>(const Game&)> can;
  // `judged` gets what the choice gave away on the scheduler: from 0 to 1, the difference between a win and a loss. The
  // same question gets the same answer. `judged` is dropped if the question is stopped, and with an error: kBusy if too
  // many wait. It may also get that error later, when others have asked less, and kUnsupported if the game gives
  // nothing to play ahead from.
  std::function<Result<void>(Question question, Scheduler& scheduler, std::function<void(Result<double> loss)> judged)>
      judge;
};

// What the first player of an episode decided.
struct EpisodeTerms {
  const Game* game = nullptr;
  std::string id;
  std::uint64_t seed = 0;
  bool seed_named = false;  // else it is a secret
  json::Value options;
  std::vector<std::optional<AgentSpec>> seats;  // nullopt: played through an environment
  bool record = false;
};

class Episode {
 public:
  // The text of an answer's `data`, or why the player gets no answer.
  using Answered = std::function<void(Result<std::string>)>;

  // All outlive it. `begun` is called once all seats are taken.
  Episode(EpisodeTerms terms, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent,
          const ChoiceJudge& judge, std::function<void()> begun);
  ~Episode();

  const EpisodeTerms& terms() const { return terms_; }
  bool begun() const { return match_ != nullptr; }
  // Whether no player is left.
  bool empty() const;
  // Whether nothing of it is under way.
  bool over() const { return !match_ || failed_ || match_->status() == MatchStatus::kDone; }
  // Called, once, when it is over: later, and never if it is destroyed first. REQUIRES !over().
  void OnOver(Task over) { over_ = std::move(over); }

  // A player sits down, and `answered` gets its first observation. Returns the player's number. Errors: kConflict for a
  // seat that is taken, or an episode that has begun.
  Result<std::size_t> Join(const PlayerTerms& player, Lease place, Answered answered);
  // Errors, which reach `answered`: kClosed after the end, kBusy while another answer is awaited.
  void Step(std::size_t player, StepAction action, Answered answered);
  // The text of the answer to "state".
  std::string State(std::size_t player) const;
  // The player's socket is gone, or it plays another episode: whatever is pending is forgotten.
  void Leave(std::size_t player);

 private:
  struct Player {
    PlayerTerms terms;
    Lease place;
    Answered pending;
    ScopedTimer wait;
    bool deciding = false;  // a choice awaits its verdict, or the judge
    std::stop_source judging{std::nostopstate};
    bool first = true;  // no observation yet
    bool gone = false;
    bool quit = false;   // gone while the match was being opened
    bool waits = false;  // its last answer's only choice was to wait
    bool over = false;   // it was told the end
    std::uint64_t steps = 0;
    std::uint64_t illegal_in_row = 0;
    std::string refused;
    json::Value result;
    std::size_t acted = 0;                           // the index in terms.seats of the seat that acted last
    std::vector<double> rewards;                     // since the last answer, by index in terms.seats
    std::vector<double> expected;                    // what the heuristics expect, by index in terms.seats
    std::vector<std::shared_ptr<const Sight>> told;  // what it has seen, by index in terms.seats
  };

  void Begin();
  void JoinSeats(std::size_t seat);
  // `index`: of the seat in terms.seats. `loss`: what the choice gives away, if it is accepted.
  void Choose(std::size_t player, std::size_t index, Choice choice, double loss);
  void JudgeFirst(std::size_t player, std::size_t index, Choice choice);
  // The step ends with the judge's error.
  static void NotJudged(Player& player, Error error);
  void Resign(const Player& player);
  void Failed(const Error& error);
  void CheckSoon();
  void CheckAll();
  void Check(Player& player);
  // The first of the player's seats that is to choose; nullopt if none is.
  std::optional<std::size_t> Turn(const Player& player) const;
  void OnVerdict(std::size_t player, std::size_t index, const Verdict& verdict, double loss);
  void Refuse(Player& player, const std::string& why);
  // Sends the position: for the seat with this index in terms.seats.
  void Answer(Player& player, std::size_t index, bool waiting);
  void AddRewards(Player& player, bool done);
  std::string Render(Player& player, std::size_t index, bool waiting, bool done);

  const EpisodeTerms terms_;
  const MatchRules rules_;
  Scheduler& scheduler_;
  Journal& journal_;
  const AgentFactory make_agent_;
  const ChoiceJudge& judge_;
  const std::function<void()> begun_;
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<std::uint32_t> leases_;  // by seat
  std::unique_ptr<Match> match_;
  std::optional<Error> failed_;
  Task over_;
  bool seated_ = false;    // all players sit at the match
  bool checking_ = false;  // a check is posted
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace openseat::openenv
