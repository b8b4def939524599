#include "protocols/openenv/environments.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/secure_random.h"

namespace openseat::openenv {
namespace {

constexpr int kTries = 4;
constexpr std::size_t kFreshIdLength = 26;
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 53) - 1;  // what every JSON reader keeps

std::string KeyOf(const Game& game, const std::string& episode_id) {
  return game.info().id + "\n" + episode_id;
}

// The agents without the seeds that they may be given.
std::vector<PlannedSeat> SeatsOf(const ResetOptions& wanted) {
  std::vector<PlannedSeat> seats(wanted.players);
  for (std::size_t seat = 0; seat < seats.size(); ++seat) {
    if (!wanted.opponents[seat]) continue;
    seats[seat].agent = *wanted.opponents[seat];
    seats[seat].name = "Player " + std::to_string(seat + 1);
  }
  return seats;
}

}  // namespace

// A reset under way.
struct Environments::Order {
  const Game* game = nullptr;
  ResetOptions options;
  std::vector<PlannedSeat> seats;
  Scheduler* here = nullptr;
  Lease place;
  Begun begun;
  Answered answered;  // on `here`
};

Environments::Environments(Lobby& lobby, const AgentKinds& kinds, const MatchRules& rules,
                           const std::vector<Scheduler*>& schedulers, Journal& journal, AgentFactory make_agent,
                           ChoiceJudge judge)
    : lobby_(lobby),
      kinds_(kinds),
      rules_(rules),
      schedulers_(schedulers),
      journal_(journal, {.expendable = true}),
      make_agent_(std::move(make_agent)),
      judge_(std::move(judge)) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) shelves_.push_back(std::make_unique<Shelf>());
}

Environments::~Environments() = default;

Environments::Shelf& Environments::ShelfOf(const Scheduler& scheduler) {
  const auto found = std::ranges::find(schedulers_, &scheduler);
  OPENSEAT_CHECK(found != schedulers_.end(), "an episode lives on one of the server's schedulers");
  return *shelves_[static_cast<std::size_t>(found - schedulers_.begin())];
}

Result<void> Environments::Check(const Game& game, const ResetOptions& wanted) const {
  std::vector<PlannedSeat> seats = SeatsOf(wanted);
  return Check(game, wanted, seats);
}

Result<void> Environments::Check(const Game& game, const ResetOptions& wanted, std::vector<PlannedSeat>& seats) const {
  // On this thread, which others use.
  const bool shaped = wanted.player.reward == Reward::kShaped;
  if ((shaped || wanted.player.reward == Reward::kJudge) && rules_.takes_long && rules_.takes_long(game)) {
    return Fail(ErrorCode::kInvalid,
                std::string("a game written as a script has no ") + (shaped ? "shaped" : "judged") + " rewards",
                "reward");
  }
  if (wanted.player.reward == Reward::kJudge) {
    Result<void> can = Fail(ErrorCode::kUnsupported, "nobody judges choices here");
    if (judge_.can) can = judge_.can(game);
    if (!can) return Fail(ErrorCode::kInvalid, can.error().message, "reward");
  }
  const Result<const Game*> checked = lobby_.Check(game.info().id, wanted.options, seats);
  return checked ? Result<void>() : Fail(checked.error());
}

void Environments::Reset(Scheduler& here, const Game& game, ResetOptions options, const std::shared_ptr<Payer>& payer,
                         Begun begun, Answered answered) {
  auto order = std::make_shared<Order>();
  order->game = &game;
  order->options = std::move(options);
  order->here = &here;
  order->begun = std::move(begun);
  order->answered = std::move(answered);
  if (payer != nullptr) {
    Result<Lease> place = PlaceForMatch(payer.get(), here.clock().Monotonic(), order->options.record);
    if (!place) return order->answered(Fail(std::move(place).error()));
    order->place = std::move(*place);
    order->options.player.payer = payer;
  }
  const ResetOptions& wanted = order->options;
  const bool joins = !wanted.episode_id.empty() && wanted.seat_named && !wanted.opponents_named;
  const std::uint64_t seed = wanted.seed.value_or(SecureRandom64() & kSeedMask);
  order->seats = SeatsOf(wanted);
  for (std::size_t seat = 0; seat < wanted.players; ++seat) {
    PlannedSeat& planned = order->seats[seat];
    if (wanted.opponents[seat] && kinds_.TakesSeed(planned.agent.kind) && !planned.agent.options.contains("seed")) {
      planned.agent.options["seed"] = Rng(seed + seat + 1).Next() & kSeedMask;
    }
  }
  if (Result<void> can = Check(game, wanted, order->seats); !can) return order->answered(Fail(std::move(can).error()));
  if (wanted.open || joins) {
    schedulers_.front()->Post([this, order] { FindOrMake(order, 0); });
  } else {
    Make(here, ++last_, order);
  }
}

void Environments::Make(Scheduler& home, std::uint64_t number, const std::shared_ptr<Order>& order) {
  const ResetOptions& wanted = order->options;
  EpisodeTerms terms;
  terms.game = order->game;
  terms.id = wanted.episode_id.empty() ? SecureToken(kFreshIdLength) : wanted.episode_id;
  terms.seed = wanted.seed.value_or(SecureRandom64() & kSeedMask);
  terms.seed_named = wanted.seed.has_value();
  terms.options = wanted.options;
  terms.record = wanted.record;
  for (const PlannedSeat& seat : order->seats) {
    terms.seats.push_back(seat.agent.kind.empty() ? std::nullopt : std::optional<AgentSpec>(seat.agent));
  }
  std::function<void()> begun = [] {};
  if (wanted.open) {
    begun = [this, key = KeyOf(*order->game, terms.id), number] { Forget(key, number); };
  }
  Journal& journal = wanted.record ? static_cast<Journal&>(journal_) : static_cast<Journal&>(null_journal_);
  auto made = std::make_unique<Episode>(std::move(terms), rules_, home, journal, make_agent_, judge_, std::move(begun));
  Episode& episode = *made;
  ShelfOf(home).episodes.emplace(number, std::move(made));
  ++open_;
  Seat(episode, home, number, order);
}

