// The arena's API, /api/v1/arena…: recorded runs of `openseat play` and `openseat tournament`, with their ratings,
// games, decisions and replays. Described in docs/protocols/console.md.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arena/run_reader.h"
#include "arena/run_shelf.h"
#include "arena/run_spec.h"
#include "arena/standings.h"
#include "base/waiting.h"
#include "base/worker.h"
#include "net/json_request.h"
#include "net/router.h"
#include "protocols/console/replay_pages.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

class ArenaApi {
 public:
  // Shows the runs in DATA_DIR/arena, and those of `folders` (arena/run_shelf.h). Outlives the server's connections.
  ArenaApi(std::string data_dir, const std::vector<std::string>& folders, FindGame find_game);

  void AddRoutes(net::Router& router);

 private:
  using OneReply = std::shared_ptr<net::OneReply>;
  using RunGames = std::shared_ptr<const arena::RunReader::Games>;
  // A run with its folder.
  struct Run {
    std::string id;
    std::string folder;
  };
  using Body = std::variant<json::Object, std::string>;  // of an answer; a text is JSON, too
  struct Known {
    std::string key;  // the run's folder and the options
    RunGames games;
    std::shared_ptr<const std::string> body;
  };

  void List(const net::HttpRequest& request, net::HttpReply reply);
  void Show(const net::HttpRequest& request, net::HttpReply reply);
  void ShowStandings(const net::HttpRequest& request, net::HttpReply reply);
  void ListGames(const net::HttpRequest& request, net::HttpReply reply);
  void ShowGame(const net::HttpRequest& request, net::HttpReply reply);
  void ListDecisions(const net::HttpRequest& request, net::HttpReply reply);
  void ShowTranscript(const net::HttpRequest& request, net::HttpReply reply);
  void ShowReplay(const net::HttpRequest& request, net::HttpReply reply);
  void ShowAnalysis(const net::HttpRequest& request, net::HttpReply reply);

  // Answers with what `read` returns on reader_.
  void Answer(net::HttpReply reply, std::function<Result<Body>()> read);
  // The same for a run that has a folder: its id is in the request's path.
  void OfRun(const net::HttpRequest& request, net::HttpReply reply, std::function<Result<Body>(const Run& run)> read);
  // The same for one of its games, whose number is in the request's path.
  void OfGame(const net::HttpRequest& request, net::HttpReply reply,
              std::function<Result<Body>(const Run& run, const arena::GameLine& game)> read);

  // The same for the recording of a game: `read` gets its journal, its table, and what tells it from other games.
  template <typename Read>
  void OfRecording(const net::HttpRequest& request, net::HttpReply reply, Read read);

  // On reader_.
  Result<json::Object> ReadRun(const std::string& id);
  Result<Run> FolderOf(const std::string& id);
  // On rater_: takes seconds for many agents.
  void Rate(const OneReply& one, const std::string& folder, const RunGames& games,
            const arena::StandingsOptions& options);

  const std::string data_dir_;
  const FindGame find_game_;
  arena::RunShelf shelf_;                            // for reader_ only
  arena::RunReader files_;                           // for reader_ only
  ReplayShelf replays_;                              // for reader_ only
  std::list<Known> ratings_;                         // for rater_ only; the last used first
  WaitingCount rating_{WaitingLimits{.items = 16}};  // of what rater_ does, or will do
  Worker rater_;
  Worker reader_;  // reads from the disk
};

}  // namespace openseat::console
