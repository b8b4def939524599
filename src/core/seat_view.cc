#include "core/seat_view.h"

namespace openseat {

SeatView LookAt(const Table& table, Viewer viewer, std::uint64_t told_after) {
  SeatView view;
  view.table = table.id();
  view.invite = table.invite();
  view.opened = table.opened();
  view.status = table.status_name();
  view.game = table.game();
  view.names.reserve(table.seats());
  for (SeatIndex index = 0; index < table.seats(); ++index) view.names.push_back(table.seat(index).name());
  if (!table.started()) view.open_seats = table.seats_needed() - table.seats();
  if (const Outcome* outcome = table.outcome()) view.outcome = *outcome;
  view.viewer = viewer;
  view.sight = table.SightOf(viewer);
  if (!viewer.seat() || *viewer.seat() >= table.seats()) return view;
  const Seat& seat = table.seat(*viewer.seat());
  view.title = seat.briefing().game;
  if (const Decision* decision = seat.decision()) {
    view.decision = *decision;
  } else {
    view.free_actions = seat.actions();
  }
  view.awaiting = seat.awaiting() != nullptr;
  if (const Agent* agent = seat.agent()) agent->AddTold(view, told_after);
  return view;
}

std::optional<std::string> SeatView::winner() const {
  return outcome ? WinnerName(*outcome, names) : std::nullopt;
}

std::optional<std::string> WinnerName(const Outcome& outcome, const std::vector<std::string>& names) {
  if (outcome.winners.empty()) return std::nullopt;
  std::string joined;
  for (const SeatIndex seat : outcome.winners) joined += (joined.empty() ? "" : ", ") + names[seat];
  return joined;
}

void AddOutcome(const SeatView& view, json::Object& shown) {
  if (!view.outcome) return;
  const std::optional<std::string> winner = view.winner();
  shown["winner"] = winner ? json::Value(*winner) : json::Value(nullptr);
  shown["reason"] = view.outcome->reason;
}

}  // namespace openseat
