#include "protocols/chimera/session.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace openseat::chimera {
namespace {

constexpr std::size_t kTurn = 64;  // waiting requests that are served before others have their turn
constexpr Duration kTurnTime = std::chrono::milliseconds(2);  // or as many as take so long

// By the rules: a seat is asked only after its client has been told.
json::Array ActionsOf(const Sight& sight) {
  json::Array list;
  for (ActionSpec& spec : sight.Actions()) {
    json::Object action{{"name", std::move(spec.name)}, {"description", std::move(spec.description)}};
    if (!spec.schema.is_null()) action["schema"] = std::move(spec.schema);
    list.push_back(std::move(action));
  }
  return list;
}

void AddMember(std::string_view name, std::string_view text, std::string& out) {
  out += ",\"";
  out += name;
  out += "\":";
  json::WriteString(text, out);
}

// What a client saw of a match when it was told last; null before. Only used where the match is.
using LastSight = std::shared_ptr<std::shared_ptr<const Sight>>;

// What led to what the client sees now, unless it saw nothing before.
void AddNews(const Match& match, const Sight& before, const Sight& now, std::string& out) {
  if (match.taken_back()) {
    out += ",\"match-taken-back\":" + std::to_string(*match.taken_back());
    return;
  }
  const std::vector<std::string> lines = now.News(before);
  if (lines.empty()) return;
  out += ",\"match-news\":";
  json::Write(json::Array(lines.begin(), lines.end()), out);
}

// A whole message in three parts. The middle, which may be large, is one for all who see the same.
struct Told {
  std::string head;
  std::shared_ptr<const Sight> sight;  // null: nothing is shown
  bool view = false;                   // whether its view is shown, too
  std::string tail;

  std::string Text() const {
    if (sight == nullptr) return head + tail;
    const std::string& shown = sight->observation_text();
    const std::string drawn = view ? sight->View() : std::string();
    constexpr std::string_view kView = ",\"match-view\":";
    std::string text;
    text.reserve(head.size() + shown.size() + kView.size() + drawn.size() + tail.size());
    text.append(head).append(shown);
    if (!drawn.empty()) text.append(kView).append(drawn);
    return text.append(tail);
  }
};

// What a viewer of the match, who knows it by this name, is told.
Told Notification(MatchEvent event, const Match& match, std::string_view name, Viewer viewer, Extras extras,
                  const LastSight& last) {
  const bool shows = match.started();
  // What everybody sees is made once for all.
  const bool own = viewer.seat() && (extras.actions || extras.view || extras.news || match.game()->info().hides);
  const std::shared_ptr<const Sight> sight = match.SightOf(own ? viewer : Viewer::Spectator());
  Told told;
  std::string& text = told.head;
  text.reserve(256);
  BeginNotification(MatchEventName(event), text);
  text += "{\"match-id\":";
  json::WriteString(name, text);
  AddMember("match-status", match.status_name(), text);
  AddMember("game-id", match.game()->info().id, text);
  const std::vector<std::string>& players = match.players();
  if (extras.names) {
    text += ",\"match-players\":";
    json::Write(json::Array(players.begin(), players.end()), text);
  }
  if (const Outcome* outcome = match.outcome()) {
    text += ",\"match-winner\":";
    const std::optional<std::string> winner = WinnerName(*outcome, players);
    json::Write(winner ? json::Value(*winner) : json::Value(nullptr), text);
    AddMember("match-reason", outcome->reason, text);
  }
  std::string& tail = told.tail;
  if (shows) {
    text += ",\"game-state\":";
    told.sight = sight;
    told.view = extras.view;
    if (extras.actions && viewer.seat()) {
      tail += ",\"match-actions\":";
      json::Write(match.outcome() == nullptr ? ActionsOf(*sight) : json::Array(), tail);
    }
    if (extras.news) {
      tail += ",\"match-seq\":" + std::to_string(match.last_seq());
      const std::shared_ptr<const Sight> before = std::exchange(*last, sight);
      if (before != nullptr) AddNews(match, *before, *sight, tail);
    }
  }
  tail += "}}";
  return told;
}

}  // namespace

