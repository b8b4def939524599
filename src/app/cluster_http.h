// NodeCalls: HTTP calls to other nodes of the cluster. A call ends when its node gives no more signs of life: a machine
// that vanishes closes no connection.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scheduler.h"
#include "net/http_client.h"
#include "net/other_servers.h"
#include "store/cluster_plan.h"

namespace openseat::app {

// The URL of a request target at that node. REQUIRES a target that begins with "/": anything else could lead to another
// host or port, and the request shows the node's secret.
std::string UrlAt(const store::NodeBeat& to, std::string_view target);

class NodeCalls {
 public:
  // Whether this process still lives, as far as we know.
  using Lives = std::function<bool(const store::NodeBeat& to)>;
  // `caller` and `home`, where the calls are made, outlive this.
  NodeCalls(Lives lives, net::HttpCaller& caller, Scheduler& home)
      : shared_(std::make_shared<Shared>(Shared{std::move(lives), caller, home})) {}

  class Call;
  std::shared_ptr<Call> Make() const { return std::make_shared<Call>(shared_); }

  using To = std::pair<store::NodeBeat, net::HttpCall>;
  // Makes all calls; `done` runs later on `home`, with the bodies of answers of status 200.
  void CallAll(std::vector<To> calls, std::function<void(std::vector<net::OtherServers::Answer>)> done) const;

 private:
  struct Shared {
    Lives lives;
    net::HttpCaller& caller;
    Scheduler& home;
  };
  const std::shared_ptr<const Shared> shared_;
};

// One call. Any thread.
class NodeCalls::Call : public std::enable_shared_from_this<Call> {
 public:
  explicit Call(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Once. `done` runs on `home`, unless the call is canceled before; it is kept until then.
  void Start(const store::NodeBeat& to, net::HttpCall call, net::HttpDone done);
  // Cancels the call, which may not have started; does not keep it.
  std::function<void()> Canceler();

 private:
  void Watch();
  void End(Result<net::HttpResponse> answer);
  void Cancel();

  const std::shared_ptr<const Shared> shared_;
  // All on `home`.
  store::NodeBeat to_;
  net::HttpDone done_;
  net::HttpCallId id_;
  TimerId watch_;
  bool over_ = false;
};

}  // namespace openseat::app
