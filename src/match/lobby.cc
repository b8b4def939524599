#include "match/lobby.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "base/secure_random.h"
#include "base/stranger.h"
#include "base/text.h"
#include "match/names.h"
#include "match/player_name.h"

namespace openseat {
namespace {

// Of a seat's code, which begins with the name of its match.
std::string_view SecretOf(std::string_view code) {
  return code.substr(code.find('.') + 1);  // npos + 1 is 0
}

// That many names may be taken: then they get a third, random part, since most pairs of words are.
constexpr int kNameTries = 3;    // in the journal
constexpr int kShortDraws = 64;  // here, or another process's
// Per scheduler: finished matches that can still be viewed. A client that plays thousands a second must not fill the
// memory with them.
constexpr std::size_t kMaxEnded = 4096;
// However scarce memory is, programs elsewhere that play by webhook or polling can hear for this long how a match
// ended.
constexpr Duration kTimeToHear = std::chrono::seconds(30);

std::uint64_t FreshSeed() {
  return SecureRandom64() >> 11;  // 53 bits: every JSON reader reads it exactly
}

bool IsStranger(const Payer* payer) {
  return IsStrangers(AddressOf(payer));
}

Error NoPart() {
  return {ErrorCode::kBusy, "this server has no part of the cluster now; try another one, or again later", ""};
}

}  // namespace

Lobby::Lobby(std::span<const Game* const> games, MatchRules rules, Duration linger, TableDirectory& directory,
             Journal& journal, AgentFactory make_agent)
    : games_(games),
      setup_(std::make_shared<const MatchSetup>(std::move(rules), std::move(make_agent))),
      linger_(linger),
      directory_(directory),
      journal_(journal),
      index_home_(*directory.schedulers().front()) {
  for (std::size_t i = 0; i < directory.schedulers().size(); ++i) shelves_.push_back(std::make_unique<Shelf>());
}

Lobby::~Lobby() {
  for (const auto& shelf : shelves_) {
    for (const auto& [id, placed] : shelf->matches) {
      directory_.Remove(*placed.match);
      placed.place->match = nullptr;
    }
  }
}

Lobby::Shelf& Lobby::ShelfOf(const Scheduler& scheduler) {
  const auto& schedulers = directory_.schedulers();
  const auto found = std::find(schedulers.begin(), schedulers.end(), &scheduler);
  OPENSEAT_CHECK(found != schedulers.end(), "a match lives on one of the directory's schedulers");
  return *shelves_[static_cast<std::size_t>(found - schedulers.begin())];
}

Error Lobby::NoGame(std::string_view id) const {
  std::vector<std::string_view> names;
  for (const Game* each : games()) {
    if (!each->info().hidden) names.push_back(each->info().id);
  }
  return {ErrorCode::kNotFound, "there is no game " + Quote(id) + "; available: " + Listing(names), "game"};
}

Result<const Game*> Lobby::Check(const std::string& game_id, const json::Value& options,
                                 std::vector<PlannedSeat>& seats) const {
  const Game* game = FindOffered(game_id);
  if (game == nullptr) return Fail(NoGame(game_id));
  if (Result<void> checked = CheckSpec(*game, options, seats, 0, nullptr); !checked) return Fail(checked.error());
  return game;
}

namespace {

// Of the players of a trial, which is made so that nothing is journaled that could not be played.
std::vector<std::string> NamesFor(const Game& game, std::size_t seats) {
  std::vector<std::string> names;
  const std::size_t players = std::max<std::size_t>(game.info().min_seats, seats);
  for (std::size_t seat = 0; seat < players; ++seat) names.push_back("player " + std::to_string(seat));
  return names;
}

}  // namespace

Result<void> Lobby::CheckSpec(const Game& game, const json::Value& options, std::vector<PlannedSeat>& seats,
                              std::uint64_t seed, const Fork* fork) const {
  if (gate_) {
    if (Result<void> taken = gate_(game, options, seats); !taken) return taken;
  }
  if (seats.size() > game.info().max_seats) {
    return Fail(ErrorCode::kInvalid,
                game.info().title + " has " + std::to_string(game.info().max_seats) + " seats; got " +
                    std::to_string(seats.size()),
                "seats");
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < seats.size(); ++i) {
    PlannedSeat& seat = seats[i];
    if (seat.agent.kind.empty()) continue;
    if (seat.name.empty()) seat.name = seat.agent.kind + " " + std::to_string(i + 1);
    if (Result<void> fits = CheckPlayerName(seat.name); !fits) return fits;
    if (std::ranges::find(names, seat.name) != names.end()) {
      return Fail(ErrorCode::kInvalid, "two seats have the name " + Quote(seat.name), "seats");
    }
    names.push_back(seat.name);
    if (Result<std::unique_ptr<Agent>> agent = setup_->make_agent(seat.agent); !agent) return Fail(agent.error());
  }
  // What came before a fork takes long to play: CreateFork tries it elsewhere.
  if (fork != nullptr) return {};
  const auto first = BeginGame(game, options, seed, NamesFor(game, seats.size()), nullptr);
  return first ? Result<void>() : Fail(first.error());
}

struct Lobby::Order {
  MatchSpec spec;
  std::shared_ptr<Payer> payer;
  Lease place;
  Scheduler& asker;
  Created created;
  int tries = 0;
};

Result<Lease> PlaceForMatch(Payer* payer, Instant now, bool recorded) {
  if (payer == nullptr) return Lease();
  if (const std::optional<Refusal> no_memory = payer->RefuseForMemory()) return Fail(no_memory->ToError());
  if (recorded) {
    if (const std::optional<Refusal> too_much = payer->RefuseToRecord(now)) return Fail(too_much->ToError());
  }
  auto place = payer->Hold(Holding::kMatches);
  if (!place) return Fail(place.error().ToError());
  return *std::move(place);
}

void Lobby::Create(Scheduler& asker, const std::string& game_id, const json::Value& options,
                   std::vector<PlannedSeat> seats, Created created, const std::shared_ptr<Payer>& payer,
                   Privacy privacy, std::optional<std::uint64_t> seed, const MatchTerms& terms, Maker maker) {
  Result<Lease> place = PlaceForMatch(payer.get(), asker.clock().Monotonic());
  Result<const Game*> game = place ? Check(game_id, options, seats) : Fail(place.error());
  if (game && seed && !seeds_) {
    game = Fail(ErrorCode::kInvalid, "seed is for servers that run with --allow-fixtures", "seed");
  }
  if (!game) {
    asker.Post([created = std::move(created), error = game.error()] { created(Fail(error)); });
    return;
  }
  MatchSpec spec;
  spec.game = *game;
  spec.options = options;
  spec.seed = seed.value_or(FreshSeed());
  if (privacy == Privacy::kPrivate) spec.invite = NewInvite();
  spec.seats = std::move(seats);
  spec.terms = terms;
  spec.of_stranger = maker == Maker::kPlayer && IsStranger(payer.get());
  Make(asker, std::move(spec), std::move(created), payer, std::move(place));
}

void Lobby::Make(Scheduler& asker, MatchSpec spec, Created created, const std::shared_ptr<Payer>& payer,
                 Result<Lease> place) {
  if (!place) {
    asker.Post([created = std::move(created), error = place.error()] { created(Fail(error)); });
    return;
  }
  auto order = std::make_shared<Order>(std::move(spec), payer, *std::move(place), asker, std::move(created));
  index_home_.Post([this, order = std::move(order)] { OpenUnder(order); });
}

void Lobby::CreateFork(Scheduler& asker, MatchSpec spec, Created created, const std::shared_ptr<Payer>& payer,
                       Privacy privacy) {
  Result<Lease> place = PlaceForMatch(payer.get(), asker.clock().Monotonic());
  const Result<void> fits = place ? CheckSpec(*spec.game, spec.options, spec.seats, spec.seed, &*spec.fork)
                                  : Result<void>(Fail(place.error()));
  if (!fits) {
    asker.Post([created = std::move(created), error = fits.error()] { created(Fail(error)); });
    return;
  }
  if (privacy == Privacy::kPrivate) spec.invite = NewInvite();
  spec.of_stranger = false;
  auto held = std::make_shared<Result<Lease>>(std::move(place));
  Beginning beginning{spec.game, spec.options, spec.seed, NamesFor(*spec.game, spec.seats.size()), spec.fork};
  BeginElsewhere(asker, AddressOf(payer.get()), std::move(beginning),
                 [this, &asker, spec = std::move(spec), created = std::move(created), payer,
                  held](const BegunGame& tried) mutable {
                   if (!tried) return created(Fail(tried.error()));
                   Make(asker, std::move(spec), std::move(created), payer, std::move(*held));
                 });
}

void Lobby::Rematch(Scheduler& asker, const MatchRef& ref, Created created, const std::shared_ptr<Payer>& payer,
                    Maker maker) {
  const auto answer = [&asker, created = std::move(created)](Result<MatchRef> made) {
    asker.Post([created, made = std::move(made)]() mutable { created(std::move(made)); });
  };
  OnMatch(
      ref,
      [this, ref, answer, payer, maker](Match& match) {
        Result<MatchSpec> wanted = match.BeginRematch();
        if (!wanted) return answer(Fail(std::move(wanted).error()));
        wanted->seed = FreshSeed();
        wanted->of_stranger = maker == Maker::kPlayer && IsStranger(payer.get());
        if (!ref.invite.empty()) wanted->invite = NewInvite();
        Make(
            *ref.home, std::move(*wanted),
            [this, ref, answer](const Result<MatchRef>& made) {
              std::optional<MatchName> next;
              if (made) next = MatchName{made->id, made->invite};
              OnMatch(
                  ref,
                  [answer, made, next](Match& former) {
                    former.RematchMade(next, [answer, made](const Result<void>& told) {
                      answer(told ? made : Result<MatchRef>(Fail(told.error())));
                    });
                  },
                  [answer, made] { answer(made); });
            },
            payer, PlaceForMatch(payer.get(), ref.home->clock().Monotonic()));
      },
      [answer] { answer(Fail(ErrorCode::kNotFound, "the match is gone")); });
}

void Lobby::PassOn(Scheduler& asker, SeatPass pass, std::string owner, std::function<void(std::string)> done) {
  index_home_.Post([this, &asker, pass = std::move(pass), owner = std::move(owner), done = std::move(done)]() mutable {
    std::string code = ParseMatchName(pass.match).id.str() + ".";
    code += codes_.Put(std::move(pass), owner, index_home_.clock().Monotonic());
    asker.Post([done = std::move(done), code = std::move(code)]() mutable { done(std::move(code)); });
  });
}

void Lobby::TakeOn(Scheduler& asker, std::string code, std::function<void(std::optional<SeatPass>)> done) {
  index_home_.Post([this, &asker, code = std::move(code), done = std::move(done)]() mutable {
    std::optional<SeatPass> pass = codes_.Take(SecretOf(code), index_home_.clock().Monotonic());
    asker.Post([done = std::move(done), pass = std::move(pass)]() mutable { done(std::move(pass)); });
  });
}

void Lobby::Admits(Scheduler& asker, std::string text, std::function<void(bool)> done) {
  index_home_.Post([this, &asker, text = std::move(text), done = std::move(done)] {
    const auto answer = [&asker, done](bool admitted) { asker.Post([done, admitted] { done(admitted); }); };
    if (codes_.Has(SecretOf(text), index_home_.clock().Monotonic())) return answer(true);
    const MatchName name = ParseMatchName(text);
    const auto found = index_.find(name.id);
    if (name.invite.empty() || found == index_.end()) return answer(false);
    if (Opens(name, found->second.invite)) return answer(true);
    OnMatch(
        found->second, [answer, token = name.invite](Match& match) { answer(match.HasToken(token)); },
        [answer] { answer(false); });
  });
}

// On index_home_. A name that the journal already has is refused there, and another one tried.
void Lobby::OpenUnder(const std::shared_ptr<Order>& order) {
  Scheduler& asker = order->asker;
  ++order->tries;
  TableId id;
  for (int draws = 1;; ++draws) {
    if (draws > kNameDraws) {
      return asker.Post([order] { order->created(Fail(NoPart())); });
    }
    id = TableId(TwoWords(SecureRandom64()));
    if (order->tries > kNameTries || draws > kShortDraws) id = TableId(id.str() + "-" + SecureToken(5));
    if (!index_.contains(id) && journal_.Owns(id)) break;
  }
  const MatchRef ref{.id = id, .home = &asker, .game = order->spec.game->info().id, .invite = order->spec.invite};
  index_.emplace(id, ref);
  asker.Post([this, ref, order, &asker] {
    MatchSpec own = order->spec;
    own.id = ref.id;
    Journal& journal = JournalFor(own);
    auto match = std::make_unique<Match>(std::move(own), setup_, asker, journal);
    match->CountFor(order->payer);
    if (const std::optional<Refusal> refused = match->HoldFirstMemory()) {
      index_home_.Post([this, id = ref.id] { index_.erase(id); });
      return order->created(Fail(refused->ToError()));
    }
    Match& opened = *match;
    Place(ref, std::move(match));
    auto gone = opened.WhenGone([order] {
      order->created(
          Fail(ErrorCode::kClosed, "the match went to another server before it was ready; make another one"));
    });
    opened.Open([this, ref, order, &asker, gone = std::move(gone)](Result<void> done) {
      if (done) {
        // Agents may already have played it to its end.
        Shelf& shelf = ShelfOf(asker);
        const auto found = shelf.matches.find(ref.id);
        if (order->place && found != shelf.matches.end() && found->second.match->status() != MatchStatus::kDone) {
          shelf.open.emplace(ref.id, std::move(order->place));
        }
        order->created(ref);
        return;
      }
      const bool taken = done.error().code == ErrorCode::kConflict && order->tries <= kNameTries + 1;
      asker.Post([this, ref, &asker] { Remove(asker, ref.id); });
      if (taken) {
        index_home_.Post([this, order] { OpenUnder(order); });
      } else {
        // Name after name is taken: others have its shards, and it does not know yet.
        order->created(Fail(done.error().code == ErrorCode::kConflict ? NoPart() : std::move(done).error()));
      }
    });
  });
}

void Lobby::Place(const MatchRef& ref, std::unique_ptr<Match> match) {
  directory_.Add(*match);
  WatchForTheEnd(*match);
  ref.place->match = match.get();
  ShelfOf(*ref.home).matches.emplace(ref.id, Placed{std::move(match), ref.place});
}

Match* Lobby::Local(const Scheduler& home, const TableId& id) {
  const auto& matches = ShelfOf(home).matches;
  const auto found = matches.find(id);
  return found == matches.end() ? nullptr : found->second.match.get();
}

void Lobby::WatchForTheEnd(Match& match) {
  Scheduler& home = match.scheduler();
  match.Watch(Viewer::Spectator(), [this, &home](MatchEvent event, const Match& ended, Viewer) {
    if (event != MatchEvent::kEnd) return;
    // Later: the match is still telling others.
    home.Post([this, &home, id = ended.id()] { Linger(home, id); });
  });
}

void Lobby::Linger(Scheduler& home, const TableId& id) {
  Shelf& shelf = ShelfOf(home);
  shelf.open.erase(id);
  const auto found = shelf.matches.find(id);
  if (found == shelf.matches.end()) return;
  const Match& match = *found->second.match;
  const std::shared_ptr<Payer> payer = match.payer();
  const std::string owner = AddressOf(payer.get());
  const std::size_t bytes = std::max<std::size_t>(match.memory(), 1);
  const bool awaited = match.IsPlayedFromOutside();
  shelf.lingering[owner] += bytes;
  const auto evict_any = [&] { return Evict(home, MostLingering(shelf)) || Evict(home, std::nullopt); };
  bool scarce = false;
  while (payer != nullptr) {
    const Payer::Shortage shortage = payer->ShortOf(Holding::kTableBytes);
    scarce = shortage != Payer::Shortage::kNone;
    if (!scarce) break;
    if (!(shortage == Payer::Shortage::kOfAddress ? Evict(home, owner) : evict_any())) break;
  }
  while (shelf.ended.size() >= kMaxEnded && evict_any()) {
  }
  // Only now: its players may not have seen the end.
  const Instant now = home.clock().Monotonic();
  const Duration to_hear = std::min(kTimeToHear, linger_);
  Ended ended{.due = now + (awaited && scarce ? to_hear : linger_),
              .id = id,
              .owner = owner,
              .bytes = bytes,
              .awaited_until = awaited ? std::optional(now + to_hear) : std::nullopt};
  const auto later = std::ranges::upper_bound(shelf.ended, ended.due, {}, &Ended::due);
  shelf.ended.insert(later, std::move(ended));
  Sweep(home);
}

std::string Lobby::MostLingering(const Shelf& shelf) {
  return std::ranges::max_element(shelf.lingering, {}, [](const auto& each) { return each.second; })->first;
}

bool Lobby::Evict(Scheduler& home, const std::optional<std::string>& owner) {
  const std::deque<Ended>& ended = ShelfOf(home).ended;
  const auto find = [&](auto may_go) {
    return std::ranges::find_if(ended,
                                [&](const Ended& each) { return may_go(each) && (!owner || each.owner == *owner); });
  };
  auto gone = find([](const Ended& each) { return !each.awaited_until; });
  if (gone == ended.end()) {
    gone = find([now = home.clock().Monotonic()](const Ended& each) { return each.awaited_until <= now; });
  }
  if (gone == ended.end()) return false;
  TakeAway(home, gone);
  return true;
}

void Lobby::TakeAway(Scheduler& home, const std::deque<Ended>::const_iterator& which) {
  Shelf& shelf = ShelfOf(home);
  TableId id = which->id;
  const auto lingering = shelf.lingering.find(which->owner);
  lingering->second -= which->bytes;
  if (lingering->second == 0) shelf.lingering.erase(lingering);
  shelf.ended.erase(which);
  if (Match* match = Local(home, id)) {
    match->Close("the match is over");
    Remove(home, id);
  }
}

void Lobby::Sweep(Scheduler& home) {
  Shelf& shelf = ShelfOf(home);
  const Instant now = home.clock().Monotonic();
  while (!shelf.ended.empty() && shelf.ended.front().due <= now) TakeAway(home, shelf.ended.begin());
  if (shelf.ended.empty()) {
    shelf.sweep.Cancel();
  } else {
    shelf.sweep.Set(home, shelf.ended.front().due - now, [this, &home] { Sweep(home); });
  }
}

void Lobby::Remove(Scheduler& home, const TableId& id) {
  auto& matches = ShelfOf(home).matches;
  const auto found = matches.find(id);
  if (found == matches.end()) return;
  directory_.Remove(*found->second.match);
  found->second.place->match = nullptr;
  ShelfOf(home).open.erase(id);
  matches.erase(found);
  index_home_.Post([this, id] { index_.erase(id); });
}

void Lobby::Find(Scheduler& asker, MatchName name, Found found) {
  FindIf(Opens, asker, std::move(name), std::move(found));
}

void Lobby::FindForOwner(Scheduler& asker, MatchName name, Found found) {
  FindIf(OpensForOwner, asker, std::move(name), std::move(found));
}

void Lobby::FindIf(Opener opens, Scheduler& asker, MatchName name, Found found) {
  index_home_.Post([this, opens, &asker, name = std::move(name), found = std::move(found)] {
    const auto entry = index_.find(name.id);
    std::optional<MatchRef> ref;
    // Compared in every case, so that the time taken does not reveal whether there is such a match.
    const bool open = opens(name, entry == index_.end() ? std::string_view() : entry->second.invite);
    if (open && entry != index_.end()) ref = entry->second;
    asker.Post([found, ref = std::move(ref)] { found(ref); });
  });
}

void Lobby::Visit(Scheduler& asker, std::function<void(Match&)> visit, Task done) {
  const auto visit_match = [this, visit = std::move(visit)](Table& table) {
    if (table.game() == nullptr) return;
    if (Match* match = MatchAt(table, table.scheduler())) visit(*match);
  };
  directory_.Visit(asker, visit_match, std::move(done));
}

void Lobby::List(Scheduler& asker, std::string game, std::optional<TableMark> after, std::size_t limit,
                 std::function<json::Object(const Match&)> show, TableDirectory::Listed done) {
  const auto show_match = [this, show = std::move(show)](Table& table) {
    const Match* match = MatchAt(table, table.scheduler());
    return match != nullptr ? show(*match) : json::Object();
  };
  directory_.List(asker, std::move(after), limit, show_match, std::move(done), TableDirectory::Listing::kAll,
                  std::move(game));
}

Match* Lobby::MatchAt(const Table& table, const Scheduler& home) {
  Match* match = Local(home, table.id());
  return match == &table ? match : nullptr;
}

}  // namespace openseat
