#include "games/script/script_game.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/game_base.h"
#include "core/heuristics.h"
#include "games/script/harness.h"
#include "games/script/position.h"
#include "games/script/script_info.h"
#include "games/script/script_state.h"
#include "schema/schema.h"

namespace openseat::games {
namespace {

constexpr double kUnknown = 0.5;
constexpr int kPlayouts = 2;
constexpr int kPlayoutMoves = 500;

thread_local std::string* watched = nullptr;

// What a playout with these winners is to the seat: from 0 to 1.
double ShareOf(const json::Value& winners, SeatIndex seat) {
  if (!winners.is_array() || winners.get_array().empty()) return kUnknown;
  const bool won = std::ranges::any_of(
      winners.get_array(), [&](const json::Value& winner) { return IntegerOf(winner) == std::int64_t{seat}; });
  return won ? 1.0 / static_cast<double>(winners.get_array().size()) : 0.0;
}

class ScriptGame final : public Game, private Heuristics {
 public:
  ScriptGame(ScriptRules rules, OlderScripts older) : rules_(std::move(rules)), older_(std::move(older)) {}

  const GameInfo& info() const override { return rules_.info.game; }
  const std::vector<ScriptFile>& files() const { return rules_.script->files(); }
  std::string PlaceOf(std::string_view function) const { return rules_.script->PlaceOf(function); }

  const Game* OfVersion(int version) const override {
    if (version == info().rules_version) return this;
    return older_ ? older_(info().id, version) : nullptr;
  }

  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t seed,
                                             std::vector<std::string> names) const override {
    Result<json::Object> complete = CompleteOptions(options);
    if (!complete) return Fail(complete.error());
    Result<PlayerNames> players = CheckNames(info(), std::move(names));
    if (!players) return Fail(players.error());
    Rng rng(seed);
    const Position::Words words = WordsFrom(rng);
    const json::Object input{{"options", *std::move(complete)}, {"names", ToJson(*players)}, {"random", ToJson(words)}};
    return Make(*std::move(players), rules_.script->Call("setup", input), words, {});
  }

  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(info(), saved);
    if (!players) return Fail(players.error());
    const json::Value* state = json::Find(saved, "state");
    const auto words = WordsOf(json::Find(saved, "random"));
    const json::Value* lines = json::Find(saved, "log");
    const json::Value* dropped = json::Find(saved, "dropped");
    const std::int64_t gone = dropped == nullptr ? -1 : IntegerOf(*dropped).value_or(-1);
    if (state == nullptr || !words || lines == nullptr || !lines->is_array() ||
        lines->get_array().size() > ScriptLog::kMostLines || gone < 0) {
      return Fail(ErrorCode::kInvalid, "a saved " + info().title + " has state, random, log and dropped");
    }
    ScriptLog log;
    log.dropped = static_cast<std::size_t>(gone);
    for (const json::Value& line : lines->get_array()) {
      if (auto read = ReadLog(json::Array{line}, players->size(), log); !read) {
        return Fail(ErrorCode::kInvalid, read.error().message);
      }
    }
    const std::string fault(json::TextOf(saved, "fault"));
    const json::Object input{{"state", *state}, {"names", ToJson(*players)}};
    auto made = Make(*std::move(players), rules_.script->Call("look", input), *words, std::move(log));
    if (!made || fault.empty()) return made;
    static_cast<ScriptState&>(**made).Fail(fault);
    return made;
  }

  // What SetupDraws of the header says.
  Result<bool> SetupDraws(const json::Value& options, std::uint64_t seed, const std::vector<std::string>& names) const {
    Result<json::Object> complete = CompleteOptions(options);
    if (!complete) return Fail(complete.error());
    Rng rng(seed);
    const Result<json::Value> answer =
        rules_.script->Call("examineSetup", json::Object{{"options", *std::move(complete)},
                                                         {"names", json::Array(names.begin(), names.end())},
                                                         {"random", ToJson(WordsFrom(rng))}});
    if (!answer) return Fail(answer.error());
    const json::Value* drew = json::Find(*answer, "drew");
    return drew != nullptr && *drew == json::Value(true);
  }

  json::Value PublicOptions(const json::Value& options, Viewer) const override { return options; }
  const Heuristics* heuristics() const override { return this; }

 private:
  Result<json::Object> CompleteOptions(const json::Value& options) const {
    if (!options.is_null() && !options.is_object()) {
      return Fail(ErrorCode::kInvalid, "the options must be an object; got " + json::Excerpt(options));
    }
    json::Object complete = options.is_null() ? json::Object() : options.get_object();
    if (const json::Value* known = json::Find(info().options_schema, "properties")) {
      for (const auto& option : known->get_object()) {
        if (!complete.contains(option.key())) complete[option.key()] = *json::Find(option.value(), "default");
      }
    }
    const auto schema = schema::Schema::Compile(info().options_schema);
    OPENSEAT_CHECK(schema, "ReadInfo compiled it");
    const auto violations = (*schema)->Validate(complete, 1);
    if (violations.empty()) return complete;
    return Fail(ErrorCode::kInvalid, violations.front().message, violations.front().instance_path);
  }

