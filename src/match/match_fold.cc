#include "match/match_fold.h"

#include <algorithm>
#include <utility>

#include "core/judge.h"

namespace openseat {

MatchFold::MatchFold(MatchSpec spec, int rules_version, const StoredEvent& opened)
    : spec_(std::move(spec)), rules_version_(rules_version), opened_(opened.event.time), last_seq_(opened.seq) {}

Result<MatchFold> MatchFold::Of(const TableId& id, const Game& game, const std::vector<StoredEvent>& events) {
  if (events.empty()) return Fail(ErrorCode::kParse, "the journal of " + id.str() + " is empty");
  Result<MatchFold> fold = Of(id, game, events, How::kBrief);
  // A script that breaks its contract may answer in another way when it is asked in brief, and refuse what counted.
  return fold ? std::move(fold) : Of(id, game, events, How::kInFull);
}

Result<MatchFold> MatchFold::Of(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, How how) {
  Result<MatchFold> fold = Begin(id, game, events.front());
  if (!fold) return fold;
  // The last choice is judged as it was then: a script that fails at a state ends the match.
  const auto is_choice = [](const StoredEvent& each) { return each.event.kind == EventKind::kPlayed; };
  const auto last = std::find_if(events.rbegin(), events.rend(), is_choice).base();  // the event after it
  for (auto event = events.begin() + 1; event != events.end(); ++event) {
    fold->repeats_ = how == How::kBrief && event + 1 < last;
    if (Result<Step> step = fold->Apply(*event); !step) return Fail(std::move(step).error());
  }
  return fold;
}

bool MatchFold::Reads(EventKind kind) {
  switch (kind) {
    case EventKind::kOpened:
    case EventKind::kForked:
    case EventKind::kJoined:
    case EventKind::kHandedOver:
    case EventKind::kPlayed:
    case EventKind::kTakenBack:
    case EventKind::kOffer:
    case EventKind::kChat:
    case EventKind::kEnded:
      return true;
    default:
      return false;
  }
}

Result<MatchFold> MatchFold::Begin(const TableId& id, const Game& game, const StoredEvent& opened, OldRules old_rules) {
  if (opened.event.kind != EventKind::kOpened) {
    return Fail(ErrorCode::kParse, "the journal of " + id.str() + " does not begin with its opening");
  }
  const Result<json::Value> payload = json::Parse(opened.event.payload);
  if (!payload) return Fail(payload.error());
  Result<MatchSpec> spec = ReadOpened(*payload);
  if (!spec) return Fail(std::move(spec).error());
  const Result<int> version = ReadRulesVersion(*payload);
  if (!version) return Fail(version.error());
  const Game* rules = game.OfVersion(*version);
  if (rules == nullptr && old_rules == OldRules::kRefused) {
    return Fail(ErrorCode::kUnsupported, "it was begun by version " + std::to_string(*version) + " of the rules of " +
                                             game.info().title + ", and this program has version " +
                                             std::to_string(game.info().rules_version) + ", so it cannot be played on");
  }
  spec->id = id;
  spec->game = rules != nullptr ? rules : &game;
  return MatchFold(std::move(*spec), *version, opened);
}

Result<MatchFold::Step> MatchFold::Apply(const StoredEvent& event) {
  Result<Step> step = Read(event);
  if (!step) {
    return Fail(ErrorCode::kParse,
                "event " + std::to_string(event.seq) + " of " + spec_.id.str() + ": " + step.error().message);
  }
  last_seq_ = event.seq;
  return step;
}

Result<MatchFold::Step> MatchFold::Read(const StoredEvent& event) {
  Step step;
  Result<void> (MatchFold::*apply)(Step&) = nullptr;
  switch (event.event.kind) {
    case EventKind::kJoined:
      apply = &MatchFold::Join;
      break;
    case EventKind::kHandedOver:
      apply = &MatchFold::HandOver;
      break;
    case EventKind::kPlayed:
      apply = &MatchFold::Play;
      break;
    case EventKind::kEnded:
      apply = &MatchFold::End;
      break;
    case EventKind::kTakenBack:
      apply = &MatchFold::TakeBack;
      break;
    case EventKind::kForked:
      apply = &MatchFold::ReadFork;
      break;
    case EventKind::kOffer:
    case EventKind::kChat:
      if (const Result<void> done = ApplyAround(event.event, step); !done) return Fail(done.error());
      return step;
    case EventKind::kSeen:
      if (!has_rules()) break;
      [[fallthrough]];
    default:
      return step;
  }
  Result<json::Value> payload = json::Parse(event.event.payload);
  if (!payload) return Fail(std::move(payload).error());
  step.payload = std::move(*payload);
  if (outcome_) return Fail(ErrorCode::kParse, "the match was over before");
  if (apply == nullptr) {
    if (Result<void> added = seen_.Add(step.payload); !added) return Fail(std::move(added).error());
    return step;
  }
  if (const Result<void> done = (this->*apply)(step); !done) return Fail(done.error());
  asked_ = event.event.time;
  return step;
}

Result<void> MatchFold::ReadFork(Step& step) {
  if (!spec_.fork || begun_) return Fail(ErrorCode::kParse, "it belongs to a match that is no fork");
  Result<std::vector<ForkChoice>> choices = ReadForked(step.payload);
  if (!choices) return Fail(std::move(choices).error());
  spec_.fork->choices = std::move(*choices);
  return {};
}

Result<void> MatchFold::Join(Step& step) {
  Result<SeatedPlayer> player = ReadJoined(step.payload);
  if (!player) return Fail(std::move(player).error());
  if (begun_) return Fail(ErrorCode::kParse, "somebody joined after the start");
  step.seat = static_cast<SeatIndex>(players_.size());
  players_.push_back(std::move(*player));
  if (players_.size() < spec_.players_needed()) return {};
  begun_ = true;
  step.told = MatchEvent::kStart;
  if (!has_rules()) return {};
  std::vector<std::string> names;
  for (const SeatedPlayer& each : players_) names.push_back(each.name);
  Result<std::shared_ptr<const GameState>> state =
      BeginGame(*spec_.game, spec_.options, spec_.seed, std::move(names), spec_.fork ? &*spec_.fork : nullptr);
  if (!state) return Fail(std::move(state).error());
  state_ = std::move(*state);
  return {};
}

Result<void> MatchFold::HandOver(Step& step) {
  Result<HandedOverEvent> handed = ReadHandedOver(step.payload);
  if (!handed) return Fail(std::move(handed).error());
  if (handed->seat >= players_.size()) return Fail(ErrorCode::kParse, "nobody had the seat that was handed over");
  step.seat = handed->seat;
  players_[handed->seat].agent = std::move(handed->agent);
  retries_.erase(handed->seat);
  return {};
}

Result<void> MatchFold::Play(Step& step) {
  Result<PlayedEvent> played = ReadPlayed(step.payload);
  if (!played) return Fail(std::move(played).error());
  if (!begun_) return Fail(ErrorCode::kParse, "it is a move before the start");
  if (played->seat >= players_.size()) return Fail(ErrorCode::kParse, "there is no such seat");
  if (!has_rules()) {
    ++played_;
    step.seat = played->seat;
    if (const json::Value* result = json::Find(step.payload, "result")) step.result = *result;
    if (seen_.ended()) {
      step.told = MatchEvent::kEnd;
      return EndAs(*seen_.ended());
    }
    if (seen_.changed() || seen_.Of(Viewer::Spectator()) == nullptr) step.told = MatchEvent::kUpdate;
    return {};
  }
  const auto judge = repeats_ ? JudgeAgain : Judge;
  Result<Ruling> ruling = judge(*state_, played->seat, played->action, played->data);
  if (!ruling) return Fail(std::move(ruling).error());
  ++played_;
  step.seat = played->seat;
  step.result = std::move(ruling->result);
  const std::shared_ptr<const GameState> before = std::exchange(state_, std::move(ruling->next));
  around_.Chose(played->seat, before, !spec_.game->info().whole_turns);
  if (!played->retry.empty()) retries_[played->seat].Add(std::move(played->retry));
  if (played->clock) {
    clocks_.resize(players_.size());
    clocks_[played->seat] = played->clock;
  }
  outcome_ = state_->GetOutcome();
  if (outcome_) {
    step.told = MatchEvent::kEnd;
  } else if (repeats_ || LooksDifferent(*before, *state_)) {
    step.told = MatchEvent::kUpdate;
  }
  return {};
}

Result<void> MatchFold::TakeBack(Step& step) {
  Result<TakenBackEvent> taken = ReadTakenBack(step.payload);
  if (!taken) return Fail(std::move(taken).error());
  if (!begun_ || taken->seat >= players_.size()) return Fail(ErrorCode::kParse, "nobody could take back a choice");
  step.seat = taken->seat;
  step.told = MatchEvent::kUpdate;
  ++played_;
  around_.TakeBack(taken->choices);
  if (!has_rules()) return {};
  Result<std::unique_ptr<GameState>> state = spec_.game->Restore(taken->state);
  if (!state) return Fail(std::move(state).error());
  state_ = std::move(*state);
  return {};
}

Result<void> MatchFold::ApplyAround(const Event& event, Step& step) {
  Result<json::Value> payload = json::Parse(event.payload);
  if (!payload) return Fail(std::move(payload).error());
  step.payload = std::move(*payload);
  if (event.kind == EventKind::kChat) {
    Result<ChatLine> line = ReadChat(step.payload, event.time);
    if (!line) return Fail(std::move(line).error());
    step.seat = line->seat;
    around_.Say(std::move(*line));
    return {};
  }
  Result<OfferEvent> offer = ReadOffer(step.payload);
  if (!offer) return Fail(std::move(offer).error());
  if (offer->match) {
    around_.next = std::move(offer->match);
    around_.offers.Close(offer->offer);
    return {};
  }
  step.seat = offer->seat;
  if (offer->accept) {
    around_.offers.Agree(offer->offer, offer->seat);
  } else {
    around_.offers.Close(offer->offer);
  }
  return {};
}

Result<void> MatchFold::End(Step& step) {
  Result<EndedEvent> ended = ReadEnded(step.payload);
  if (!ended) return Fail(std::move(ended).error());
  forfeited_ = true;
  if (!ended->retry.empty()) retries_[ended->seat].Add(std::move(ended->retry));
  step.told = MatchEvent::kEnd;
  return EndAs(std::move(*ended));
}

Result<void> MatchFold::EndAs(EndedEvent ended) {
  Outcome outcome;
  outcome.winners = ended.winners;
  outcome.reason = std::move(ended.reason);
  outcome.scores.assign(players_.size(), 0);
  for (const SeatIndex seat : outcome.winners) {
    if (seat >= players_.size()) return Fail(ErrorCode::kParse, "a winner is not a seat");
    outcome.scores[seat] = 1;
  }
  outcome_ = std::move(outcome);
  return {};
}

MatchStatus MatchFold::status() const {
  if (outcome_) return MatchStatus::kDone;
  return begun_ ? MatchStatus::kInProgress : MatchStatus::kAwaitingPlayers;
}

SeatView MatchFold::View(Viewer viewer) const {
  SeatView view;
  view.table = spec_.id;
  view.invite = spec_.invite;
  view.opened = opened_;
  view.status = MatchStatusName(status());
  view.game = spec_.game;
  for (const SeatedPlayer& player : players_) view.names.push_back(player.name);
  view.outcome = outcome_;
  view.viewer = viewer;
  if (state_) view.sight = std::make_shared<Sight>(*spec_.game, state_, viewer);
  return view;
}

}  // namespace openseat
