#include "match/match.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/text.h"
#include "base/work_note.h"
#include "core/seat_view.h"
#include "match/client_agent.h"
#include "match/match_events.h"
#include "match/question.h"
#include "schema/measure.h"

namespace openseat {
namespace {

// Bytes that an audience is told in one turn of the loop.
constexpr std::size_t kTellAtOnce = 1u << 20;
// Bytes that a payer's matches may record beyond its burst (PeerLimits::match_bytes) before their choices are refused.
constexpr double kMayOwe = 16u << 20;

// What any match takes in memory, about, with an environment that plays it.
constexpr std::size_t kMemory = 12u << 10;

// Whether an agent chose that would not try again if it were refused for a limit. What it chooses follows from what
// others chose.
bool IsBots(const Seat& seat, const Choice& choice) {
  return choice.by.empty() && seat.agent() != nullptr && !seat.agent()->interactive();
}

}  // namespace

std::string_view MatchStatusName(MatchStatus status) {
  switch (status) {
    case MatchStatus::kAwaitingPlayers:
      return "awaiting-players";
    case MatchStatus::kReady:
      return "ready";
    case MatchStatus::kInProgress:
      return "in-progress";
    case MatchStatus::kDone:
      return "done";
  }
  CheckFailed("MatchStatus", __FILE__, __LINE__, "a MatchStatus outside its enum");
}

std::string_view MatchEventName(MatchEvent event) {
  switch (event) {
    case MatchEvent::kStart:
      return "start";
    case MatchEvent::kUpdate:
      return "update";
    case MatchEvent::kEnd:
      return "end";
  }
  CheckFailed("MatchEvent", __FILE__, __LINE__, "a MatchEvent outside its enum");
}

Match::Match(MatchSpec spec, std::shared_ptr<const MatchSetup> setup, Scheduler& scheduler, Journal& journal,
             Seq last_seq, Time opened)
    : spec_(std::move(spec)),
      game_(spec_.game),
      setup_(std::move(setup)),
      rules_(setup_->rules),
      scheduler_(scheduler),
      transcript_(journal, scheduler, spec_.id, last_seq, rules_.linger),
      opened_(opened),
      options_memory_(schema::MemoryOf(spec_.options)),
      joins_({.items = rules_.max_waiting_joins, .bytes = rules_.max_waiting_bytes}),
      acts_({.items = rules_.max_waiting_actions, .bytes = rules_.max_waiting_bytes}),
      clocks_(spec_.terms) {
  transcript_.OnGoesOn([this] { Enqueue([this] { GoOn(); }); });
  const std::size_t players = spec_.players_needed();
  players_.reserve(players);
  places_.reserve(players);
  watchers_.reserve(players + 1);  // the lobby watches, too
}

Match::Match(MatchSpec spec, std::shared_ptr<const MatchSetup> setup, Scheduler& scheduler, Journal& journal)
    : Match(std::move(spec), std::move(setup), scheduler, journal, 0, scheduler.clock().Now()) {}

Match::Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent)
    : Match(std::move(spec), std::make_shared<const MatchSetup>(rules, std::move(make_agent)), scheduler, journal) {}

