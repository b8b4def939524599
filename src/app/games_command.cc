#include <cstdio>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/games.h"
#include "base/json.h"
#include "core/game_info.h"

namespace openseat::app {
namespace {

struct GamesFlags {
  std::string game;
  bool test_games = false;
  bool json = false;
};

std::string Seats(const GameInfo& info) {
  std::string text = std::to_string(info.min_seats);
  if (info.max_seats != info.min_seats) text += " to " + std::to_string(info.max_seats);
  text += info.max_seats == 1 ? " seat" : " seats";
  for (std::size_t i = 0; i < info.roles.size(); ++i) text += (i == 0 ? ": " : ", ") + info.roles[i];
  return text;
}

void PrintGame(const GameInfo& info) {
  std::printf("%s (%s)\n%s\n\n%s\n\n%s\n", info.title.c_str(), info.id.c_str(), info.description.c_str(),
              Seats(info).c_str(), RulesAndGuide(info).c_str());
  std::printf("\nActions:\n");
  for (const ActionSpec& action : info.actions) {
    std::printf("  %s: %s\n", action.name.c_str(), action.description.c_str());
    if (!action.schema.is_null()) std::printf("    data: %s\n", json::Write(action.schema).c_str());
  }
  if (!info.options_schema.is_null()) std::printf("\nOptions: %s\n", json::Write(info.options_schema).c_str());
}

int RunGames(const GamesFlags& flags) {
  const auto games = flags.test_games ? AllGames() : PublicGames();
  if (flags.game.empty()) {
    for (const Game* game : games) {
      const GameInfo& info = game->info();
      if (flags.json) {
        std::printf("%s\n", json::Write(ToJson(info)).c_str());
      } else {
        std::printf("%-12s %-22s %s\n", info.id.c_str(), info.title.c_str(), Seats(info).c_str());
      }
    }
    return kDone;
  }
  // Hidden games can be named.
  const Game* game = FindGame(flags.game);
  if (game == nullptr) {
    std::string names;
    for (const Game* each : games) names += (names.empty() ? "" : ", ") + each->info().id;
    PrintError("there is no game \"" + flags.game + "\"; available: " + names);
    return kUsage;
  }
  if (flags.json) {
    std::printf("%s\n", json::Write(ToJson(game->info())).c_str());
  } else {
    PrintGame(game->info());
  }
  return kDone;
}

}  // namespace

void AddGames(cli::Command program) {
  auto flags = std::make_shared<GamesFlags>();
  cli::Command games = program.AddCommand("games", "Lists the games whose rules run here, or describes one");
  games.AddOption("game", &flags->game, "Its rules, actions and options", {.type = "GAME"});
  games.AddOption("--test-games", &flags->test_games, "Also list the games that are only for tests");
  games.AddOption("--json", &flags->json, "One JSON object a line, for programs");
  AddScriptCommands(games);
  games.SetFooter(
      "Examples:\n"
      "  openseat games\n"
      "  openseat games check my-games/nim.js\n"
      "  openseat games tictactoe\n"
      "  openseat games netrunner --json");
  games.SetRun([flags] { return RunGames(*flags); });
}

}  // namespace openseat::app