void Environments::Seat(Episode& episode, Scheduler& home, std::uint64_t number, const std::shared_ptr<Order>& order) {
  Scheduler& here = *order->here;
  const bool local = &here == &home;
  const auto answer = [order, &here, local](Result<std::string> text) {
    if (local) return order->answered(std::move(text));
    here.Post([order, text = std::move(text)]() mutable { order->answered(std::move(text)); });
  };
  Result<std::size_t> player = episode.Join(order->options.player, std::move(order->place), answer);
  if (!player) return answer(Fail(player.error()));
  const PlayerRef ref{&home, number, *player};
  if (local) return order->begun(ref);
  here.Post([order, ref] { order->begun(ref); });
}

void Environments::FindOrMake(const std::shared_ptr<Order>& order, int tries) {
  const std::string key = KeyOf(*order->game, order->options.episode_id);
  const auto found = waiting_.find(key);
  if (found == waiting_.end() || tries >= kTries) {
    if (!order->options.open) {
      order->here->Post([order] {
        order->answered(Fail(ErrorCode::kConflict,
                             "no episode with this id waits for players; \"opponents\": \"open\" begins one, and any "
                             "other opponents play with you alone",
                             "episode_id"));
      });
      return;
    }
    const std::uint64_t number = ++last_;
    waiting_[key] = {order->here, number};
    order->here->Post([this, order, number] { Make(*order->here, number, order); });
    return;
  }
  const Waiting waiting = found->second;
  waiting.home->Post([this, order, waiting, key, tries] {
    auto& episodes = ShelfOf(*waiting.home).episodes;
    const auto episode = episodes.find(waiting.episode);
    if (episode == episodes.end() || episode->second->begun()) {
      Forget(key, waiting.episode);
      schedulers_.front()->Post([this, order, tries] { FindOrMake(order, tries + 1); });
      return;
    }
    const EpisodeTerms& terms = episode->second->terms();
    const ResetOptions& wanted = order->options;
    std::string differs;
    if (wanted.seed && (!terms.seed_named || *wanted.seed != terms.seed)) differs = "seed";
    // Only as far as the seat may know them.
    const auto known = [&](const json::Value& options) {
      return order->game->PublicOptions(options, Viewer::Seat(wanted.player.seats.front()));
    };
    if (!wanted.options.is_null() && known(wanted.options) != known(terms.options)) differs = "options";
    if (wanted.players_named && wanted.players != terms.seats.size()) differs = "players";
    if (wanted.record && !terms.record) differs = "record";
    if (!differs.empty()) {
      order->here->Post([order, differs] {
        order->answered(
            Fail(ErrorCode::kInvalid, differs + " is not that of the episode, which another socket began", differs));
      });
      return;
    }
    Seat(*episode->second, *waiting.home, waiting.episode, order);
  });
}

void Environments::Forget(const std::string& key, std::uint64_t number) {
  schedulers_.front()->Post([this, key, number] {
    const auto found = waiting_.find(key);
    if (found != waiting_.end() && found->second.episode == number) waiting_.erase(found);
  });
}

void Environments::With(Scheduler& here, const PlayerRef& player, const Answered& answered,
                        std::function<void(Episode&)> run) {
  if (player.home == nullptr) return answered(Fail(ErrorCode::kClosed, "there is no episode: reset begins one"));
  const auto visit = [this, player, answered, run = std::move(run), &here] {
    const auto& episodes = ShelfOf(*player.home).episodes;
    const auto found = episodes.find(player.episode);
    if (found != episodes.end()) return run(*found->second);
    here.Post([answered] { answered(Fail(ErrorCode::kClosed, "the episode is gone: reset begins another one")); });
  };
  if (player.home == &here) return visit();
  player.home->Post(visit);
}

void Environments::Step(Scheduler& here, const PlayerRef& player, StepAction action, const Answered& answered) {
  Answered back = answered;
  if (player.home != &here) {
    back = [&here, answered](Result<std::string> text) {
      here.Post([answered, text = std::move(text)]() mutable { answered(std::move(text)); });
    };
  }
  With(here, player, answered, [player = player.player, action = std::move(action), back](Episode& episode) mutable {
    episode.Step(player, std::move(action), std::move(back));
  });
}

void Environments::State(Scheduler& here, const PlayerRef& player, const Answered& answered) {
  With(here, player, answered, [player = player.player, answered, &here](Episode& episode) {
    here.Post([answered, text = episode.State(player)]() mutable { answered(std::move(text)); });
  });
}

void Environments::Leave(const PlayerRef& player) {
  if (player.home == nullptr) return;
  // Later: the episode may be calling its players.
  player.home->Post([this, player] {
    auto& episodes = ShelfOf(*player.home).episodes;
    const auto found = episodes.find(player.episode);
    if (found == episodes.end()) return;
    Episode& episode = *found->second;
    episode.Leave(player.player);
    if (!episode.empty()) return;
    if (!episode.begun()) Forget(KeyOf(*episode.terms().game, episode.terms().id), player.episode);
    // A recorded match is to write how it ended.
    if (!episode.over() && episode.terms().record) {
      episode.OnOver([this, player] { Leave(player); });
      return;
    }
    episodes.erase(found);
    --open_;
  });
}

}  // namespace openseat::openenv
