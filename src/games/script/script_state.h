// ScriptState: a state of a game that is written as a script. It holds all that the script says about it (position.h),
// asked in one call when the state is made; what only some ask for is asked when somebody first does (script_game.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/rng.h"
#include "core/game.h"
#include "core/game_base.h"
#include "games/script/position.h"
#include "games/script/script.h"
#include "games/script/script_info.h"

namespace openseat::games {

// What all states of a game share.
struct ScriptRules {
  std::shared_ptr<const Script> script;
  ScriptInfo info;
  bool logs_faults = true;
};

// What the harness answered about a state, read. Errors: the script's faults, with the place as path, if it is known.
Result<Position> ReadAnswer(const ScriptRules& rules, const Result<json::Value>& answer, std::size_t seats,
                            const Position::Words& random);

// For the person who runs the server: a fault of the script, once, with the table at which it was met.
void LogFault(const ScriptRules& rules, const std::string& fault);

struct ScriptStanding {
  const ScriptRules* rules = nullptr;
  std::shared_ptr<const Position> held;

  bool operator==(const ScriptStanding& other) const;
};

class ScriptState final : public PositionState<ScriptState, ScriptStanding> {
 public:
  using PositionState::PositionState;

  SeatSet Awaited() const override { return at().awaited; }
  std::size_t Memory() const override;
  std::vector<ActionSpec> Actions(SeatIndex seat) const override;
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override;
  PlayedChoice ToChoice(SeatIndex seat, Move move) const override {
    return ChoiceOf(rules().info, Find(at(), seat, move));
  }
  std::string MoveLabel(SeatIndex seat, Move move) const override;

  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const override;
  json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) override;
  void Repeat(SeatIndex seat, std::string_view action, const json::Value& data) override {
    Play(seat, AsListed(seat, action, data), true);
  }
  void ApplyMove(SeatIndex seat, Move move) override { Play(seat, ToChoice(seat, move), true); }

  json::Value Observe(Viewer viewer) const override { return told().Seen(viewer); }
  std::string View(Viewer viewer) const override { return ViewOf(viewer).value_or(""); }
  // Errors: the script's faults. "" if it has no view.
  const Result<std::string>& ViewOf(Viewer viewer) const;
  // What the script's evaluate says. Errors: it fails, or says something else than 0 to 1. REQUIRES that there is one.
  Result<double> Evaluate(SeatIndex seat) const;
  bool evaluates() const { return rules().script->Has("evaluate"); }
  // What only a check asks: Examine of script_game.h.
  Result<void> Examine(SeatIndex seat, const PlayedChoice* choice) const;
  std::string Describe(SeatIndex seat) const override;
  std::optional<Outcome> GetOutcome() const override { return at().outcome; }

  std::vector<std::string> Log(Viewer viewer) const override { return LinesFrom(0, viewer); }
  std::vector<std::string> News(const GameState& before, Viewer viewer) const override;

  json::Value Serialize() const override;
  std::unique_ptr<GameState> Sample(SeatIndex seat, Rng& rng) const override;

  const Position& at() const { return *position().held; }
  // Ends the game, because the script failed.
  void Fail(std::string fault);

 private:
  const ScriptRules& rules() const { return *position().rules; }

  // All of a brief position; the same as at() of others.
  const Position& told() const;
  Position AskAll() const;

  // REQUIRES a move of a seat that the position awaits.
  static const ScriptChoice& Find(const Position& position, SeatIndex seat, Move move);
  // The listed choice with this action and data; nullptr if it is not listed.
  const ScriptChoice* Listed(SeatIndex seat, std::string_view action, const json::Value& data) const;
  // What the script gets: a listed choice as it is listed, with its members in that order; others as they came.
  PlayedChoice AsListed(SeatIndex seat, std::string_view action, const json::Value& data) const;

  json::Object Input() const;
  // The same for the harness's `ahead`.
  std::string AheadInput(SeatIndex seat, const PlayedChoice& choice, bool wants_label) const;
  std::vector<std::string> LinesFrom(std::size_t first, Viewer viewer) const;

  json::Value Play(SeatIndex seat, const PlayedChoice& choice, bool is_brief);
  Result<void> CheckShape(const CatalogEntry& entry, const json::Value& data) const;
  // What redeal makes of this state for the seat. Errors: the script's faults; also that the seat can tell it apart.
  Result<Position> Redealt(SeatIndex seat, const Position::Words& drawing, const Position::Words& future) const;
  // What the script's own validate says against data of the right shape.
  std::optional<Error> Refusal(SeatIndex seat, const CatalogEntry& entry, const json::Value& data) const;
  Error WhyNot(SeatIndex seat, const CatalogEntry& entry, const json::Value& data) const;
};

}  // namespace openseat::games
