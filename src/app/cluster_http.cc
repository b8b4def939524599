#include "app/cluster_http.h"

#include <cstddef>

#include "base/check.h"

namespace openseat::app {
namespace {

constexpr Duration kWatchEvery = std::chrono::seconds(1);

}  // namespace

std::string UrlAt(const store::NodeBeat& to, std::string_view target) {
  OPENSEAT_CHECK(target.starts_with('/'), "the server's parser leaves the path and query of a target");
  return to.address + std::string(target);
}

void NodeCalls::Call::Start(const store::NodeBeat& to, net::HttpCall call, net::HttpDone done) {
  shared_->home.Post([self = shared_from_this(), to, call = std::move(call), done = std::move(done)]() mutable {
    if (self->over_) return;
    self->to_ = to;
    self->done_ = std::move(done);
    self->id_ = self->shared_->caller.Call(self->shared_->home, std::move(call),
                                           [self](Result<net::HttpResponse> answer) { self->End(std::move(answer)); });
    self->Watch();
  });
}

std::function<void()> NodeCalls::Call::Canceler() {
  return [shared = shared_, weak = weak_from_this()] {
    shared->home.Post([weak] {
      if (const auto self = weak.lock()) self->Cancel();
    });
  };
}

void NodeCalls::Call::Watch() {
  watch_ = shared_->home.After(kWatchEvery, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->over_) return;
    if (self->shared_->lives(self->to_)) return self->Watch();
    self->shared_->caller.Cancel(self->shared_->home, self->id_);
    self->End(Fail(ErrorCode::kIo, "it gives no sign of life"));
  });
}

void NodeCalls::Call::End(Result<net::HttpResponse> answer) {
  if (std::exchange(over_, true)) return;
  shared_->home.Cancel(watch_);
  std::exchange(done_, nullptr)(std::move(answer));
}

void NodeCalls::Call::Cancel() {
  if (std::exchange(over_, true) || done_ == nullptr) return;
  shared_->home.Cancel(watch_);
  done_ = nullptr;
  shared_->caller.Cancel(shared_->home, id_);
}

void NodeCalls::CallAll(std::vector<To> calls, std::function<void(std::vector<net::OtherServers::Answer>)> done) const {
  struct Gathering {
    std::vector<net::OtherServers::Answer> answers;
    std::size_t missing = 0;
    std::function<void(std::vector<net::OtherServers::Answer>)> done;
  };
  const auto gathering = std::make_shared<Gathering>();
  gathering->missing = calls.size();
  gathering->done = std::move(done);
  for (const To& each : calls) gathering->answers.push_back({each.first.node, std::nullopt});
  if (calls.empty()) return shared_->home.Post([gathering] { gathering->done({}); });
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Make()->Start(calls[i].first, std::move(calls[i].second), [gathering, i](Result<net::HttpResponse> answer) {
      if (answer && answer->status == 200) gathering->answers[i].body = std::move(answer->body);
      if (--gathering->missing == 0) gathering->done(std::move(gathering->answers));
    });
  }
}

}  // namespace openseat::app
