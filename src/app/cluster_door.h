// ClusterDoor: brings what clients ask this node to the node of the cluster that has the match (docs/cluster.md): HTTP
// requests by the table in their path or key, Chimera messages by the match that they name.
//
// The request is admitted here. The other node learns for whom it is asked, and believes it because of a secret that it
// told only to the other nodes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cluster_http.h"
#include "app/cluster_node.h"
#include "base/json.h"
#include "base/result.h"
#include "net/http.h"
#include "net/http_client.h"
#include "net/other_servers.h"
#include "net/router.h"
#include "net/shard.h"
#include "net/websocket.h"
#include "store/nats_format.h"

namespace openseat::app {

// The table that an HTTP request is about; nullopt if it is not about one.
std::optional<TableId> TableOfRequest(const net::HttpRequest& request);
// What a Chimera message is about.
struct MessageSubject {
  std::optional<TableId> match{};      // that it names
  std::optional<json::Value> wants{};  // the id of a request that wants to play a match; nullopt for anything else
};
MessageSubject SubjectOfMessage(std::string_view message);

// Marks a request of ours to this node: it is for a client at the address `from`, or for one that may do what the
// operator may. `who`: HttpRequest::who.
void SetPassedOn(net::Headers& headers, const store::NodeBeat& to, bool operates, const std::string& from,
                 const std::string& who = {});

class ClusterDoor final : public net::OtherServers {
 public:
  // `operates`: whether the client may do here what the operator may. All outlive this.
  ClusterDoor(const ClusterNode& node, net::HttpCaller& caller, net::Shard& home,
              std::function<bool(const net::HttpRequest&)> operates);

  // For Router::SetDetour.
  bool Detour(const net::HttpRequest& request, net::HttpReply& reply) const;
  // The form of errors on a path, as of Router::ErrorAt. Before the first request.
  using ErrorForm = std::function<net::HttpResponse(std::string_view path, int status, const Error& error)>;
  void SetErrors(ErrorForm form) { error_form_ = std::move(form); }
  // Asks the node that has the match of a token (MATCH.SECRET) whether it opens that one; false if there is none to
  // ask.
  bool AskElsewhere(const net::HttpRequest& request, const std::string& token,
                    const std::function<void(Result<bool>)>& done) const;
  static constexpr std::string_view kAdmitsPath = "/chimera/admits";
  // For Trust::passed_on.
  std::optional<net::Trust::PassedOn> PassedOn(const net::HttpRequest& request) const;
  // A Chimera session that passes on what is about matches elsewhere, and leaves the rest to `here`.
  std::unique_ptr<net::WebSocketSession> Chimera(const net::HttpRequest& request,
                                                 std::unique_ptr<net::WebSocketSession> here) const;

  // The headers of a request of ours to this node, for the client of `request`.
  net::Headers HeadersFor(const store::NodeBeat& to, const net::HttpRequest& request) const;
  const ClusterNode& node() const { return node_; }

  // --- OtherServers ---

  bool IsPassedOn(const net::HttpRequest& request) const override { return PassedOn(request).has_value(); }
  bool HaveAll() const override { return node_.found() == store::kNatsShards; }
  Serving Served() const override { return node_.Served(); }
  void AskAll(const net::HttpRequest& request, std::string target,
              std::function<void(std::vector<Answer>)> done) const override;
  std::function<void()> PassOn(const std::string& node, const net::HttpRequest& request,
                               std::function<void(net::HttpResponse)> done) const override;

 private:
  void PassOnTo(const store::NodeBeat& to, const net::HttpRequest& request, net::HttpReply reply) const;
  // An answer that goes on for long: its bytes are passed back as they come.
  void FollowAt(const store::NodeBeat& to, const net::HttpRequest& request, net::HttpReply reply) const;
  net::HttpCall CallTo(const store::NodeBeat& to, const net::HttpRequest& request) const;
  // A 503 that says when to ask again.
  net::HttpResponse Refusal(const std::string& path, const Error& error) const;
  net::HttpResponse Moving(const std::string& path) const;
  // What the client of a request on this path gets.
  net::HttpResponse AnswerOf(const std::string& node, const std::string& path, Result<net::HttpResponse> answer) const;

  const ClusterNode& node_;
  net::Shard& home_;
  const NodeCalls calls_;
  const std::function<bool(const net::HttpRequest&)> operates_;
  ErrorForm error_form_;
};

}  // namespace openseat::app
