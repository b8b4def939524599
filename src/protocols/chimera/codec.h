// The Chimera message format (docs/protocols/chimera.md): JSON requests, responses and notifications. Pure: no socket,
// no state, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/decision.h"
#include "core/game.h"
#include "match/offers.h"
#include "match/seat_codes.h"
#include "match/terms.h"

namespace openseat::chimera {

// Of one message.
inline constexpr json::Limits kMessageLimits{.max_bytes = 1u << 20, .max_depth = 64, .max_values = 10'000};

// Of a request's id, if it is text. What is longer is not echoed.
inline constexpr std::size_t kMaxIdBytes = 1u << 10;

// Error codes and their messages, exactly as in the protocol's document.
enum class Code : int {
  kParseError = -32700,
  kIncorrectRequest = -32600,
  kNoSuchOperation = -32601,
  kIncorrectParameters = -32602,
  kServerError = -32603,  // ours: the server could not do what it should; JSON-RPC's number for that
  kUnknownGame = -40100,
  kAlreadyInMatch = -40101,
  kUnknownMatch = -40102,
  kDuplicatePlayerName = -40103,
  kIncorrectMatch = -40105,
  kNotYourTurn = -50100,
  kUnsupportedAction = -50101,
  kIncorrectData = -50102,
  kIncorrectMove = -50103,
};
std::string_view CodeMessage(Code code);
// Of kServerError, which is ours, where the journal cannot be written.
inline constexpr std::string_view kUnwrittenMessage = "Server error: the journal cannot be written now";

struct Failure {
  Code code;
  std::string details;     // what was expected and what came: data.details
  bool unwritten = false;  // of kServerError: the journal cannot be written now
};
// The code for an error of the match or the game.
Failure FromError(const Error& error);

// Those after game-action are ours.
enum class Operation {
  kListGames,
  kCreateMatch,
  kJoinMatch,
  kSpectateMatch,
  kGameAction,
  kForfeitMatch,
  kSay,
  kOffer,
  kListSeats,
  kHandOn,
  kTakeOn
};
inline constexpr std::size_t kMaxListedSeats = 50;

struct Request {
  json::Value id;  // a string or a number
  Operation operation = Operation::kListGames;
  std::string game;  // list-games: none of these
  std::string match_id;
  std::string name;                // player-name or spectator-name ("" if that is null)
  std::string token;               // ours: join-match with the token of an earlier join takes that seat again
  json::Value options;             // ours: create-match, the game's options; null if absent
  std::size_t players = 0;         // ours: create-match, how many players the match waits for; 0: the game's minimum
  std::optional<bool> is_private;  // ours: create-match, whether the match is found only by its invitation
  bool actions = false;            // ours: create-match and join-match; notifications then list what the player may do
  bool names = false;              // ours: likewise, and spectate-match; notifications then name the players
  bool table = false;              // ours: likewise; what happens around the board is notified, too
  bool view = false;               // ours: likewise; notifications then have the table as people see it
  bool news = false;               // ours: likewise; notifications then say what happened
  MatchTerms terms{};              // ours: create-match
  std::string text;                // ours: say
  Offer offer = Offer::kTakeBack;  // ours: offer …
  bool accept = true;              // … false: declines it
  std::string code;                // ours: take-on
  std::vector<SeatPass> seats;     // ours: list-seats; without games …
  bool mine = false;               // … and also those of the account
  std::string action;
  json::Value data;
};

// Why a message could not be read, with the request's id if it could be found (else null).
struct BadRequest {
  json::Value id;
  Failure failure;
  std::optional<Operation> operation{};  // if its parameters are wrong
};

// Checks in this order: JSON, an object, its type, its id, its operation, the operation's parameters. Unknown members
// are skipped.
tl::expected<Request, BadRequest> DecodeRequest(std::string_view text);

// Published servers take JSON integers only: 1.0 is not one. kIncorrectData for a whole number that is written with a
// fraction or an exponent in data of a game's action, unless the action's schema speaks of numbers that are not whole.
Result<void> CheckIntegers(const Choice& choice, const GameInfo& game);

// Each appends one message to `out`.
// `token`, if not empty, is a member of the response next to the result (published clients reject surplus members
// within it).
void EncodeResult(const json::Value& id, const json::Value& result, std::string& out, std::string_view token = {});
void EncodeError(const json::Value& id, const Failure& failure, std::string& out);
// `event` is "start", "update" or "end". The data, an object, and a closing brace follow.
void BeginNotification(std::string_view event, std::string& out);
// Ours: what happens around the board, for clients that asked for it. `event` is "table", "chat" or "seat-taken".
void EncodeTableNotification(std::string_view event, const json::Object& data, std::string& out);

}  // namespace openseat::chimera
