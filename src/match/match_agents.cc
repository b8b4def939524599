// Match: the agents at its seats, and what they are told and asked.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "match/client_agent.h"
#include "match/match.h"
#include "match/match_events.h"
#include "match/question.h"

namespace openseat {
bool Match::SeatPlanned() {
  if (players_.size() >= spec_.seats.size()) return false;
  const PlannedSeat& planned = spec_.seats[players_.size()];
  if (planned.agent.kind.empty()) return false;
  // First in the queue: nothing may come in between.
  inputs_.push_front({[this, &planned] {
    Take(planned.name, &planned.agent, {}, [this](const Result<JoinedSeat>& joined) {
      if (joined) return;
      log::From(AddressOf(payer_.get()))
          .Error("{}: an agent could not be seated: {}", id().str(), joined.error().message);
      PlannedSeated();
    });
  }});
  return true;
}

void Match::PlannedSeated() {
  if (Task seated = std::exchange(when_seated_, Task())) seated();
}

void Match::SitDown(Place& place, std::unique_ptr<Agent> agent, AgentSpec spec, std::string so_far) {
  place.client = agent == nullptr;
  place.spec = place.client ? nullptr : std::make_unique<const AgentSpec>(std::move(spec));
  Seat& seat = *place.seat;
  if (place.client) {
    seat.SetBriefing({game_->info().title, {}});  // nobody reads more
    agent = std::make_unique<ClientAgent>();
  } else {
    seat.SetBriefing(BriefingOf(game_->info(), seat.index(), seat.name()));
  }
  seat.SetAgent(std::move(agent), std::move(so_far));
}

void Match::HandOver(SeatIndex seat, AgentSpec agent, Seated done) {
  Enqueue([this, seat, agent = std::move(agent), done = std::move(done)]() mutable {
    if (status_ == MatchStatus::kDone) {
      done(Fail(ErrorCode::kConflict, "the match is over (" + outcome_->reason + "); nobody plays its seats any more"));
      return;
    }
    Result<std::unique_ptr<Agent>> made = setup_->make_agent(agent);
    if (!made) {
      done(Fail(std::move(made).error()));
      return;
    }
    auto next = std::make_shared<std::unique_ptr<Agent>>(std::move(*made));
    auto answer = std::make_shared<Seated>(std::move(done));
    const HandedOverEvent handed{seat, std::move(agent)};
    Commit(
        EventKind::kHandedOver, HandedOverPayload(handed),
        [this, seat, next, answer, spec = handed.agent] {
          Place& place = places_[seat];
          // A client's question does not say what is legal now.
          if (const Decision* asked = place.seat->decision(); asked != nullptr && place.client) {
            place.seat->SetOptions(LegalActions(*asked->sight), asked->sight);
          }
          SitDown(place, std::move(*next), spec, SoFar(seat));
          place.present = true;
          place.grace.Cancel();
          AroundChanged();
          (*answer)(seat);
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

const AgentSpec* Match::Planned(SeatIndex index) const {
  if (status_ != MatchStatus::kAwaitingPlayers || index < places_.size() || index >= spec_.seats.size()) return nullptr;
  const AgentSpec& agent = spec_.seats[index].agent;
  return agent.kind.empty() ? nullptr : &agent;
}

void Match::TellAgent(SeatIndex seat, std::string message, bool silent) {
  if (places_[seat].client) return;  // it hears of the match as a watcher
  places_[seat].seat->Tell({.message = std::move(message), .silent = silent});
}

void Match::TellOthers(SeatIndex mover, const GameState& before) {
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    if (seat == mover || places_[seat].client) continue;
    if (std::string news = NewsText(before, *state_, seat); !news.empty()) TellAgent(seat, std::move(news), true);
  }
}

std::string Match::SoFar(SeatIndex seat) const {
  if (!state_ || (played_ == 0 && !spec_.fork)) return {};
  const auto first = FirstState(players_, false);
  return first ? NewsSoFar(**first, *state_, seat) : std::string();
}

void Match::DropQuestions() {
  const SeatSet awaited = state_->Awaited();
  for (SeatIndex index = 0; index < places_.size(); ++index) {
    if (awaited.Contains(index)) continue;
    Seat& seat = *places_[index].seat;
    if (seat.awaiting() == nullptr) seat.Withdraw();
    clocks_.Halt(index, scheduler_.clock().Monotonic());
  }
}

void Match::AskAgents() {
  DropQuestions();
  for (const SeatIndex index : state_->Awaited()) {
    Seat& seat = *places_[index].seat;
    if (seat.decision() != nullptr || seat.awaiting() != nullptr) continue;
    clocks_.Start(index, scheduler_.clock().Monotonic());
    seat.Ask(QuestionFor(seat));
  }
}

Decision Match::QuestionFor(const Seat& seat) const {
  // A client reads what is legal from the state. Where that can only be one action, its question is the same for any.
  const ActionPtr only = places_[seat.index()].client ? game_->only_action() : nullptr;
  std::shared_ptr<const Sight> sight = SightOf(Viewer::Seat(seat.index()));
  ActionSet actions;
  if (only) {
    actions.Put(only);
  } else {
    actions = LegalActions(*sight);
  }
  // Its number is that of the position, so that it is the same after a restart.
  Decision decision = QuestionOf(std::move(sight), DecisionId(played_ + 1), std::move(actions));
  decision.time_limit = TimeFor(seat);
  // A clock is running for it.
  if (decision.time_limit) decision.priority = Priority::kMedium;
  return decision;
}

void Match::OnDecisionEnded(Seat& seat, DecisionId, DecisionEnd end) {
  if (end != DecisionEnd::kGaveUp && end != DecisionEnd::kTimedOut) return;
  std::string what = seat.name() + (end == DecisionEnd::kGaveUp ? " could not answer"
                                    : spec_.terms.clocked()     ? " ran out of time"
                                                                : " did not answer in time");
  if (!kept_) {
    // A choice that was being journaled may have freed the seat from its own.
    Enqueue([this, index = seat.index(), what = std::move(what)]() mutable {
      if (state_->Awaited().Contains(index)) EndFor(index, std::move(what), {}, [](const Result<void>&) {});
    });
    return;
  }
  const ErrorCode code = end == DecisionEnd::kGaveUp ? ErrorCode::kConflict : ErrorCode::kTimeout;
  Enqueue([this, error = Error{code, what + ", so nothing of this turn counts", {}}] {
    if (!kept_ || status_ == MatchStatus::kDone) return;  // an answer was on its way after all
    Undo(error);
    AfterChange(MatchEvent::kUpdate);
  });
}

}  // namespace openseat