Session::~Session() {
  *self_ = nullptr;
}

void Session::OnText(std::string_view message) {
  if (!busy_ && waiting_.empty()) return Serve(message);
  if (waiting_.Push(std::string(message), message.size())) return;
  const Refusal refusal = waiting_.count().Refuse(payer_.get());
  socket_->Close(net::CloseCodeFor(refusal.limit), refusal.Text());
}

void Session::Next() {
  if (busy_ || waiting_.empty()) return;
  const Instant until = socket_->scheduler().clock().Monotonic() + kTurnTime;
  for (std::size_t served = 0; !busy_ && !waiting_.empty(); ++served) {
    if (served == kTurn || (served > 0 && socket_->scheduler().clock().Monotonic() >= until)) {
      busy_ = true;
      socket_->scheduler().Post([self = self_] {
        if (*self == nullptr) return;
        (*self)->busy_ = false;
        (*self)->Next();
      });
      return;
    }
    Serve(waiting_.Pop());
  }
}

void Session::Serve(std::string_view message) {
  tl::expected<Request, BadRequest> request = DecodeRequest(message);
  if (request) return Run(*request);
  const BadRequest& bad = request.error();
  const bool enters = bad.operation == Operation::kCreateMatch || bad.operation == Operation::kJoinMatch;
  // A client that already plays is told so before anything else.
  Refuse(bad.id, enters && plays_ ? AlreadyInMatch() : bad.failure);
}

void Session::Run(Request& request) {
  switch (request.operation) {
    case Operation::kListGames:
      return ListGames(request);
    case Operation::kCreateMatch:
      return Create(request);
    case Operation::kJoinMatch:
      return Join(request);
    case Operation::kSpectateMatch:
      return Spectate(request);
    case Operation::kGameAction:
      return Act(request);
    case Operation::kForfeitMatch:
      return Forfeit(request);
    case Operation::kSay:
      return Say(request);
    case Operation::kOffer:
      return Propose(request);
    case Operation::kListSeats:
      return ListSeats(request);
    case Operation::kHandOn:
      return HandOn(request);
    case Operation::kTakeOn:
      return TakeOn(request);
  }
}

void Session::Respond(const json::Value& id, const json::Value& result) {
  out_.clear();
  EncodeResult(id, result, out_);
  socket_->SendText(out_);
}

void Session::Refuse(const json::Value& id, const Failure& failure) {
  out_.clear();
  EncodeError(id, failure, out_);
  socket_->SendText(out_);
}

void Session::Finish(std::string_view text) {
  socket_->SendText(text);
  busy_ = false;
  Next();
}

void Session::FinishRefused(const json::Value& id, const Failure& failure) {
  std::string text;
  EncodeError(id, failure, text);
  Finish(text);
}

std::string Session::Names() const {
  return Listing(lobby_.games(), ", ", [](const Game* game) -> std::string_view { return game->info().id; });
}

void Session::ListGames(const Request& request) {
  json::Array games;
  for (const Game* game : lobby_.games()) {
    games.push_back(json::Object{{"id", game->info().id}, {"description", game->info().description}});
  }
  Respond(request.id, json::Object{{"games", std::move(games)}});
}

Failure Session::AlreadyInMatch() const {
  return {Code::kAlreadyInMatch, "you are in the match " + plays_->name};
}

