#include "protocols/chimera/codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/json_arena.h"
#include "base/text.h"
#include "core/game_base.h"
#include "core/seat_set.h"
#include "match/player_name.h"

namespace openseat::chimera {
namespace {

constexpr std::int64_t kMaxPlayers = SeatSet::kMaxSeats;
constexpr std::size_t kMaxName = 200;  // bytes of a player's or spectator's name

struct OperationName {
  std::string_view name;
  Operation operation;
};
constexpr auto kOperations = std::to_array<OperationName>({{"list-games", Operation::kListGames},
                                                           {"create-match", Operation::kCreateMatch},
                                                           {"join-match", Operation::kJoinMatch},
                                                           {"spectate-match", Operation::kSpectateMatch},
                                                           {"game-action", Operation::kGameAction},
                                                           {"forfeit-match", Operation::kForfeitMatch},
                                                           {"say", Operation::kSay},
                                                           {"offer", Operation::kOffer},
                                                           {"list-seats", Operation::kListSeats},
                                                           {"hand-on", Operation::kHandOn},
                                                           {"take-on", Operation::kTakeOn}});

std::optional<Operation> ParseOperation(std::string_view name) {
  for (const OperationName& known : kOperations) {
    if (known.name == name) return known.operation;
  }
  return std::nullopt;
}

std::string OperationNames() {
  std::string names;
  for (const OperationName& known : kOperations) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

// Reads an operation's parameters; only the first error is reported.
class Parameters {
 public:
  explicit Parameters(const json::Object* object) : object_(object) {}

  std::string Text(std::string_view name, bool may_be_null = false) {
    const json::Value* value = Get(name);
    if (value == nullptr) {
      Complain("the parameter " + Quote(name) + " is missing");
      return {};
    }
    if (may_be_null && value->is_null()) return {};
    if (!value->is_string()) {
      Complain("the parameter " + Quote(name) + " must be a string; got " + std::string(json::TypeName(*value)));
      return {};
    }
    return std::string(json::View(value->get_string()));
  }
  // A name that others will see.
  std::string Name(std::string_view name, bool may_be_null = false) {
    std::string text = Text(name, may_be_null);
    const json::Value* value = Get(name);
    if (text.empty() && !(may_be_null && value != nullptr && value->is_null()))
      Complain("the parameter " + Quote(name) + " must not be empty");
    if (text.size() > kMaxName) {
      Complain("the parameter " + Quote(name) + " may have at most " + std::to_string(kMaxName) + " bytes");
    }
    return text;
  }
  json::Value Object(std::string_view name, bool required) {
    const json::Value* value = Get(name);
    if (value == nullptr) {
      if (required) Complain("the parameter " + Quote(name) + " is missing");
      return nullptr;
    }
    if (!value->is_object()) {
      Complain("the parameter " + Quote(name) + " must be an object; got " + std::string(json::TypeName(*value)));
      return nullptr;
    }
    return json::Value(*value, json::Storage());  // it outlives the message
  }
  // Absent: 0.
  std::size_t Count(std::string_view name) {
    const json::Value* value = Get(name);
    if (value == nullptr) return 0;
    if (value->is_int64() && value->get_int64() > 0 && value->get_int64() <= kMaxPlayers) {
      return static_cast<std::size_t>(value->get_int64());
    }
    Complain("the parameter " + Quote(name) + " must be a whole number from 1 to " + std::to_string(kMaxPlayers) +
             "; got " + json::Excerpt(*value));
    return 0;
  }
  // Absent: false.
  bool Flag(std::string_view name) { return OptionalFlag(name).value_or(false); }
  std::optional<bool> OptionalFlag(std::string_view name) {
    const json::Value* value = Get(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_bool()) return value->get_bool();
    Complain("the parameter " + Quote(name) + " must be true or false; got " + json::Excerpt(*value));
    return std::nullopt;
  }
  std::string OptionalText(std::string_view name) { return Get(name) == nullptr ? std::string() : Text(name); }
  MatchTerms Terms(std::string_view name) {
    const json::Value* value = Get(name);
    if (value == nullptr) return {};
    Result<MatchTerms> terms = ReadTerms(*value);
    if (terms) return *terms;
    Complain(std::move(terms).error().message);
    return {};
  }
  Offer OneOffer(std::string_view name) {
    const std::string text = Text(name);
    const std::optional<Offer> offer = ParseOffer(text);
    if (offer) return *offer;
    Complain("an offer is \"take-back\", \"draw\" or \"rematch\"; got " + Quote(text));
    return Offer::kTakeBack;
  }
  std::vector<SeatPass> Seats(std::string_view name) {
    std::vector<SeatPass> seats;
    const json::Value* value = Get(name);
    if (value == nullptr || !value->is_array() || value->get_array().size() > kMaxListedSeats) {
      Complain("the parameter " + Quote(name) + " must be a list of at most " + std::to_string(kMaxListedSeats) +
               " seats");
      return seats;
    }
    for (const json::Value& each : value->get_array()) {
      Parameters seat(each.if_object());
      seats.push_back({{}, seat.Text("match-id"), seat.Text("player-name"), seat.Text("token")});
      if (seat.complaint()) Complain("in a seat, " + *seat.complaint());
    }
    return seats;
  }
  void Complain(std::string what) {
    if (!complaint_) complaint_ = std::move(what);
  }
  const std::optional<std::string>& complaint() const { return complaint_; }

 private:
  const json::Value* Get(std::string_view name) const {
    return object_ == nullptr ? nullptr : json::Find(*object_, name);
  }
  const json::Object* object_;
  std::optional<std::string> complaint_;
};

// A number beyond 64 bits is a double however it is written.
bool HasWrittenFraction(const json::Value& data) {
  if (data.is_double()) return json::IsInteger(data) && std::abs(data.get_double()) < 0x1p63;
  if (const json::Array* items = data.if_array()) return std::ranges::any_of(*items, HasWrittenFraction);
  const json::Object* object = data.if_object();
  return object != nullptr &&
         std::ranges::any_of(*object, [](const auto& member) { return HasWrittenFraction(member.value()); });
}

void BeginInScope(std::string_view scope, std::string_view event, std::string& out) {
  out += R"({"type":"notification","scope":")";
  out += scope;
  out += R"(","event":)";
  json::WriteString(event, out);
  out += R"(,"data":)";
}

}  // namespace

