#include "protocols/agent_api/look.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace openseat::agent_api {
namespace {

bool IsNetrunner(const Game* game) {
  return game != nullptr && game->info().id == "netrunner";
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// "" where the game has none.
std::string RoleOf(const SeatView& look, SeatIndex seat) {
  return look.game != nullptr && seat < look.game->info().roles.size() ? look.game->info().roles[seat] : "";
}

std::string TitleOf(const SeatView& look, SeatIndex seat) {
  const std::string role = RoleOf(look, seat);
  return role.empty() ? look.names[seat] : role;
}

std::string SideOf(const SeatView& look, SeatIndex seat) {
  const std::string role = RoleOf(look, seat);
  return role.empty() ? look.names[seat] : Lower(role);
}

// What `name` calls the winner; several by their names.
json::Value OfWinner(const SeatView& look, std::string (*name)(const SeatView& look, SeatIndex seat)) {
  const std::optional<std::string> winner = look.winner();
  if (!winner) return nullptr;
  const SeatSet& seats = look.outcome->winners;
  return json::Value(seats.size() == 1 ? name(look, seats.First()) : *winner);
}

}  // namespace

SeatView LookAt(const Table& table, const ExternalAgent& agent, std::uint64_t told_after) {
  if (IsNetrunner(table.game())) told_after = std::numeric_limits<std::uint64_t>::max();
  return openseat::LookAt(table, Viewer::Seat(agent.seat()->index()), told_after);
}

bool IsNetrunner(const SeatView& look) {
  return IsNetrunner(look.game);
}

std::string_view GameOf(const SeatView& look) {
  return look.game != nullptr ? look.game->info().id : look.title;
}

bool IsOver(const SeatView& look) {
  return look.game != nullptr ? look.outcome.has_value() : look.ended;
}

std::string_view ReasonOf(const SeatView& look) {
  if (look.outcome) return look.outcome->reason;
  return IsOver(look) ? "the game has gone" : "";
}

std::string SideTitle(const SeatView& look) {
  return TitleOf(look, look.seat());
}

std::string Side(const SeatView& look) {
  return SideOf(look, look.seat());
}

json::Value WinningTitle(const SeatView& look) {
  return OfWinner(look, TitleOf);
}

json::Value WinningSide(const SeatView& look) {
  return OfWinner(look, SideOf);
}

json::Object Scores(const SeatView& look) {
  json::Object out;
  if (!look.outcome) return out;
  for (SeatIndex seat = 0; seat < look.outcome->scores.size(); ++seat) {
    out[SideOf(look, seat)] = look.outcome->scores[seat];
  }
  return out;
}

}  // namespace openseat::agent_api
