#include "testing/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/rng.h"
#include "testing/player_names.h"

namespace openseat::testing {
namespace {

constexpr std::string_view kVersion = "version ";
constexpr std::string_view kGame = "game ";
constexpr std::string_view kRegenerate = "OPENSEAT_REGENERATE_PLAYTHROUGHS";

// Twelve digits distinguish states, and keep the lines of a file short.
std::string Short(std::string_view text) {
  return Sha256Hex(text).substr(0, 12);
}

void AddFacts(const json::Value& value, const std::vector<std::string>& facts, std::string& text) {
  if (value.is_array()) {
    for (const json::Value& item : value.get_array()) AddFacts(item, facts, text);
  }
  if (!value.is_object()) return;
  for (const auto& member : value.get_object()) {
    const std::string_view name = json::View(member.key());
    if (member.value().is_number() && std::ranges::find(facts, name) != facts.end()) {
      text += std::string(name) + json::Write(member.value()) + " ";
    } else {
      AddFacts(member.value(), facts, text);
    }
  }
}

// Everything that a journal depends on.
std::string DigestOf(const GameState& state, const json::Value& result, const std::vector<std::string>& facts) {
  std::string text = json::Write(state.Serialize()) + "\n" + json::Write(result) + "\n";
  for (const SeatIndex seat : state.Awaited()) {
    std::vector<std::string> legal;
    for (const LegalChoice& choice : ChoicesOf(state, seat)) {
      legal.push_back(choice.choice.action + " " + json::Write(choice.choice.data));
    }
    std::ranges::sort(legal);
    text += std::to_string(seat) + ":";
    for (const std::string& choice : legal) text += choice + "\n";
  }
  for (SeatIndex seat = 0; seat < state.names().size() && !facts.empty(); ++seat) {
    AddFacts(state.Observe(Viewer::Seat(seat)), facts, text);
  }
  if (const std::optional<Outcome> outcome = state.GetOutcome()) {
    for (const SeatIndex seat : outcome->winners) text += "w" + std::to_string(seat);
    for (const double score : outcome->scores) text += " " + json::Write(json::Value(score));
  }
  return Short(text);
}

json::Value Begin(const GoldenGame& play) {
  return json::Object{{"options", play.options}, {"seed", play.seed}};
}

class Golden {
 public:
  Golden(const Game& game, const GoldenOptions& options, const std::string& path)
      : game_(game), options_(options), path_(path) {}

  std::string Check() {
    const bool write = std::getenv(std::string(kRegenerate).c_str()) != nullptr;
    std::ifstream file(path_, std::ios::binary);
    if (!file) return write ? Write() : path_ + " could not be read; " + std::string(kRegenerate) + "=1 writes it";
    std::string line;
    std::getline(file, line);
    const int kept = line.starts_with(kVersion) ? std::atoi(line.c_str() + kVersion.size()) : 0;
    const int now = game_.info().rules_version;
    if (kept < 1 || kept > now) {
      return path_ + " is of version " + std::to_string(kept) + " of the rules, and the game of version " +
             std::to_string(now);
    }
    if (kept < now) {
      return write ? Write()
                   : path_ + " is of version " + std::to_string(kept) + " of the rules; " + std::string(kRegenerate) +
                         "=1 writes that of version " + std::to_string(now);
    }
    std::string wrong = PlayAgain(file);
    return wrong.empty() && write ? Write() : wrong;
  }

 private:
  std::string PlayAgain(std::istream& file) {
    std::unique_ptr<GameState> state;
    int number = 1;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::size_t end = line.rfind(' ');
      if (end == std::string::npos) return Differs(number, "not a line of such a file");
      const std::string digest = line.substr(end + 1);
      line.resize(end);
      json::Value result;
      if (line.starts_with(kGame)) {
        const Result<json::Value> begin = json::Parse(line.substr(kGame.size()));
        if (!begin) return Differs(number, begin.error().message);
        auto begun =
            game_.NewGame(begin->at("options"), begin->at("seed").to_number<std::uint64_t>(), PlayersOf(game_));
        if (!begun) return Differs(number, "the game is refused: " + begun.error().message);
        state = std::move(*begun);
      } else {
        const std::size_t action = line.find(' ') + 1;
        const std::size_t data = line.find(' ', action);
        const Result<json::Value> given =
            state && action != 0 && data != std::string::npos
                ? json::Parse(line.substr(data + 1))
                : Result<json::Value>(Fail(ErrorCode::kParse, "not a line of such a file"));
        if (!given) return Differs(number, given.error().message);
        const auto seat = static_cast<SeatIndex>(std::atoi(line.c_str()));
        const std::string name = line.substr(action, data - action);
        if (const Result<void> valid = state->Validate(seat, name, *given); !valid) {
          return Differs(number, "the choice is refused: " + valid.error().message);
        }
        result = state->Apply(seat, name, *given);
      }
      if (DigestOf(*state, result, options_.facts) != digest) return Differs(number, "it leads to something else");
    }
    return "";
  }

  std::string Differs(int line, const std::string& what) const {
    return path_ + ":" + std::to_string(line) + ": " + what + ", unlike version " +
           std::to_string(game_.info().rules_version) +
           " of the rules. Matches in progress would continue differently: raise GameInfo::rules_version, and keep the "
           "old "
           "rules (Game::OfVersion) or let those matches be closed; then " +
           std::string(kRegenerate) + "=1 rewrites the file";
  }

  std::string Write() {
    std::string text = std::string(kVersion) + std::to_string(game_.info().rules_version) + "\n";
    for (const GoldenGame& play : options_.games) {
      auto begun = game_.NewGame(play.options, play.seed, PlayersOf(game_));
      if (!begun) return "there is no game with these options: " + begun.error().message;
      GameState& state = **begun;
      Rng rng(play.seed);
      text += std::string(kGame) + json::Write(Begin(play)) + " " + DigestOf(state, nullptr, options_.facts) + "\n";
      for (int left = play.max_choices; left > 0 && !state.Awaited().empty(); --left) {
        const SeatSet awaited = state.Awaited();
        auto turn = awaited.begin();
        for (std::uint64_t skip = rng.Below(awaited.size()); skip > 0; --skip) ++turn;
        const SeatIndex seat = *turn;
        const std::vector<LegalChoice> choices = ChoicesOf(state, seat);
        const PlayedChoice& choice = choices[rng.Below(choices.size())].choice;
        text += std::to_string(seat) + " " + choice.action + " " + json::Write(choice.data) + " ";
        const json::Value result = state.Apply(seat, choice.action, choice.data);
        text += DigestOf(state, result, options_.facts) + "\n";
      }
    }
    std::ofstream file(path_, std::ios::binary);
    file << text;
    return file.flush()
               ? ""
               : path_ + " could not be written: run the test in the root of the repository, and create the folder";
  }

  const Game& game_;
  const GoldenOptions& options_;
  const std::string& path_;
};

}  // namespace

std::string CheckGolden(const Game& game, const GoldenOptions& options, const std::string& path) {
  return Golden(game, options, path).Check();
}

}  // namespace openseat::testing