std::string_view CodeMessage(Code code) {
  switch (code) {
    case Code::kParseError:
      return "Parse error";
    case Code::kIncorrectRequest:
      return "Incorrect request";
    case Code::kNoSuchOperation:
      return "No such operation";
    case Code::kIncorrectParameters:
      return "Incorrect parameters";
    case Code::kServerError:
      return "Server error";
    case Code::kUnknownGame:
      return "Unknown game";
    case Code::kAlreadyInMatch:
      return "Already in a match";
    case Code::kUnknownMatch:
      return "Unknown match";
    case Code::kDuplicatePlayerName:
      return "Duplicate player name";
    case Code::kIncorrectMatch:
      return "Incorrect match";
    case Code::kNotYourTurn:
      return "Action not allowed outside player's turn";
    case Code::kUnsupportedAction:
      return "Unsupported action in game";
    case Code::kIncorrectData:
      return "Incorrect data in game action";
    case Code::kIncorrectMove:
      return "Incorrect move";
  }
  CheckFailed("Code", __FILE__, __LINE__, "a Code outside its enum");
}

Failure FromError(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotYourTurn:
      return {Code::kNotYourTurn, error.message};
    case ErrorCode::kNoSuchAction:
      return {Code::kUnsupportedAction, error.message};
    case ErrorCode::kIncorrectData:
      return {Code::kIncorrectData, error.message};
    case ErrorCode::kIncorrectMove:
      return {Code::kIncorrectMove, error.message};
    case ErrorCode::kConflict:
      return {Code::kDuplicatePlayerName, error.message};
    case ErrorCode::kDenied:
    case ErrorCode::kNotFound:
      return {Code::kUnknownMatch, error.message};
    case ErrorCode::kClosed:
      return {Code::kIncorrectMatch, error.message};
    case ErrorCode::kInvalid:
      return {Code::kIncorrectParameters, error.message};
    case ErrorCode::kIo:
      return {Code::kServerError, error.message, true};
    default:
      return {Code::kServerError, error.message};
  }
}

