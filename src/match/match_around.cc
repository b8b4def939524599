// Match: what is around the board: clocks, absence, chat, offers, and what watchers are told of it.
#include <algorithm>
#include <utility>

#include "base/budget.h"
#include "base/digest.h"
#include "match/client_agent.h"
#include "match/match.h"
#include "match/match_events.h"

namespace openseat {
namespace {

constexpr std::size_t kMaxLine = 500;  // bytes
constexpr RateLimit kTalk{.per_second = 0.5, .burst = 8};
// The delay before an end that could not be journaled is tried again.
constexpr Duration kTryAgain = std::chrono::seconds(1);
// After a restart, a choice that is due may still take so long.
constexpr Duration kAfterRestart = std::chrono::minutes(10);
// Who comes and goes is told at most so often.
constexpr Duration kPresencePause = std::chrono::milliseconds(250);

json::Object LineJson(const ChatLine& line, const std::vector<std::string>& names) {
  return {{"seat", line.seat}, {"name", names[line.seat]}, {"text", line.text}, {"time", FormatIso8601(line.time)}};
}

// One line of text without control characters, or "".
std::string Trimmed(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

}  // namespace

// --- Time and absence ---

bool Match::PlayedByPerson(SeatIndex seat) const {
  return places_[seat].client || places_[seat].seat->agent()->external() != nullptr;
}

bool Match::IsPlayedFromOutside() const {
  return std::ranges::any_of(places_, [](const Place& place) {
    return !place.client && place.seat->agent() != nullptr && place.seat->agent()->external() != nullptr;
  });
}

std::optional<Duration> Match::GraceOf(SeatIndex seat) const {
  if (spec_.terms.grace) return spec_.terms.grace;
  if (spec_.terms.correspondence()) return std::nullopt;
  if (!state_) return spec_.invite.empty() ? rules_.grace : rules_.grace_alone;
  if (game_->info().rest) return std::nullopt;
  for (SeatIndex other = 0; other < places_.size(); ++other) {
    if (other != seat && PlayedByPerson(other)) return rules_.grace;
  }
  return rules_.grace_alone;
}

Duration Match::IdleLimit() const {
  const MatchTerms& terms = spec_.terms;
  Duration limit = game_->info().rest.value_or(rules_.idle);
  if (terms.grace) limit = std::max(limit, *terms.grace);
  if (terms.move_time) limit = std::max(limit, *terms.move_time + rules_.idle);
  if (terms.game_time) limit = std::max(limit, *terms.game_time + rules_.idle);
  const auto people = std::ranges::count_if(places_, &Place::client);
  const bool alone = state_ ? people == 1 && places_.size() > 1 : !spec_.invite.empty();
  // A player who left loses before the match ends by itself.
  return alone ? std::max(limit, rules_.grace_alone + rules_.idle) : limit;
}

void Match::GraceIsOver(SeatIndex seat, std::uint32_t lease) {
  // The match may have begun, or the others may have left their seats to bots.
  const std::optional<Duration> grace = GraceOf(seat);
  const Duration away = scheduler_.clock().Monotonic() - places_[seat].left;
  if (!grace) return;
  if (away < *grace) {
    places_[seat].grace.Set(scheduler_, *grace - away, [this, seat, lease] { GraceIsOver(seat, lease); });
    return;
  }
  const auto ended = [this, seat, lease](const Result<void>& done) {
    if (done || done.error().code == ErrorCode::kClosed || places_[seat].present) return;
    places_[seat].grace.Set(scheduler_, kTryAgain, [this, seat, lease] { GraceIsOver(seat, lease); });
  };
  Resign(seat, players_[seat] + " left and did not come back", {.lease = lease}, ended);
}

void Match::TouchIdle() {
  touched_ = scheduler_.clock().Monotonic();
  const Duration limit = IdleLimit();
  // A timer that runs too early sets itself again.
  if (!idle_due_ || touched_ + limit < *idle_due_) SetIdleTimer(limit);
}

void Match::SetIdleTimer(Duration limit) {
  idle_due_ = scheduler_.clock().Monotonic() + limit;
  idle_timer_.Set(scheduler_, limit, [this] { IdleIsOver(); });
}

void Match::IdleIsOver() {
  idle_due_.reset();
  // Others may have come or gone, which changes the limit.
  if (const Duration left = touched_ + IdleLimit() - scheduler_.clock().Monotonic(); left > Duration(0)) {
    SetIdleTimer(left);
    return;
  }
  Resign(static_cast<SeatIndex>(SeatSet::kMaxSeats), "nothing happened for too long", {},
         [this](const Result<void>& done) {
           if (done || done.error().code == ErrorCode::kClosed) return;
           SetIdleTimer(kTryAgain);
         });
}

std::optional<Duration> Match::TimeFor(const Seat& seat) const {
  std::optional<Duration> time = clocks_.Left(seat.index(), scheduler_.clock().Monotonic());
  if (spec_.terms.move_time || !rules_.turn_limit) return time;
  // Where a match may rest, people take their time.
  if (game_->info().rest && seat.agent()->interactive()) return time;
  return std::min(time.value_or(*rules_.turn_limit), *rules_.turn_limit);
}

void Match::ResumeClocks(Time asked) {
  if (!spec_.terms.correspondence()) return;
  const Duration most = *spec_.terms.move_time - kAfterRestart;
  const Duration used = std::clamp(scheduler_.clock().Now() - asked, Duration(0), most);
  for (const SeatIndex seat : state_->Awaited()) clocks_.Start(seat, scheduler_.clock().Monotonic() - used);
}

// --- Who is told ---

Match::WatchId Match::Watch(Viewer viewer, Notice notice, bool audience) {
  last_watch_ = last_watch_.Next();
  watchers_.push_back({last_watch_, viewer, std::make_shared<const Notice>(std::move(notice)), audience, false});
  if (audience) PresenceChanged();
  return last_watch_;
}

void Match::Unwatch(WatchId watch) {
  const auto audience = [&](const Watcher& watcher) { return watcher.id == watch && watcher.audience; };
  const bool changed = std::ranges::any_of(watchers_, audience);
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.id == watch; });
  if (changed) PresenceChanged();
}

