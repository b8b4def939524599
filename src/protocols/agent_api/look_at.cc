#include "protocols/agent_api/look_at.h"

#include "agents/external/seat_token.h"
#include "match/match.h"

namespace openseat::agent_api {
namespace {

void AddMatch(const Match& match, SeatLook& look) {
  look.hosted = true;
  look.game = match.game().info().id;
  look.roles = match.game().info().roles;
  look.roles.resize(match.players().size());
  look.observation = match.Look(Viewer::Seat(look.seat));
  if (match.status() != MatchStatus::kDone) return;
  look.over = true;
  look.winner = match.WinnerName();
  look.reason = match.outcome().reason;
}

}  // namespace

SeatLook LookAt(Table& table, const ExternalAgent& agent, std::uint64_t told_after) {
  const Seat& seat = *agent.seat();
  SeatLook look;
  look.gameid = GameIdOf(table.id());
  look.seat = seat.index();
  for (std::size_t i = 0; i < table.seats(); ++i) look.names.push_back(table.seat(static_cast<SeatIndex>(i)).name());
  if (const auto* match = dynamic_cast<const Match*>(&table)) {
    AddMatch(*match, look);
  } else {
    look.game = seat.briefing().game;
    look.over = agent.ended();
    if (look.over) look.reason = "the game has gone";
  }
  // Netrunner's observation has a log and all that the description says; both are long.
  const bool plain = !look.IsNetrunner();
  if (const Decision* decision = seat.decision()) {
    look.asked =
        Asked{decision->id, decision->query, plain ? decision->sight->text() : std::string(), decision->refusal};
  }
  look.actions = seat.choosable();
  for (const ExternalAgent::Told& told : agent.told()) {
    if (plain && told.version > told_after) {
      look.told.push_back({told.version, told.context.message, told.context.silent});
    }
  }
  look.version = agent.version();
  return look;
}

void AddWholeLog(const Table& table, SeatLook& look) {
  const auto* match = dynamic_cast<const Match*>(&table);
  if (match == nullptr || !match->started() || !look.observation || !look.observation->is_object()) return;
  json::Array lines;
  for (const std::string& line : match->Log(Viewer::Seat(look.seat))) lines.emplace_back(line);
  look.observation->get_object()["log"] = std::move(lines);
}

bool HasBegun(const Table& table) {
  const auto* match = dynamic_cast<const Match*>(&table);
  return match == nullptr || match->started();
}

}  // namespace openseat::agent_api