void Session::Create(const Request& request) {
  if (plays_) return Refuse(request.id, AlreadyInMatch());
  const Game* game = lobby_.FindGame(request.game);
  if (game == nullptr) {
    return Refuse(request.id,
                  {Code::kUnknownGame, "there is no game " + Quote(request.game) + "; the games are " + Names()});
  }
  const GameInfo& info = game->info();
  if (request.players != 0 && (request.players < info.min_seats || request.players > info.max_seats)) {
    return Refuse(request.id, {Code::kIncorrectParameters, info.title + " is for " + std::to_string(info.min_seats) +
                                                               " to " + std::to_string(info.max_seats) +
                                                               " players; got " + std::to_string(request.players)});
  }
  busy_ = true;
  lobby_.Create(
      socket_->scheduler(), request.game, request.options, std::vector<PlannedSeat>(request.players),
      [self = self_, request](Result<MatchRef> match) {
        if (*self == nullptr) return;  // the match will end, idle
        if (!match) return (*self)->FinishRefused(request.id, FromError(match.error()));
        Request named = request;
        named.match_id = match->Name();
        (*self)->TakeSeat(*match, named, true);
      },
      socket_->payer(), request.is_private.value_or(!caller_.local) ? Privacy::kPrivate : Privacy::kPublic,
      std::nullopt, request.terms, MakerOf(caller_));
}

Failure Session::Wrong(Guesses* guesses, std::string_view what, const std::string& from, const std::string& who,
                       Failure failure) {
  if (guesses == nullptr) return failure;
  if (const Result<void> told = guesses->Wrong(what, from, who); !told) failure.details = told.error().message;
  return failure;
}

void Session::Find(const Request& request, std::function<void(const tl::expected<MatchRef, Failure>&)> found) {
  if (const Result<void> heard = guesses_ == nullptr ? Result<void>() : guesses_->MayTry(caller_.from); !heard) {
    // Later, as always: many requests may wait behind this one, and each answer calls for the next.
    socket_->scheduler().Post([found = std::move(found), text = heard.error().message] {
      found(tl::unexpected(Failure{Code::kUnknownMatch, text}));
    });
    return;
  }
  const auto find = caller_.owner ? &Lobby::FindForOwner : &Lobby::Find;
  (lobby_.*find)(socket_->scheduler(), ParseMatchName(request.match_id),
                 [request, guesses = guesses_, from = caller_.from, who = caller_.who,
                  found = std::move(found)](const std::optional<MatchRef>& match) {
                   if (match && match->game == request.game) return found(*match);
                   found(tl::unexpected(Wrong(guesses, "match", from, who,
                                              {Code::kUnknownMatch, "there is no match " + Quote(request.match_id) +
                                                                        " of the game " + Quote(request.game)})));
                 });
}

void Session::Join(const Request& request) {
  if (plays_) return Refuse(request.id, AlreadyInMatch());
  busy_ = true;
  Find(request, [self = self_, request](const tl::expected<MatchRef, Failure>& match) {
    if (*self == nullptr) return;
    if (!match) return (*self)->FinishRefused(request.id, match.error());
    (*self)->TakeSeat(*match, request, false);
  });
}

