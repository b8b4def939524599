// Match: one hosted game being played. An actor: inputs are queued, judged and journaled; only when that is durable are
// they answered and announced. The state is the fold of the journal, so a match outlives its process.
//
// A state is never changed: a choice is applied to a clone (core/judge.h), which replaces the state once the event with
// the choice and its result is durable. Holders of an older state may keep it. All choices come through the seats
// (Seat::Choose), whether a person, a client or an agent plays them.
//
// If something cannot be journaled (a full disk), the answer is kIo and nothing changes. Once the journal can be
// written again the match continues by itself: agents are asked again, and no attempt is counted.
//
// One thread: its scheduler's. Callbacks run there too.
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_bill.h"
#include "base/rate_limit.h"
#include "base/task.h"
#include "base/waiting.h"
#include "core/agent.h"
#include "core/game.h"
#include "core/journal.h"
#include "core/judge.h"
#include "core/table.h"
#include "core/transcript.h"
#include "match/around.h"
#include "match/clocks.h"
#include "match/fork.h"
#include "match/seen.h"
#include "match/terms.h"

namespace openseat {

enum class MatchStatus : std::uint8_t { kAwaitingPlayers, kReady, kInProgress, kDone };
std::string_view MatchStatusName(MatchStatus status);  // "awaiting-players" …

enum class MatchEvent : std::uint8_t { kStart, kUpdate, kEnd };
std::string_view MatchEventName(MatchEvent event);  // "start" …

class MatchFold;

struct MatchRules {
  // How long the seat of a dropped player is kept, before it forfeits: while another person plays …
  Duration grace = std::chrono::minutes(5);
  Duration grace_alone = std::chrono::hours(4);  // … and while all others are bots. MatchTerms::grace goes before both
  Duration idle = std::chrono::hours(1);         // a match without any action for this long ends
  std::optional<Duration> turn_limit;            // a seat that does not choose in time forfeits
  bool record_seen = true;                       // whether the journal gets what spectators see (match/seen.h)
  Duration linger{0};  // how long events from which nothing is recovered wait for others, to be appended with them
  // Limits on what waits while the match journals: on players who join, on connections that play, and on the bytes of
  // each.
  std::size_t max_waiting_joins = 1024;
  std::size_t max_waiting_actions = 64;
  std::size_t max_waiting_bytes = 16u << 20;
  // Whether a game's rules may take so long that its choices are judged on another thread (Scheduler::Offload). Empty:
  // no game's.
  std::function<bool(const Game&)> takes_long;
  // Whether an agent may cost the operator something, such as a model's tokens: only a player who is the operator
  // (HeldByOperator) can have it play again, in a rematch or after a choice was taken back. Empty: none does.
  std::function<bool(const AgentSpec&)> costs;
};

// Who will sit at a seat. An agent of the kind "client", with the option "token", stands for a player who has the token
// with this SHA-256: a rematch reserves seats so.
struct PlannedSeat {
  std::string name;  // "" if the seat is open
  AgentSpec agent;   // kind "": open, for any player who joins
};

// What all matches of a server share.
struct MatchSetup {
  MatchRules rules;
  AgentFactory make_agent;
};

struct MatchSpec {
  TableId id;
  const Game* game = nullptr;
  json::Value options;  // REQUIRES that Game::NewGame accepts them
  std::uint64_t seed = 0;
  std::string invite;  // what names it in addition to its id (match/invite.h); "" if the match is public
  // Fewer seats than the game needs: the rest are open. More, up to the game's max_seats: the match waits for all of
  // them.
  std::vector<PlannedSeat> seats;
  MatchTerms terms{};
  std::optional<Fork> fork{};     // where it begins; nullopt: at the beginning. REQUIRES that BeginGame accepts it
  bool ends_with_server = false;  // nobody can come back to it after a restart: Lobby::Recover closes it
  bool of_stranger = false;       // a stranger made it: its record leaves a part of the journal's reserve (AppendTerms)

