// Match: one hosted game being played. An actor: what comes in is queued, judged, journalled, and only when that is
// durable answered and announced. The state is the fold of the journal, so a match outlives its process.
//
// A state is never changed: a choice is applied to a clone (core/judge.h), which takes the state's place once the event
// with the choice and its result is durable. Who holds an older state may keep it. All choices come through the seats
// (Seat::Choose), whoever plays them.
//
// What cannot be journalled (a full disk) is answered with kIo and changes nothing. Once the journal can be written
// again the match goes on by itself: agents are asked anew, and nobody's attempt is counted.
//
// One thread: its scheduler's. Callbacks run there too.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/waiting.h"
#include "core/agent.h"
#include "core/game.h"
#include "core/journal.h"
#include "core/judge.h"
#include "core/table.h"
#include "core/transcript.h"

namespace openseat {

enum class MatchStatus : std::uint8_t { kAwaitingPlayers, kReady, kInProgress, kDone };
std::string_view MatchStatusName(MatchStatus status);  // "awaiting-players" …

enum class MatchEvent : std::uint8_t { kStart, kUpdate, kEnd };
std::string_view MatchEventName(MatchEvent event);  // "start" …

class MatchFold;

struct MatchRules {
  Duration grace = std::chrono::seconds(60);  // how long the seat of a dropped player is kept; then it forfeits
  Duration idle = std::chrono::hours(1);      // without any action a match ends
  std::optional<Duration> turn_limit;         // who does not choose in time forfeits
  // What may wait while the match journals: of players who join, of connections that play, and of the bytes of each.
  std::size_t max_waiting_joins = 1024;
  std::size_t max_waiting_actions = 64;
  std::size_t max_waiting_bytes = 16u << 20;
};

// Who is to sit at a seat.
struct PlannedSeat {
  std::string name;  // "" where the seat is open
  AgentSpec agent;   // kind "": open, for whoever joins
};

struct MatchSpec {
  TableId id;
  const Game* game = nullptr;
  json::Value options;  // REQUIRES that Game::NewGame accepts them
  std::uint64_t seed = 0;
  std::string invite;  // what names it beside its id (match/invite.h); "" where the match is public
  // Fewer than the game needs: the rest is open. More, up to the game's max_seats: the match waits for all of them.
  std::vector<PlannedSeat> seats;

  // How many players the match begins with.
  std::size_t players_needed() const { return std::max<std::size_t>(game->info().min_seats, seats.size()); }
};

// What a joiner gets: the seat, and the token that resumes it after a dropped connection ("" for who resumed).
struct JoinedSeat {
  SeatIndex seat = 0;
  std::string token;
  std::uint32_t lease = 0;  // of this connection; the next to resume the seat has another
};

// Who gives up: a connection by its lease, an agent by Seat::sitting(). Neither: somebody who may end any match.
struct Quitter {
  std::optional<std::uint32_t> lease{};
  std::optional<std::uint64_t> sitting{};
};

class Match final : public Table, private SeatHost {
 public:
  using Joined = std::function<void(Result<JoinedSeat>)>;
  using Acted = std::function<void(Result<json::Value>)>;
  using Notice = std::function<void(MatchEvent event, const Match& match, Viewer viewer)>;
  using WatchId = NumberId<struct WatchTag>;

  // A new match. `spec.game`, `scheduler` and `journal` outlive it. Nothing is journalled before Open.
  Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent);
  // Journals the match's beginning, seats the agents that come before the first open seat, begins where none is open,
  // and then calls `opened`.
  void Open(std::function<void(Result<void>)> opened);
  // The match that `events` tell of (all of them, from the first). Its players have their grace to come back; agents
  // are made anew by `make_agent`. kParse for events that no match of this game wrote.
  static Result<std::unique_ptr<Match>> Recover(const TableId& id, const Game& game,
                                                const std::vector<StoredEvent>& events, const MatchRules& rules,
                                                Scheduler& scheduler, Journal& journal, AgentFactory make_agent);
  ~Match() override;

  // Whose budget counts what is refused because too much waits; by default nobody's.
  void CountFor(std::shared_ptr<const Payer> payer) { payer_ = std::move(payer); }

