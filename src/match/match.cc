#include "match/match.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "match/match_events.h"
#include "match/match_fold.h"

namespace openseat {
namespace {

constexpr std::size_t kTokenLength = 26;  // 130 bits

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

Match::Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent,
             Seq last_seq, Time opened)
    : spec_(std::move(spec)),
      game_(spec_.game),
      rules_(rules),
      scheduler_(scheduler),
      transcript_(journal, scheduler, spec_.id, last_seq),
      make_agent_(std::move(make_agent)),
      opened_(opened) {}

Match::Match(MatchSpec spec, const MatchRules& rules, Scheduler& scheduler, Journal& journal, AgentFactory make_agent)
    : Match(std::move(spec), rules, scheduler, journal, std::move(make_agent), 0, scheduler.clock().Now()) {}

void Match::Open(std::function<void(Result<void>)> opened) {
  TouchIdle();
  Enqueue([this, opened = std::move(opened)] {
    Commit(
        EventKind::kOpened, OpenedPayload(spec_),
        [this, opened] {
          SeatPlanned();
          opened({});
        },
        [opened](Error error) { opened(Fail(std::move(error))); });
  });
}

bool Match::SeatPlanned() {
  if (players_.size() >= spec_.seats.size()) return false;
  const PlannedSeat& planned = spec_.seats[players_.size()];
  if (planned.agent.kind.empty()) return false;
  // First in the queue: nobody may slip in between.
  inputs_.push_front([this, &planned] {
    Take(planned.name, &planned.agent, [this](const Result<JoinedSeat>& joined) {
      if (!joined) log::Error("{}: an agent could not be seated: {}", id().str(), joined.error().message);
    });
  });
  return true;
}

Match::~Match() = default;

// --- What comes in ---

void Match::Enqueue(Task input) {
  inputs_.push_back(std::move(input));
  RunInputs();
}

void Match::RunInputs() {
  while (!committing_ && !inputs_.empty()) {
    Task input = std::move(inputs_.front());
    inputs_.pop_front();
    input();
  }
}

void Match::Commit(EventKind kind, std::string payload, Task then, std::function<void(Error)> failed) {
  if (broken_) {
    failed({ErrorCode::kIo, "this match cannot be recorded any more, so it cannot go on", {}});
    return;
  }
  committing_ = true;
  auto task = std::make_shared<Task>(std::move(then));
  transcript_.Commit(
      kind, std::move(payload),
      [this, kind, alive = std::weak_ptr<int>(alive_), task, failed = std::move(failed)](Result<Seq> stored) {
        if (alive.expired()) return;
        committing_ = false;
        if (stored) {
          (*task)();
        } else {
          broken_ = true;
          // A new match whose name was used before gets another one.
          if (kind != EventKind::kOpened || stored.error().code != ErrorCode::kConflict) {
            log::Error("{}: the journal refused an event: {}", id().str(), stored.error().message);
          }
          failed(std::move(stored).error());
        }
        RunInputs();
      });
}

void Match::Join(std::string name, Joined joined) {
  Enqueue([this, name = std::move(name), joined = std::move(joined)]() mutable {
    if (status_ != MatchStatus::kAwaitingPlayers) {
      joined(Fail(ErrorCode::kDenied, "the match has begun; it can be watched, not joined"));
      return;
    }
    const bool planned = std::ranges::any_of(
        spec_.seats, [&](const PlannedSeat& seat) { return !seat.agent.kind.empty() && seat.name == name; });
    if (planned || std::ranges::find(players_, name) != players_.end()) {
      joined(Fail(ErrorCode::kConflict, "there is a player \"" + name + "\" in the match already", "player-name"));
      return;
    }
    Take(std::move(name), nullptr, std::move(joined));
  });
}

void Match::Take(std::string name, const AgentSpec* spec, Joined joined) {
  SeatedPlayer player{name, {}, std::nullopt};
  std::string token;
  auto agent = std::make_shared<std::unique_ptr<Agent>>();
  if (spec != nullptr) {
    Result<std::unique_ptr<Agent>> made = make_agent_(*spec);
    if (!made) {
      joined(Fail(std::move(made).error()));
      return;
    }
    *agent = std::move(*made);
    player.agent = *spec;
  } else {
    token = SecureToken(kTokenLength);
    player.token_hash = Sha256Hex(token);
  }
  std::string text = JoinedPayload(static_cast<SeatIndex>(players_.size()), player);
  auto answer = std::make_shared<Joined>(std::move(joined));
  Commit(
      EventKind::kJoined, std::move(text),
      [this, name = std::move(name), token = std::move(token), agent, answer]() mutable {
        const auto seat = static_cast<SeatIndex>(players_.size());
        AddPlace(std::move(name), token.empty() ? std::string() : Sha256Hex(token));
        places_.back().present = true;
        if (*agent) places_.back().seat->SetAgent(std::move(*agent));
        if (players_.size() == spec_.players_needed()) status_ = MatchStatus::kReady;  // until everyone is told
        (*answer)(JoinedSeat{seat, std::move(token)});
        if (!SeatPlanned()) StartIfFull();
      },
      [answer](Error error) { (*answer)(Fail(std::move(error))); });
}

void Match::AddPlace(std::string name, std::string token_hash) {
  Place place;
  SeatHost& host = *this;
  place.seat =
      std::make_unique<Seat>(static_cast<SeatIndex>(places_.size()), name, host, scheduler_, transcript_, SeatRules{});
  const GameInfo& info = game_->info();
  std::string part = "You are " + name;
  if (places_.size() < info.roles.size()) part += " and play " + info.roles[places_.size()];
  place.seat->SetBriefing({info.title, part + " in " + info.title + ".\n\n" + info.rules});
  place.token_hash = std::move(token_hash);
  places_.push_back(std::move(place));
  players_.push_back(std::move(name));
}

Result<JoinedSeat> Match::Resume(std::string_view name, std::string_view token) {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (players_[i] != name || places_[i].token_hash.empty()) continue;
    if (!EqualSecrets(Sha256Hex(token), places_[i].token_hash)) break;
    places_[i].present = true;
    places_[i].grace.Cancel();
    return JoinedSeat{static_cast<SeatIndex>(i), {}, ++places_[i].lease};
  }
  return Fail(ErrorCode::kDenied, "no seat of this match goes with that name and token", "token");
}