  // How many players the match begins with.
  std::size_t players_needed() const { return std::max<std::size_t>(game->info().min_seats, seats.size()); }
};

// What a joiner gets: the seat, and the token that resumes it after a dropped connection ("" after a resume).
struct JoinedSeat {
  SeatIndex seat = 0;
  std::string token;
  std::uint32_t lease = 0;  // of this connection; the next one to resume the seat has another
};

class Match final : public Table, private SeatHost {
 public:
  using Joined = std::function<void(Result<JoinedSeat>)>;
  using Notice = std::function<void(MatchEvent event, const Match& match, Viewer viewer)>;
  using WatchId = NumberId<struct WatchTag>;

  // A new match. `spec.game`, `scheduler` and `journal` outlive it. Nothing is journaled before Open.
  Match(MatchSpec spec, std::shared_ptr<const MatchSetup> setup, Scheduler& scheduler, Journal& journal);
  Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent);
  // Journals the match's beginning, seats the agents that come before the first open seat, starts if no seat is open,
  // and then calls `opened`.
  void Open(std::function<void(Result<void>)> opened);
  // The match of which the journal tells this (MatchFold::Of). Its players have their grace period to come back; its
  // agents are made again. kParse if one of them cannot be made.
  static Result<std::unique_ptr<Match>> Recover(const MatchFold& fold, std::shared_ptr<const MatchSetup> setup,
                                                Scheduler& scheduler, Journal& journal);
  ~Match() override;

  // Whose budget counts refusals because too much waits, what is recorded, and the memory of the options and the state;
  // nobody's by default. `recorded`: whether the journal keeps it.
  void CountFor(std::shared_ptr<Payer> payer, bool recorded = true) {
    payer_ = std::move(payer);
    recorded_ = recorded;
  }

  // Counts what it takes before anything is chosen. The refusal, if that is too much for its payer; then nothing is
  // counted, and it is not to be opened.
  std::optional<Refusal> HoldFirstMemory();
  const std::shared_ptr<Payer>& payer() const { return payer_; }
  std::size_t memory() const { return memory_.amount(); }  // bytes that the payer holds for it
  // Whether a program elsewhere plays a seat by polling or webhooks.
  bool IsPlayedFromOutside() const;

  // Takes the next free seat. kDenied if the match has begun, kConflict if the name is taken, kBusy if too many wait to
  // join. The match starts by itself when the last seat is taken: after `joined`, before anything else.
  // `account`: of a player who has signed in, who may come back as that (ResumeAs).
  void Join(std::string name, Joined joined, std::string account = {});
  // The player is back: keeps its seat, though its former connection may seem to live; that one is told so (WhenTaken).
  // kDenied for a wrong name or token.
  Result<JoinedSeat> Resume(std::string_view name, std::string_view token);
  // The connection that has the seat by this lease is on this machine, or has the admin token. Nothing happens if
  // another one has the seat by now.
  void HeldByOperator(SeatIndex seat, std::uint32_t lease);
  // The same for a seat of SeatOf or SeatOfAccount.
  JoinedSeat ResumeAs(SeatIndex seat);
  // Called, once, when a connection other than that of `lease` takes the seat. Does nothing if one already has.
  void WhenTaken(SeatIndex seat, std::uint32_t lease, Task taken);
  // The player's connection dropped. After the grace period it forfeits; a match that has not begun ends then. Does
  // nothing if the player has come back on another connection, or an agent plays the seat.
  void Drop(SeatIndex seat, std::uint32_t lease);

  // A connection's choice: Seat::Choose, in its turn, for the holder of the seat by `lease`, even next to an agent to
  // which the seat was handed over. `told` gets the verdict when it is durable, or why the choice was refused:
  // GameState's codes; kNotYourTurn before the match begins, kClosed when it is over, or if another connection has
  // taken the seat, kBusy if too much waits, kIo when the journal cannot be written. In a game of whole turns that is
  // when the turn is whole; kConflict or kTimeout then mean that another seat could not answer, so that none of it
  // counts (`seat(…).failure()` may know more).
  void Choose(SeatIndex seat, std::uint32_t lease, Choice choice, Seat::Told told);

