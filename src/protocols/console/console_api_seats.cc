// ConsoleApi: what is done at a seat of a live table.
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/text.h"
#include "core/table.h"
#include "net/json_request.h"
#include "protocols/console/console_api.h"

namespace openseat::console {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::ObjectBody;
using net::OneReply;
using net::TextMember;

enum class Taken : std::uint8_t { kYes, kYesOrNext };

// The seat that a request names: a taken one, or with kYesOrNext also the next open one.
Result<SeatIndex> SeatOf(const Table& table, std::string_view index, Taken taken = Taken::kYes) {
  SeatIndex number = 0;
  const auto parsed = std::from_chars(index.data(), index.data() + index.size(), number);
  const std::size_t end = taken == Taken::kYes ? table.seats() : std::max(table.seats(), table.seats_needed());
  if (parsed.ec != std::errc() || parsed.ptr != index.data() + index.size() || number >= end) {
    const std::string seats = table.seats() == 0   ? "no seat that is taken"
                              : table.seats() == 1 ? "the seat 0"
                                                   : "the seats 0 to " + std::to_string(table.seats() - 1);
    return Fail(ErrorCode::kNotFound, "the table has " + seats + "; got " + Quote(index), "seat");
  }
  if (table.Planned(number) != nullptr) {
    return Fail(ErrorCode::kConflict, "an agent has that seat already; it sits down once the seats before it are taken",
                "seat");
  }
  if (number > table.seats()) {
    return Fail(ErrorCode::kConflict, "seats are taken in order, and the next one is " + std::to_string(table.seats()),
                "seat");
  }
  return number;
}

}  // namespace