  Result<std::unique_ptr<GameState>> Make(PlayerNames players, const Result<json::Value>& answer,
                                          const Position::Words& words, ScriptLog log) const {
    const std::size_t seats = players.size();
    Result<Position> position = ReadAnswer(rules_, answer, seats, words);
    if (!position) return Fail(ErrorCode::kInvalid, position.error().message, position.error().path);
    position->log = std::move(log);
    return std::make_unique<ScriptState>(
        std::move(players), ScriptStanding{&rules_, std::make_shared<const Position>(*std::move(position))});
  }

  // Search plays no move of its own: a random game inside the script's box is many times faster.
  std::size_t Horizon() const override { return 0; }
  double Worth(const GameState& state, SeatIndex seat) const override;

  const ScriptRules rules_;
  const OlderScripts older_;
  // One that loops without end would be met at every state.
  mutable std::atomic<bool> evaluate_fails_ = false;
};

double ScriptGame::Worth(const GameState& state, SeatIndex seat) const {
  const auto& standing = static_cast<const ScriptState&>(state);
  const Position& position = standing.at();
  if (standing.evaluates() && !evaluate_fails_) {
    const Result<double> worth = standing.Evaluate(seat);
    if (worth) return *worth;
    if (!evaluate_fails_.exchange(true)) {
      LogFault(rules_, "search goes on without the script's evaluate: " +
                           (worth.error().path.empty() ? "" : worth.error().path + ": ") + worth.error().message);
    }
  }
  json::Object input{{"state", position.state}};
  json::Array names;
  for (const std::string& name : state.names()) names.emplace_back(name);
  // The same state is always worth the same.
  Rng rng(DigestOf(position.state_text));
  input["names"] = std::move(names);
  input["random"] = ToJson(WordsFrom(rng));
  input["games"] = kPlayouts;
  input["moves"] = kPlayoutMoves;
  const Result<json::Value> answer = rules_.script->Call("playouts", input);
  const json::Value* winners = answer ? json::Find(*answer, "winners") : nullptr;
  if (winners == nullptr || !winners->is_array() || winners->get_array().empty()) return kUnknown;
  double sum = 0;
  for (const json::Value& each : winners->get_array()) sum += ShareOf(each, seat);
  return sum / static_cast<double>(winners->get_array().size());
}

}  // namespace

Result<std::unique_ptr<Game>> MakeScriptGame(std::vector<ScriptFile> files, OlderScripts older,
                                             const ScriptLimits& limits) {
  Result<std::shared_ptr<const Script>> script = Script::Load(std::move(files), limits);
  if (!script) return Fail(script.error());
  Result<ScriptInfo> info = ReadInfo(**script);
  if (!info) return Fail(info.error());
  return std::make_unique<ScriptGame>(ScriptRules{*std::move(script), *std::move(info), limits.logs_faults},
                                      std::move(older));
}

int ScriptVersion(const std::vector<ScriptFile>& files) {
  return VersionOf(files, HarnessText());
}

bool IsScript(const Game& game) {
  return dynamic_cast<const ScriptGame*>(&game) != nullptr;
}

Result<std::string> ViewOf(const GameState& state, Viewer viewer) {
  return static_cast<const ScriptState&>(state).ViewOf(viewer);
}

Result<void> Examine(const GameState& state, SeatIndex seat, const PlayedChoice* choice) {
  const auto& standing = static_cast<const ScriptState&>(state);
  if (standing.evaluates() && choice != nullptr) {
    for (SeatIndex each = 0; each < state.names().size(); ++each) {
      if (const Result<double> worth = standing.Evaluate(each); !worth) return tl::unexpected(worth.error());
    }
  }
  return standing.Examine(seat, choice);
}

FaultWatch::FaultWatch() {
  watched = &fault_;
}

FaultWatch::~FaultWatch() {
  watched = nullptr;
}

void FaultWatch::Note(const std::string& fault) {
  if (watched != nullptr && watched->empty()) *watched = fault;
}

Result<bool> SetupDraws(const Game& game, const json::Value& options, std::uint64_t seed,
                        const std::vector<std::string>& names) {
  return static_cast<const ScriptGame&>(game).SetupDraws(options, seed, names);
}

std::string PlaceOf(const Game& game, std::string_view function) {
  return static_cast<const ScriptGame&>(game).PlaceOf(function);
}

const std::vector<ScriptFile>& FilesOf(const Game& game) {
  return static_cast<const ScriptGame&>(game).files();
}

const std::string& FaultOf(const GameState& state) {
  return static_cast<const ScriptState&>(state).at().fault;
}

}  // namespace openseat::games