void Session::TakeSeat(const MatchRef& ref, const Request& request, bool created) {
  Scheduler& here = socket_->scheduler();
  // On the match's scheduler; what is posted from there arrives here in the same order.
  const Extras extras{.actions = request.actions,
                      .names = request.names,
                      .table = request.table,
                      .view = request.view,
                      .news = request.news};
  const LastSight last = std::make_shared<std::shared_ptr<const Sight>>();
  const auto seated = [self = self_, &here, ref, id = request.id, name = request.match_id, created, extras, last,
                       socket = socket_, by_operator = caller_.local || caller_.owner,
                       &lobby = lobby_](Match& match, const std::shared_ptr<void>& gone, Result<JoinedSeat> seat) {
    std::string text;
    Scheduler& home = match.scheduler();
    if (!seat) {
      EncodeError(id, FromError(seat.error()), text);
      Reach(home, here, [self, text = std::move(text)] {
        if (*self != nullptr) (*self)->Finish(text);
      });
      return;
    }
    json::Object result;
    if (created) result["match-id"] = name;
    EncodeResult(id, result, text, seat->token);
    const SeatIndex index = seat->seat;
    const std::uint32_t lease = seat->lease;
    if (by_operator) match.HeldByOperator(index, lease);
    const Match::WatchId watch =
        match.Watch(Viewer::Seat(index),
                    [self, &home, &here, name, extras, gone, last](MatchEvent event, const Match& seen, Viewer viewer) {
                      const bool over = event == MatchEvent::kEnd;
                      Reach(home, here, [self, told = Notification(event, seen, name, viewer, extras, last), over] {
                        if (*self == nullptr) return;
                        (*self)->socket_->SendText(told.Text());
                        if (over) (*self)->LeaveMatch();
                      });
                    });
    // The former connection of a seat plays no more, and hears no more.
    match.WhenTaken(index, lease, [self, &here, &match, watch, lease, extras] {
      match.Unwatch(watch);
      Reach(match.scheduler(), here, [self, lease, id = match.id(), extras] {
        if (*self == nullptr) return;
        for (std::optional<Held>* held : {&(*self)->plays_, &(*self)->played_}) {
          if (!*held || (*held)->match.id != id || (*held)->lease != lease) continue;
          if (extras.table) (*self)->SendAround("seat-taken", (*held)->name, {});
          held->reset();
        }
      });
    });
    Reach(home, here, [self, ref, name, index, lease, watch, text = std::move(text), &lobby] {
      if (*self == nullptr) {
        lobby.OnMatch(
            ref,
            [index, lease, watch](Match& left) {
              left.Unwatch(watch);
              left.Drop(index, lease);
            },
            [] {});
        return;
      }
      if (auto former = std::exchange((*self)->played_, std::nullopt)) (*self)->Leave(*former);
      (*self)->plays_ = Held{ref, name, index, lease, watch};
      (*self)->Finish(text);
    });
    if (extras.view) match.WantView(watch);
    if (extras.table) match.WatchAround(watch, AroundNotice(self, home, here, name));
  };
  lobby_.OnMatch(
      ref,
      [seated, name = request.name, match_name = request.match_id, token = request.token, extras, last, self = self_,
       &here, guesses = guesses_, from = caller_.from, who = caller_.who, account = caller_.account](Match& match) {
        const std::shared_ptr<void> gone = match.WhenGone(Gone(self, here));
        const std::optional<SeatIndex> own =
            token.empty() ? match.SeatOfAccount(name, account) : std::optional<SeatIndex>();
        if (token.empty() && !own) {
          match.Join(
              name, [seated, &match, gone](Result<JoinedSeat> seat) { seated(match, gone, std::move(seat)); }, account);
          return;
        }
        Result<JoinedSeat> seat = own ? match.ResumeAs(*own) : match.Resume(name, token);
        if (!seat && seat.error().code == ErrorCode::kDenied) {
          seat.error().message = Wrong(guesses, "seat token", from, who, FromError(seat.error())).details;
        }
        seated(match, gone, seat);
        const bool over = match.status() == MatchStatus::kDone;
        if (!seat || (!match.started() && !over)) return;
        // The current state of the game.
        const MatchEvent event = over ? MatchEvent::kEnd : MatchEvent::kUpdate;
        Told told = Notification(event, match, match_name, Viewer::Seat(seat->seat), extras, last);
        Reach(match.scheduler(), here, [self, told = std::move(told), over] {
          if (*self == nullptr) return;
          (*self)->socket_->SendText(told.Text());
          if (over) (*self)->LeaveMatch();
        });
      },
      [self = self_, &here, id = request.id] {
        here.Post([self, id] {
          if (*self != nullptr) (*self)->FinishRefused(id, {Code::kUnknownMatch, "the match is over"});
        });
      });
}

void Session::LeaveMatch() {
  // A client that watched it as well has heard of the end by now.
  if (plays_) StopWatching(plays_->match.id);
  played_ = std::exchange(plays_, std::nullopt);
}

bool Session::Plays(const TableId& match) const {
  return plays_ && plays_->match.id == match;
}

bool Session::Watches(const TableId& match) const {
  return std::ranges::any_of(watched_, [&](const Watched& each) { return each.match.id == match; });
}