void Match::Drop(SeatIndex seat, std::uint32_t lease) {
  Place& place = places_[seat];
  if (place.lease != lease) return;
  place.present = false;
  if (status_ == MatchStatus::kDone) return;
  place.grace.Set(scheduler_, rules_.grace, [this, seat] {
    Forfeit(seat, players_[seat] + " left and did not come back", [](const Result<json::Value>&) {});
  });
}

void Match::Act(SeatIndex seat, std::string action, json::Value data, Acted acted) {
  Enqueue([this, seat, action = std::move(action), data = std::move(data), acted = std::move(acted)]() mutable {
    if (!state_) {
      acted(Fail(ErrorCode::kNotYourTurn, "the match has not begun: it waits for players"));
      return;
    }
    if (Result<void> valid = state_->Validate(seat, action, data); !valid) {
      acted(Fail(std::move(valid).error()));
      return;
    }
    const auto spec = std::ranges::find(game_->info().actions, action, &ActionSpec::name);
    if (spec != game_->info().actions.end() && spec->any_time) {
      acted(state_->Apply(seat, action, data));  // changes nothing, so there is nothing to journal
      return;
    }
    // By the rules it might go on, but somebody left, or nothing happened for too long.
    if (status_ == MatchStatus::kDone) {
      acted(Fail(ErrorCode::kClosed, "the match is over"));
      return;
    }
    std::string payload = PlayedPayload(seat, action, data);
    auto answer = std::make_shared<Acted>(std::move(acted));
    Commit(
        EventKind::kPlayed, std::move(payload),
        [this, seat, action = std::move(action), data = std::move(data), answer] {
          json::Value result = state_->Apply(seat, action, data);
          TouchIdle();
          (*answer)(std::move(result));
          TellOthers(seat);
          if (std::optional<Outcome> outcome = state_->GetOutcome()) {
            Finish(std::move(*outcome));
          } else {
            AfterChange(MatchEvent::kUpdate);
          }
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

void Match::Forfeit(SeatIndex seat, std::string reason, Acted done) {
  Enqueue([this, seat, reason = std::move(reason), done = std::move(done)]() mutable {
    if (status_ == MatchStatus::kDone) {
      done(Fail(ErrorCode::kClosed, "the match is over"));
      return;
    }
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
    const std::string payload = EndedPayload({outcome.winners, outcome.reason});
    auto answer = std::make_shared<Acted>(std::move(done));
    Commit(
        EventKind::kEnded, payload,
        [this, outcome = std::move(outcome), answer]() mutable {
          (*answer)(json::Value(json::Object()));
          forfeited_ = true;
          Finish(std::move(outcome));
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

// --- What follows ---

void Match::StartIfFull() {
  if (players_.size() < spec_.players_needed()) return;
  Begin();
  std::string who;
  for (std::size_t i = 0; i < players_.size(); ++i) {
    who += (i == 0 ? "" : ", ") + players_[i];
    if (i < game_->info().roles.size()) who += " (" + game_->info().roles[i] + ")";
  }
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) TellAgent(seat, "The match begins: " + who + ".", true);
  AfterChange(MatchEvent::kStart);
}

void Match::Begin() {
  Result<std::unique_ptr<GameState>> state = game_->NewGame(spec_.options, spec_.seed, players_);
  OPENSEAT_CHECK(state.has_value(), "a match's options were checked when it was made");
  state_ = std::move(*state);
  status_ = MatchStatus::kInProgress;
}

void Match::Finish(Outcome outcome) {
  status_ = MatchStatus::kDone;
  outcome_ = std::move(outcome);
  idle_timer_.Cancel();
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    places_[seat].grace.Cancel();
    std::string result = "a draw";
    if (!outcome_->winners.empty()) {
      result = outcome_->winners.Contains(seat) ? "you won" : *WinnerName() + " won";
    }
    TellAgent(seat, "The match is over: " + result + " (" + outcome_->reason + ").", false);
    places_[seat].seat->End();
  }
  Announce(MatchEvent::kEnd);
}

void Match::AfterChange(MatchEvent event) {
  Announce(event);
  AskAgents();
}

void Match::TellAgent(SeatIndex seat, std::string message, bool silent) {
  if (places_[seat].seat->agent() == nullptr) return;
  places_[seat].seat->Tell({.message = std::move(message), .silent = silent});
}

void Match::TellOthers(SeatIndex mover) {
  const SeatSet awaited = state_->Awaited();
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    if (seat == mover || places_[seat].seat->agent() == nullptr) continue;
    if (places_[seat].seat->decision() != nullptr) continue;  // it chooses at the same time as the mover
    std::string message = players_[mover] + " has moved.";
    if (!awaited.Contains(seat)) message += "\n\n" + state_->Describe(seat);
    TellAgent(seat, std::move(message), true);
  }
}

void Match::Announce(MatchEvent event) {
  // A notice may watch or unwatch; those who come during it hear of the next event.
  const std::size_t count = watchers_.size();
  for (std::size_t i = 0; i < count && i < watchers_.size(); ++i) {
    const Notice notice = watchers_[i].notice;
    notice(event, *this, watchers_[i].viewer);
  }
}

void Match::AskAgents() {
  const SeatSet awaited = state_->Awaited();
  for (SeatIndex index = 0; index < places_.size(); ++index) {
    Seat& seat = *places_[index].seat;
    if (seat.agent() == nullptr) continue;
    if (!awaited.Contains(index)) {
      if (seat.awaiting() == nullptr) seat.Withdraw();
      continue;
    }
    if (seat.decision() != nullptr || seat.awaiting() != nullptr) continue;
    Decision decision;
    decision.query = "It is your turn in " + game_->info().title + ". Choose one action.";
    decision.state = state_->Describe(index);
    decision.ephemeral = true;  // the next one says it all anew
    // A clock is running for it.
    if (rules_.turn_limit) decision.priority = Priority::kMedium;
    decision.time_limit = rules_.turn_limit;
    for (ActionSpec& spec : state_->Actions(index)) {
      if (spec.any_time) continue;
      auto action = std::make_shared<Action>();
      action->name = std::move(spec.name);
      action->description = std::move(spec.description);
      if (!spec.schema.is_null()) {
        auto compiled = schema::Schema::Compile(spec.schema);
        OPENSEAT_CHECK(compiled.has_value(), "a hosted game's schemas are schemas");
        action->compiled = std::move(*compiled);
        action->schema = std::move(spec.schema);
      }
      decision.actions.Put(std::move(action));
    }
    seat.Ask(std::move(decision));
  }
}

void Match::TouchIdle() {
  idle_timer_.Set(scheduler_, rules_.idle, [this] {
    Forfeit(static_cast<SeatIndex>(SeatSet::kMaxSeats), "nothing happened for too long",
            [](const Result<json::Value>&) {});
  });
}

void Match::OnChoice(Seat& seat, const PendingChoice& pending) {
  Act(seat.index(), pending.choice.action, pending.choice.data, [&seat, id = pending.id](Result<json::Value> result) {
    Verdict verdict;
    if (result) {
      verdict.result = std::move(*result);
    } else {
      verdict.kind = Verdict::Kind::kRefused;
      verdict.message = result.error().message;
    }
    seat.Settle(id, std::move(verdict));
  });
}

void Match::OnDecisionEnded(Seat& seat, DecisionId, DecisionEnd end) {
  if (end != DecisionEnd::kGaveUp && end != DecisionEnd::kTimedOut) return;
  Forfeit(seat.index(), seat.name() + (end == DecisionEnd::kGaveUp ? " could not answer" : " did not answer in time"),
          [](const Result<json::Value>&) {});
}

Match::WatchId Match::Watch(Viewer viewer, Notice notice) {
  last_watch_ = last_watch_.Next();
  watchers_.push_back({last_watch_, viewer, std::move(notice)});
  return last_watch_;
}

void Match::Unwatch(WatchId watch) {
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.id == watch; });
}

void Match::Close(std::string_view reason) {
  transcript_.Add(EventKind::kClosed, json::Write(json::Object{{"reason", reason}}));
}

std::optional<std::string> Match::WinnerName() const {
  if (outcome_->winners.empty()) return std::nullopt;
  std::string names;
  for (const SeatIndex seat : outcome_->winners) names += (names.empty() ? "" : ", ") + players_[seat];
  return names;
}

// --- Recovery ---

Result<std::unique_ptr<Match>> Match::Recover(const TableId& id, const Game& game,
                                              const std::vector<StoredEvent>& events, const MatchRules& rules,
                                              Scheduler& scheduler, Journal& journal, AgentFactory make_agent) {
  if (events.empty()) return Fail(ErrorCode::kParse, "the journal of " + id.str() + " is empty");
  Result<MatchFold> fold = MatchFold::Begin(id, game, events.front());
  if (!fold) return Fail(std::move(fold).error());
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (Result<MatchFold::Step> step = fold->Apply(events[i]); !step) return Fail(std::move(step).error());
  }
  std::unique_ptr<Match> match(
      new Match(fold->spec(), rules, scheduler, journal, std::move(make_agent), fold->last_seq(), fold->opened()));
  if (Result<void> adopted = match->Adopt(std::move(*fold)); !adopted) return Fail(std::move(adopted).error());
  if (match->status_ == MatchStatus::kDone) return match;
  for (SeatIndex seat = 0; seat < match->places_.size(); ++seat) {
    if (match->places_[seat].seat->agent() == nullptr) match->Drop(seat, match->places_[seat].lease);
  }
  match->TouchIdle();
  if (match->state_) {
    match->AskAgents();
  } else if (match->SeatPlanned()) {
    match->RunInputs();
  }
  return match;
}

Result<void> Match::Adopt(MatchFold fold) {
  for (const SeatedPlayer& player : fold.players()) {
    AddPlace(player.name, player.token_hash);
    if (!player.agent) continue;
    Result<std::unique_ptr<Agent>> made = make_agent_(*player.agent);
    if (!made) return Fail(ErrorCode::kParse, player.name + " cannot be seated again: " + made.error().message);
    places_.back().seat->SetAgent(std::move(*made));
    places_.back().present = true;
    if (fold.status() == MatchStatus::kDone) places_.back().seat->End();
  }
  status_ = fold.status();
  outcome_ = fold.outcome();
  forfeited_ = fold.forfeited();
  state_ = fold.TakeState();
  return {};
}

// --- The console ---

json::Object Match::Info() const {
  json::Object info;
  info["id"] = id().str();
  info["game"] = game_->info().id;
  info["kind"] = "hosted";
  info["status"] = MatchStatusName(status_);
  info["opened"] = FormatIso8601(opened_);
  if (!spec_.options.is_null()) info["options"] = spec_.options;
  json::Array seats;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Seat& seat = *places_[i].seat;
    json::Object entry{{"index", i}, {"name", players_[i]}, {"present", places_[i].present}};
    entry["agent"] = seat.agent() != nullptr ? seat.agent()->kind() : "client";
    if (i < game_->info().roles.size()) entry["role"] = game_->info().roles[i];
    seats.push_back(std::move(entry));
  }
  info["seats"] = std::move(seats);
  if (status_ == MatchStatus::kDone) {
    const std::optional<std::string> winner = WinnerName();
    info["winner"] = winner ? json::Value(*winner) : json::Value(nullptr);
    info["reason"] = outcome_->reason;
  }
  if (state_) info["state"] = state_->Observe(Viewer::Spectator());
  info["watchers"] = watchers_.size();
  info["events"] = transcript_.last_seq();
  return info;
}

Result<json::Value> Match::Control(std::string_view command, const json::Object& arguments) {
  if (command != "forfeit") {
    return Fail(ErrorCode::kUnsupported, "a hosted match knows forfeit; got \"" + std::string(command) + "\"");
  }
  const json::Value* seat = json::Find(arguments, "seat");
  if (seat == nullptr || !seat->is_int64() || seat->get_int64() < 0 ||
      static_cast<std::size_t>(seat->get_int64()) >= places_.size()) {
    return Fail(ErrorCode::kInvalid, "seat must be the number of a seat", "seat");
  }
  if (status_ == MatchStatus::kDone) return Fail(ErrorCode::kClosed, "the match is over");
  Forfeit(static_cast<SeatIndex>(seat->get_int64()), "ended from the console", [](const Result<json::Value>&) {});
  return json::Value(json::Object());
}

}  // namespace openseat