  // Takes the next free seat. kDenied where the match has begun, kConflict where the name is taken, kBusy where too
  // many wait for it. The match starts by itself when the last seat is taken: after `joined`, before anything else.
  void Join(std::string name, Joined joined);
  // The same for an agent, which is journalled and made anew when the match is recovered.
  void JoinAgent(std::string name, AgentSpec agent, Joined joined);
  // From now on `agent` plays a seat that is taken; the former agent is dismissed. That is so, and `done` told, once it
  // is journalled. A player's token stays good, and the player need not be there any more. What is pending is asked of
  // the new agent. kConflict where the match is over, what is wrong with the agent, or the journal's error: then
  // nothing has changed. REQUIRES seat < seats().
  void HandOver(SeatIndex seat, AgentSpec agent, Joined done);
  // Tells the agents at the other seats, and the record, what this player says. REQUIRES seat < seats().
  void Say(SeatIndex seat, std::string_view text);
  // The player is back: keeps its seat, though its former connection may seem to live; that one is told so (WhenTaken).
  // kDenied for a wrong name or token.
  Result<JoinedSeat> Resume(std::string_view name, std::string_view token);
  // Called, once, when another connection than that of `lease` takes the seat. Nothing happens where one has.
  void WhenTaken(SeatIndex seat, std::uint32_t lease, Task taken);
  // The player's connection dropped. After the grace it forfeits; a match that has not begun ends then. Nothing happens
  // where the player has come back on another one, or an agent plays the seat.
  void Drop(SeatIndex seat, std::uint32_t lease);

  // A connection's choice: Seat::Choose, in its turn, for whoever holds the seat by `lease`, also beside an agent to
  // which the seat was handed over. `told` gets the verdict when it is durable, or why the choice was refused:
  // GameState's codes; kNotYourTurn before the match begins, kClosed when it is over, or where another connection has
  // taken the seat, kBusy where too much waits, kIo when the journal cannot be written. In a game of whole turns that
  // is when the turn is whole; kConflict or kTimeout then say that another seat could not answer, so that nothing of it
  // counts
  // (`seat(…).failure()` may know more).
  void Choose(SeatIndex seat, std::uint32_t lease, Choice choice, Seat::Told told);
  // Ends the match with the others as winners, or as a draw where there is no such seat. kClosed where it is over, or
  // where another connection or agent has taken the quitter's seat.
  void Forfeit(SeatIndex seat, std::string reason, Acted done, Quitter quitter = {});

  // Tells of every event from now on, in the order that is the same for everyone. A seat's watchers are not told that
  // its own choice waits for its turn to be whole: what it causes comes after its answer.
  WatchId Watch(Viewer viewer, Notice notice);
  void Unwatch(WatchId watch);

  MatchStatus status() const { return status_; }
  const Game& game() const { return *game_; }
  const MatchSpec& spec() const { return spec_; }
  Time opened() const override { return opened_; }
  // The names of those who joined, by seat.
  const std::vector<std::string>& players() const { return players_; }
  // The game's own or, after a forfeit or an idle end, ours. REQUIRES status() == kDone.
  const Outcome& outcome() const { return *outcome_; }
  // Whether it ended otherwise than by the rules: somebody left, could not answer, or nothing happened for too long.
  bool forfeited() const { return forfeited_; }
  // The winners' names joined, nullopt for a draw. REQUIRES status() == kDone.
  std::optional<std::string> WinnerName() const;
  // REQUIRES that the match has started.
  json::Value Observe(Viewer viewer) const { return state_->Observe(viewer); }
  // All of the game's log. REQUIRES that the match has started.
  std::vector<std::string> Log(Viewer viewer) const { return state_->Log(viewer); }
  // REQUIRES that the match has started.
  std::vector<ActionSpec> Actions(SeatIndex seat) const { return state_->Actions(seat); }
  bool started() const { return state_ != nullptr; }
  // How it stands by the journal: without the half of a turn that is under way. REQUIRES that the match has started.
  const GameState& state() const { return kept_ ? *kept_ : *state_; }
  // Of a game of whole turns: whether choices wait for their turn to be whole.
  bool in_turn() const { return kept_ != nullptr; }
  // Why the last turn was undone; nothing where a choice has been made since.
  const std::optional<Error>& undone() const { return undone_; }

  // Writes the last event. Called once, before the match is destroyed, unless it is to be recovered later.
  void Close(std::string_view reason);

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::string_view invite() const override { return spec_.invite; }
  std::size_t seats() const override { return places_.size(); }
  Seat& seat(SeatIndex index) override { return *places_[index].seat; }
  const AgentSpec* Planned(SeatIndex index) const override;
  json::Object Info() const override;
  std::optional<json::Value> Look(Viewer viewer) const override;
  std::string Describe(SeatIndex seat) const override;
  json::Array Diagnostics() const override { return {}; }
  // "forfeit" {"seat"}.
  Result<json::Value> Control(std::string_view command, const json::Object& arguments) override;

