// /api/v1/tables/…/analysis: judging the choices of a finished match (arena/analysis.h), for the replay's page.
// Searching takes seconds to minutes, so it is done on a thread of its own, one match after the other, and the page
// asks how far it is. If the server allows it, the choices of a match that goes on are judged as well, where nobody who
// plays could look. docs/protocols/console.md describes the answers.
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
#include "base/json.h"
#include "base/worker.h"
#include "base/worker_pool.h"
#include "core/agent.h"
#include "core/journal.h"
#include "match/invite.h"
#include "match/match_fold.h"
#include "net/json_request.h"
#include "net/router.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

// What spectators are told while a match goes on.
struct LiveAnalysis {
  std::uint64_t iterations = 0;  // of the search at each choice; 0: nothing
  // Whether an agent is played by this server alone, so that nobody behind it can read the answer.
  std::function<bool(const AgentSpec& agent)> plays_here{};
};

class AnalysisApi {
 public:
  // What the server spends on it, whatever is asked.
  static constexpr std::uint64_t kMaxIterations = 20'000;
  static constexpr std::uint64_t kDefaultIterations = 2'000;
  static constexpr std::size_t kMaxEvents = 100'000;  // of a match
  static constexpr std::size_t kMaxWaiting = 8;       // matches
  static constexpr std::size_t kMaxKept = 32;         // results
  static constexpr std::size_t kMaxLive = 1'000;      // choices of a match that goes on

  // `journal` outlives it, and it outlives the server's connections. Any thread.
  AnalysisApi(Journal& journal, FindGame find_game, LiveAnalysis live = {});
  ~AnalysisApi();

  void AddRoutes(net::Router& router);

 private:
  struct Job {
    TableId table;
    std::uint64_t iterations = 0;
    std::string status = "waiting";  // "running", "done", "failed", "live"
    std::size_t done = 0;
    std::size_t of = 0;
    std::string error;
    std::string decisions;  // as JSON, once it is done; of a live one, so far
    // Of a match that goes on: what is judged so far, and whether more is being judged.
    bool live = false;
    bool busy = false;
    json::Array lines{};
  };
  using JobPtr = std::shared_ptr<Job>;
  // A match whose choices may be told.
  struct Told {
    TableId table;
    bool live = false;         // it goes on
    std::uint64_t played = 0;  // choices so far, if it does
  };

  void Start(const net::HttpRequest& request, net::HttpReply reply);
  void Show(const net::HttpRequest& request, net::HttpReply reply);
  // Runs `next` on reader_ with the match, if its choices may be told, and answers if not. `live`: also while it goes
  // on.
  void OnTold(const net::HttpRequest& request, net::HttpReply reply, bool live,
              std::function<void(const std::shared_ptr<net::OneReply>& one, const Told& told)> next);
  // On reader_.
  Result<Told> Check(const MatchName& name);
  bool MayFollow(const MatchFold& fold) const;
  void ShowLive(const std::shared_ptr<net::OneReply>& one, const Told& told);
  void Run(const JobPtr& job);
  // Judges what was chosen since it last did.
  void Follow(const JobPtr& job);
  Result<void> JudgeNew(const JobPtr& job);
  Result<std::string> Analyze(const JobPtr& job);
  // REQUIRES the lock.
  JobPtr Find(const TableId& table) const;
  static std::string Body(const Job& job);

  Journal& journal_;
  const FindGame find_game_;
  const LiveAnalysis live_;
  std::stop_source stop_;
  std::mutex mutex_;        // of what follows, and of the jobs
  std::list<JobPtr> jobs_;  // the newest first
  std::size_t waiting_ = 0;
  Worker reader_;
  WorkerPool analyst_{1};  // at a low priority: everybody who plays goes first
};

}  // namespace openseat::console