void Match::PresenceChanged() {
  if (presence_due_) return;
  const auto tell = [this] {
    presence_due_ = false;
    presence_told_ = scheduler_.clock().Monotonic();
    AroundChanged();
  };
  const Duration passed = presence_told_ ? scheduler_.clock().Monotonic() - *presence_told_ : kPresencePause;
  if (passed >= kPresencePause) return tell();
  presence_due_ = true;
  presence_timer_.Set(scheduler_, kPresencePause - passed, tell);
}

void Match::WantView(WatchId watch) {
  const auto found = std::ranges::find(watchers_, watch, &Watcher::id);
  if (found != watchers_.end()) found->wants_view = true;
}

void Match::WatchAround(WatchId watch, const AroundNotice& notice) {
  const auto found = std::ranges::find(watchers_, watch, &Watcher::id);
  if (found == watchers_.end()) return;
  json::Object table = AroundFor(found->viewer);
  found->around = std::make_shared<AroundWatch>(notice, std::make_shared<const std::string>(json::Write(table)));
  notice("table", std::move(table));
  json::Array lines;
  for (const ChatLine& line : around_.chat) lines.push_back(LineJson(line, players_));
  if (!lines.empty()) notice("chat", {{"lines", std::move(lines)}});
}

std::shared_ptr<void> Match::WhenGone(Task gone) {
  std::erase_if(when_gone_, [](const std::weak_ptr<Task>& each) { return each.expired(); });
  auto kept = std::make_shared<Task>(std::move(gone));
  when_gone_.push_back(kept);
  return kept;
}