tl::expected<Request, BadRequest> DecodeRequest(std::string_view text) {
  json::Value id;
  std::optional<Operation> known;
  const auto fail = [&](Code code, std::string details) {
    return tl::unexpected<BadRequest>(BadRequest{id, {code, std::move(details)}, known});
  };
  json::Arena arena;
  const Result<json::Value> parsed = json::Parse(text, kMessageLimits, arena.storage());
  if (!parsed) {
    const Error& error = parsed.error();
    const char* fixed = error.code == ErrorCode::kTooLarge ? "; this limit on messages of Chimera is fixed" : "";
    return fail(error.code == ErrorCode::kParse ? Code::kParseError : Code::kIncorrectRequest, error.message + fixed);
  }
  const json::Object* message = parsed->if_object();
  if (message == nullptr) {
    return fail(Code::kIncorrectRequest,
                "a message must be a JSON object; got " + std::string(json::TypeName(*parsed)));
  }
  const json::Value* given_id = json::Find(*message, "id");
  const bool usable_id =
      given_id != nullptr &&
      (given_id->is_number() || (given_id->is_string() && given_id->get_string().size() <= kMaxIdBytes));
  if (usable_id) id = *given_id;

  const json::Value* type = json::Find(*message, "type");
  if (type == nullptr) return fail(Code::kIncorrectRequest, "the member \"type\" is missing");
  if (!type->is_string() || json::View(type->get_string()) != "request") {
    return fail(Code::kIncorrectRequest, "the type must be \"request\"; got " + json::Excerpt(*type));
  }
  if (given_id == nullptr) return fail(Code::kIncorrectRequest, "the member \"id\" is missing");
  if (!usable_id)
    return fail(Code::kIncorrectRequest,
                "the id must be a number or a string of at most " + std::to_string(kMaxIdBytes) + " bytes; got " +
                    (given_id->is_string() ? "a longer one" : std::string(json::TypeName(*given_id))));
  const json::Value* operation = json::Find(*message, "operation");
  if (operation == nullptr) return fail(Code::kIncorrectRequest, "the member \"operation\" is missing");
  if (!operation->is_string()) {
    return fail(Code::kIncorrectRequest,
                "the operation must be a string; got " + std::string(json::TypeName(*operation)));
  }
  Request request;
  known = ParseOperation(json::View(operation->get_string()));
  if (!known) {
    return fail(Code::kNoSuchOperation,
                "there is no operation " + json::Excerpt(*operation) + "; the operations are " + OperationNames());
  }
  request.operation = *known;
  const json::Value* params = json::Find(*message, "params");
  if (params != nullptr && params->is_null()) params = nullptr;  // as if it were absent
  if (params != nullptr && !params->is_object()) {
    return fail(Code::kIncorrectParameters, "params must be an object; got " + std::string(json::TypeName(*params)));
  }
  Parameters read(params == nullptr ? nullptr : &params->get_object());
  switch (request.operation) {
    case Operation::kListGames:
      if (params != nullptr && !params->get_object().empty()) read.Complain("list-games takes no parameters");
      break;
    case Operation::kCreateMatch:
      request.game = read.Text("game");
      request.name = read.Name("player-name");
      // Here, before a match exists; a player who joins one is told by it.
      if (const Result<void> fits = CheckPlayerName(request.name); !fits) read.Complain(fits.error().message);
      request.options = read.Object("options", false);
      if (const Result<void> fits = CheckOptionsSize(request.options); !fits) read.Complain(fits.error().message);
      request.players = read.Count("players");
      request.terms = read.Terms("terms");
      request.is_private = read.OptionalFlag("private");
      request.actions = read.Flag("actions");
      request.names = read.Flag("names");
      request.table = read.Flag("table");
      request.view = read.Flag("view");
      request.news = read.Flag("news");
      break;
    case Operation::kJoinMatch:
      request.game = read.Text("game");
      request.match_id = read.Text("match-id");
      request.name = read.Name("player-name");
      request.token = read.OptionalText("token");
      request.actions = read.Flag("actions");
      request.names = read.Flag("names");
      request.table = read.Flag("table");
      request.view = read.Flag("view");
      request.news = read.Flag("news");
      break;
    case Operation::kSpectateMatch:
      request.game = read.Text("game");
      request.match_id = read.Text("match-id");
      request.name = read.Name("spectator-name", true);
      request.names = read.Flag("names");
      request.table = read.Flag("table");
      request.view = read.Flag("view");
      request.news = read.Flag("news");
      break;
    case Operation::kGameAction:
      request.match_id = read.Text("match-id");
      request.action = read.Text("action");
      request.data = read.Object("data", true);
      break;
    case Operation::kForfeitMatch:
      request.match_id = read.Text("match-id");
      break;
    case Operation::kSay:
      request.match_id = read.Text("match-id");
      request.text = read.Text("text");
      break;
    case Operation::kOffer:
      request.match_id = read.Text("match-id");
      request.offer = read.OneOffer("offer");
      request.accept = read.OptionalFlag("accept").value_or(true);
      break;
    case Operation::kListSeats:
      request.seats = read.Seats("seats");
      request.mine = read.Flag("mine");
      break;
    case Operation::kHandOn:
      request.match_id = read.Text("match-id");
      request.token = read.Text("token");
      break;
    case Operation::kTakeOn:
      request.code = read.Text("code");
      break;
  }
  if (read.complaint()) return fail(Code::kIncorrectParameters, *read.complaint());
  request.id = std::move(id);
  return request;
}

