#include "match/question.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/tokens.h"
#include "core/game_info.h"

namespace openseat {
namespace {

constexpr std::size_t kTokensSoFar = 250;  // about: of what happened before, a new agent is told the end

}  // namespace

std::string WithRole(const GameInfo& game, SeatIndex seat, const std::string& name) {
  if (seat >= game.roles.size() || game.roles[seat] == name) return name;
  return name + " (" + game.roles[seat] + ")";
}

Briefing BriefingOf(const GameInfo& game, SeatIndex seat, const std::string& name) {
  return {game.title, "You are " + WithRole(game, seat, name) + " in " + game.title + ".\n\n" + RulesAndGuide(game)};
}

ActionPtr MakeAction(ActionSpec spec) {
  std::optional<json::Value> schema;
  if (!spec.schema.is_null()) schema = std::move(spec.schema);
  return std::make_shared<const Action>(std::move(spec.name), std::move(spec.description), std::move(schema));
}

ActionSet LegalActions(const Sight& sight) {
  ActionSet actions;
  for (ActionSpec& spec : sight.Actions()) {
    if (spec.offered) actions.Put(MakeAction(std::move(spec)));
  }
  return actions;
}

Decision QuestionOf(std::shared_ptr<const Sight> sight, DecisionId id, ActionSet actions) {
  Decision decision;
  decision.id = id;
  decision.query = "Choose one action.";
  decision.sight = std::move(sight);
  decision.ephemeral = true;  // the next one repeats all of it
  decision.actions = std::move(actions);
  return decision;
}

std::string NewsSoFar(const GameState& first, const GameState& now, SeatIndex seat) {
  const std::vector<std::string> lines = now.News(first, Viewer::Seat(seat));
  if (lines.empty()) return {};
  std::size_t first_line = lines.size();
  for (std::size_t tokens = 0; first_line > 0; --first_line) {
    tokens += EstimateTokens(lines[first_line - 1]);
    if (tokens > kTokensSoFar && first_line < lines.size()) break;
  }
  std::string text = "What happened before you came:";
  for (std::size_t i = first_line; i < lines.size(); ++i) text += " " + lines[i];
  return text;
}

}  // namespace openseat