void Match::Leave() {
  for (const std::weak_ptr<Task>& each : std::exchange(when_gone_, {})) {
    if (const std::shared_ptr<Task> gone = each.lock()) (*gone)();
  }
}

void Match::AroundChanged() {
  struct Shown {
    json::Object table;
    std::shared_ptr<const std::string> text;
  };
  const auto show = [this](Viewer viewer) {
    Shown shown{AroundFor(viewer), nullptr};
    shown.text = std::make_shared<const std::string>(json::Write(shown.table));
    return shown;
  };
  // Spectators, who may be many, are all told the same.
  std::optional<Shown> spectators;
  // A notice may watch or unwatch.
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const std::shared_ptr<AroundWatch> around = watchers_[i].around;
    if (!around) continue;
    const Viewer viewer = watchers_[i].viewer;
    if (!viewer.seat() && !spectators) spectators = show(viewer);
    Shown shown = viewer.seat() ? show(viewer) : *spectators;
    if (*shown.text == *around->shown) continue;
    around->shown = std::move(shown.text);
    around->notice("table", std::move(shown.table));
  }
}

json::Object Match::AroundFor(Viewer viewer) const {
  const Instant now = scheduler_.clock().Monotonic();
  json::Array seats;
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    const Place& place = places_[seat];
    json::Object entry{{"name", players_[seat]},
                       {"present", place.present},
                       {"person", place.client},
                       {"agent", place.seat->agent()->kind()}};
    if (const std::optional<Duration> left = clocks_.Left(seat, now); left && started()) {
      entry["time"] = SecondsJson(*left);
      entry["running"] = clocks_.running(seat);
    }
    seats.push_back(std::move(entry));
  }
  json::Object table{{"seats", std::move(seats)}, {"spectators", std::ranges::count_if(watchers_, &Watcher::audience)}};
  if (json::Object terms = ToJson(spec_.terms); !terms.empty()) table["terms"] = std::move(terms);
  json::Array offers;
  for (const Offer offer : kAllOffers) {
    const Offers::Open* open = around_.offers.Find(offer);
    if (open == nullptr) continue;
    json::Array agreed;
    for (const SeatIndex seat : open->agreed) agreed.emplace_back(seat);
    offers.push_back(json::Object{{"offer", OfferName(offer)}, {"seat", open->seat}, {"agreed", std::move(agreed)}});
  }
  table["offers"] = std::move(offers);
  if (!viewer.seat()) return table;
  json::Array may;
  for (const Offer offer : kAllOffers) {
    if (around_.offers.Find(offer) == nullptr && MayOffer(offer, *viewer.seat())) may.emplace_back(OfferName(offer));
  }
  table["may-offer"] = std::move(may);
  if (around_.next) table["next"] = around_.next->Text();
  return table;
}

std::optional<SeatIndex> Match::SeatOf(std::string_view name, std::string_view token) const {
  for (SeatIndex seat = 0; seat < players_.size(); ++seat) {
    if (players_[seat] != name || places_[seat].token_hash.empty()) continue;
    if (EqualSecrets(Sha256Hex(token), places_[seat].token_hash)) return seat;
  }
  return std::nullopt;
}

std::optional<SeatIndex> Match::SeatOfAccount(std::string_view name, std::string_view account) const {
  if (account.empty()) return std::nullopt;
  for (SeatIndex seat = 0; seat < players_.size(); ++seat) {
    if (places_[seat].account == account && (name.empty() || players_[seat] == name)) return seat;
  }
  return std::nullopt;
}

bool Match::HasToken(std::string_view token) const {
  const std::string hash = Sha256Hex(token);
  return std::ranges::any_of(
      places_, [&](const Place& place) { return !place.token_hash.empty() && EqualSecrets(hash, place.token_hash); });
}

