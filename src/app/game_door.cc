#include "app/game_door.h"

#include <string>
#include <utility>

#include "net/bearer.h"
#include "net/client_address.h"

namespace openseat::app {
net::AdmitUpgrade GameDoor::ForNeuro() {
  return [this](const net::HttpRequest& request, const Admitted& done) { Admit(request, false, done); };
}

net::AdmitUpgrade GameDoor::ForChimera() {
  return [this](const net::HttpRequest& request, const Admitted& done) { Admit(request, true, done); };
}

Namer GameDoor::NamerOf(const net::HttpRequest& request) const {
  if (net::IsLocal(request)) return Namer::kAdmin;
  return access_.BearsAdminToken(request, net::WebSocketToken(request)) ? Namer::kAdmin : Namer::kPlayer;
}

bool GameDoor::IsOwner(const net::HttpRequest& request) const {
  return access_.guesses().MayTry(net::ClientAddress(request)) && access_.IsAdminToken(net::WebSocketToken(request));
}

void GameDoor::LetIn(const net::HttpRequest& request, const Admitted& done) {
  std::string token = net::WebSocketToken(request);
  if (token.empty() || token.starts_with(kKeyPrefix) || net::IsLocal(request)) return done({});
  const std::string from = net::ClientAddress(request);
  if (!access_.guesses().MayTry(from) || access_.IsAdminToken(token)) return done({});
  IsOfMatch(request, std::move(token), [this, from, done](const Result<bool>& known) {
    if (known && !*known) static_cast<void>(access_.guesses().Wrong("admin token", from).has_value());
    done({});
  });
}

void GameDoor::IsOfMatch(const net::HttpRequest& request, std::string token, std::function<void(Result<bool>)> done) {
  if (elsewhere_ && elsewhere_(request, token, done)) return;
  lobby_.Admits(home_, std::move(token), std::move(done));
}

void GameDoor::Admit(const net::HttpRequest& request, bool by_invitation, const Admitted& done) {
  if (!by_invitation && access_.GamesOpenTo(request)) return done({});
  if (by_invitation && (access_.GamesOpenTo(request) || (sign_in_ != nullptr && sign_in_->PersonOf(request)))) {
    return LetIn(request, done);
  }
  std::string token = net::WebSocketToken(request);
  if (token.empty()) {
    return done(Fail(
        ErrorCode::kUnauthorized,
        "games need a token here: ?token=… in the address, Authorization: Bearer …, or the subprotocol "
        "openseat.bearer.…; an API key, the admin token, or at Chimera an invitation to a match or the token of a seat",
        "token"));
  }
  const std::string from = net::ClientAddress(request);
  if (const Result<void> heard = access_.guesses().MayTry(from); !heard) return done(Fail(heard.error()));
  const auto wrong = [this, from, done] {
    if (const Result<void> told = access_.guesses().Wrong("token of a game", from); !told) {
      return done(Fail(told.error()));
    }
    done(Fail(ErrorCode::kUnauthorized, "the token does not open games here", "token"));
  };
  if (access_.IsAdminToken(token)) return done({});
  if (token.starts_with(kKeyPrefix)) {
    registry_.Authenticate(std::move(token), home_, [done, wrong](const Result<ApiKey>& key) {
      if (key) return done(HolderOf(*key));
      if (key.error().code != ErrorCode::kNotFound && key.error().code != ErrorCode::kDenied) {
        return done(Fail(ErrorCode::kClosed, "the key could not be looked up"));
      }
      wrong();
    });
    return;
  }
  if (!by_invitation) return wrong();
  IsOfMatch(request, std::move(token), [done, wrong](const Result<bool>& admitted) {
    if (!admitted) return done(Fail(admitted.error()));
    *admitted ? done({}) : wrong();
  });
}

}  // namespace openseat::app
