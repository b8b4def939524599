#include "protocols/agent_api/seat_answers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "protocols/agent_api/look.h"
#include "protocols/agent_api/netrunner_json.h"
#include "protocols/agent_api/plain_json.h"
#include "protocols/agent_api/request.h"

namespace openseat::agent_api {
namespace {

using Render = json::Object (*)(const SeatView&);
using Read = Result<Wanted> (*)(const SeatView&, std::string_view);

struct ReadEndpoint {
  std::string_view what;
  Render netrunner;
  Render plain;  // nullptr: for Netrunner only
};
constexpr std::array kReads = {ReadEndpoint{"state", netrunner::State, plain::State},
                               ReadEndpoint{"prompt", netrunner::Prompt, plain::Prompt},
                               ReadEndpoint{"actions", netrunner::Actions, plain::Actions},
                               ReadEndpoint{"log", netrunner::Log, plain::Log},
                               ReadEndpoint{"board", netrunner::Board, nullptr},
                               ReadEndpoint{"scored", netrunner::Scored, nullptr},
                               ReadEndpoint{"run", netrunner::Run, nullptr},
                               ReadEndpoint{"hand", netrunner::Hand, nullptr},
                               ReadEndpoint{"deck", netrunner::Deck, nullptr},
                               ReadEndpoint{"discard", netrunner::Discard, nullptr},
                               ReadEndpoint{"decklist", netrunner::Decklist, nullptr}};

struct ActEndpoint {
  std::string_view what;
  Read read;
  bool any_game;
};
constexpr std::array kActs = {ActEndpoint{"action", ReadAction, true}, ActEndpoint{"choice", ReadChoice, false},
                              ActEndpoint{"select", ReadSelect, false}};

SeatAnswer Refused(int status, std::string_view message) {
  return {status, {{"message", Ellipsize(message, kMaxErrorBytes)}}};
}

SeatAnswer OtherGame(std::string_view what, const SeatView& look) {
  return Refused(404, "/game/" + std::string(what) + " is for Netrunner; this is " + std::string(GameOf(look)));
}

const ReadEndpoint& EndpointOf(std::string_view what) {
  const auto* endpoint = std::ranges::find(kReads, what, &ReadEndpoint::what);
  OPENSEAT_CHECK(endpoint != kReads.end(), "something that can be read of a seat");
  return *endpoint;
}

SeatAnswer AnswerFrom(const ReadEndpoint& endpoint, const SeatView& look) {
  if (IsNetrunner(look)) return {200, endpoint.netrunner(look)};
  return endpoint.plain == nullptr ? OtherGame(endpoint.what, look) : SeatAnswer{200, endpoint.plain(look)};
}

// A request may be repeated if it has a key, or names its decision. "": it may not.
std::string RetryTag(std::string_view what, std::string_view body, std::string_view key,
                     const std::optional<DecisionId>& eid) {
  const std::string request = std::string(what) + ' ' + std::string(body);
  if (!key.empty()) return RequestTag(key, request);
  return eid ? RequestTag("eid " + std::to_string(eid->value()), request) : std::string();
}

std::string CommandOf(std::string_view body) {
  const Result<json::Value> request = json::Parse(body, json::kInnerLimits);
  return request ? std::string(json::TextOf(*request, "command")) : std::string();
}

}  // namespace

SeatAnswer ReadSeat(std::string_view what, Table& table, const ExternalAgent& agent) {
  return AnswerFrom(EndpointOf(what), LookAt(table, agent));
}

void ReadSeatFor(const std::shared_ptr<Payer>& payer, std::string_view what, Table& table, ExternalAgent& agent,
                 std::function<void(const WrittenAnswer& answer)> answered, std::function<void()> again) {
  const ReadEndpoint& endpoint = EndpointOf(what);
  SeatView look = LookAt(table, agent);
  if (!plain::IsLong(what, look)) {
    SeatAnswer answer = AnswerFrom(endpoint, look);
    return answered({answer.status, std::make_shared<const std::string>(json::Write(std::move(answer.body)))});
  }
  if (what == "actions") {
    // The same, whatever the seat was told.
    look.version = 0;
    look.told.clear();
  }
  agent.reads().Read(
      table.scheduler(), payer, what, std::move(look),
      [&endpoint](const SeatView& seen) { return json::Write(AnswerFrom(endpoint, seen).body); },
      [answered = std::move(answered)](const SharedReads::Text& text) { answered({200, text}); }, std::move(again));
}

void ActAtSeat(std::string_view what, Table& table, ExternalAgent& agent, std::string_view body, std::string_view key,
               const Answered& answered) {
  const auto* endpoint = std::ranges::find(kActs, what, &ActEndpoint::what);
  OPENSEAT_CHECK(endpoint != kActs.end(), "something that can be done at a seat");
  const SeatView look = LookAt(table, agent);
  if (!endpoint->any_game && !IsNetrunner(look)) return answered(OtherGame(what, look));
  const auto succeed = [answered, named = what == "action", side = Side(look)](std::string_view command) {
    SeatAnswer answer{200, {{"success", true}}};
    if (named) answer.body["command"] = command;
    answer.body["side"] = side;
    answered(answer);
  };
  Result<Wanted> wanted = endpoint->read(look, body);
  // A request that names its decision acts once, too.
  const std::optional<DecisionId> eid = EidOf(body);
  const std::string retry = RetryTag(what, body, key, eid);
  const PendingChoice* pending = agent.seat()->awaiting();
  bool repeats_pending = false;
  if (!retry.empty()) {
    Retries::Known known = agent.retries().Find(retry);
    if (known == Retries::Known::kSame) return succeed(CommandOf(body));
    if (known == Retries::Known::kNew && pending != nullptr) {
      known = Retries::Compare(pending->choice.retry, retry);
      repeats_pending = known == Retries::Known::kSame;
    }
    if (known == Retries::Known::kOther && !key.empty()) {
      return answered(Refused(400, "this Idempotency-Key was used for another request"));
    }
  }
  if (!wanted) return answered(Refused(400, wanted.error().message));
  if (eid && (!look.decision || *eid != look.decision->id)) return answered(Refused(400, EidIsOver(look).message));
  wanted->choice.retry = retry;
  const auto fail = [answered, command = wanted->command](const std::string& why, int status = 500) {
    answered({status,
              {{"message", "Action failed: " + Ellipsize(why, kMaxErrorBytes)},
               {"command", Ellipsize(command, kQuotedBytes)}}});
  };
  if (IsNetrunner(look) && wanted->command == "concede" && !look.decision) {
    const SeatIndex seat = look.seat();
    const std::uint64_t sitting = agent.seat()->sitting();
    const auto conceded = [fail, succeed, &table, seat, sitting, retry](const Result<void>& ended) {
      ExternalAgent* same = table.seat(seat).sitting() == sitting ? table.seat(seat).agent()->external() : nullptr;
      const bool repeated = same != nullptr && same->retries().Find(retry) == Retries::Known::kSame;
      if (!ended && !repeated) return fail(ended.error().message);
      if (same != nullptr && !repeated && !retry.empty()) same->AddRetry(retry);
      succeed("concede");
    };
    return table.Resign(seat, "Concede", {.sitting = sitting, .retry = retry}, conceded);
  }
  if (pending != nullptr && !repeats_pending) {
    return fail(Quote(pending->choice.action) + " is still being carried out");
  }
  // The seat may go away before there is a verdict.
  agent.Act(std::move(wanted->choice),
            [fail, succeed, command = wanted->command, over = agent.ended()](const Result<Verdict>& verdict) {
              if (!verdict) {
                return fail(verdict.error().message, verdict.error().code == ErrorCode::kClosed && !over ? 503 : 500);
              }
              if (!verdict->accepted()) return fail(verdict->message);
              succeed(command);
            });
}

}  // namespace openseat::agent_api
