#include "testing/playthrough.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/rng.h"
#include "testing/player_names.h"

namespace openseat::testing {
namespace {

constexpr std::size_t kMaxLegalMoves = 1024;

class Writer {
 public:
  Writer(const Game& game, const PlaythroughOptions& options) : game_(game), options_(options), rng_(options.seed) {}

  std::string Write() {
    Line("game     ", game_.info().id);
    Line("options  ", json::Write(options_.options));
    Line("seed     ", std::to_string(options_.seed));
    std::vector<std::string> players = PlayersOf(game_);
    if (options_.seats > 0) players.resize(options_.seats);
    const auto state = game_.NewGame(options_.options, options_.seed, std::move(players));
    if (!state) {
      Line("refused  ", state.error().message);
      return std::move(text_);
    }
    Look(**state);
    for (int choice = 1; choice <= options_.max_choices && !(*state)->Awaited().empty(); ++choice)
      Play(**state, choice);
    End(**state);
    return std::move(text_);
  }

 private:
  void Line(std::string_view label, std::string_view rest) {
    text_ += label;
    text_ += rest;
    text_ += '\n';
  }

  void Play(GameState& state, int number) {
    const std::string heading = "\n=== choice " + std::to_string(number) + " ===";
    Line(heading, "");
    const SeatSet awaited = state.Awaited();
    auto turn = awaited.begin();
    for (std::uint64_t skip = rng_.Below(awaited.size()); skip > 0; --skip) ++turn;
    const SeatIndex seat = *turn;
    std::array<Move, kMaxLegalMoves> moves{};
    const std::size_t count = state.Moves(seat, moves);
    const PlayedChoice choice = state.ToChoice(seat, moves[rng_.Below(std::min(count, kMaxLegalMoves))]);
    Line("chooses  ", Label(state, seat) + ": " + choice.action + " " + json::Write(choice.data));
    const std::unique_ptr<GameState> before = state.Clone();
    Line("result   ", json::Write(state.Apply(seat, choice.action, choice.data)));
    for (SeatIndex told = 0; told < state.names().size(); ++told) {
      const std::string news = NewsText(*before, state, told);
      if (!news.empty()) Line("seat " + std::to_string(told) + " is told  ", news);
    }
    Look(state);
  }

  void Look(const GameState& state) {
    std::string awaited;
    for (const SeatIndex seat : state.Awaited()) awaited += (awaited.empty() ? "" : ", ") + Label(state, seat);
    Line("awaited  ", awaited.empty() ? "nobody" : awaited);
    Line("saved    ", json::Write(state.Serialize()));
    const std::string spectator = json::Write(state.Observe(Viewer::Spectator()));
    Line("spectator sees  ", spectator);
    for (SeatIndex seat = 0; seat < state.names().size(); ++seat) {
      const std::string seen = json::Write(state.Observe(Viewer::Seat(seat)));
      Line("seat " + std::to_string(seat) + " sees     ", seen == spectator ? "the same" : seen);
      for (const ActionSpec& action : state.Actions(seat)) {
        Line("  may    ", action.name + " " + json::Write(action.schema));
      }
      Offered(state, seat);
      if (options_.compact) {
        Line("  | ", json::Write(json::Value(state.Describe(seat))));
      } else {
        Quote(state.Describe(seat));
      }
    }
  }

  void Offered(const GameState& state, SeatIndex seat) {
    std::string all;
    for (const LegalChoice& choice : OfferedTo(state, seat)) {
      if (!options_.compact) Line("  offered  ", choice.label);
      all += (all.empty() ? "" : " | ") + choice.label;
    }
    if (options_.compact && !all.empty()) Line("  offered  ", all);
  }

  void End(const GameState& state) {
    const std::optional<Outcome> outcome = state.GetOutcome();
    if (!outcome) {
      Line("\n=== left there ===", "");
      return;
    }
    Line("\n=== over ===", "");
    std::string winners;
    for (const SeatIndex seat : outcome->winners) winners += (winners.empty() ? "" : ", ") + Label(state, seat);
    Line("winner   ", winners.empty() ? "nobody" : winners);
    json::Array scores;
    for (const double score : outcome->scores) scores.emplace_back(score);
    Line("scores   ", json::Write(scores));
    Line("reason   ", outcome->reason);
  }

  void Quote(const std::string& markdown) {
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);) {
      line.insert(0, "  | ");
      while (line.back() == ' ') line.pop_back();
      Line(line, "");
    }
  }

  static std::string Label(const GameState& state, SeatIndex seat) {
    return std::to_string(seat) + " (" + state.names()[seat] + ")";
  }

  const Game& game_;
  const PlaythroughOptions& options_;
  Rng rng_;
  std::string text_;
};

}  // namespace

std::string Playthrough(const Game& game, const PlaythroughOptions& options) {
  return Writer(game, options).Write();
}

std::string CheckPlaythrough(const Game& game, const PlaythroughOptions& options, const std::string& path) {
  const std::string now = Playthrough(game, options);
  if (std::getenv("OPENSEAT_REGENERATE_PLAYTHROUGHS") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    file << now;
    return file.flush()
               ? ""
               : path + " could not be written: run the test in the root of the repository, and create the folder";
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream kept;
  kept << file.rdbuf();
  if (!file) return path + " could not be read; OPENSEAT_REGENERATE_PLAYTHROUGHS=1 writes it";
  if (kept.str() == now) return "";
  std::istringstream was(kept.str());
  std::istringstream is(now);
  std::string old_line;
  std::string new_line;
  int number = 0;
  do {
    ++number;
    if (!std::getline(was, old_line)) old_line = "(the end)";
    if (!std::getline(is, new_line)) new_line = "(the end)";
  } while (old_line == new_line);
  return path + ":" + std::to_string(number) + ": was \"" + old_line + "\", is \"" + new_line +
         "\"; OPENSEAT_REGENERATE_PLAYTHROUGHS=1 takes the new one";
}

}  // namespace openseat::testing