json::Object Match::Standing(SeatIndex seat) const {
  json::Array names;
  for (const std::string& name : players_) names.emplace_back(name);
  const bool due = places_[seat].seat->decision() != nullptr;
  json::Object standing{{"game", game_->info().id},         {"match-status", status_name()},
                        {"names", std::move(names)},        {"seat", seat},
                        {"present", places_[seat].present}, {"your-turn", due}};
  const std::optional<Duration> left = clocks_.Left(seat, scheduler_.clock().Monotonic());
  if (left && due) standing["time"] = SecondsJson(*left);
  return standing;
}

// --- Chat ---

void Match::AddSaid(ChatLine line) {
  const json::Object shown = LineJson(line, players_);
  around_.Say(std::move(line));
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const std::shared_ptr<AroundWatch> around = watchers_[i].around;
    if (around) around->notice("chat", {{"lines", json::Array{shown}}});
  }
}

Result<void> Match::MayTalk(SeatIndex seat) {
  const Duration wait = places_[seat].talk.Take(kTalk, 1, scheduler_.clock().Monotonic());
  if (wait == Duration(0)) return {};
  constexpr auto kAMinute = static_cast<std::uint64_t>(kTalk.per_second * 60);
  return Fail(RefuseFor(payer_.get(), Limit::kTalk, kAMinute, wait).ToError());
}

void Match::Chat(SeatIndex seat, std::uint32_t lease, std::string_view said, Done done) {
  std::string text = Trimmed(said);
  if (text.empty() || text.size() > kMaxLine) {
    return done(Fail(
        ErrorCode::kInvalid,
        "a line of chat has 1 to " + std::to_string(kMaxLine) + " bytes; got " + std::to_string(text.size()), "text"));
  }
  if (Result<void> held = CheckLease(seat, lease); !held) return done(std::move(held));
  if (Result<void> may = MayTalk(seat); !may) return done(std::move(may));
  AddLine(seat, std::move(text), spec_.terms.agents_chat, std::move(done));
}

Result<void> Match::Say(SeatIndex seat, std::string_view text) {
  if (Result<void> may = MayTalk(seat); !may) return may;
  AddLine(seat, std::string(text), true, [](const Result<void>&) {});
  return {};
}