Result<void> CheckIntegers(const Choice& choice, const GameInfo& game) {
  if (!HasWrittenFraction(choice.data)) return {};
  const auto spec = std::ranges::find(game.actions, choice.action, &ActionSpec::name);
  if (spec == game.actions.end() || json::Write(spec->schema).find("\"number\"") != std::string::npos) return {};
  return Fail(ErrorCode::kIncorrectData,
              "whole numbers are written without a fraction or an exponent: 1, not 1.0 or 1e0");
}

void EncodeResult(const json::Value& id, const json::Value& result, std::string& out, std::string_view token) {
  out.reserve(128);
  out += R"({"type":"response","id":)";
  json::Write(id, out);
  out += R"(,"result":)";
  json::Write(result, out);
  if (!token.empty()) {
    out += ",\"token\":";
    json::WriteString(token, out);
  }
  out += '}';
}

void EncodeError(const json::Value& id, const Failure& failure, std::string& out) {
  out += R"({"type":"response","id":)";
  json::Write(id, out);
  out += R"(,"error":{"code":)" + std::to_string(static_cast<int>(failure.code)) + R"(,"message":)";
  json::WriteString(failure.unwritten ? kUnwrittenMessage : CodeMessage(failure.code), out);
  out += R"(,"data":{"details":)";
  json::WriteString(Ellipsize(failure.details, kMaxErrorBytes), out);
  out += "}}}";
}

void BeginNotification(std::string_view event, std::string& out) {
  BeginInScope("match", event, out);
}

void EncodeTableNotification(std::string_view event, const json::Object& data, std::string& out) {
  BeginInScope("table", event, out);
  json::Write(data, out);
  out += '}';
}

}  // namespace openseat::chimera
