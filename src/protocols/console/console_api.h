// The console API, /api/v1/tables…: what happens at every table, and commands to the tables. Described in
// docs/protocols/console.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/worker.h"
#include "core/agent.h"
#include "core/journal.h"
#include "core/table.h"
#include "match/lobby.h"
#include "net/json_request.h"
#include "net/router.h"
#include "protocols/console/intake.h"
#include "protocols/console/past_table.h"
#include "protocols/console/replay_pages.h"
#include "protocols/console/table_list.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

class ConsoleApi {
 public:
  // All references outlive it, and it outlives the server's connections.
  ConsoleApi(TableDirectory& directory, Journal& journal, const AgentKinds& kinds, Lobby& lobby, const Intake& intake,
             AdviceOf advice);

  void AddRoutes(net::Router& router);
  // In a cluster. Before the first request.
  void SetCluster(TableList::Cluster cluster) { list_.SetCluster(std::move(cluster)); }

 private:
  static Error NoTable(std::string_view id);
  void Transcript(const net::HttpRequest& request, net::HttpReply reply);
  // Of a table without a record, of which `error` says so: if it is live, it is empty.
  void TranscriptOfLive(const std::shared_ptr<net::OneReply>& one, const MatchName& name, const TranscriptQuery& query,
                        const Error& error);
  void ShowReplay(const net::HttpRequest& request, net::HttpReply reply);
  void SetAgent(const net::HttpRequest& request, net::HttpReply reply);
  void Choose(const net::HttpRequest& request, net::HttpReply reply);
  void Skip(const net::HttpRequest& request, net::HttpReply reply);
  void Control(const net::HttpRequest& request, net::HttpReply reply);
  void ListGames(net::HttpReply reply);
  void CreateMatch(const net::HttpRequest& request, net::HttpReply reply);
  void ForkMatch(const net::HttpRequest& request, net::HttpReply reply);
  // Prepares the agents and makes the match: with `fork` one that goes on with another.
  void MakeMatch(const std::shared_ptr<net::OneReply>& one, const std::shared_ptr<WantedMatch>& wanted,
                 const std::shared_ptr<const MatchSpec>& fork, const std::shared_ptr<Payer>& payer);
  // On reader_. The invitation of the recorded table of that name, "" if it is public. kNotFound if there is none.
  Result<std::string> InviteOfRecord(const MatchName& name);
  FindGame FindHosted() const;
  void GetTable(const net::HttpRequest& request, net::HttpReply reply);
  void Diagnostics(const net::HttpRequest& request, net::HttpReply reply);
  // Runs on reader_.
  using FromRecord = std::function<Result<json::Object>(const TableRecord&)>;
  // Answers with the result of `render` for the live table, else with that of `from_record`, or 404.
  void OnTable(const net::HttpRequest& request, net::HttpReply reply, std::function<Result<json::Value>(Table&)> render,
               FromRecord from_record = {});
  void OnRecord(const std::shared_ptr<net::OneReply>& one, const MatchName& name, const FromRecord& render);

  TableDirectory& directory_;
  Journal& journal_;
  const AgentKinds& kinds_;
  Lobby& lobby_;
  const Intake& intake_;
  const AdviceOf advice_;
  std::atomic<std::size_t> next_home_ = 0;  // of a new match
  ReplayShelf replays_;                     // for reader_ only
  TableList list_;
  Worker reader_;  // of the journal
};

}  // namespace openseat::console
