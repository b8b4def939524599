#include "protocols/agent_api/seat_answers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"
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

SeatAnswer Refused(int status, std::string message) {
  return {status, {{"message", std::move(message)}}};
}

SeatAnswer OtherGame(std::string_view what, const SeatView& look) {
  return Refused(404, "/game/" + std::string(what) + " is for Netrunner; this is " + std::string(GameOf(look)));
}

bool SameData(const json::Value& a, const json::Value& b) {
  const auto empty = [](const json::Value& data) {
    return data.is_null() || (data.is_object() && data.get_object().empty());
  };
  return a == b || (empty(a) && empty(b));
}

// Whether the request names a decision that the same choice has just settled: it came twice.
bool CameTwice(const ExternalAgent& agent, const Wanted& wanted) {
  const std::optional<ExternalAgent::Settled>& last = agent.last_settled();
  return last && last->verdict.accepted() && last->choice.decision == wanted.eid &&
         last->choice.action == wanted.choice.action && SameData(last->choice.data, wanted.choice.data);
}

}  // namespace

SeatAnswer ReadSeat(std::string_view what, Table& table, const ExternalAgent& agent) {
  const auto* endpoint = std::ranges::find(kReads, what, &ReadEndpoint::what);
  OPENSEAT_CHECK(endpoint != kReads.end(), "something that can be read of a seat");
  const SeatView look = LookAt(table, agent);
  if (IsNetrunner(look)) return {200, endpoint->netrunner(look)};
  return endpoint->plain == nullptr ? OtherGame(what, look) : SeatAnswer{200, endpoint->plain(look)};
}

void ActAtSeat(std::string_view what, Table& table, ExternalAgent& agent, std::string_view body,
               const Answered& answered) {
  const auto* endpoint = std::ranges::find(kActs, what, &ActEndpoint::what);
  OPENSEAT_CHECK(endpoint != kActs.end(), "something that can be done at a seat");
  const SeatView look = LookAt(table, agent);
  if (!endpoint->any_game && !IsNetrunner(look)) return answered(OtherGame(what, look));
  Result<Wanted> wanted = endpoint->read(look, body);
  if (!wanted) return answered(Refused(400, wanted.error().message));
  const auto fail = [answered, command = wanted->command](const std::string& why, int status = 500) {
    answered({status, {{"message", "Action failed: " + why}, {"command", command}}});
  };
  const auto succeed = [answered, named = what == "action", command = wanted->command, side = Side(look)] {
    SeatAnswer answer{200, {{"success", true}}};
    if (named) answer.body["command"] = command;
    answer.body["side"] = side;
    answered(answer);
  };
  if (wanted->eid && (!look.decision || *wanted->eid != look.decision->id)) {
    return CameTwice(agent, *wanted) ? succeed() : answered(Refused(400, EidIsOver(look).message));
  }
  if (IsNetrunner(look) && wanted->command == "concede" && !look.decision) {
    const auto conceded = [fail, succeed](const Result<void>& ended) {
      if (!ended) return fail(ended.error().message);
      succeed();
    };
    return table.Resign(look.seat(), "Concede", {.sitting = agent.seat()->sitting()}, conceded);
  }
  // A choice that names its decision may be the one that is being carried out.
  if (const PendingChoice* pending = agent.seat()->awaiting(); pending != nullptr && !wanted->eid) {
    return fail("\"" + pending->choice.action + "\" is still being carried out");
  }
  // The seat may go away before there is a verdict.
  agent.Act(std::move(wanted->choice), [fail, succeed, over = agent.ended()](const Result<Verdict>& verdict) {
    if (!verdict) return fail(verdict.error().message, verdict.error().code == ErrorCode::kClosed && !over ? 503 : 500);
    if (!verdict->accepted()) return fail(verdict->message);
    succeed();
  });
}

}  // namespace openseat::agent_api
