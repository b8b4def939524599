// Session: what is around the board, and the ways back to a seat. All of it is ours (docs/protocols/chimera.md).
#include <utility>

#include "protocols/chimera/session.h"

namespace openseat::chimera {
namespace {

// An error of what players do around the board, where kConflict has nothing to do with names.
Error AroundError(Error error) {
  if (error.code == ErrorCode::kConflict) error.code = ErrorCode::kClosed;
  if (error.code == ErrorCode::kBusy) error.code = ErrorCode::kInvalid;
  return error;
}

}  // namespace

Task Session::Gone(std::shared_ptr<Session*> self, Scheduler& here) {
  return [self = std::move(self), &here] {
    here.Post([self] {
      if (*self != nullptr) (*self)->socket_->Close(net::close_code::kGoingAway, "the match goes on at another server");
    });
  };
}

void Session::SendAround(std::string_view event, const std::string& match, json::Object data) {
  data["match-id"] = match;
  std::string text;
  EncodeTableNotification(event, data, text);
  socket_->SendText(text);
}

Match::AroundNotice Session::AroundNotice(std::shared_ptr<Session*> self, Scheduler& home, Scheduler& here,
                                          std::string name, std::optional<TableId> watched) {
  return [self = std::move(self), &home, &here, name = std::move(name), watched = std::move(watched)](
             std::string_view event, json::Object data) {
    Reach(home, here, [self, name, watched, event = std::string(event), data = std::move(data)]() mutable {
      // Who also plays is told at the seat.
      if (*self == nullptr || (watched && (*self)->Plays(*watched))) return;
      (*self)->SendAround(event, name, std::move(data));
    });
  };
}

const Session::Held* Session::HeldFor(const Request& request) {
  for (const std::optional<Held>* held : {&plays_, &played_}) {
    if (*held && (*held)->name == request.match_id) return &**held;
  }
  Refuse(request.id, {Code::kIncorrectMatch, "you have no seat in the match " + request.match_id});
  return nullptr;
}

void Session::Say(const Request& request) {
  const Held* held = HeldFor(request);
  if (held == nullptr) return;
  busy_ = true;
  const Answer answer(*this, held->match, request.id);
  lobby_.OnMatch(
      held->match,
      [held = *held, text = request.text, answer](Match& match) {
        match.Chat(held.seat, held.lease, text, [answer](const Result<void>& said) {
          answer(said ? Result<json::Value>(json::Object()) : Fail(AroundError(said.error())));
        });
      },
      [answer] { answer(Fail(ErrorCode::kClosed, "the match is gone")); });
}

void Session::Propose(const Request& request) {
  const Held* held = HeldFor(request);
  if (held == nullptr) return;
  busy_ = true;
  const Answer answer(*this, held->match, request.id);
  const auto settled = [answer](const Result<bool>& agreed) {
    answer(agreed ? Result<json::Value>(json::Object{{"agreed", *agreed}}) : Fail(AroundError(agreed.error())));
  };
  // The player who agrees last has the rematch made.
  const auto rematch = [&lobby = lobby_, &here = socket_->scheduler(), payer = socket_->payer(), ref = held->match,
                        maker = MakerOf(caller_), settled] {
    lobby.Rematch(
        here, ref, [settled](const Result<MatchRef>& made) { settled(made ? Result<bool>(true) : Fail(made.error())); },
        payer, maker);
  };
  lobby_.OnMatch(
      held->match,
      [held = *held, offer = request.offer, accept = request.accept, settled, rematch](Match& match) {
        match.Propose(held.seat, held.lease, offer, accept, [offer, settled, rematch](const Result<bool>& agreed) {
          if (agreed && *agreed && offer == Offer::kRematch) return rematch();
          settled(agreed);
        });
      },
      [settled] { settled(Fail(ErrorCode::kClosed, "the match is gone")); });
}

struct Session::Listed {
  json::Value id;
  json::Array seats;
  std::size_t missing = 0;  // of them
  bool wrong = false;       // a token was
  bool mine = false;        // the account's are still to be added
  json::Array own;
};

void Session::ListSeats(const Request& request) {
  const auto listed = std::make_shared<Listed>();
  listed->id = request.id;
  listed->seats.resize(request.seats.size());
  listed->missing = request.seats.size();
  listed->mine = request.mine;
  busy_ = true;
  Scheduler& here = socket_->scheduler();
  if (request.seats.empty()) {
    // Later: many requests may wait behind this one, and each answer calls for the next.
    return here.Post([self = self_, listed] {
      if (*self != nullptr) (*self)->ListMine(listed);
    });
  }
  if (const Result<void> heard = guesses_ == nullptr ? Result<void>() : guesses_->MayTry(caller_.from); !heard) {
    return here.Post([self = self_, listed, text = heard.error().message] {
      if (*self != nullptr) (*self)->FinishRefused(listed->id, {Code::kUnknownMatch, text});
    });
  }
  for (std::size_t i = 0; i < request.seats.size(); ++i) {
    const auto add = [self = self_, &here, listed, i](json::Object standing, bool wrong = false) {
      here.Post([self, listed, i, wrong, standing = std::move(standing)]() mutable {
        if (*self == nullptr) return;
        listed->seats[i] = std::move(standing);
        listed->wrong = listed->wrong || wrong;
        if (--listed->missing == 0) (*self)->ListMine(listed);
      });
    };
    const SeatPass& seat = request.seats[i];
    const auto standing = [seat, account = caller_.account, add](Match& found) {
      std::optional<SeatIndex> index = found.SeatOf(seat.player, seat.token);
      if (!index) index = found.SeatOfAccount(seat.player, account);
      if (index) return add(found.Standing(*index));
      add(json::Object{{"gone", true}}, !seat.token.empty());
    };
    const MatchName name = ParseMatchName(seat.match);
    const auto elsewhere = [asked = caller_.elsewhere, id = name.id] { return asked && asked(id); };
    const auto missing = [elsewhere, add] { add(json::Object{{elsewhere() ? "elsewhere" : "gone", true}}); };
    // Asked before and after, since it may come or go meanwhile.
    if (elsewhere()) {
      add(json::Object{{"elsewhere", true}});
      continue;
    }
    const auto find = caller_.owner ? &Lobby::FindForOwner : &Lobby::Find;
    (lobby_.*find)(here, name, [&lobby = lobby_, standing, missing](const std::optional<MatchRef>& match) {
      if (!match) return missing();
      lobby.OnMatch(*match, standing, missing);
    });
  }
}

// Adds the matches of the account, and answers.
void Session::ListMine(const std::shared_ptr<Listed>& listed) {
  if (listed->wrong && guesses_ != nullptr) {
    if (const Result<void> told = guesses_->Wrong("seat token", caller_.from, caller_.who); !told) {
      return FinishRefused(listed->id, {Code::kUnknownMatch, told.error().message});
    }
  }
  const auto answer = [self = self_, listed] {
    if (*self == nullptr) return;
    json::Object result{{"seats", std::move(listed->seats)}};
    if (listed->mine) result["mine"] = std::move(listed->own);
    std::string text;
    EncodeResult(listed->id, result, text);
    (*self)->Finish(text);
  };
  listed->mine = listed->mine && !caller_.account.empty() && lobby_.MayListOf(caller_.account);
  if (!listed->mine) return answer();
  Scheduler& here = socket_->scheduler();
  SeatsOf(lobby_, here, caller_.account,
          [&here, listed, answer, elsewhere = caller_.seats_elsewhere](json::Array own) mutable {
            listed->own = std::move(own);
            if (!elsewhere) return answer();
            elsewhere([&here, listed, answer](json::Array others) {
              here.Post([listed, answer, others = std::move(others)]() mutable {
                for (json::Value& each : others) {
                  if (listed->own.size() < kMaxListedSeats) listed->own.push_back(std::move(each));
                }
                answer();
              });
            });
          });
}

void Session::SeatsOf(Lobby& lobby, Scheduler& here, const std::string& account,
                      std::function<void(json::Array)> done) {
  const auto own = std::make_shared<json::Array>();
  lobby.Visit(
      here,
      [&here, own, account](Match& match) {
        const std::optional<SeatIndex> seat = match.SeatOfAccount({}, account);
        if (!seat || match.status() == MatchStatus::kDone) return;
        json::Object standing = match.Standing(*seat);
        standing["match-id"] = MatchName{match.id(), std::string(match.invite())}.Text();
        here.Post([own, standing = std::move(standing)]() mutable {
          if (own->size() < kMaxListedSeats) own->emplace_back(std::move(standing));
        });
      },
      [own, done = std::move(done)] { done(std::move(*own)); });
}

void Session::HandOn(const Request& request) {
  const Held* held = HeldFor(request);
  if (held == nullptr) return;
  busy_ = true;
  Scheduler& here = socket_->scheduler();
  const Answer answer(*this, held->match, request.id);
  SeatPass pass{std::string(held->match.game), held->name, {}, request.token};
  lobby_.OnMatch(
      held->match,
      [self = self_, &here, &lobby = lobby_, seat = held->seat, pass = std::move(pass),
       owner = payer_ != nullptr ? payer_->address() : caller_.from, answer](Match& match) mutable {
        pass.player = match.seat(seat).name();
        if (match.SeatOf(pass.player, pass.token) != seat) {
          return answer(Fail(ErrorCode::kDenied, "the token is not that of your seat"));
        }
        lobby.PassOn(here, std::move(pass), std::move(owner), [self, answer](const std::string& code) {
          if (*self != nullptr && (*self)->caller_.audit) (*self)->caller_.audit("seat code made");
          const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(SeatCodes::kLife).count();
          answer(json::Value(json::Object{{"code", code}, {"seconds", seconds}}));
        });
      },
      [answer] { answer(Fail(ErrorCode::kClosed, "the match is gone")); });
}

void Session::TakeOn(const Request& request) {
  if (const Result<void> heard = guesses_ == nullptr ? Result<void>() : guesses_->MayTry(caller_.from); !heard) {
    return Refuse(request.id, {Code::kUnknownMatch, heard.error().message});
  }
  busy_ = true;
  lobby_.TakeOn(
      socket_->scheduler(), request.code, [self = self_, id = request.id](const std::optional<SeatPass>& pass) {
        if (*self == nullptr) return;
        if (!pass) {
          return (*self)->FinishRefused(
              id,
              Wrong((*self)->guesses_, "seat code", (*self)->caller_.from, (*self)->caller_.who,
                    {Code::kUnknownMatch, "the code is not good, or not any more: it is good once, for ten minutes"}));
        }
        if ((*self)->caller_.audit) (*self)->caller_.audit("seat code used");
        const json::Object result{{"game", pass->game}, {"match-id", pass->match}, {"player-name", pass->player}};
        std::string text;
        EncodeResult(id, result, text, pass->token);
        (*self)->Finish(text);
      });
}

}  // namespace openseat::chimera