  // Reports every event from now on, in an order that is the same for everyone. A seat's watchers are not told that its
  // own choice waits for its turn to be whole: what it causes comes after its answer.
  // `audience`: whether it is somebody who came to watch, and counts as a spectator.
  WatchId Watch(Viewer viewer, Notice notice, bool audience = false);
  void Unwatch(WatchId watch);
  // During a notice: null, or, if the audience is told very much, what a notice of the audience holds until its client
  // was told, which it does in a task of its own. The match takes no input, and starts no clock, until all have let go.
  const std::shared_ptr<void>& telling() const { return telling_; }
  // As long as what is returned lives: called, once, when the match leaves this process, to go on in another one of the
  // cluster (Lobby::Leave). Whatever else was asked of it then gets no answer.
  [[nodiscard]] std::shared_ptr<void> WhenGone(Task gone);
  // Calls those. The match is destroyed next.
  void Leave();
  // That watcher will ask for the table's view (GameState::View) after every choice: where the rules may take long, it
  // is made on the thread that judges the choice.
  void WantView(WatchId watch);

  // --- Around the board: docs/protocols/chimera.md ---

  // Reports what is around the board to that watcher, at once and from now on: events "table" and "chat".
  using AroundNotice = std::function<void(std::string_view event, json::Object data)>;
  void WatchAround(WatchId watch, const AroundNotice& notice);
  // The seat's player says something to the others. Errors: kClosed for a lost lease, kInvalid (empty, too long),
  // kBusy (too much at once), the journal's.
  void Chat(SeatIndex seat, std::uint32_t lease, std::string_view text, Done done);
  // The seat's player makes the offer or agrees to it, or with `accept` false declines it. `done` gets whether all have
  // agreed: then it has taken effect, but for a rematch, which the lobby makes (Lobby::Rematch). Errors: kClosed for a
  // lost lease, kConflict for what cannot be offered now, kBusy (too much at once), the journal's.
  using Agreed = std::function<void(Result<bool>)>;
  void Propose(SeatIndex seat, std::uint32_t lease, Offer offer, bool accept, Agreed agreed);
  // The match that all players want next: a spec without id and seed. RematchMade follows. kConflict unless they do,
  // and nobody makes it yet.
  Result<MatchSpec> BeginRematch();
  // It was made, under this name; nullopt if it could not be made.
  void RematchMade(std::optional<MatchName> next, Done done);
  // The seat that goes with a player's name and token. nullopt where none does.
  std::optional<SeatIndex> SeatOf(std::string_view name, std::string_view token) const;
  // The seat of that name that this account has; "" for the name: the first one that it has.
  std::optional<SeatIndex> SeatOfAccount(std::string_view name, std::string_view account) const;
  // Whether this is the token of one of its seats.
  bool HasToken(std::string_view token) const;
  // How the match stands for its player: Chimera's list-seats.
  json::Object Standing(SeatIndex seat) const;

  MatchStatus status() const { return status_; }
  const MatchSpec& spec() const { return spec_; }
  const std::vector<std::string>& players() const { return players_; }  // the names of the seats that are taken
  // Whether it ended otherwise than by the rules: somebody left, could not answer, or nothing happened for too long.
  bool forfeited() const { return forfeited_; }
  // How it stands by the journal: without the half of a turn that is under way. REQUIRES that the match has started.
  const GameState& state() const { return kept_ ? *kept_ : *state_; }
  // For a game of whole turns: whether choices wait for their turn to be whole.
  bool in_turn() const { return kept_ != nullptr; }
  // Why the last turn was undone; null if a choice has been made since.
  const Error* undone() const { return undone_.get(); }
  // Whose choice was taken back, if that is how the state came about.
  std::optional<SeatIndex> taken_back() const { return taken_back_; }
  // The number of the last event of the journal: it tells the state, and later ones what comes after it.
  Seq last_seq() const { return transcript_.last_seq(); }

  // Writes the last event. Called once, before the match is destroyed, unless it is to be recovered later.
  void Close(std::string_view reason);

