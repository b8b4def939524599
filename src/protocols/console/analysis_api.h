// /api/v1/tables/…/analysis: judging the choices of a finished match (arena/analysis.h), for the replay's page.
// Searching takes seconds to minutes, so it is done on a thread of its own, one match after the other, and the page
// asks how far it is. docs/protocols/console.md describes the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "arena/analysis.h"
#include "base/worker.h"
#include "base/worker_pool.h"
#include "core/journal.h"
#include "match/invite.h"
#include "net/json_request.h"
#include "net/router.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

class AnalysisApi {
 public:
  // What the server spends on it, whatever is asked.
  static constexpr std::uint64_t kMaxIterations = 20'000;
  static constexpr std::uint64_t kDefaultIterations = 2'000;
  static constexpr std::size_t kMaxEvents = 100'000;  // of a match
  static constexpr std::size_t kMaxWaiting = 8;       // matches
  static constexpr std::size_t kMaxKept = 32;         // results

  // `journal` outlives it, and it outlives the server's connections. Any thread.
  AnalysisApi(Journal& journal, FindGame find_game);
  ~AnalysisApi();

  void AddRoutes(net::Router& router);

 private:
  struct Job {
    TableId table;
    std::uint64_t iterations = 0;
    std::string status = "waiting";  // "running", "done", "failed"
    std::size_t done = 0;
    std::size_t of = 0;
    std::string error;
    std::string decisions;  // as JSON, once it is done
  };
  using JobPtr = std::shared_ptr<Job>;

  void Start(const net::HttpRequest& request, net::HttpReply reply);
  void Show(const net::HttpRequest& request, net::HttpReply reply);
  // Runs `next` on reader_ with the table, if its match is over and can be analyzed, and answers if not.
  void OnOver(const net::HttpRequest& request, net::HttpReply reply,
              std::function<void(const std::shared_ptr<net::OneReply>& one, const TableId& table)> next);
  // On reader_.
  Result<void> CheckOver(const MatchName& name);
  void Run(const JobPtr& job);
  Result<std::string> Analyze(const JobPtr& job);
  // REQUIRES the lock.
  JobPtr Find(const TableId& table) const;
  static std::string Body(const Job& job);

  Journal& journal_;
  const FindGame find_game_;
  std::stop_source stop_;
  std::mutex mutex_;        // of what follows, and of the jobs
  std::list<JobPtr> jobs_;  // the newest first
  std::size_t waiting_ = 0;
  Worker reader_;
  WorkerPool analyst_{1};  // at a low priority: everybody who plays goes first
};

}  // namespace openseat::console
