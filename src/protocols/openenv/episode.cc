#include "protocols/openenv/episode.h"

#include <algorithm>
#include <utility>

#include "base/rng.h"
#include "base/secure_random.h"
#include "core/heuristics.h"
#include "core/judge.h"
#include "protocols/openenv/observation.h"

namespace openseat::openenv {
namespace {

constexpr std::size_t kRecordedNameLength = 16;

std::string RoleOf(const GameInfo& game, SeatIndex seat) {
  return seat < game.roles.size() ? game.roles[seat] : "Player " + std::to_string(seat + 1);
}

double FinalReward(const Outcome& outcome, SeatIndex seat, Reward reward) {
  if (reward == Reward::kScore) return seat < outcome.scores.size() ? outcome.scores[seat] : 0;
  if (outcome.winners.empty()) return 0;
  return outcome.winners.Contains(seat) ? 1 : -1;
}

// Whether it is the player's mistake.
bool IsIllegal(ErrorCode code) {
  return code == ErrorCode::kNoSuchAction || code == ErrorCode::kIncorrectData || code == ErrorCode::kIncorrectMove ||
         code == ErrorCode::kNotYourTurn;
}

}  // namespace

Episode::Episode(EpisodeTerms terms, const MatchRules& rules, Scheduler& scheduler, Journal& journal,
                 AgentFactory make_agent, const ChoiceJudge& judge, std::function<void()> begun)
    : terms_(std::move(terms)),
      rules_(rules),
      scheduler_(scheduler),
      journal_(journal),
      make_agent_(std::move(make_agent)),
      judge_(judge),
      begun_(std::move(begun)),
      leases_(terms_.seats.size()) {}

Episode::~Episode() {
  for (const auto& player : players_) player->judging.request_stop();
  if (match_ && terms_.record && match_->status() == MatchStatus::kDone) match_->Close("the episode is over");
}

bool Episode::empty() const {
  return std::ranges::all_of(players_, [](const auto& player) { return player->gone; });
}

// --- Sitting down ---

Result<std::size_t> Episode::Join(const PlayerTerms& terms, Lease place, Answered answered) {
  if (begun()) return Fail(ErrorCode::kConflict, "the episode has begun", "episode_id");
  for (const SeatIndex seat : terms.seats) {
    const bool open = seat < terms_.seats.size() && !terms_.seats[seat];
    const bool taken = std::ranges::any_of(players_, [seat](const auto& player) {
      return !player->gone && std::ranges::find(player->terms.seats, seat) != player->terms.seats.end();
    });
    if (!open || taken) {
      return Fail(ErrorCode::kConflict, "seat " + std::to_string(seat) + " of this episode is taken", "seat");
    }
  }
  auto player = std::make_unique<Player>();
  player->terms = terms;
  player->place = std::move(place);
  player->pending = std::move(answered);
  player->rewards.assign(terms.seats.size(), 0);
  player->expected.assign(terms.seats.size(), 0);
  player->told.resize(terms.seats.size());
  // The place of one who is gone is free again: as many may come and go as like.
  const auto gone = std::ranges::find_if(players_, [](const auto& each) { return each->gone; });
  const auto number = static_cast<std::size_t>(gone - players_.begin());
  if (gone == players_.end()) {
    players_.push_back(std::move(player));
  } else {
    *gone = std::move(player);
  }
  Player& seated = *players_[number];
  seated.wait.Set(scheduler_, terms.wait, [this, &seated] { Answer(seated, 0, true); });
  std::size_t held = 0;
  for (const auto& each : players_) held += each->gone ? 0 : each->terms.seats.size();
  const auto open = std::ranges::count_if(terms_.seats, [](const auto& seat) { return !seat; });
  if (held == static_cast<std::size_t>(open)) Begin();
  return number;
}

void Episode::Begin() {
  MatchSpec spec;
  int draws = 0;
  do {
    spec.id = TableId(terms_.record ? "episode-" + SecureToken(kRecordedNameLength) : std::string("episode"));
  } while (!journal_.Owns(spec.id) && ++draws < kNameDraws);
  spec.game = terms_.game;
  spec.options = terms_.options;
  spec.seed = terms_.seed;
  spec.ends_with_server = true;
  for (std::size_t seat = 0; seat < terms_.seats.size(); ++seat) {
    PlannedSeat& planned = spec.seats.emplace_back();
    if (!terms_.seats[seat]) continue;
    planned.agent = *terms_.seats[seat];
    planned.name = "Player " + std::to_string(seat + 1);
  }
  MatchRules rules = rules_;
  rules.record_seen = terms_.record && rules.record_seen;
  match_ = std::make_unique<Match>(std::move(spec), rules, scheduler_, journal_, make_agent_);
  match_->CountFor(players_.front()->terms.payer, terms_.record);
  begun_();
  if (const std::optional<Refusal> refused = match_->HoldFirstMemory()) return Failed(refused->ToError());
  match_->Watch(Viewer::Spectator(), [this](MatchEvent, const Match&, Viewer) { CheckSoon(); });
  match_->Open([this, alive = std::weak_ptr<int>(alive_)](const Result<void>& opened) {
    if (alive.expired()) return;
    if (!opened) return Failed(opened.error());
    JoinSeats(0);
  });
}

// The match gives out its open seats in their order.
void Episode::JoinSeats(std::size_t seat) {
  while (seat < terms_.seats.size() && terms_.seats[seat]) ++seat;
  if (seat >= terms_.seats.size()) {
    seated_ = true;
    for (const auto& player : players_) {
      if (player->quit) Resign(*player);
    }
    return CheckSoon();
  }
  match_->Join("Player " + std::to_string(seat + 1),
               [this, alive = std::weak_ptr<int>(alive_), seat](const Result<JoinedSeat>& joined) {
                 if (alive.expired()) return;
                 if (!joined) return Failed(joined.error());
                 leases_[seat] = joined->lease;
                 JoinSeats(seat + 1);
               });
}

void Episode::Failed(const Error& error) {
  const bool busy = error.code == ErrorCode::kBusy;
  failed_ = Error{busy ? error.code : ErrorCode::kIo, "the episode could not begin: " + error.message,
                  busy ? error.path : std::string()};
  CheckSoon();
}

void Episode::Leave(std::size_t index) {
  Player& player = *players_[index];
  if (player.gone) return;
  player.gone = true;
  player.pending = {};
  player.wait.Cancel();
  player.judging.request_stop();
  player.place.Release();
  if (!match_ || match_->status() == MatchStatus::kDone) return;
  player.quit = true;
  if (seated_) Resign(player);
}

void Episode::Resign(const Player& player) {
  const SeatIndex seat = player.terms.seats.front();
  match_->Resign(seat, match_->seat(seat).name() + " left", {}, [](const Result<void>&) {});
}

// --- Playing ---

void Episode::Step(std::size_t index, StepAction action, Answered answered) {
  Player& player = *players_[index];
  if (player.gone || player.over) {
    return answered(Fail(ErrorCode::kClosed, "the episode is over: reset begins another one"));
  }
  if (player.pending) return answered(Fail(ErrorCode::kBusy, "the last step has not been answered yet"));
  player.pending = std::move(answered);
  ++player.steps;
  const std::optional<std::size_t> turn = player.deciding ? std::nullopt : Turn(player);
  const bool over = match_ && match_->status() == MatchStatus::kDone;
  if (!turn || over) {
    if (!over && !failed_ && !IsWait(action)) {
      Refuse(player, "others are to choose now; \"wait\" waits for them");
      return Answer(player, 0, true);
    }
    player.wait.Set(scheduler_, player.terms.wait, [this, &player] { Answer(player, 0, true); });
    return Check(player);
  }
  if (player.waits && IsWait(action)) return Check(player);  // the others chose meanwhile
  std::size_t seat = *turn;
  if (action.seat) {
    const auto found = std::ranges::find(player.terms.seats, *action.seat);
    seat = static_cast<std::size_t>(found - player.terms.seats.begin());
    const bool asked = found != player.terms.seats.end() && match_->seat(*found).decision() != nullptr &&
                       match_->seat(*found).awaiting() == nullptr;
    if (!asked) {
      if (found != player.terms.seats.end()) player.acted = seat;
      Refuse(player, "seat " + std::to_string(*action.seat) + " is not to choose now");
      return Check(player);
    }
  }
  player.acted = seat;
  const SeatIndex chooser = player.terms.seats[seat];
  Result<Choice> choice = ChoiceOf(action, *match_->seat(chooser).decision());
  if (!choice) {
    Refuse(player, choice.error().message);
    return Check(player);
  }
  choice->decision = match_->seat(chooser).decision()->id;
  player.deciding = true;
  if (player.terms.reward == Reward::kJudge) return JudgeFirst(index, seat, std::move(*choice));
  Choose(index, seat, std::move(*choice), 0);
}

void Episode::Choose(std::size_t number, std::size_t index, Choice choice, double loss) {
  Player& player = *players_[number];
  player.wait.Set(scheduler_, player.terms.wait, [this, &player] { Answer(player, 0, true); });
  const SeatIndex chooser = player.terms.seats[index];
  match_->Choose(chooser, leases_[chooser], std::move(choice),
                 [this, alive = std::weak_ptr<int>(alive_), number, index, loss](const Verdict& verdict) {
                   if (!alive.expired()) OnVerdict(number, index, verdict, loss);
                 });
}

// The step stays open until the judge has answered, so a player has one question at most.
void Episode::JudgeFirst(std::size_t number, std::size_t index, Choice choice) {
  Player& player = *players_[number];
  const SeatIndex chooser = player.terms.seats[index];
  const std::uint64_t seed = terms_.seed + player.steps;
  Rng rng(seed);
  std::shared_ptr<const GameState> state = match_->seat(chooser).Playout(rng);
  if (state == nullptr) return NotJudged(player, NoSample(terms_.game->info()));
  if (IsQuestion(terms_.game->info(), choice.action) || !Judge(*state, chooser, choice.action, choice.data)) {
    return Choose(number, index, std::move(choice), 0);
  }
  player.judging = std::stop_source();
  ChoiceJudge::Question question{
      terms_.game, std::move(state),           chooser,           {choice.action, choice.data},
      seed,        player.judging.get_token(), player.terms.payer};
  const Result<void> asked =
      judge_.judge(std::move(question), scheduler_,
                   [this, alive = std::weak_ptr<int>(alive_), number, index, choice = std::move(choice),
                    stop = player.judging.get_token()](const Result<double>& loss) {
                     if (alive.expired() || stop.stop_requested()) return;
                     if (!loss) return NotJudged(*players_[number], loss.error());
                     Choose(number, index, choice, *loss);
                   });
  if (!asked) NotJudged(player, asked.error());
}

void Episode::NotJudged(Player& player, Error error) {
  player.deciding = false;
  if (player.pending) std::exchange(player.pending, {})(Fail(std::move(error)));
}

void Episode::OnVerdict(std::size_t number, std::size_t index, const Verdict& verdict, double loss) {
  Player& player = *players_[number];
  player.deciding = false;
  if (verdict.accepted()) {
    player.rewards[index] -= 2 * loss;  // rewards go from -1 to 1
    player.illegal_in_row = 0;
    player.result = verdict.result;
  } else if (IsIllegal(verdict.code)) {
    Refuse(player, verdict.path.empty() ? verdict.message : verdict.path + ": " + verdict.message);
  } else {
    player.refused = verdict.message;
  }
  CheckSoon();
}

void Episode::Refuse(Player& player, const std::string& why) {
  player.refused = why;
  player.rewards[player.acted] += player.terms.illegal_reward;
  if (player.terms.illegal_attempts == 0 || ++player.illegal_in_row < player.terms.illegal_attempts || !match_) return;
  const SeatIndex seat = player.terms.seats[player.acted];
  if (seat >= match_->seats()) return;
  player.deciding = true;  // until the match has ended
  match_->Resign(seat, match_->seat(seat).name() + " made too many illegal choices", {},
                 [this, alive = std::weak_ptr<int>(alive_), &player](const Result<void>&) {
                   if (alive.expired()) return;
                   player.deciding = false;
                   CheckSoon();
                 });
}

void Episode::CheckSoon() {
  if (std::exchange(checking_, true)) return;
  scheduler_.Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    checking_ = false;
    if (over() && over_) return std::exchange(over_, {})();
    CheckAll();
  });
}