void ConsoleApi::SetAgent(const HttpRequest& request, HttpReply reply) {
  Result<json::Object> body = ObjectBody(request);
  Result<NamedAgent> named = body ? ReadAgent(*body, kinds_) : Result<NamedAgent>(Fail(body.error()));
  if (!named) {
    std::move(reply).Send(HttpResponse::FromError(named.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  Scheduler& from = *directory_.schedulers().front();
  from.Post([this, &from, one, named = std::move(*named), name = ParseMatchName(request.Param("id")),
             index = std::string(request.Param("seat"))] {
    intake_.PrepareAgent(from, named.spec, [this, &from, one, named, name, index](const Result<AgentSpec>& spec) {
      const Result<std::unique_ptr<Agent>> agent =
          spec ? kinds_.Make(*spec) : Result<std::unique_ptr<Agent>>(Fail(spec.error()));
      // What was stored for an agent that is not seated is no longer needed.
      const auto refuse = [this, one, spec](Scheduler& scheduler, const Error& error) {
        if (spec) intake_.Forget(scheduler, *spec);
        one->Send(HttpResponse::FromError(error));
      };
      if (!agent) return refuse(from, agent.error());
      directory_.With(
          from, name.id,
          [this, one, named, name, index, refuse, spec = *spec](Table& table) {
            if (!OpensForOwner(name, table.invite())) return refuse(table.scheduler(), NoTable(name.Text()));
            const Result<SeatIndex> seat = SeatOf(table, index, Taken::kYesOrNext);
            if (!seat) return refuse(table.scheduler(), seat.error());
            const std::string game = table.game() == nullptr ? "" : table.game()->info().id;
            if (const Result<void> plays = kinds_.CheckGame(spec, game); !plays) {
              return refuse(table.scheduler(), plays.error());
            }
            const auto seated = [one, named, refuse, &table](const Result<SeatIndex>& taken) {
              if (!taken) return refuse(table.scheduler(), taken.error());
              json::Object info = table.Info();
              AddSecrets(named, table.id(), *taken, info);
              one->Send(HttpResponse::Json(200, info));
            };
            table.SeatAgent(*seat, spec.kind + " " + std::to_string(table.seats() + 1), spec, seated);
          },
          [&from, refuse, name] { refuse(from, NoTable(name.Text())); });
    });
  });
}

void ConsoleApi::Choose(const HttpRequest& request, HttpReply reply) {
  const auto parse = [&]() -> Result<openseat::Choice> {
    Result<json::Object> body = ObjectBody(request);
    if (!body) return Fail(body.error());
    Result<std::string> action = TextMember(*body, "action");
    if (!action) return Fail(action.error());
    openseat::Choice choice;
    choice.action = std::move(*action);
    choice.by = "console";
    if (const json::Value* data = json::Find(*body, "data")) choice.data = *data;
    if (const json::Value* decision = json::Find(*body, "decision")) {
      if (!decision->is_int64() || decision->get_int64() <= 0) {
        return Fail(ErrorCode::kInvalid, "decision must be the number of a decision; got " + json::Excerpt(*decision),
                    "decision");
      }
      choice.decision = DecisionId(static_cast<std::uint64_t>(decision->get_int64()));
    }
    if (const json::Value* unchecked = json::Find(*body, "unchecked")) {
      if (!unchecked->is_bool()) {
        return Fail(ErrorCode::kInvalid, "unchecked must be true or false; got " + json::Excerpt(*unchecked),
                    "unchecked");
      }
      choice.unchecked = unchecked->get_bool();
    }
    if (json::Find(*body, "raw") != nullptr) {
      Result<std::string> raw = TextMember(*body, "raw");
      if (!raw) return Fail(raw.error());
      if (!choice.unchecked) {
        return Fail(ErrorCode::kInvalid, "raw data is sent unchecked only: give \"unchecked\": true with it", "raw");
      }
      choice.raw = std::move(*raw);
    }
    return choice;
  };
  Result<openseat::Choice> choice = parse();
  if (!choice) {
    std::move(reply).Send(HttpResponse::FromError(choice.error()));
    return;
  }
  OnTable(
      request, std::move(reply),
      [choice = std::move(*choice), index = std::string(request.Param("seat"))](Table& table) -> Result<json::Value> {
        const Result<SeatIndex> seat = SeatOf(table, index);
        if (!seat) return Fail(seat.error());
        const auto said = std::make_shared<std::optional<Verdict>>();
        const Result<ChoiceId> chosen =
            table.seat(*seat).Choose(choice, [said](const Verdict& verdict) { *said = verdict; });
        if (!chosen) return Fail(chosen.error());
        // Rules that run here have decided by now, unless something is still being journaled.
        if (*said && !(*said)->accepted()) {
          Error error = (*said)->error();
          if (error.code == ErrorCode::kClosed) error.code = ErrorCode::kConflict;  // the match is over, not the server
          return Fail(std::move(error));
        }
        return json::Value(json::Object{{"choice", chosen->value()}});
      });
}

void ConsoleApi::Skip(const HttpRequest& request, HttpReply reply) {
  const Result<json::Object> body = ObjectBody(request);
  const json::Value* named = body ? json::Find(*body, "decision") : nullptr;
  if (!body || (named != nullptr && (!named->is_int64() || named->get_int64() <= 0))) {
    std::move(reply).Send(HttpResponse::FromError(
        body ? Error{ErrorCode::kInvalid, "decision must be the number of a decision; got " + json::Excerpt(*named),
                     "decision"}
             : body.error()));
    return;
  }
  const DecisionId wanted(named == nullptr ? 0 : static_cast<std::uint64_t>(named->get_int64()));
  OnTable(request, std::move(reply),
          [wanted, index = std::string(request.Param("seat"))](Table& table) -> Result<json::Value> {
            const Result<SeatIndex> seat = SeatOf(table, index);
            if (!seat) return Fail(seat.error());
            const Decision* pending = table.seat(*seat).decision();
            if (pending == nullptr) return Fail(ErrorCode::kNotYourTurn, "no decision is pending at this seat");
            const DecisionId decision = wanted ? wanted : pending->id;
            if (Result<void> given = table.seat(*seat).GiveUp(decision, "skipped from the console"); !given) {
              return Fail(given.error());
            }
            return json::Value(json::Object{{"skipped", decision.value()}});
          });
}

}  // namespace openseat::console