  // --- Table ---

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::string_view invite() const override { return spec_.invite; }
  Time opened() const override { return opened_; }
  std::size_t seats() const override { return places_.size(); }
  Seat& seat(SeatIndex index) override { return *places_[index].seat; }
  const Seat& seat(SeatIndex index) const override { return *places_[index].seat; }
  std::size_t seats_needed() const override { return spec_.players_needed(); }
  const AgentSpec* Planned(SeatIndex index) const override;
  const Game* game() const override { return game_; }
  std::string_view status_name() const override { return MatchStatusName(status_); }
  bool started() const override { return state_ != nullptr; }
  std::shared_ptr<const Sight> SightOf(Viewer viewer) const override;
  // The game's own outcome, or ours if it ended in another way.
  const Outcome* outcome() const override { return outcome_.get(); }
  // The agent is journaled and made again when the match is recovered; `seated` is called once it is durable. At the
  // next open seat this is Join. At a seat that is taken the former agent is dismissed, and the new one is asked what
  // is pending; a player's token stays valid, and the player may be away. Errors, which change nothing: Join's,
  // kConflict where the match is over, what is wrong with the agent, the journal's.
  void SeatAgent(SeatIndex seat, std::string name, AgentSpec agent, Seated seated) override;
  void Resign(SeatIndex seat, std::string reason, Quitter quitter, Done done) override;
  Result<void> Say(SeatIndex seat, std::string_view text) override;
  json::Object Info() const override;
  json::Object InfoWithoutState() const override;
  // "forfeit" {"seat"}.
  Result<json::Value> Control(std::string_view command, const json::Object& arguments) override;

 private:
  struct Place {
    std::unique_ptr<Seat> seat;
    std::unique_ptr<const AgentSpec> spec;  // of its agent; null if a client plays it
    std::string token_hash;                 // "" if an agent joined
    std::string account;                    // of a player who has signed in; else ""
    std::uint32_t lease = 0;                // of the connection that has the seat
    bool by_operator = false;               // that connection is the operator's (HeldByOperator)
    bool client = false;                    // a client plays it, and no other agent
    bool present = false;                   // its player is connected, or an agent sits there
    Instant left{};                         // when its player went away
    ScopedTimer grace;
    TokenBucket talk;                            // what it may say
    Task taken;                                  // tells that connection that another one has it
    mutable std::shared_ptr<const Sight> shown;  // what it sees, where that is the seat's own: the last that was made
  };
  // A choice of a turn that is not whole yet: neither journaled nor settled.
  struct Held {
    SeatIndex seat = 0;
    std::string payload;
    Ruling ruling;
    std::optional<Duration> left;  // Clocks::AfterChoice
  };
  struct AroundWatch {
    AroundNotice notice;
    std::shared_ptr<const std::string> shown;  // the last "table"
  };
  struct Watcher {
    WatchId id;
    Viewer viewer;
    std::shared_ptr<const Notice> notice;
    bool audience = false;
    bool wants_view = false;
    std::shared_ptr<AroundWatch> around{};  // null unless it is told what is around the board
  };