void Episode::CheckAll() {
  const std::weak_ptr<int> alive = alive_;
  for (std::size_t i = 0; i < players_.size() && !alive.expired(); ++i) Check(*players_[i]);
}

std::optional<std::size_t> Episode::Turn(const Player& player) const {
  if (!match_) return std::nullopt;
  for (std::size_t i = 0; i < player.terms.seats.size(); ++i) {
    if (player.terms.seats[i] >= match_->seats()) continue;
    const Seat& seat = match_->seat(player.terms.seats[i]);
    if (seat.decision() != nullptr && seat.awaiting() == nullptr) return i;
  }
  return std::nullopt;
}

void Episode::Check(Player& player) {
  if (!player.pending || player.gone) return;
  if (failed_) {
    player.wait.Cancel();
    return std::exchange(player.pending, {})(Fail(*failed_));
  }
  if (match_ && match_->status() == MatchStatus::kDone) return Answer(player, player.acted, false);
  if (player.deciding) return;
  if (const std::optional<std::size_t> turn = Turn(player)) Answer(player, *turn, false);
}

void Episode::Answer(Player& player, std::size_t index, bool waiting) {
  player.wait.Cancel();
  player.judging.request_stop();
  if (!player.pending) return;
  const bool done = match_ && match_->status() == MatchStatus::kDone;
  AddRewards(player, done);
  std::string data = Render(player, index, waiting && !done, done);
  player.over = done;
  player.waits = waiting && !done;
  player.first = false;
  player.refused.clear();
  player.result = nullptr;
  std::ranges::fill(player.rewards, 0);
  std::exchange(player.pending, {})(std::move(data));
}

