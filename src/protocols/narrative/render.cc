#include "protocols/narrative/render.h"

#include <utility>

#include "base/check.h"
#include "games/narrative/narrative.h"

namespace openseat::narrative {
namespace {

using games::narrative::kNarrator;
using games::narrative::Story;
using games::narrative::StoryOf;

json::Object StateJson(const Story& story) {
  json::Object state{{"turnNumber", story.turns().size()},
                     {"maxTurns", story.max_turns()},
                     {"relationships", games::narrative::ToJson(story.relationships())},
                     {"factions", games::narrative::ToJson(story.factions())},
                     {"worldState", story.world()},
                     {"over", story.over()}};
  if (!story.ending().empty()) state["ending"] = story.ending();
  return state;
}

std::size_t TurnsBegun(const json::Value& options) {
  const json::Value* begun = json::Find(options, "begun");
  return begun != nullptr && begun->is_array() ? begun->get_array().size() : 0;
}

const char* StatusOf(const GameView& game) {
  if (game.seen.outcome) return "over";
  return game.narrating || game.story->turns().empty() ? "narrating" : "waiting";
}

}  // namespace

GameView ViewOf(const Match& match) {
  const std::vector<PlannedSeat>& seats = match.spec().seats;
  GameView view{.seen = LookAt(match, Viewer::Spectator()),
                .story = StoryOf(match.state()),
                .narrator = seats.empty() ? "" : seats[kNarrator].agent.kind,
                .narrating = match.in_turn(),
                .begun = TurnsBegun(match.spec().options)};
  OPENSEAT_CHECK(view.story != nullptr, "only narrative games are shown here");
  return view;
}

GameView ViewOf(const MatchFold& fold) {
  const std::optional<AgentSpec>& narrator = fold.players()[kNarrator].agent;
  GameView view{.seen = fold.View(Viewer::Spectator()),
                .story = StoryOf(*fold.state()),
                .narrator = narrator ? narrator->kind : "",
                .begun = TurnsBegun(fold.spec().options)};
  OPENSEAT_CHECK(view.story != nullptr, "only narrative games are shown here");
  return view;
}

Failure UndoneFailure(Match& match) {
  const Error& error = *match.undone();
  if (error.code == ErrorCode::kConflict) {
    return NarratorFailure(match.seat(kNarrator).failure(), StoryOf(match.state())->version());
  }
  if (error.code == ErrorCode::kTimeout) return {504, "NARRATOR_TIMEOUT", error.message};
  if (error.code == ErrorCode::kClosed) return {409, "GAME_OVER", error.message};
  return {503, "UNAVAILABLE", error.message};
}

json::Object RenderTurn(const GameView& game, std::size_t number) {
  const Story& story = *game.story;
  const games::narrative::Turn& turn = *story.turns()[number - 1];
  json::Object out{{"turnNumber", number}};
  if (turn.wish) {
    json::Object input{{"by", game.seen.names[turn.wish->player]}};
    if (!turn.wish->choice_id.empty()) input["choiceId"] = turn.wish->choice_id;
    input["text"] = turn.wish->text;
    out["input"] = std::move(input);
  }
  out["turn"] = turn.narration;
  out["state"] = number == story.turns().size() ? StateJson(story) : StateJson(story.After(number));
  return out;
}

json::Object RenderSummary(const GameView& game) {
  json::Object out{{"id", game.seen.table.str()},
                   {"scenario", game.story->scenario().id},
                   {"title", game.story->scenario().title},
                   {"player", game.seen.names[kNarrator + 1]}};
  if (game.seen.names.size() > kNarrator + 2) {
    json::Array players;
    for (std::size_t seat = kNarrator + 1; seat < game.seen.names.size(); ++seat)
      players.emplace_back(game.seen.names[seat]);
    out["players"] = std::move(players);
  }
  out["narrator"] = json::Object{{"kind", game.narrator.empty() ? "client" : game.narrator}};
  out["schemaVersion"] = game.story->version();
  out["status"] = StatusOf(game);
  out["turnNumber"] = game.story->turns().size();
  out["opened"] = FormatIso8601(game.seen.opened);
  if (game.seen.outcome) out["reason"] = game.seen.outcome->reason;
  return out;
}

json::Object RenderGame(const GameView& game, int version) {
  json::Object out = RenderSummary(game);
  out["schemaVersion"] = version;
  if (!game.seen.invite.empty()) out["invite"] = game.seen.invite;
  if (game.story->turns().empty()) {
    out["state"] = StateJson(*game.story);
    return out;
  }
  for (auto& member : RenderTurn(game, game.story->turns().size())) out[member.key()] = std::move(member.value());
  return out;
}

json::Array RenderScenarios() {
  json::Array all;
  for (const games::narrative::Scenario& scenario : games::narrative::Scenarios()) {
    json::Array characters;
    for (const games::narrative::Party& party : scenario.characters) {
      characters.push_back(json::Object{{"id", party.id}, {"name", party.name}, {"about", party.about}});
    }
    all.push_back(json::Object{{"id", scenario.id},
                               {"title", scenario.title},
                               {"summary", scenario.summary},
                               {"turns", scenario.turns},
                               {"characters", std::move(characters)}});
  }
  return all;
}

}  // namespace openseat::narrative