  Match(MatchSpec spec, std::shared_ptr<const MatchSetup> setup, Scheduler& scheduler, Journal& journal, Seq last_seq,
        Time opened);
  void JoinWith(std::string name, std::optional<AgentSpec> agent, std::string account, Joined joined);
  void HandOver(SeatIndex seat, AgentSpec agent, Seated done);
  void Take(const std::string& name, const AgentSpec* spec, std::string account, Joined joined);
  // Seats the next agent if one is planned; returns whether one is.
  bool SeatPlanned();
  // Calls the functions that wait until every planned agent is seated, as far as that is possible now.
  void PlannedSeated();
  // Seats everyone whom the journal knows. kParse for agents that cannot be made here.
  Result<void> Adopt(const MatchFold& fold);
  void AddPlace(std::string name, std::string token_hash, std::string account);
  // Null: a client plays the seat.
  void SitDown(Place& place, std::unique_ptr<Agent> agent, AgentSpec spec, std::string so_far = {});
  void Enqueue(Task input);
  bool MustWait() const { return busy() || !inputs_.empty(); }
  // kBusy, until when a choice from outside must wait: the payer's matches have recorded far too much.
  Result<void> MayRecord() const;
  bool busy() const { return committing_ || being_told_ > 0; }
  // kClosed for a connection whose seat another one has taken.
  Result<void> CheckLease(SeatIndex seat, std::uint32_t lease) const;
  void RunInputs();
  // Journals events, which happen now; then calls `then` or `failed`, and continues with the queue.
  using Failed = Function<void(Error)>;
  void Commit(std::vector<Event> events, Task then, Failed failed);
  void Commit(EventKind kind, std::string payload, Task then, Failed failed);
  void CountRecorded(const std::vector<Event>& events) const;
  // Adds what spectators will see in `next`, where that is recorded.
  void AddSeen(const std::shared_ptr<const GameState>& next, std::vector<Event>& events);
  // Judges the choice that awaits its verdict at this seat.
  void JudgeChoice(Seat& seat);
  // The same on another thread; inputs wait meanwhile.
  void JudgeElsewhere(Seat& seat);
  // Goes on with what the rules say to the seat's choice.
  void Ruled(Seat& seat, Result<Ruling> ruling);
  // The choice counts: journals it, with its whole turn, and continues from there. `left`: Clocks::AfterChoice.
  std::optional<Refusal> HoldMemory(const GameState& next);
  // Of the match with that state, and with those that can be taken back.
  std::size_t MemoryWith(const GameState& state) const;
  void Play(SeatIndex seat, std::string payload, Ruling ruling, std::optional<Duration> left);
  // The choice leaves its turn half done.
  void Hold(Held held);
  // The state is again the one before the turn in progress, if there is one, and its choices are revoked.
  void Undo(const Error& error);
  // `news`: what happened, for the seat that chose.
  void Settle(SeatIndex seat, Result<json::Value> result, std::string news = {});
  // The seat's choice does not count, but that is not its agent's mistake: its decision ends, and if the seat is still
  // to choose, AskAgents asks again, with new time.
  void Revoke(SeatIndex seat, const Error& error);
  // Resign, within an input.
  void EndFor(SeatIndex seat, std::string reason, const Quitter& quitter, Done done);
  // The state in which these players begin: the game's first, or with `fork` the one of the fork, if it is one. Errors:
  // a game that is a script may fail with this seed and these names, though it did not when the match was made.
  Result<std::shared_ptr<const GameState>> FirstState(std::vector<std::string> players, bool fork = true) const;
  void Begin(std::shared_ptr<const GameState> state);
  // Tells the agents at the other seats what has happened since `before` (GameState::News).
  void TellOthers(SeatIndex mover, const GameState& before);
  // What happened last, for an agent that has just come; "" if nothing has.
  std::string SoFar(SeatIndex seat) const;
  void TellAgent(SeatIndex seat, std::string message, bool silent);
  Decision QuestionFor(const Seat& seat) const;
  void Finish(Outcome outcome);
  void AfterChange(MatchEvent event);
  void Announce(MatchEvent event);
  // What the audience's notices hold while this event is told; null if it is little, and is told at once.
  std::shared_ptr<void> TellMuch(MatchEvent event);
  // Runs it now, or once the audience has been told, before anything that waits.
  void OnceTold(Task next);
  // Ends the decisions, and halts the clocks, of seats that have nothing to choose any more.
  void DropQuestions();
  void AskAgents();
  void TouchIdle();
  void SetIdleTimer(Duration limit);
  Duration IdleLimit() const;
  // How long the absent player of the seat has; nullopt: as long as the clocks let it.
  std::optional<Duration> GraceOf(SeatIndex seat) const;
  bool PlayedByPerson(SeatIndex seat) const;  // or from outside: somebody waits there
  // The seat's time for its next choice; nullopt: no limit.
  std::optional<Duration> TimeFor(const Seat& seat) const;
  // After a restart: clocks of days went on meanwhile.
  void ResumeClocks(Time asked);
  bool KeepsPast() const;
  void AroundChanged();
  // A player or a spectator came or went: AroundChanged, now or soon.
  void PresenceChanged();
  json::Object AroundFor(Viewer viewer) const;
  // Whether the seat may say or offer something now; if so, it counts.
  Result<void> MayTalk(SeatIndex seat);
  void AddSaid(ChatLine line);
  // What the seat says, told once it is durable; `to_agents`: also to the agents at the other seats.
  void AddLine(SeatIndex seat, std::string text, bool to_agents, Done done);
  // Why the seat cannot make the offer, or agree to it.
  Result<void> MayOffer(Offer offer, SeatIndex seat) const;
  // Whether the agents of this match may play another one.
  Result<void> MayPlayAgain() const;
  // Whether an agent plays there that costs the operator something, who does not play (MatchRules::costs).
  bool CostsOthers(const Place& place) const;
  Result<void> MayTakeBack(SeatIndex seat) const;
  bool AllAgree(Offer offer, SeatIndex seat) const;
  void TakeEffect(Offer offer, SeatIndex seat, const std::shared_ptr<Agreed>& agreed);
  void AgreeOnDraw(const std::shared_ptr<Agreed>& agreed);
  void TakeBack(SeatIndex seat, const std::shared_ptr<Agreed>& agreed);
  // The position is another one: what is pending belongs to the former.
  void AskAgain(const Error& why);
  // Ends that no input requested: retried while they cannot be journaled, until their cause is gone.
  void GraceIsOver(SeatIndex seat, std::uint32_t lease);
  void IdleIsOver();
  // The journal can be written again.
  void GoOn();