void Episode::AddRewards(Player& player, bool done) {
  for (std::size_t i = 0; i < player.terms.seats.size(); ++i) {
    const SeatIndex seat = player.terms.seats[i];
    if (player.terms.reward == Reward::kShaped && match_ && match_->started()) {
      // What is left of the shaping is taken back at the end, so that all of it adds up to the result.
      double expected = 0;
      if (!done) {
        Rng rng(terms_.seed + player.steps);
        const std::unique_ptr<GameState> state = match_->seat(seat).Playout(rng);
        // If there is nothing to look at, the seat is thought to stand as before.
        expected = state == nullptr ? player.expected[i] : 2 * terms_.game->heuristics()->Worth(*state, seat) - 1;
      }
      if (!player.first) player.rewards[i] += expected - player.expected[i];
      player.expected[i] = expected;
    }
    if (done && !player.over) player.rewards[i] += FinalReward(*match_->outcome(), seat, player.terms.reward);
  }
}

std::string Episode::Render(Player& player, std::size_t index, bool waiting, bool done) {
  const GameInfo& info = terms_.game->info();
  const SeatIndex seat = player.terms.seats[index];
  const bool started = match_ && match_->started();
  ObservationParts parts;
  parts.game = &info;
  parts.fields = player.terms.fields;
  parts.seat = seat;
  parts.role = RoleOf(info, seat);
  parts.waiting = waiting;
  parts.refused = player.refused;
  parts.result = &player.result;
  if (started) parts.sight = match_->SightOf(Viewer::Seat(seat));
  if (done) parts.outcome = match_->outcome();
  if (started && terms_.record) parts.match = match_->id().str();
  if (started && parts.fields.text) {
    std::shared_ptr<const Sight>& told = player.told[index];
    parts.log = told ? parts.sight->News(*told) : parts.sight->Log();
    told = parts.sight;
  }
  if (!player.first) parts.reward = player.rewards[std::min(player.acted, player.rewards.size() - 1)];
  if (player.terms.seats.size() > 1) {
    for (std::size_t i = 0; i < player.terms.seats.size(); ++i) {
      const SeatIndex each = player.terms.seats[i];
      parts.views.push_back(
          {each, RoleOf(info, each), player.rewards[i], started ? match_->SightOf(Viewer::Seat(each)) : Sight::None()});
    }
  }
  return RenderObservation(parts);
}

std::string Episode::State(std::size_t index) const {
  const Player& player = *players_[index];
  json::Array seats;
  json::Array roles;
  for (const SeatIndex seat : player.terms.seats) {
    seats.emplace_back(std::size_t{seat});
    roles.emplace_back(RoleOf(terms_.game->info(), seat));
  }
  return json::Write(json::Object{{"episode_id", terms_.id},
                                  {"step_count", player.steps},
                                  {"game", terms_.game->info().id},
                                  {"seats", std::move(seats)},
                                  {"roles", std::move(roles)},
                                  {"started", match_ && match_->started()},
                                  {"done", match_ && match_->status() == MatchStatus::kDone}});
}

}  // namespace openseat::openenv
