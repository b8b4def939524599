#include "agents/external/seat_token.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "base/uuid.h"

namespace openseat {
namespace {

constexpr std::size_t kSecretLength = 26;  // 130 bits
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

tl::unexpected<Error> NoToken() {
  return Fail(ErrorCode::kInvalid, "a seat's token has the form TABLE.SEAT.SECRET", "token");
}

// Whether the secret belongs to an agent that has not been seated yet.
bool WillAdmit(const AgentSpec* planned, std::string_view secret) {
  if (planned == nullptr) return false;
  const std::string hash = Sha256Hex(secret);
  return std::ranges::any_of(std::array{"token_sha256", "key_sha256"}, [&](std::string_view name) {
    const json::Value* kept = json::Find(planned->options, name);
    return kept != nullptr && kept->is_string() && EqualSecrets(hash, json::View(kept->get_string()));
  });
}

}  // namespace

std::string SeatToken::Text() const {
  return table.str() + "." + std::to_string(seat) + "." + secret;
}

Result<SeatToken> ParseSeatToken(std::string_view text) {
  const std::size_t last = text.rfind('.');
  if (last == std::string_view::npos || last == 0) return NoToken();
  const std::size_t middle = text.rfind('.', last - 1);
  if (middle == std::string_view::npos || middle == 0) return NoToken();
  SeatToken token;
  token.table = TableId(std::string(text.substr(0, middle)));
  const std::string_view seat = text.substr(middle + 1, last - middle - 1);
  const auto parsed = std::from_chars(seat.data(), seat.data() + seat.size(), token.seat);
  if (parsed.ec != std::errc() || parsed.ptr != seat.data() + seat.size()) return NoToken();
  token.secret = text.substr(last + 1);
  if (token.secret.size() != kSecretLength || token.secret.find_first_not_of(kAlphabet) != std::string::npos) {
    return NoToken();
  }
  return token;
}

std::string GameIdOf(const TableId& table) {
  return UuidOf(table.str());
}

SeatSecrets MintSeat(json::Object& agent_options) {
  SeatSecrets secrets{SecureToken(kSecretLength), SecureToken(kSecretLength)};
  agent_options["token_sha256"] = Sha256Hex(secrets.token);
  agent_options["key_sha256"] = Sha256Hex(secrets.key);
  return secrets;
}

ExternalAgent* ExternalAt(Table& table, SeatIndex seat) {
  Agent* agent = seat < table.seats() ? table.seat(seat).agent() : nullptr;
  return agent == nullptr ? nullptr : agent->external();
}

void WithSeat(TableDirectory& directory, Scheduler& from, std::string_view token,
              std::function<void(Table&, ExternalAgent&)> found, const std::function<void(Error)>& missing) {
  Result<SeatToken> parsed = ParseSeatToken(token);
  if (!parsed) {
    missing(std::move(parsed).error());
    return;
  }
  const TableId id = parsed->table;
  const Error none{ErrorCode::kNotFound, "no table " + Quote(id.str()) + " is live", "token"};
  directory.With(
      from, id,
      [token = std::move(*parsed), found = std::move(found), missing, none](Table& table) {
        // A guesser does not learn that a table exists to which it was not invited.
        const bool open = table.invite().empty();
        const Error denied =
            open ? Error{ErrorCode::kDenied, "the token is not that of a seat of " + Quote(table.id().str()), "token"}
                 : none;
        if (token.seat >= table.seats()) {
          if (!WillAdmit(table.Planned(token.seat), token.secret)) return missing(denied);
          missing({ErrorCode::kBusy, "the match has not begun: it waits for who sits before that seat", {}});
          return;
        }
        ExternalAgent* agent = ExternalAt(table, token.seat);
        if (agent == nullptr) {
          const Error closed{ErrorCode::kClosed, "nobody from outside plays that seat of " + Quote(table.id().str()),
                             "token"};
          missing(open ? closed : none);
        } else if (!agent->Admits(token.secret)) {
          missing(denied);
        } else if (agent->seat() == nullptr) {
          missing({ErrorCode::kBusy, "the seat is being taken; try again at once", {}});
        } else {
          found(table, *agent);
        }
      },
      [missing, none] { missing(none); });
}

}  // namespace openseat