  bool IsJudge() const override { return true; }
  std::optional<Verdict> Answer(const Seat& seat, const Choice& choice) override;
  void OnChoice(Seat& seat, const PendingChoice& choice) override;
  void OnDecisionEnded(Seat& seat, DecisionId decision, DecisionEnd end) override;
  void OnRefused(Seat&, const Choice&, const Error&) override {}
  std::shared_ptr<Payer> GetPayer() const override { return payer_; }
  std::shared_ptr<Payer> PayerOfRefusals() const override { return recorded_ ? payer_ : nullptr; }
  std::unique_ptr<GameState> Playout(const Seat& seat, Rng& rng) const override {
    return state_ ? state_->Sample(seat.index(), rng) : nullptr;
  }

  const MatchSpec spec_;
  const Game* const game_;
  const std::shared_ptr<const MatchSetup> setup_;
  const MatchRules& rules_;  // its
  Scheduler& scheduler_;
  Transcript transcript_;
  const Time opened_;
  const std::size_t options_memory_;

  MatchStatus status_ = MatchStatus::kAwaitingPlayers;
  std::vector<std::string> players_;
  std::vector<Place> places_;
  std::shared_ptr<const GameState> state_;
  std::shared_ptr<const GameState> unplayed_;   // how it will begin, for questions before it does; null until one comes
  std::uint64_t played_ = 0;                    // how many choices the journal has
  std::shared_ptr<const GameState> kept_;       // before the turn in progress; null if there is none
  std::vector<Held> held_;                      // the choices of that turn
  std::shared_ptr<const Sight> seen_;           // what the last kSeen event recorded; null if there is none
  mutable std::shared_ptr<const Sight> shown_;  // what spectators see, if that is not recorded: the last that was made
  std::unique_ptr<const Error> undone_;
  std::optional<SeatIndex> taken_back_;
  std::unique_ptr<const Outcome> outcome_;
  std::list<BilledTask> inputs_;
  WaitingCount joins_;  // in inputs_, from any source
  WaitingCount acts_;   // in inputs_, from connections that have a seat
  std::shared_ptr<Payer> payer_;
  bool recorded_ = true;           // whether what it commits, and its seats' refusals, count for payer_
  Lease memory_;                   // of the options and the state, in payer_'s budget, until it is removed
  Task when_seated_;               // empty once the match is open
  bool committing_ = false;        // inputs wait: events are being journaled, or a choice is judged elsewhere
  std::size_t being_told_ = 0;     // how many events an audience is being told; inputs wait
  std::shared_ptr<void> telling_;  // during a notice: see telling()
  bool forfeited_ = false;
  Clocks clocks_;
  Around around_;
  bool making_rematch_ = false;
  std::vector<Watcher> watchers_;
  std::optional<Instant> presence_told_;  // when it was told last who is there
  bool presence_due_ = false;             // presence_timer_ runs
  ScopedTimer presence_timer_;
  std::vector<std::weak_ptr<Task>> when_gone_;
  WatchId last_watch_;
  Instant touched_{};  // when something happened last
  ScopedTimer idle_timer_;
  std::optional<Instant> idle_due_;                        // when it runs; not every choice sets it again
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // destroyed with this
};

}  // namespace openseat