void Match::Open(std::function<void(Result<void>)> opened) {
  TouchIdle();
  Enqueue([this, answer = std::make_shared<std::function<void(Result<void>)>>(std::move(opened))] {
    std::vector<Event> events;
    events.push_back({EventKind::kOpened, {}, OpenedPayload(spec_)});
    if (spec_.fork) events.push_back({EventKind::kForked, {}, ForkedPayload(*spec_.fork)});
    Commit(
        std::move(events),
        [this, answer] {
          when_seated_ = [answer] { (*answer)({}); };
          if (!SeatPlanned()) PlannedSeated();
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

Match::~Match() = default;

// --- What comes in ---

void Match::Enqueue(Task input) {
  if (MustWait()) {
    inputs_.push_back(std::move(input));
  } else {
    WorkNote::Set(id().str());
    input();
  }
  RunInputs();
}

void Match::RunInputs() {
  WorkNote::Set(id().str());
  while (!busy() && !inputs_.empty()) {
    BilledTask input = std::move(inputs_.front());
    inputs_.pop_front();
    input();
  }
}

void Match::Commit(EventKind kind, std::string payload, Task then, Failed failed) {
  std::vector<Event> events;
  events.push_back({kind, {}, std::move(payload)});
  Commit(std::move(events), std::move(then), std::move(failed));
}

void Match::Commit(std::vector<Event> events, Task then, Failed failed) {
  if (transcript_.fenced()) {
    failed({ErrorCode::kIo, "another process records this match, so it cannot go on here", {}});
    return;
  }
  committing_ = true;
  // A restart reads back the opening time that was reported.
  const Time time = events.front().kind == EventKind::kOpened ? opened_ : scheduler_.clock().Now();
  for (Event& event : events) event.time = time;
  if (payer_ != nullptr && recorded_) CountRecorded(events);
  transcript_.Commit(std::move(events), [this, alive = std::weak_ptr<int>(alive_), then = std::move(then),
                                         failed = std::move(failed)](Result<Seq> stored) {
    if (alive.expired()) return;
    // Inputs that arrive meanwhile wait until all of this is done.
    if (stored) {
      then();
    } else {
      seen_.reset();
      failed(std::move(stored).error());
    }
    committing_ = false;
    RunInputs();
  });
}

// Now, not once it is durable: many may begin at once.
void Match::CountRecorded(const std::vector<Event>& events) const {
  if (!payer_->CountsRecorded()) return;
  std::uint64_t bytes = 0;
  for (const Event& event : events) bytes += event.payload.size() + kEventOverhead;
  payer_->AddRecorded(bytes, scheduler_.clock().Monotonic());
}

// --- Choices ---

void Match::Choose(SeatIndex seat, std::uint32_t lease, Choice choice, Seat::Told told) {
  // Several connections may have held the seat, one after the other; an agent has one choice at a time.
  const bool counted = MustWait();
  const std::size_t bytes = counted ? json::Write(choice.data).size() : 0;
  if (counted && !acts_.Add(bytes)) {
    return told(
        Verdict::Refused(acts_.Refuse(payer_.get(), Limit::kWaitingActions, Limit::kWaitingMatchBytes).ToError()));
  }
  Enqueue([this, seat, lease, choice = std::move(choice), told = std::move(told), counted, bytes]() mutable {
    if (counted) acts_.Remove(bytes);
    if (Result<void> held = CheckLease(seat, lease); !held) return told(Verdict::Refused(std::move(held).error()));
    const Place& place = places_[seat];
    if (!place.client) choice.by = ClientAgent::kKind;
    Result<ChoiceId> chosen = place.seat->Choose(std::move(choice), told);
    if (chosen) return;
    Error error = std::move(chosen).error();
    // The seat's last choice belongs to a turn that other seats have to complete.
    if (error.code == ErrorCode::kBusy) error.code = ErrorCode::kNotYourTurn;
    told(Verdict::Refused(std::move(error)));
  });
}

Result<void> Match::MayRecord() const {
  if (payer_ == nullptr || !recorded_ || !payer_->CountsRecorded()) return {};
  const auto refusal = payer_->RefuseToRecord(scheduler_.clock().Monotonic(), kMayOwe);
  if (!refusal) return {};
  return Fail(refusal->ToError());
}

std::optional<Verdict> Match::Answer(const Seat& seat, const Choice& choice) {
  if (!IsQuestion(game_->info(), choice.action)) {
    if (IsBots(seat, choice)) return std::nullopt;
    Result<void> may = MayRecord();
    return may ? std::nullopt : std::optional(Verdict::Refused(std::move(may).error()));
  }
  if (!state_ && !unplayed_) {
    // How it will begin, independent of the players who join.
    std::vector<std::string> names;
    while (names.size() < spec_.players_needed()) names.push_back(std::to_string(names.size() + 1));
    auto first = FirstState(std::move(names));
    if (!first) return Verdict::Refused(std::move(first).error());
    unplayed_ = *std::move(first);
  }
  Result<Ruling> ruling = Judge(state_ ? *state_ : *unplayed_, seat.index(), choice.action, choice.data);
  if (!ruling) return Verdict::Refused(std::move(ruling).error());
  Verdict verdict;
  verdict.result = std::move(ruling->result);
  return verdict;
}

void Match::OnChoice(Seat& seat, const PendingChoice& choice) {
  if (busy()) {
    inputs_.emplace_back([this, &seat, id = choice.id] {
      // It may have been refused meanwhile: the position that it was for was taken back.
      if (seat.awaiting() != nullptr && seat.awaiting()->id == id) JudgeChoice(seat);
    });
  } else {
    JudgeChoice(seat);
  }
}

void Match::JudgeChoice(Seat& seat) {
  const SeatIndex index = seat.index();
  const PendingChoice& pending = *seat.awaiting();
  const Choice& choice = pending.choice;
  if (!state_) {
    const auto& actions = game_->info().actions;
    if (std::ranges::find(actions, choice.action, &ActionSpec::name) == actions.end()) {
      return Settle(index, Fail(ErrorCode::kNoSuchAction,
                                "there is no action " + Quote(choice.action) + " in " + game_->info().title));
    }
    return Settle(index, Fail(ErrorCode::kNotYourTurn, "the match has not begun: it waits for players"));
  }
  if (rules_.takes_long && rules_.takes_long(*game_)) return JudgeElsewhere(seat);
  Ruled(seat, Judge(*state_, index, choice.action, choice.data));
}

void Match::JudgeElsewhere(Seat& seat) {
  committing_ = true;
  const PendingChoice& pending = *seat.awaiting();
  std::vector<Viewer> viewers;
  for (const Watcher& watcher : watchers_) {
    if (watcher.wants_view && std::ranges::find(viewers, watcher.viewer) == viewers.end()) {
      viewers.push_back(watcher.viewer);
    }
  }
  const std::string owner = AddressOf(payer_.get());
  scheduler_.OffloadFor(owner, [this, &seat, &scheduler = scheduler_, alive = std::weak_ptr<int>(alive_),
                                state = state_, index = seat.index(), id = pending.id, choice = pending.choice,
                                viewers = std::move(viewers), table = id().str()] {
    WorkNote::Clear();
    WorkNote::Set(table);
    auto ruling = std::make_shared<Result<Ruling>>(Judge(*state, index, choice.action, choice.data));
    // The state keeps what it makes.
    for (const Viewer viewer : viewers) {
      if (*ruling) (*ruling)->next->View(viewer);
    }
    WorkNote::Clear();
    scheduler.Post([this, &seat, alive, id, ruling] {
      if (alive.expired()) return;
      committing_ = false;
      // It may have been refused meanwhile.
      if (seat.awaiting() != nullptr && seat.awaiting()->id == id) Ruled(seat, std::move(*ruling));
      RunInputs();
    });
  });
}

void Match::Ruled(Seat& seat, Result<Ruling> ruling) {
  const SeatIndex index = seat.index();
  const PendingChoice& pending = *seat.awaiting();
  if (!ruling) {
    // Another choice came first, after which this seat has nothing to choose: that is no mistake.
    if (pending.choice.decision && !state_->Awaited().Contains(index)) return Revoke(index, ruling.error());
    const bool unasked = !pending.choice.decision;
    Settle(index, Fail(std::move(ruling).error()));
    // It waited while the seat's turn came, so the seat was not asked.
    if (unasked && status_ == MatchStatus::kInProgress) AskAgents();
    return;
  }
  // Where a bot's choice makes the state too large, the next one of a player is refused.
  const std::optional<Refusal> refused = HoldMemory(*ruling->next);
  if (refused && !IsBots(seat, pending.choice)) return Settle(index, Fail(refused->ToError()));
  // Under the rules it might go on, but somebody left, or nothing happened for too long.
  if (status_ == MatchStatus::kDone) return Settle(index, Fail(ErrorCode::kClosed, "the match is over"));
  const std::optional<Duration> left = clocks_.AfterChoice(index, pending.since);
  std::string payload = PlayedPayload(index, pending, ruling->result, left);
  if (game_->info().whole_turns && !ruling->next->Whole()) {
    clocks_.Halt(index, pending.since);
    Hold({index, std::move(payload), std::move(*ruling), left});
  } else {
    Play(index, std::move(payload), std::move(*ruling), left);
  }
}

// The first state holds about what the options say.
std::optional<Refusal> Match::HoldFirstMemory() {
  if (payer_ == nullptr) return std::nullopt;
  return payer_->Adjust(memory_, Holding::kTableBytes, kMemory + game_->info().match_memory + 2 * options_memory_);
}

// Of the state that will be the match's.
std::optional<Refusal> Match::HoldMemory(const GameState& next) {
  if (payer_ == nullptr) return std::nullopt;
  const std::size_t bytes = MemoryWith(next);
  if (bytes == memory_.amount()) return std::nullopt;
  return payer_->Adjust(memory_, Holding::kTableBytes, bytes);
}

std::size_t Match::MemoryWith(const GameState& state) const {
  const std::size_t states = status_ != MatchStatus::kDone && KeepsPast() ? 1 + Around::kMaxPast : 1;
  return kMemory + game_->info().match_memory + options_memory_ + states * state.Memory();
}

void Match::Play(SeatIndex seat, std::string payload, Ruling ruling, std::optional<Duration> left) {
  // All of the turn is journaled at once, or nothing.
  std::vector<Event> events;
  events.reserve(2 * (held_.size() + 1));
  const auto add = [&](std::string played, const std::shared_ptr<const GameState>& next) {
    AddSeen(next, events);
    events.push_back({EventKind::kPlayed, {}, std::move(played)});
  };
  for (Held& held : held_) add(std::move(held.payload), held.ruling.next);
  add(std::move(payload), ruling.next);
  Commit(
      std::move(events),
      [this, seat, left, ruling = std::move(ruling)]() mutable {
        const std::shared_ptr<const GameState> before = std::exchange(state_, std::move(ruling.next));
        around_.Chose(seat, before, KeepsPast());
        taken_back_.reset();
        kept_.reset();
        undone_.reset();
        played_ += held_.size() + 1;
        TouchIdle();
        for (Held& held : std::exchange(held_, {})) {
          clocks_.Stop(held.seat, held.left);
          Settle(held.seat, std::move(held.ruling.result));
        }
        clocks_.Stop(seat, left);
        Settle(seat, std::move(ruling.result), places_[seat].client ? "" : NewsText(*before, *state_, seat));
        TellOthers(seat, *before);
        if (std::optional<Outcome> outcome = state_->GetOutcome()) {
          Finish(std::move(*outcome));
        } else if (LooksDifferent(*before, *state_)) {
          AfterChange(MatchEvent::kUpdate);
        } else {
          AskAgents();
        }
      },
      [this, seat](Error error) {
        error.code = ErrorCode::kIo;  // kConflict means that a turn was undone
        // The player chose in time.
        if (const PendingChoice* pending = places_[seat].seat->awaiting()) clocks_.Halt(seat, pending->since);
        const bool in_turn = kept_ != nullptr;
        Undo(error);
        Revoke(seat, error);
        if (!in_turn) return;
        Announce(MatchEvent::kUpdate);
        AroundChanged();
      });
}

void Match::Hold(Held held) {
  undone_.reset();
  const SeatIndex seat = held.seat;
  const std::shared_ptr<const GameState> before = std::exchange(state_, held.ruling.next);
  if (!kept_) kept_ = before;
  held_.push_back(std::move(held));
  TouchIdle();
  TellOthers(seat, *before);
  AfterChange(MatchEvent::kUpdate);
}

void Match::AddSeen(const std::shared_ptr<const GameState>& next, std::vector<Event>& events) {
  if (!rules_.record_seen) return;
  auto sight = std::make_shared<const Sight>(*game_, next, Viewer::Spectator());
  events.push_back({EventKind::kSeen, {}, SeenPayload(seen_.get(), *sight, *next)});
  seen_ = std::move(sight);
  shown_.reset();
}

void Match::Undo(const Error& error) {
  if (!kept_) return;
  state_ = std::move(kept_);
  undone_ = std::make_unique<const Error>(error);
  for (const Held& held : std::exchange(held_, {})) Revoke(held.seat, error);
}

void Match::Settle(SeatIndex index, Result<json::Value> result, std::string news) {
  Verdict verdict;
  if (result) {
    verdict.result = std::move(*result);
    verdict.message = std::move(news);
  } else {
    verdict = Verdict::Refused(std::move(result).error());
  }
  Seat& seat = *places_[index].seat;
  seat.Settle(seat.awaiting()->id, std::move(verdict));
}

void Match::Revoke(SeatIndex index, const Error& error) {
  Verdict verdict = Verdict::Refused(error);
  verdict.kind = Verdict::Kind::kLost;
  Seat& seat = *places_[index].seat;
  seat.Settle(seat.awaiting()->id, std::move(verdict));
}

// --- Ends ---

void Match::Resign(SeatIndex seat, std::string reason, Quitter quitter, Done done) {
  Enqueue([this, seat, reason = std::move(reason), quitter = std::move(quitter), done = std::move(done)]() mutable {
    EndFor(seat, std::move(reason), quitter, std::move(done));
  });
}

void Match::EndFor(SeatIndex seat, std::string reason, const Quitter& quitter, Done done) {
  if (quitter.lease) {
    if (Result<void> held = CheckLease(seat, *quitter.lease); !held) return done(Fail(std::move(held).error()));
  }
  if (quitter.sitting && places_[seat].seat->sitting() != *quitter.sitting) {
    return done(Fail(ErrorCode::kClosed, "another agent plays your seat now"));
  }
  if (status_ == MatchStatus::kDone) return done(Fail(ErrorCode::kClosed, "the match is over"));
  Outcome outcome;
  outcome.reason = std::move(reason);
  if (state_) {
    outcome.scores.assign(players_.size(), 0);
    for (SeatIndex other = 0; other < players_.size(); ++other) {
      if (other == seat || seat >= players_.size()) continue;  // nobody's fault: a draw
      outcome.winners.Insert(other);
      outcome.scores[other] = 1;
    }
  }
  const std::string payload = EndedPayload({outcome.winners, outcome.reason, seat, quitter.retry});
  auto answer = std::make_shared<Done>(std::move(done));
  Commit(
      EventKind::kEnded, payload,
      [this, outcome = std::move(outcome), answer]() mutable {
        Undo({ErrorCode::kClosed, "the match is over: " + outcome.reason, {}});
        (*answer)({});
        forfeited_ = true;
        Finish(std::move(outcome));
      },
      [answer](Error error) { (*answer)(Fail(std::move(error))); });
}

// --- What follows ---

Result<std::shared_ptr<const GameState>> Match::FirstState(std::vector<std::string> players, bool fork) const {
  return BeginGame(*game_, spec_.options, spec_.seed, std::move(players), fork && spec_.fork ? &*spec_.fork : nullptr);
}

void Match::Finish(Outcome outcome) {
  status_ = MatchStatus::kDone;
  taken_back_.reset();
  outcome_ = std::make_unique<const Outcome>(std::move(outcome));
  around_.past = std::vector<PastChoice>();  // frees its memory, unlike clear
  around_.offers.Lapse();
  idle_timer_.Cancel();
  idle_due_.reset();
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    places_[seat].grace.Cancel();
    clocks_.Halt(seat, scheduler_.clock().Monotonic());
    std::string result = "a draw";
    if (!outcome_->winners.empty()) {
      result = outcome_->winners.Contains(seat) ? "you won" : *WinnerName(*outcome_, players_) + " won";
    }
    TellAgent(seat, "The match is over: " + result + " (" + outcome_->reason + ").", false);
    places_[seat].seat->End();
  }
  Announce(MatchEvent::kEnd);
  AroundChanged();
  // The match lingers: what it rarely needs now is made again.
  seen_.reset();
  shown_.reset();
  for (const Place& place : places_) place.shown.reset();
  if (state_) HoldMemory(*state_);  // no more than before
}

void Match::AfterChange(MatchEvent event) {
  for (const Place& place : places_) place.shown.reset();
  Announce(event);
  DropQuestions();
  // Nobody's clock runs while others are told.
  OnceTold([this] {
    AskAgents();
    AroundChanged();
  });
}

void Match::OnceTold(Task next) {
  if (being_told_ == 0) return next();
  inputs_.push_front({std::move(next)});
}

void Match::Announce(MatchEvent event) {
  telling_ = TellMuch(event);
  // A notice may watch or unwatch; watchers added during it hear of the next event.
  const std::size_t count = watchers_.size();
  for (std::size_t i = 0; i < count && i < watchers_.size(); ++i) {
    const Viewer viewer = watchers_[i].viewer;
    if (std::ranges::any_of(held_, [&](const Held& held) { return viewer.seat() == held.seat; })) continue;
    const std::shared_ptr<const Notice> notice = watchers_[i].notice;
    (*notice)(event, *this, viewer);
  }
  telling_.reset();
}

std::shared_ptr<void> Match::TellMuch(MatchEvent event) {
  const auto audience = static_cast<std::size_t>(std::ranges::count_if(watchers_, &Watcher::audience));
  if (audience == 0) return nullptr;
  const std::shared_ptr<const Sight> sight = SightOf(Viewer::Spectator());
  std::size_t bytes = sight->observation_text().size();
  if (std::ranges::any_of(watchers_, [](const Watcher& each) { return each.audience && each.wants_view; })) {
    bytes += sight->View().size();
  }
  if (bytes * audience < kTellAtOnce) return nullptr;
  // After the end, nothing follows.
  if (event == MatchEvent::kEnd) return {this, [](void*) {}};
  ++being_told_;
  return {this, [this, alive = std::weak_ptr<int>(alive_), &home = scheduler_](void*) {
            home.Post([this, alive] {
              if (alive.expired()) return;
              --being_told_;
              RunInputs();
            });
          }};
}

// What the journal refused can be done now.
void Match::GoOn() {
  if (status_ == MatchStatus::kDone) return;
  if (state_) {
    AskAgents();
  } else if (!when_seated_) {
    SeatPlanned();
  }
}

void Match::Close(std::string_view reason) {
  transcript_.Add(EventKind::kClosed, json::Write(json::Object{{"reason", reason}}));
  for (const Place& place : places_) place.seat->Dismiss();
  // Agents that waited for a player to come first.
  for (std::size_t seat = places_.size(); seat < spec_.seats.size(); ++seat) {
    if (spec_.seats[seat].agent.kind.empty()) continue;
    if (Result<std::unique_ptr<Agent>> agent = setup_->make_agent(spec_.seats[seat].agent); agent)
      (*agent)->OnDismissed();
  }
}

}  // namespace openseat