 private:
  struct Place {
    std::unique_ptr<Seat> seat;
    std::string token_hash;   // "" where an agent joined
    std::uint32_t lease = 0;  // of the connection that has the seat
    bool client = false;      // a client plays it, and no other agent
    bool present = false;     // its player is connected, or an agent sits there
    ScopedTimer grace;
    Task taken;  // tells that connection that another one has it
  };
  // A choice of a turn that is not whole yet: neither journalled nor settled.
  struct Held {
    SeatIndex seat = 0;
    std::string payload;
    json::Value result;
  };
  struct Watcher {
    WatchId id;
    Viewer viewer;
    Notice notice;
  };

  Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent,
        Seq last_seq, Time opened);
  void JoinWith(std::string name, std::optional<AgentSpec> agent, Joined joined);
  void Take(std::string name, const AgentSpec* spec, Joined joined);
  // Seats the next agent where one is planned; returns whether one is.
  bool SeatPlanned();
  // Those who could be seated for now are: calls whoever waits for that.
  void PlannedSeated();
  // Sits everyone down whom the journal knows. kParse for agents that cannot be made here.
  Result<void> Adopt(const MatchFold& fold);
  void AddPlace(std::string name, std::string token_hash);
  // Null: a client plays the seat.
  static void SitDown(Place& place, std::unique_ptr<Agent> agent);
  void Enqueue(Task input);
  bool MustWait() const { return committing_ || !inputs_.empty(); }
  // kClosed for a connection whose seat another one has taken.
  Result<void> CheckLease(SeatIndex seat, std::uint32_t lease) const;
  void RunInputs();
  // Journals; then `then`, or `failed`, and on with the queue.
  void Commit(EventKind kind, std::vector<std::string> payloads, Task then, std::function<void(Error)> failed);
  // Judges the choice that awaits its verdict at this seat.
  void JudgeChoice(Seat& seat);
  // The choice counts: journals it, with all of its turn, and goes on from there.
  void Play(SeatIndex seat, std::string payload, Ruling ruling);
  // The choice leaves its turn half done.
  void Hold(SeatIndex seat, std::string payload, Ruling ruling);
  // The state is again as before the turn that is under way, if there is one, and its choices are settled with `error`.
  void Undo(const Error& error);
  void Settle(SeatIndex seat, Result<json::Value> result);
  void StartIfFull();
  void Begin();  // makes the state
  // What the agents at the other seats are told of what `mover` did: that it was done, and, where they are not asked
  // next and so do not read it in their question, what the table looks like now.
  void TellOthers(SeatIndex mover);
  void TellAgent(SeatIndex seat, std::string message, bool silent);
  Decision QuestionFor(const Seat& seat) const;
  void Finish(Outcome outcome);
  void AfterChange(MatchEvent event);
  void Announce(MatchEvent event);
  void AskAgents();
  void TouchIdle();
  // The ends that nobody asked for: tried again while they cannot be journalled, until what caused them is past.
  void GraceIsOver(SeatIndex seat, std::uint32_t lease);
  void IdleIsOver();
  // The journal can be written again.
  void GoOn();

  bool IsJudge() const override { return true; }
  std::optional<Verdict> Answer(const Seat& seat, const Choice& choice) override;
  void OnChoice(Seat& seat, const PendingChoice& choice) override;
  void OnDecisionEnded(Seat& seat, DecisionId decision, DecisionEnd end) override;
  void OnRefused(Seat&, const Choice&, const Error&) override {}
  std::unique_ptr<GameState> Playout(const Seat& seat, Rng& rng) const override {
    return state_ ? state_->Sample(seat.index(), rng) : nullptr;
  }

  const MatchSpec spec_;
  const Game* const game_;
  const MatchRules rules_;
  Scheduler& scheduler_;
  Transcript transcript_;
  const AgentFactory make_agent_;
  const Time opened_;

  MatchStatus status_ = MatchStatus::kAwaitingPlayers;
  std::vector<std::string> players_;
  std::vector<Place> places_;
  std::shared_ptr<const GameState> state_;
  std::uint64_t played_ = 0;               // how many choices the journal has
  std::shared_ptr<const GameState> kept_;  // before the turn that is under way; null where none is
  std::vector<Held> held_;                 // the choices of that turn
  std::optional<Error> undone_;
  std::optional<Outcome> outcome_;
  std::deque<Task> inputs_;
  WaitingCount joins_;  // of inputs_, those of anybody
  WaitingCount acts_;   // of inputs_, those of connections that have a seat
  std::shared_ptr<const Payer> payer_;
  Task when_seated_;  // empty once the match is open
  bool committing_ = false;
  bool forfeited_ = false;
  std::vector<Watcher> watchers_;
  WatchId last_watch_;
  ScopedTimer idle_timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // gone with this
};

}  // namespace openseat
