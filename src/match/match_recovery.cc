// Match: restored from its journal.
#include <utility>

#include "match/match.h"
#include "match/match_fold.h"

namespace openseat {

Result<std::unique_ptr<Match>> Match::Recover(const MatchFold& fold, std::shared_ptr<const MatchSetup> setup,
                                              Scheduler& scheduler, Journal& journal) {
  std::unique_ptr<Match> match(
      new Match(fold.spec(), std::move(setup), scheduler, journal, fold.last_seq(), fold.opened()));
  if (Result<void> adopted = match->Adopt(fold); !adopted) return Fail(std::move(adopted).error());
  if (match->status_ == MatchStatus::kDone) return match;
  for (SeatIndex seat = 0; seat < match->places_.size(); ++seat) {
    if (match->places_[seat].client) match->Drop(seat, match->places_[seat].lease);
  }
  if (match->state_) match->ResumeClocks(fold.asked());
  match->TouchIdle();
  if (match->state_) {
    for (SeatIndex seat = 0; seat < match->places_.size(); ++seat) {
      if (match->places_[seat].client) continue;
      if (std::string so_far = match->SoFar(seat); !so_far.empty()) match->TellAgent(seat, std::move(so_far), true);
    }
    match->AskAgents();
  } else if (match->SeatPlanned()) {
    match->RunInputs();
  }
  return match;
}

Result<void> Match::Adopt(const MatchFold& fold) {
  for (const SeatedPlayer& player : fold.players()) {
    AddPlace(player.name, player.token_hash, player.account);
    std::unique_ptr<Agent> agent;
    if (player.agent) {
      Result<std::unique_ptr<Agent>> made = setup_->make_agent(*player.agent);
      if (!made) return Fail(ErrorCode::kParse, player.name + " cannot be seated again: " + made.error().message);
      agent = std::move(*made);
    }
    Place& place = places_.back();
    place.present = agent != nullptr;
    const auto retries = fold.retries().find(static_cast<SeatIndex>(places_.size() - 1));
    if (agent && retries != fold.retries().end()) agent->OnRetries(retries->second);
    SitDown(place, std::move(agent), player.agent.value_or(AgentSpec()));
    if (fold.status() == MatchStatus::kDone) place.seat->End();
  }
  status_ = fold.status();
  if (fold.outcome()) outcome_ = std::make_unique<const Outcome>(*fold.outcome());
  forfeited_ = fold.forfeited();
  played_ = fold.played();
  state_ = fold.shared_state();
  around_ = fold.around();
  if (status_ == MatchStatus::kDone) around_.offers.Lapse();
  if (!KeepsPast() || status_ == MatchStatus::kDone) around_.past.clear();
  for (SeatIndex seat = 0; seat < fold.clocks().size(); ++seat) clocks_.Stop(seat, fold.clocks()[seat]);
  return {};
}

}  // namespace openseat