void Session::StopWatching(const TableId& match) {
  for (const Watched& each : watched_) {
    if (each.match.id != match) continue;
    lobby_.OnMatch(each.match, [watch = each.watch](Match& left) { left.Unwatch(watch); }, [] {});
  }
  std::erase_if(watched_, [&](const Watched& each) { return each.match.id == match; });
}

void Session::Spectate(const Request& request) {
  const auto place = std::make_shared<Lease>();
  if (const std::shared_ptr<Payer> payer = socket_->payer()) {
    const std::uint64_t most = payer->limits().max_watched;
    if (most != 0 && watched_.size() >= most) {
      return Refuse(request.id, {Code::kServerError, payer->Refuse(Limit::kWatched, most).Text()});
    }
    auto held = payer->Hold(Holding::kWatched);
    if (!held) return Refuse(request.id, {Code::kServerError, held.error().Text()});
    *place = std::move(*held);
  }
  busy_ = true;
  Scheduler& here = socket_->scheduler();
  const auto unknown = [self = self_, &here, id = request.id](const Failure& failure) {
    here.Post([self, id, failure] {
      if (*self != nullptr) (*self)->FinishRefused(id, failure);
    });
  };
  Find(request, [self = self_, &here, &lobby = lobby_, request, unknown,
                 place](const tl::expected<MatchRef, Failure>& found) {
    if (*self == nullptr) return;
    if (!found) return unknown(found.error());
    if ((*self)->Watches(found->id)) {  // it is told already
      std::string text;
      EncodeResult(request.id, json::Object(), text);
      return (*self)->Finish(text);
    }
    lobby.OnMatch(
        *found,
        [self, &here, &lobby, place, ref = *found, id = request.id, name = request.match_id,
         extras = Extras{.names = request.names, .table = request.table, .view = request.view, .news = request.news}](
            Match& match) {
          Scheduler& home = match.scheduler();
          const LastSight last = std::make_shared<std::shared_ptr<const Sight>>();
          const Match::WatchId watch = match.Watch(
              Viewer::Spectator(),
              [self, &home, &here, name, extras, last, gone = match.WhenGone(Gone(self, here))](
                  MatchEvent event, const Match& seen, Viewer viewer) {
                const bool over = event == MatchEvent::kEnd;
                auto tell = [self, told = Notification(event, seen, name, viewer, extras, last), id = seen.id(), over] {
                  // A player hears of its own match as a player.
                  if (*self == nullptr || !(*self)->Watches(id)) return;
                  if (!(*self)->Plays(id)) (*self)->socket_->SendText(told.Text());
                  if (over) (*self)->StopWatching(id);
                };
                if (seen.telling() == nullptr) return Reach(home, here, std::move(tell));
                // Timers that are due leave the loop to others in between.
                Reach(home, here, [&here, tell = std::move(tell), telling = seen.telling()]() mutable {
                  here.After(Duration(0), [tell = std::move(tell), telling = std::move(telling)] { tell(); });
                });
              },
              true);
          // A client that comes late is told the current state of the game.
          std::optional<Told> now;
          if (match.status() == MatchStatus::kInProgress)
            now = Notification(MatchEvent::kUpdate, match, name, Viewer::Spectator(), extras, last);
          if (match.status() == MatchStatus::kDone)
            now = Notification(MatchEvent::kEnd, match, name, Viewer::Spectator(), extras, last);
          Reach(home, here, [self, ref, watch, id, &lobby, place, now = std::move(now)] {
            if (*self == nullptr) {
              lobby.OnMatch(ref, [watch](Match& left) { left.Unwatch(watch); }, [] {});
              return;
            }
            (*self)->watched_.push_back({ref, watch, std::move(*place)});
            (*self)->Respond(id, json::Object());
            if (now && !(*self)->Plays(ref.id)) (*self)->socket_->SendText(now->Text());
            (*self)->busy_ = false;
            (*self)->Next();
          });
          if (extras.view) match.WantView(watch);
          if (extras.table) match.WatchAround(watch, AroundNotice(self, home, here, name, ref.id));
          // Nothing follows after the end.
          if (match.status() != MatchStatus::kDone) return;
          Reach(home, here, [self, watched = ref.id] {
            if (*self != nullptr) (*self)->StopWatching(watched);
          });
        },
        [unknown] { unknown({Code::kUnknownMatch, "the match is over"}); });
  });
}

