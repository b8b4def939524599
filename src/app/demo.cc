#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands.h"
#include "app/games.h"
#include "app/run_report.h"
#include "base/json.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "net/shard.h"
#include "net/url.h"
#include "net/websocket_client.h"
#include "protocols/neuro/game_client.h"

namespace openseat::app {
namespace {

struct DemoFlags {
  std::string game = "tictactoe";
  std::string url = "ws://127.0.0.1:8000";
  std::size_t games = 3;
  std::uint32_t pace_ms = 600;
  std::uint64_t seed = 0;
  bool seeded = false;
  bool quiet = false;
};

// Draws the game as lines of text; on a terminal, with a little color.
class Painter final : public neuro::GameClientObserver {
 public:
  Painter(bool quiet, net::Shards& shards) : quiet_(quiet), color_(isatty(STDOUT_FILENO) != 0), shards_(shards) {}

  void OnMove(const GameState& state, SeatIndex mover, const PlayedChoice& choice) override {
    ++moves_;
    if (quiet_) return;
    std::printf("%s%s%s plays %s %s\n\n%s\n", Bold(), state.names()[mover].c_str(), Plain(), choice.action.c_str(),
                choice.data.is_null() ? "" : json::Write(choice.data).c_str(), state.Describe(mover).c_str());
    std::fflush(stdout);
  }
  void OnRefused(std::string_view action, std::string_view reason) override {
    ++refused_;
    if (!quiet_) std::printf("refused %s: %s\n", Printable(action).c_str(), Printable(reason).c_str());
  }
  void OnOutcome(const GameState& state, const Outcome& outcome, SeatIndex agent_seat) override {
    std::string who = "a draw";
    if (outcome.winners.empty()) {
      ++draws_;
    } else {
      ++(outcome.winners.Contains(agent_seat) ? won_ : lost_);
      who = state.names()[outcome.winners.First()] + " wins";
    }
    if (!quiet_) std::printf("%s%s%s (%s)\n\n", Bold(), who.c_str(), Plain(), outcome.reason.c_str());
    std::fflush(stdout);
  }
  void OnEnd(std::string error) override {
    error_ = std::move(error);
    shards_.Stop();
  }

  int Report(bool interrupted) const {
    std::printf("%s: the agent won %zu, lost %zu, drew %zu; %zu moves, %zu refused\n",
                Counted(won_ + lost_ + draws_, "game").c_str(), won_, lost_, draws_, moves_, refused_);
    if (interrupted || error_.empty()) return kDone;
    PrintError(error_);
    return kFailed;
  }

 private:
  const char* Bold() const { return color_ ? "\033[1m" : ""; }
  const char* Plain() const { return color_ ? "\033[0m" : ""; }

  const bool quiet_;
  const bool color_;
  net::Shards& shards_;
  std::size_t won_ = 0;
  std::size_t lost_ = 0;
  std::size_t draws_ = 0;
  std::size_t moves_ = 0;
  std::size_t refused_ = 0;
  std::string error_;
};

int Demo(const DemoFlags& flags) {
  const Game* game = FindGame(flags.game);
  if (game == nullptr) {
    std::string names;
    for (const Game* each : AllGames()) {
      if (!each->info().hidden) names += (names.empty() ? "" : ", ") + each->info().id;
    }
    PrintError("no game \"" + flags.game + "\"; available: " + names);
    return kUsage;
  }
  if (const Result<net::WebSocketUrl> url = net::ParseWebSocketUrl(flags.url); !url) {
    PrintError("--url: " + url.error().message);
    return kUsage;
  }
  net::Shards shards(1);
  Painter painter(flags.quiet, shards);
  neuro::GameClientOptions options;
  options.games = flags.games;
  options.pace = std::chrono::milliseconds(flags.pace_ms);
  options.seed = flags.seeded ? flags.seed : SecureRandom64();
  std::optional<Error> failure;
  bool interrupted = false;
  net::SignalWatch signals(shards, [&](int) {
    interrupted = true;
    shards.Stop();
  });
  shards.at(0).Post([&] {
    net::ConnectWebSocket(shards.at(0), flags.url, {}, std::make_unique<neuro::GameClient>(*game, options, painter),
                          [&](const Error& error) {
                            failure = error;
                            shards.Stop();
                          });
  });
  shards.RunFirstHere();
  if (failure) {
    const bool answered = failure->code == ErrorCode::kDenied;
    PrintError("cannot connect to " + flags.url + ": " + failure->message +
               (answered ? "" : "; is `openseat serve` running?"));
    return kFailed;
  }
  return painter.Report(interrupted);
}

}  // namespace

void AddDemo(cli::Command program) {
  auto flags = std::make_shared<DemoFlags>();
  cli::Command demo =
      program.AddCommand("demo", "A small game that speaks the Neuro API, played against the server's agent");
  demo.AddOption("game", &flags->game, "Which game (default tictactoe)", {.type = "GAME"});
  demo.AddOption("--url", &flags->url, "The Neuro server to connect to (default ws://127.0.0.1:8000)",
                 {.type = "URL", .env = "NEURO_SDK_WS_URL"});
  demo.AddOption("--games", &flags->games, "How many games are played; 0: until the server stops (default 3)",
                 {.type = "N"});
  demo.AddOption("--pace", &flags->pace_ms, "Milliseconds between moves (default 600)", {.type = "MS"});
  demo.AddOption("--seed", &flags->seed, "Makes the game's own moves repeatable",
                 {.type = "N", .given = &flags->seeded});
  demo.AddOption("--quiet", &flags->quiet, "Draw nothing, print the totals at the end");
  demo.SetFooter(
      "Examples:\n"
      "  openseat demo tictactoe --url ws://127.0.0.1:8000\n"
      "  openseat demo tictactoe --games 10000 --pace 0 --quiet");
  demo.SetRun([flags] { return Demo(*flags); });
}

}  // namespace openseat::app
