// Match: what is seen of it, and what the console may do.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "core/seat_view.h"
#include "match/match.h"

namespace openseat {

std::shared_ptr<const Sight> Match::SightOf(Viewer viewer) const {
  if (!state_) return Sight::None();
  // The pending decision may show this state already: then nothing is made twice.
  const Decision* asked = viewer.seat() ? places_[*viewer.seat()].seat->decision() : nullptr;
  if (asked != nullptr && asked->sight->Shows(*state_)) return asked->sight;
  const auto shows = [this](const std::shared_ptr<const Sight>& sight) {
    return sight != nullptr && sight->Shows(*state_);
  };
  std::shared_ptr<const Sight> spectators = shows(seen_) ? seen_ : shows(shown_) ? shown_ : nullptr;
  if (viewer.seat() && game_->info().hides) {
    std::shared_ptr<const Sight>& own = places_[*viewer.seat()].shown;
    if (!shows(own)) own = std::make_shared<const Sight>(*game_, state_, viewer);
    return own;
  }
  if (viewer.seat()) return std::make_shared<const Sight>(*game_, state_, viewer, spectators);
  if (spectators == nullptr) spectators = shown_ = std::make_shared<const Sight>(*game_, state_, viewer);
  return spectators;
}

json::Object Match::Info() const {
  json::Object info = InfoWithoutState();
  if (started()) info["state"] = SightOf(Viewer::Spectator())->Observe();
  return info;
}

json::Object Match::InfoWithoutState() const {
  const SeatView view = LookAt(*this, Viewer::Spectator());
  json::Object info{{"id", view.table.str()},
                    {"game", view.game->info().id},
                    {"kind", "hosted"},
                    {"status", view.status},
                    {"opened", FormatIso8601(view.opened)}};
  if (!view.invite.empty()) info["invite"] = view.invite;
  if (!spec_.options.is_null()) info["options"] = game_->PublicOptions(spec_.options, Viewer::Spectator());
  json::Array seats;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Seat& seat = *places_[i].seat;
    json::Object entry{{"index", i}, {"name", players_[i]}, {"present", places_[i].present}};
    entry["agent"] = seat.agent()->kind();
    if (const auto left = clocks_.Left(seat.index(), scheduler_.clock().Monotonic()); left && started()) {
      entry["time"] = SecondsJson(*left);
      entry["running"] = clocks_.running(seat.index());
    }
    if (i < game_->info().roles.size()) entry["role"] = game_->info().roles[i];
    // What it may choose, and what it is told about the table, are the seat's own.
    if (const Decision* decision = seat.decision()) {
      json::Object pending{
          {"id", decision->id.value()}, {"priority", PriorityName(decision->priority)}, {"attempt", decision->attempt}};
      AddTimes(*decision, pending);
      entry["decision"] = std::move(pending);
    }
    seats.push_back(std::move(entry));
  }
  info["seats"] = std::move(seats);
  AddOutcome(view, info);
  info["watchers"] = watchers_.size();
  info["spectators"] = std::ranges::count_if(watchers_, &Watcher::audience);
  if (json::Object terms = ToJson(spec_.terms); !terms.empty()) info["terms"] = std::move(terms);
  info["events"] = transcript_.last_seq();
  return info;
}

Result<json::Value> Match::Control(std::string_view command, const json::Object& arguments) {
  if (command != "forfeit") {
    return Fail(ErrorCode::kUnsupported, "a hosted match knows forfeit; got " + Quote(command));
  }
  const json::Value* seat = json::Find(arguments, "seat");
  if (seat == nullptr || !seat->is_int64() || seat->get_int64() < 0 ||
      static_cast<std::size_t>(seat->get_int64()) >= places_.size()) {
    return Fail(ErrorCode::kInvalid, "seat must be the number of a seat", "seat");
  }
  if (status_ == MatchStatus::kDone) return Fail(ErrorCode::kClosed, "the match is over");
  Resign(static_cast<SeatIndex>(seat->get_int64()), "ended from the console", {}, [](const Result<void>&) {});
  return json::Value(json::Object());
}

}  // namespace openseat
