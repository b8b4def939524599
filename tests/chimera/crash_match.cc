#include "chimera/crash_match.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace openseat::tests {
namespace {

std::string TextOf(std::string_view action, const json::Value& data) {
  return std::string(action) + " " + json::Write(data);
}

// The choices that a record says were played, in order.
struct Recorded {
  SeatIndex seat;
  std::string action;
  json::Value data;
};

std::vector<Recorded> PlayedIn(const json::Value& transcript) {
  std::vector<Recorded> played;
  for (const json::Value& event : transcript.at("events").as_array()) {
    if (event.at("kind") != json::Value("played")) continue;
    const json::Object& payload = event.at("payload").as_object();
    const json::Value* data = json::Find(payload, "data");
    played.push_back({static_cast<SeatIndex>(payload.at("seat").as_int64()),
                      std::string(json::View(payload.at("action").as_string())),
                      data == nullptr ? json::Value() : *data});
  }
  return played;
}

std::string Listed(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& each : list) out += (out.empty() ? "" : ", ") + each;
  return "[" + out + "]";
}

}  // namespace

CrashMatch::CrashMatch(const Game& game, std::string name, std::optional<SeatIndex> hosted) : game_(game) {
  seats[0].name = name;
  seats[1].name = name + " 2";
  if (!hosted) return;
  seats[*hosted].hosted = true;
  seats[*hosted].name = "Bot";
  seats[1 - *hosted].name = std::move(name);
}

bool CrashMatch::clients_seated() const {
  return std::ranges::all_of(seats, [](const CrashSeat& seat) { return seat.hosted || seat.seated; });
}

std::unique_ptr<GameState> CrashMatch::NewGame() const {
  auto state = game_.NewGame(nullptr, 1, {seats[0].name, seats[1].name});
  OPENSEAT_CHECK(state.has_value(), "the games are for two");
  return *std::move(state);
}

void CrashMatch::Begin() {
  model_ = NewGame();
}

PlayedChoice CrashMatch::Draw(SeatIndex seat, Rng& rng) const {
  std::vector<Move> moves(game_.info().max_moves);
  moves.resize(model_->Moves(seat, moves));
  return model_->ToChoice(seat, moves[rng.Below(moves.size())]);
}

void CrashMatch::Acknowledge(SeatIndex seat) {
  const PlayedChoice choice = *std::exchange(seats[seat].in_flight, std::nullopt);
  seats[seat].known.push_back(TextOf(choice.action, choice.data));
  OPENSEAT_CHECK(model_->Validate(seat, choice.action, choice.data), "it was drawn from the legal choices");
  model_->Apply(seat, choice.action, choice.data);
}

std::string CrashMatch::Follow(SeatIndex seat) {
  const SeatIndex agent = 1 - seat;
  const json::Value& seen = seats[seat].told->at("data").at("game-state");
  if (!seats[agent].hosted || model_->Observe(Viewer::Seat(seat)) == seen) return {};
  std::vector<Move> moves(game_.info().max_moves);
  moves.resize(model_->Moves(agent, moves));
  for (const Move move : moves) {
    const std::unique_ptr<GameState> next = model_->Clone();
    const PlayedChoice choice = next->ToChoice(agent, move);
    next->ApplyMove(agent, move);
    if (next->Observe(Viewer::Seat(seat)) != seen) continue;
    seats[agent].known.push_back(TextOf(choice.action, choice.data));
    model_->ApplyMove(agent, move);
    return {};
  }
  return "no move of the agent leads from " + json::Write(model_->Observe(Viewer::Seat(seat))) + " to " +
         json::Write(seen);
}

std::string CrashMatch::CheckAgainst(const json::Value& transcript) {
  const std::vector<Recorded> played = PlayedIn(transcript);
  // Each player's actions: all that it knows of, in order, once; plus at most the one that was in flight.
  found = 0;
  forgotten = 0;
  for (SeatIndex index = 0; index < 2; ++index) {
    CrashSeat& seat = seats[index];
    std::vector<std::string> recorded;
    for (const Recorded& each : played) {
      if (each.seat == index) recorded.push_back(TextOf(each.action, each.data));
    }
    const std::vector<std::string> known = seat.known;
    const std::string difference = seat.name + " knows of " + Listed(known) + ", recorded are " + Listed(recorded);
    if (recorded.size() < known.size()) return "an acknowledged action was lost: " + difference;
    if (!std::equal(known.begin(), known.end(), recorded.begin()))
      return "a different action is recorded: " + difference;
    if (seat.hosted) {
      seat.known = std::move(recorded);
      continue;
    }
    if (recorded.size() == known.size()) {
      forgotten += seat.in_flight ? 1 : 0;
    } else {
      if (recorded.size() > known.size() + 1 || !seat.in_flight ||
          recorded.back() != TextOf(seat.in_flight->action, seat.in_flight->data)) {
        return "an action was applied twice, or never requested: " + difference;
      }
      ++found;
      seat.known = std::move(recorded);
    }
    seat.in_flight.reset();
  }
  // The record is a game by the rules, and the clients were told its current state.
  const std::unique_ptr<GameState> fold = NewGame();
  std::array<std::vector<json::Value>, 2> seen;
  for (SeatIndex index = 0; index < 2; ++index) seen[index].push_back(fold->Observe(Viewer::Seat(index)));
  for (const Recorded& each : played) {
    if (!fold->Validate(each.seat, each.action, each.data)) {
      return "the record breaks the rules: " + TextOf(each.action, each.data);
    }
    fold->Apply(each.seat, each.action, each.data);
    for (SeatIndex index = 0; index < 2; ++index) seen[index].push_back(fold->Observe(Viewer::Seat(index)));
  }
  for (SeatIndex index = 0; index < 2; ++index) {
    if (seats[index].hosted) continue;
    const json::Value& told = seats[index].told->at("data").at("game-state");
    // An agent may have moved since the client was told.
    const bool may_lag = seats[1 - index].hosted && seen[index].size() > 1;
    if (told != seen[index].back() && !(may_lag && told == seen[index][seen[index].size() - 2])) {
      return seats[index].name + " was told " + json::Write(told) + " after the restart; by the record it is " +
             json::Write(seen[index].back());
    }
  }
  model_->Assign(*fold);
  return {};
}

std::string CrashMatch::CheckEnd() const {
  const SeatSet winners = model_->GetOutcome()->winners;
  json::Value winner;
  if (!winners.empty()) winner = seats[winners.First()].name;
  for (SeatIndex index = 0; index < 2; ++index) {
    if (seats[index].hosted) continue;
    const json::Value& data = seats[index].told->at("data");
    if (data.at("match-winner") != winner || data.at("game-state") != model_->Observe(Viewer::Seat(index))) {
      return seats[index].name + " was told a different end: " + json::Write(data) + "; the winner is " +
             json::Write(winner);
    }
  }
  return {};
}

std::string CrashMatch::CheckRecord(const json::Value& transcript) const {
  std::array<std::vector<std::string>, 2> recorded;
  for (const Recorded& each : PlayedIn(transcript)) recorded[each.seat].push_back(TextOf(each.action, each.data));
  for (SeatIndex index = 0; index < 2; ++index) {
    if (recorded[index] != seats[index].known) {
      return seats[index].name + " knows of " + Listed(seats[index].known) + ", recorded are " +
             Listed(recorded[index]);
    }
  }
  return {};
}

}  // namespace openseat::tests
