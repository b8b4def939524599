// /api/v1/games: the games of the server that are written as scripts, for the operator: checking, uploading, reading
// and removing them. docs/scripts.md describes the answers. It also lets the shelf look at its folder once a second,
// and at what other nodes of a cluster uploaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/script_check.h"
#include "app/script_shelf.h"
#include "base/result.h"
#include "base/worker.h"
#include "base/worker_pool.h"
#include "core/ids.h"
#include "core/journal.h"
#include "match/lobby.h"
#include "net/json_request.h"
#include "net/router.h"

namespace openseat::app {

class ScriptApi {
 public:
  // What the server spends on checks, whatever is asked.
  static constexpr std::uint32_t kMostGames = 20;
  static constexpr int kMostWaiting = 5;  // one of them runs
  static constexpr std::int64_t kCheckSteps = 6'000'000'000;

  // How many checks wait or run.
  int checks() const { return waiting_; }

  // All outlive it, and it outlives the server's connections. `home` is where its timer runs. `elsewhere`: whether a
  // table is at another node of the cluster; null without one.
  ScriptApi(ScriptShelf& shelf, Lobby& lobby, Journal& journal, Scheduler& home,
            std::function<bool(const TableId&)> elsewhere);
  ~ScriptApi();

  void AddRoutes(net::Router& router);
  // What is uploaded may have changed. Any thread.
  void Changed();
  // Before the matches of these tables are taken over: if the game of one is not here, looks whether it was uploaded.
  // Errors: the registry's, kIo, kClosed. Waits; any thread but those that run schedulers.
  Result<void> Prepare(const std::vector<TableRecord>& tables);

 private:
  struct Wanted {
    std::vector<games::ScriptFile> files;
    json::Value options;
    int games = 0;
  };
  struct Checked {
    std::unique_ptr<Game> game;  // nullptr if the script could not be loaded
    ScriptReport report;
  };
  static Result<Wanted> ReadWanted(const net::HttpRequest& request);
  Checked Check(Wanted wanted);
  static json::Object BodyOf(const Checked& checked);

  void List(net::HttpReply reply) const;
  void ShowSource(const net::HttpRequest& request, net::HttpReply reply) const;
  // Checks on checker_, then runs `next` there.
  void OnChecked(const net::HttpRequest& request, net::HttpReply reply,
                 std::function<void(const std::shared_ptr<net::OneReply>& one, Checked checked)> next);
  void Upload(const std::shared_ptr<net::OneReply>& one, Checked checked);
  void Delete(const net::HttpRequest& request, net::HttpReply reply);
  // Whether another node plays a match of the game.
  Result<bool> IsPlayedElsewhere(const std::string& id);
  // Calls `visit` for each table of the game that there ever was, until it returns false.
  Result<void> VisitTables(const std::string& id, const std::function<Result<bool>(const TableRecord& table)>& visit);
  // On worker_.
  void Remove(const std::shared_ptr<net::OneReply>& one, const std::string& id);
  void Forget(const std::string& id);
  void Look();
  void Watch();

  ScriptShelf& shelf_;
  Lobby& lobby_;
  Journal& journal_;
  Scheduler& home_;
  const std::function<bool(const TableId&)> elsewhere_;
  std::atomic<bool> changed_ = false;  // what is uploaded, perhaps
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> looking_ = false;
  std::atomic<bool> stopping_ = false;
  // Of the check that runs: what it may still use.
  const std::shared_ptr<std::atomic<std::int64_t>> budget_ = std::make_shared<std::atomic<std::int64_t>>(0);
  Worker worker_;          // the only one that changes the shelf
  WorkerPool checker_{1};  // at a low priority: everybody who plays goes first
};

}  // namespace openseat::app
