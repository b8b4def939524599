#include "core/game.h"

#include <algorithm>
#include <utility>

#include "core/plain_words.h"

namespace openseat {
namespace {

// A value for people: texts without quotes, a list's items in a row.
std::string Plain(const json::Value& value) {
  if (value.is_string()) return std::string(json::View(value.get_string()));
  if (!value.is_array()) return json::Write(value);
  std::string text;
  for (const json::Value& item : value.get_array()) text += (text.empty() ? "" : ", ") + Plain(item);
  return text;
}

}  // namespace

std::string InPlainWords(const PlayedChoice& choice) {
  std::string label = choice.action;
  std::ranges::replace(label, '-', ' ');
  std::ranges::replace(label, '_', ' ');
  const json::Object* data = choice.data.if_object();
  if (data == nullptr) return label;
  std::string separator = ": ";
  for (const auto& member : *data) {
    label += std::exchange(separator, "; ") + (data->size() > 1 ? std::string(json::View(member.key())) + " " : "") +
             Plain(member.value());
  }
  return label;
}

std::string GameState::MoveLabel(SeatIndex seat, Move move) const {
  return InPlainWords(ToChoice(seat, move));
}

std::vector<std::string> GameState::News(const GameState& before, Viewer viewer) const {
  std::vector<std::string> lines = Log(viewer);
  const std::size_t known = std::min(lines.size(), before.Log(viewer).size());
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(known));
  return lines;
}

ActionPtr Game::only_action() const {
  const auto& only = only_action_.Get([this] {
    std::unique_ptr<const Action> action;
    for (const ActionSpec& spec : info().actions) {
      if (!spec.offered || spec.any_time) continue;
      if (action) return std::unique_ptr<const Action>();
      std::optional<json::Value> schema;
      if (!spec.schema.is_null()) schema = spec.schema;
      action = std::make_unique<const Action>(spec.name, spec.description, std::move(schema));
    }
    return action;
  });
  // Without an owner: it costs nothing to copy, on any thread.
  return {ActionPtr(), only.get()};
}

namespace {

std::vector<Move> MovesOf(const GameState& state, SeatIndex seat) {
  std::vector<Move> moves(state.Moves(seat, {}));
  state.Moves(seat, moves);
  return moves;
}

std::vector<LegalChoice> Described(const GameState& state, SeatIndex seat, const std::vector<Move>& moves) {
  std::vector<LegalChoice> choices;
  choices.reserve(moves.size());
  for (const Move move : moves) choices.push_back({move, state.ToChoice(seat, move), state.MoveLabel(seat, move)});
  return choices;
}

}  // namespace

std::vector<LegalChoice> ChoicesOf(const GameState& state, SeatIndex seat) {
  return Described(state, seat, MovesOf(state, seat));
}

std::vector<LegalChoice> OfferedTo(const GameState& state, SeatIndex seat) {
  std::vector<Move> moves = MovesOf(state, seat);
  std::erase_if(moves, [&](Move move) { return !state.IsOffered(seat, move); });
  return Described(state, seat, moves);
}

Error NoSample(const GameInfo& game) {
  return {
      ErrorCode::kUnsupported,
      "nobody can play " + game.title +
          " ahead now: its script's redeal gives no state that the seat cannot tell from the real one; the server's "
          "log says why",
      {}};
}

std::string NewsText(const GameState& before, const GameState& after, SeatIndex seat) {
  std::string text;
  for (const std::string& line : after.News(before, Viewer::Seat(seat))) text += (text.empty() ? "" : " ") + line;
  return text;
}

}  // namespace openseat