struct Session::Answer::Asked {
  std::shared_ptr<Session*> self;
  Scheduler& home;
  Scheduler& here;
  json::Value id;
};

Session::Answer::Answer(const Session& session, const MatchRef& match, json::Value id)
    : asked_(std::make_shared<const Asked>(session.self_, *match.home, session.socket_->scheduler(), std::move(id))) {}

void Session::Answer::operator()(const Result<json::Value>& result) const {
  if (result) return Give(*result);
  std::string text;
  EncodeError(asked_->id, FromError(result.error()), text);
  Send(std::move(text));
}

void Session::Answer::Give(const json::Value& result) const {
  std::string text;
  EncodeResult(asked_->id, result, text);
  Send(std::move(text));
}

void Session::Answer::Send(std::string text) const {
  Reach(asked_->home, asked_->here, [self = asked_->self, text = std::move(text)] {
    if (*self != nullptr) (*self)->Finish(text);
  });
}

template <typename F>
void Session::AtMyMatch(const Request& request, F run) {
  if (!plays_ || plays_->name != request.match_id) {
    return Refuse(request.id,
                  {Code::kIncorrectMatch, plays_ ? "you play the match " + plays_->name : "you are in no match"});
  }
  busy_ = true;
  const Answer answer(*this, plays_->match, request.id);
  lobby_.OnMatch(
      plays_->match,
      [run = std::move(run), mine = MySeat{plays_->seat, plays_->lease}, answer](Match& match) mutable {
        run(match, mine, answer);
      },
      [answer] { answer(Fail(ErrorCode::kClosed, "the match is over")); });
}

void Session::Act(Request& request) {
  Choice choice;
  choice.action = std::move(request.action);
  choice.data = std::move(request.data);
  AtMyMatch(request, [choice = std::move(choice)](Match& match, const MySeat& mine, const Answer& answer) mutable {
    const bool asked = match.started() && match.state().Awaited().Contains(mine.seat);  // else it is told that
    const Result<void> integers = asked ? CheckIntegers(choice, match.game()->info()) : Result<void>();
    if (!integers) return answer(Fail(integers.error()));
    match.Choose(mine.seat, mine.lease, std::move(choice), [answer](const Verdict& verdict) {
      if (verdict.accepted()) return answer.Give(verdict.result);
      Error error = verdict.error();
      // A turn that was undone, which has nothing to do with names.
      if (error.code == ErrorCode::kConflict) error.code = ErrorCode::kTimeout;
      answer(Fail(std::move(error)));
    });
  });
}

void Session::Forfeit(const Request& request) {
  AtMyMatch(request, [](Match& match, const MySeat& mine, const Answer& answer) {
    const std::string reason = match.seat(mine.seat).name() + " gave up";
    match.Resign(mine.seat, reason, {.lease = mine.lease}, [answer](const Result<void>& done) {
      answer(done ? Result<json::Value>(json::Value(json::Object())) : Fail(done.error()));
    });
  });
}

void Session::Leave(const Held& held) {
  lobby_.OnMatch(
      held.match,
      [seat = held.seat, lease = held.lease, watch = held.watch](Match& match) {
        match.Unwatch(watch);
        match.Drop(seat, lease);
      },
      [] {});
}

void Session::OnClosed(const net::Closing&) {
  *self_ = nullptr;
  for (const std::optional<Held>* held : {&plays_, &played_}) {
    if (*held) Leave(**held);
  }
  for (const Watched& each : watched_) {
    lobby_.OnMatch(each.match, [watch = each.watch](Match& match) { match.Unwatch(watch); }, [] {});
  }
  watched_.clear();
}

}  // namespace openseat::chimera
