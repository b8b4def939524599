// OtherServers: the other servers of a cluster, for handlers whose answers take more than what this one has.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/http.h"

namespace openseat::net {

// Any thread.
class OtherServers {
 public:
  virtual ~OtherServers() = default;

  // Whether another server asks, for its own client. Such a request is answered with what is here.
  virtual bool IsPassedOn(const HttpRequest& request) const = 0;

  // What a client gets where only servers ask each other.
  static HttpResponse NotForClients() {
    return HttpResponse::FromError({ErrorCode::kNotFound, "there is nothing here", {}});
  }

  // Whether each table of the cluster is at a server that lives, as far as this one knows: false while tables move.
  virtual bool HaveAll() const = 0;

  // The shards whose tables are surely at this server, as 64 bits, and how often tables of a shard came here: one that
  // went and came back meanwhile has others.
  struct Serving {
    std::uint64_t shards = 0;
    std::uint64_t takes = 0;
  };
  virtual Serving Served() const = 0;
  // Of `before`, those whose tables have been here all the time since.
  std::uint64_t ServedSince(const Serving& before) const {
    const Serving now = Served();
    return now.takes == before.takes ? now.shards & before.shards : 0;
  }

  struct Answer {
    std::string node;
    std::optional<std::string> body;  // of a 200; nullopt: there was no such answer in time
  };
  // Sends GET `target` to all others that live, for the client of `request`, with its credentials. `done` runs later,
  // on the first shard of this server, after two seconds at most.
  virtual void AskAll(const HttpRequest& request, std::string target,
                      std::function<void(std::vector<Answer>)> done) const = 0;
  // Passes on the request to the server of that name; `done` gets its answer, or a 503 that says that it gave no
  // answer. What this returns is to be called when the client is gone, on any thread.
  virtual std::function<void()> PassOn(const std::string& node, const HttpRequest& request,
                                       std::function<void(HttpResponse)> done) const = 0;
};

}  // namespace openseat::net