void Match::AddLine(SeatIndex seat, std::string text, bool to_agents, Done done) {
  Enqueue([this, seat, text = std::move(text), to_agents, done = std::move(done)]() mutable {
    auto answer = std::make_shared<Done>(std::move(done));
    Commit(
        EventKind::kChat, ChatPayload(seat, text),
        [this, seat, text, to_agents, answer] {
          (*answer)({});
          AddSaid({seat, text, scheduler_.clock().Now()});
          for (SeatIndex other = 0; to_agents && other < places_.size(); ++other) {
            if (other != seat) TellAgent(other, players_[seat] + " says: \"" + text + "\"", true);
          }
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

// --- Offers ---

// A game of whole turns has no choice that could be taken back alone. Against bots, only where there are no secrets.
bool Match::KeepsPast() const {
  const GameInfo& info = game_->info();
  if (info.whole_turns || std::ranges::none_of(places_, &Place::client)) return false;
  return !info.hides || std::ranges::all_of(places_, &Place::client);
}

bool Match::CostsOthers(const Place& place) const {
  if (place.client || !rules_.costs || !rules_.costs(*place.spec)) return false;
  return std::ranges::none_of(places_, &Place::by_operator);
}

Result<void> Match::MayTakeBack(SeatIndex seat) const {
  if (around_.Retractable(seat) == 0) return Fail(ErrorCode::kConflict, "there is no choice that could be taken back");
  for (SeatIndex other = 0; other < places_.size(); ++other) {
    if (other == seat || places_[other].client) continue;
    if (game_->info().hides || PlayedByPerson(other)) {
      return Fail(ErrorCode::kConflict, players_[other] + " cannot agree that a choice is taken back");
    }
    // It would answer again, as often as the player likes.
    if (CostsOthers(places_[other])) {
      return Fail(ErrorCode::kConflict, players_[other] + " is an agent of the server's operator, who pays for each " +
                                            "of its choices; so none is taken back");
    }
  }
  return {};
}

Result<void> Match::MayPlayAgain() const {
  for (const Place& place : places_) {
    if (place.client) continue;
    if (place.seat->agent()->external() != nullptr) {
      return Fail(ErrorCode::kConflict, place.seat->name() + " is played from outside, which needs a new match");
    }
    // The operator had it play one match, and not as many as its players like.
    if (CostsOthers(place)) {
      return Fail(ErrorCode::kConflict,
                  place.seat->name() + " is an agent of the server's operator, who can have it play a new match");
    }
  }
  return {};
}

Result<void> Match::MayOffer(Offer offer, SeatIndex seat) const {
  const Offers::Open* open = around_.offers.Find(offer);
  if (offer == Offer::kRematch) {
    if (status_ != MatchStatus::kDone || !state_) return Fail(ErrorCode::kConflict, "the match is not over yet");
    if (around_.next) return Fail(ErrorCode::kConflict, "the rematch is " + around_.next->id.str());
    return MayPlayAgain();
  }
  if (status_ != MatchStatus::kInProgress) return Fail(ErrorCode::kConflict, "the match is not in progress");
  if (kept_) return Fail(ErrorCode::kConflict, "a turn is under way");
  if (offer == Offer::kTakeBack) return MayTakeBack(open == nullptr ? seat : open->seat);
  if (!game_->info().draws) return Fail(ErrorCode::kConflict, game_->info().title + " has no draws by agreement");
  for (const Place& place : places_) {
    if (!place.client) return Fail(ErrorCode::kConflict, place.seat->name() + " does not agree to draws");
  }
  return {};
}

bool Match::AllAgree(Offer offer, SeatIndex seat) const {
  const Offers::Open* open = around_.offers.Find(offer);
  for (SeatIndex other = 0; other < places_.size(); ++other) {
    if (other == seat || !places_[other].client) continue;
    if (open == nullptr || !open->agreed.Contains(other)) return false;
  }
  return true;
}

void Match::Propose(SeatIndex seat, std::uint32_t lease, Offer offer, bool accept, Agreed done) {
  Enqueue([this, seat, lease, offer, accept, done = std::move(done)]() mutable {
    const Offers::Open* open = around_.offers.Find(offer);
    Result<void> may = CheckLease(seat, lease);
    if (may) may = MayOffer(offer, seat);
    if (may && !accept && open == nullptr) {
      may = Fail(ErrorCode::kConflict, "nobody has offered a " + std::string(OfferName(offer)));
    }
    if (may) may = MayTalk(seat);
    if (!may) return done(Fail(std::move(may).error()));
    auto agreed = std::make_shared<Agreed>(std::move(done));
    const bool all = accept && AllAgree(offer, seat);
    if (all && offer != Offer::kRematch) return TakeEffect(offer, seat, agreed);
    if (accept && open != nullptr && open->agreed.Contains(seat)) return (*agreed)(all);
    Commit(
        EventKind::kOffer, OfferPayload({offer, seat, accept, std::nullopt}),
        [this, offer, seat, accept, all, agreed] {
          if (accept) {
            around_.offers.Agree(offer, seat);
          } else {
            around_.offers.Close(offer);
          }
          (*agreed)(all);
          AroundChanged();
        },
        [agreed](Error error) { (*agreed)(Fail(std::move(error))); });
  });
}

void Match::TakeEffect(Offer offer, SeatIndex seat, const std::shared_ptr<Agreed>& agreed) {
  if (offer == Offer::kDraw) return AgreeOnDraw(agreed);
  const Offers::Open* open = around_.offers.Find(offer);
  TakeBack(open == nullptr ? seat : open->seat, agreed);
}

void Match::AgreeOnDraw(const std::shared_ptr<Agreed>& agreed) {
  Outcome outcome;
  outcome.reason = "the players agreed";
  outcome.scores.assign(players_.size(), 0);
  const std::string payload = EndedPayload({outcome.winners, outcome.reason});
  Commit(
      EventKind::kEnded, payload,
      [this, outcome = std::move(outcome), agreed]() mutable {
        (*agreed)(true);
        forfeited_ = true;
        Finish(std::move(outcome));
      },
      [agreed](Error error) { (*agreed)(Fail(std::move(error))); });
}

void Match::TakeBack(SeatIndex seat, const std::shared_ptr<Agreed>& agreed) {
  const std::size_t choices = around_.Retractable(seat);
  const std::shared_ptr<const GameState> before = around_.past[around_.past.size() - choices].before;
  std::vector<Event> events;
  AddSeen(before, events);
  events.push_back({EventKind::kTakenBack, {}, TakenBackPayload({seat, choices, before->Serialize()})});
  Commit(
      std::move(events),
      [this, seat, choices, before, agreed] {
        around_.TakeBack(choices);
        state_ = before;
        taken_back_ = seat;
        ++played_;
        (*agreed)(true);
        TouchIdle();
        AskAgain({ErrorCode::kNotYourTurn, "a choice was taken back, and the game is where it was before it", {}});
        for (SeatIndex each = 0; each < places_.size(); ++each) {
          TellAgent(each, players_[seat] + " took back a choice: the game is where it was before it.", true);
        }
        AfterChange(MatchEvent::kUpdate);
      },
      [agreed](Error error) { (*agreed)(Fail(std::move(error))); });
}

void Match::AskAgain(const Error& why) {
  for (Place& place : places_) {
    Seat& seat = *place.seat;
    clocks_.Halt(seat.index(), scheduler_.clock().Monotonic());
    if (seat.awaiting() != nullptr) Revoke(seat.index(), why);
    if (seat.awaiting() == nullptr) seat.Withdraw();
  }
}

Result<MatchSpec> Match::BeginRematch() {
  if (around_.next || making_rematch_) return Fail(ErrorCode::kConflict, "the rematch is made already");
  if (Result<void> may = MayPlayAgain(); !may) return Fail(std::move(may).error());
  for (SeatIndex seat = 0; seat < places_.size(); ++seat) {
    const Offers::Open* open = around_.offers.Find(Offer::kRematch);
    if (places_[seat].client && (open == nullptr || !open->agreed.Contains(seat))) {
      return Fail(ErrorCode::kConflict, players_[seat] + " has not agreed to a rematch");
    }
  }
  MatchSpec next;
  next.game = game_;
  next.options = spec_.options;
  next.terms = spec_.terms;
  // Each player has the next seat.
  for (std::size_t seat = 0; seat < places_.size(); ++seat) {
    const std::size_t former = (seat + places_.size() - 1) % places_.size();
    const Place& place = places_[former];
    PlannedSeat& planned = next.seats.emplace_back();
    planned.name = players_[former];
    planned.agent =
        place.client ? AgentSpec{std::string(ClientAgent::kKind), {{"token", place.token_hash}}} : *place.spec;
    if (place.client && !place.account.empty()) planned.agent.options["account"] = place.account;
  }
  making_rematch_ = true;
  return next;
}

void Match::RematchMade(std::optional<MatchName> next, Done done) {
  Enqueue([this, next = std::move(next), done = std::move(done)]() mutable {
    making_rematch_ = false;
    if (!next) return done({});
    auto answer = std::make_shared<Done>(std::move(done));
    Commit(
        EventKind::kOffer, OfferPayload({Offer::kRematch, 0, true, next}),
        [this, next, answer] {
          around_.next = next;
          around_.offers.Close(Offer::kRematch);
          (*answer)({});
          AroundChanged();
        },
        [answer](Error error) { (*answer)(Fail(std::move(error))); });
  });
}

}  // namespace openseat
