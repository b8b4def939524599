// Hosted games on arbitrary choices: Validate and Restore handle any input, every choice that Validate accepts can be
// applied, a refusal leaves the state unchanged, and every state can be saved and restored.
//
// The input is lines: "<game> <options>", then "<seat> <action> <data>" or "restore <saved>", options, data and saved
// state as JSON. Lines that are not JSON where they should be are skipped.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "core/game.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/narrative/narrative.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"

namespace {

using openseat::Game;
using openseat::GameState;
using openseat::Rng;
using openseat::SeatIndex;
using openseat::Viewer;
namespace json = openseat::json;

void Check(bool condition) {
  if (!condition) std::abort();
}

const std::vector<std::unique_ptr<Game>>& Games() {
  static const auto games = [] {
    std::vector<std::unique_ptr<Game>> all;
    all.push_back(openseat::games::MakeTicTacToe());
    all.push_back(openseat::games::MakeConnectM());
    all.push_back(openseat::games::MakeRockPaperScissors());
    all.push_back(openseat::games::MakeChicken());
    all.push_back(openseat::games::MakeNarrative());
    all.push_back(openseat::games::MakePlayerOneWins());
    return all;
  }();
  return games;
}

// The text up to the first `separator`; removes both from `text`.
std::string_view Cut(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return head;
}

void CheckState(const Game& game, const GameState& state) {
  Check(state.GetOutcome().has_value() == state.Awaited().empty());
  static_cast<void>(state.Observe(Viewer::Spectator()));
  for (SeatIndex seat = 0; seat < state.names().size(); ++seat) {
    static_cast<void>(state.Observe(Viewer::Seat(seat)));
    static_cast<void>(state.Describe(seat));
    Check((state.Moves(seat, {}) > 0) == state.Awaited().Contains(seat));
    static_cast<void>(state.Actions(seat));
    Rng rng(1);
    const std::unique_ptr<GameState> sample = state.Sample(seat, rng);
    Check(json::Write(sample->Observe(Viewer::Seat(seat))) == json::Write(state.Observe(Viewer::Seat(seat))));
  }
  const auto saved = json::Parse(json::Write(state.Serialize()));
  Check(saved.has_value());
  const auto restored = game.Restore(*saved);
  Check(restored.has_value() && (*restored)->Equals(state));
}

void Choose(GameState& state, std::string_view line) {
  const std::string_view seat_text = Cut(line, ' ');
  SeatIndex seat = 0;
  std::from_chars(seat_text.data(), seat_text.data() + seat_text.size(), seat);
  const std::string_view action = Cut(line, ' ');
  const auto data = json::Parse(line);
  if (!data) return;
  const std::unique_ptr<GameState> before = state.Clone();
  const auto valid = state.Validate(seat, action, *data);
  Check(state.Equals(*before));
  Check(valid || !valid.error().message.empty());
  if (valid) state.Apply(seat, action, *data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  std::string_view first = Cut(input, '\n');
  const std::string_view id = Cut(first, ' ');
  const auto options = json::Parse(first);
  if (!options) return 0;
  for (const std::unique_ptr<Game>& game : Games()) {
    if (game->info().id != id) continue;
    auto made = game->NewGame(*options, 1, {"Alex", "Sam"});
    if (!made) return 0;
    std::unique_ptr<GameState> state = *std::move(made);
    CheckState(*game, *state);
    while (!input.empty()) {
      std::string_view line = Cut(input, '\n');
      constexpr std::string_view kRestore = "restore ";
      if (line.substr(0, kRestore.size()) != kRestore) {
        Choose(*state, line);
      } else if (const auto saved = json::Parse(line.substr(kRestore.size()))) {
        if (auto restored = game->Restore(*saved)) state = *std::move(restored);
      }
      CheckState(*game, *state);
    }
  }
  return 0;
}
