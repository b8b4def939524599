// Match: who comes, sits down, and goes.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "match/client_agent.h"
#include "match/match.h"
#include "match/match_events.h"
#include "match/player_name.h"
#include "match/question.h"

namespace openseat {
namespace {

constexpr std::size_t kTokenLength = 26;  // 130 bits

}  // namespace

void Match::Join(std::string name, Joined joined, std::string account) {
  JoinWith(std::move(name), std::nullopt, std::move(account), std::move(joined));
}

void Match::JoinWith(std::string name, std::optional<AgentSpec> agent, std::string account, Joined joined) {
  if (Result<void> fits = CheckPlayerName(name); !fits) return joined(Fail(std::move(fits).error()));
  const bool counted = MustWait();
  if (counted && !joins_.Add(name.size())) {
    return joined(Fail(joins_.Refuse(payer_.get(), Limit::kWaitingJoins, Limit::kWaitingMatchBytes).ToError()));
  }
  Enqueue([this, name = std::move(name), agent = std::move(agent), account = std::move(account),
           joined = std::move(joined), counted]() mutable {
    if (counted) joins_.Remove(name.size());
    if (status_ == MatchStatus::kDone) {
      joined(Fail(ErrorCode::kDenied, "the match is over (" + outcome_->reason + "); it cannot be joined"));
      return;
    }
    if (status_ != MatchStatus::kAwaitingPlayers) {
      joined(Fail(ErrorCode::kDenied, "the match has begun; it can be watched, not joined"));
      return;
    }
    const bool planned = std::ranges::any_of(
        spec_.seats, [&](const PlannedSeat& seat) { return !seat.agent.kind.empty() && seat.name == name; });
    if (planned || std::ranges::find(players_, name) != players_.end()) {
      joined(Fail(ErrorCode::kConflict, "there is a player " + Quote(name) + " in the match already", "player-name"));
      return;
    }
    Take(name, agent ? &*agent : nullptr, std::move(account), std::move(joined));
  });
}

void Match::SeatAgent(SeatIndex seat, std::string name, AgentSpec agent, Seated seated) {
  if (seat < seats()) return HandOver(seat, std::move(agent), std::move(seated));
  JoinWith(std::move(name), std::move(agent), {}, [seated = std::move(seated)](const Result<JoinedSeat>& joined) {
    seated(joined ? Result<SeatIndex>(joined->seat) : Fail(joined.error()));
  });
}

void Match::Take(const std::string& name, const AgentSpec* spec, std::string account, Joined joined) {
  SeatedPlayer player{name, {}, std::nullopt, std::move(account)};
  std::string token;
  auto agent = std::make_shared<std::unique_ptr<Agent>>();
  if (spec != nullptr && spec->kind == ClientAgent::kKind) {
    player.token_hash = json::TextOf(spec->options, "token");
    player.account = json::TextOf(spec->options, "account");
  } else if (spec != nullptr) {
    Result<std::unique_ptr<Agent>> made = setup_->make_agent(*spec);
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
  std::vector<std::string> players = players_;
  players.push_back(name);
  // Seats the player. `made`: how the match begins with this player, if it does.
  auto take = [this, player = std::move(player), token = std::move(token), agent,
               joined = std::move(joined)](Result<std::shared_ptr<const GameState>> made) mutable {
    if (!made) return joined(Fail(std::move(made).error()));
    std::vector<Event> events;
    if (*made) AddSeen(*made, events);
    events.push_back({EventKind::kJoined, {}, JoinedPayload(static_cast<SeatIndex>(players_.size()), player)});
    auto answer = std::make_shared<Joined>(std::move(joined));
    Commit(
        std::move(events),
        [this, name = std::move(player.name), hash = std::move(player.token_hash), token = std::move(token), agent,
         spec = player.agent.value_or(AgentSpec()), account = std::move(player.account), answer,
         first = *std::move(made)]() mutable {
          const auto seat = static_cast<SeatIndex>(players_.size());
          const bool reserved = token.empty() && *agent == nullptr;  // its player is to come
          AddPlace(std::move(name), std::move(hash), std::move(account));
          SitDown(places_.back(), std::move(*agent), std::move(spec));
          places_.back().present = true;
          if (reserved) Drop(seat, places_.back().lease);
          if (first) status_ = MatchStatus::kReady;  // until everyone is told
          (*answer)(JoinedSeat{seat, std::move(token)});
          if (SeatPlanned()) return;
          if (first) Begin(std::move(first));
          AroundChanged();
          PlannedSeated();
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  };
  if (players.size() < spec_.players_needed()) return take(nullptr);
  // What came before a fork takes long to play, too.
  if (!spec_.fork && (!rules_.takes_long || !rules_.takes_long(*game_))) return take(FirstState(std::move(players)));
  // As in JudgeElsewhere: inputs wait meanwhile.
  committing_ = true;
  Beginning beginning{game_, spec_.options, spec_.seed, std::move(players), spec_.fork};
  BeginElsewhere(
      scheduler_, AddressOf(payer_.get()), std::move(beginning),
      [this, alive = std::weak_ptr<int>(alive_),
       rest = std::make_shared<decltype(take)>(std::move(take))](BegunGame first) {
        if (alive.expired()) return;
        committing_ = false;
        const bool is_over = status_ != MatchStatus::kAwaitingPlayers;
        (*rest)(is_over ? Fail(ErrorCode::kDenied, "the match is over; it cannot be joined") : std::move(first));
        RunInputs();
      });
}

void Match::AddPlace(std::string name, std::string token_hash, std::string account) {
  Place place;
  SeatHost& host = *this;
  place.seat =
      std::make_unique<Seat>(static_cast<SeatIndex>(places_.size()), name, host, scheduler_, transcript_, SeatRules{});
  place.token_hash = std::move(token_hash);
  place.account = std::move(account);
  places_.push_back(std::move(place));
  players_.push_back(std::move(name));
}

Result<JoinedSeat> Match::Resume(std::string_view name, std::string_view token) {
  const std::optional<SeatIndex> seat = SeatOf(name, token);
  if (!seat) return Fail(ErrorCode::kDenied, "no seat of this match goes with that name and token", "token");
  return ResumeAs(*seat);
}

JoinedSeat Match::ResumeAs(SeatIndex seat) {
  Place& place = places_[seat];
  place.present = true;
  place.grace.Cancel();
  ++place.lease;
  place.by_operator = false;
  if (Task taken = std::exchange(place.taken, Task())) taken();
  PresenceChanged();
  return JoinedSeat{seat, {}, place.lease};
}

void Match::HeldByOperator(SeatIndex seat, std::uint32_t lease) {
  Place& place = places_[seat];
  if (place.lease == lease) place.by_operator = true;
}

void Match::WhenTaken(SeatIndex seat, std::uint32_t lease, Task taken) {
  Place& place = places_[seat];
  if (place.lease == lease) place.taken = std::move(taken);
}

void Match::Drop(SeatIndex seat, std::uint32_t lease) {
  Place& place = places_[seat];
  if (place.lease != lease) return;
  place.present = !place.client;
  if (!place.present) place.left = scheduler_.clock().Monotonic();
  PresenceChanged();
  if (place.present || status_ == MatchStatus::kDone) return;
  const std::optional<Duration> grace = GraceOf(seat);
  if (grace) place.grace.Set(scheduler_, *grace, [this, seat, lease] { GraceIsOver(seat, lease); });
}

Result<void> Match::CheckLease(SeatIndex seat, std::uint32_t lease) const {
  if (places_[seat].lease == lease) return {};
  return Fail(ErrorCode::kClosed, "another connection has taken your seat with its token");
}

void Match::Begin(std::shared_ptr<const GameState> state) {
  state_ = std::move(state);
  unplayed_.reset();
  status_ = MatchStatus::kInProgress;
  std::string who;
  for (SeatIndex seat = 0; seat < players_.size(); ++seat) {
    who += (seat == 0 ? "" : ", ") + WithRole(game_->info(), seat, players_[seat]);
  }
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) TellAgent(seat, "The match begins: " + who + ".", true);
  for (SeatIndex seat = 0; spec_.fork && seat < places_.size(); ++seat) {
    if (std::string so_far = SoFar(seat); !so_far.empty()) TellAgent(seat, std::move(so_far), true);
  }
  AfterChange(MatchEvent::kStart);
}

}  // namespace openseat
