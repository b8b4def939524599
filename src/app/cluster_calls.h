// ClusterCalls: brings an MCP call to the node of the cluster that has what it is about (docs/cluster.md): the table of
// its seat's token, the table that it names, or its task. The session, if there is one, stays here: the other node gets
// a call of revision 2026-07-28, which stands alone, and its answer is this call's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cluster_http.h"
#include "app/cluster_node.h"
#include "net/http_client.h"
#include "net/shard.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/play.h"
#include "protocols/mcp/reads.h"

namespace openseat::app {

// What an MCP call is about; neither where it is about nothing that one node has.
struct CallSubject {
  std::optional<TableId> table;
  std::optional<std::string> node;  // that has its task
};
CallSubject SubjectOf(const std::string& method, const json::Object& params);

// The ids of a node's sessions and tasks begin with this: "NODE.".
std::string IdPrefix(const std::string& node);
// The node that made such an id; "" if no node did.
std::string_view NodeOfId(std::string_view id);

// Answers as another node did, once what this returns is called with the call. Any thread.
mcp::Reads::Finish AnswerOf(const mcp::Call& call, const net::HttpResponse& response);

class ClusterCalls {
 public:
  // All outlive it. Runs on `home`, the scheduler of the MCP server. `reads`: of large answers.
  ClusterCalls(const ClusterNode& node, net::HttpCaller& caller, net::Shard& home, mcp::Reads& reads)
      : node_(node),
        home_(home),
        calls_([&node](const store::NodeBeat& to) { return node.Lives(to); }, caller, home),
        reads_(reads) {}

  // For mcp::Server::SetElsewhere.
  bool Take(const mcp::CallPtr& call);
  // For mcp::PlayWorld::ask_others.
  void AskAll(const mcp::CallPtr& call, std::function<void(std::vector<mcp::OthersAnswer>)> done) const;

 private:
  static net::HttpCall CallTo(const store::NodeBeat& to, const mcp::Call& call);
  void PassOn(const store::NodeBeat& to, const mcp::CallPtr& call);
  void Answer(const mcp::CallPtr& call, net::HttpResponse response);

  const ClusterNode& node_;
  net::Shard& home_;
  const NodeCalls calls_;
  mcp::Reads& reads_;
};

}  // namespace openseat::app
