#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <utility>

#include "net/io.h"
#include "net/shard.h"
#include "net/shard_impl.h"

namespace openseat::net {

struct SignalWatch::Impl {
  // Outlives the watch while a wait is pending.
  struct State {
    State(IoContext& io, std::function<void(int)> callback, bool hears_hangups)
        : signals(io, SIGINT, SIGTERM), handler(std::move(callback)), hangups(hears_hangups) {
      IoError ignored;
      if (hangups) signals.add(SIGHUP, ignored);
    }
    ~State() {
      if (!hangups) return;
      // Otherwise one would end a process that is still closing its files: asio restores the default action.
      IoError ignored;
      signals.clear(ignored);
      std::signal(SIGHUP, SIG_IGN);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    asio::basic_signal_set<IoExecutor> signals;
    std::function<void(int)> handler;
    const bool hangups;
    bool over = false;
  };

  static void Wait(const std::shared_ptr<State>& state) {
    state->signals.async_wait([state](IoError error, int signal) {
      if (error || state->over) return;
      state->handler(signal);
      if (!state->over) Wait(state);
    });
  }

  std::shared_ptr<State> state;
};

SignalWatch::SignalWatch(Shards& shards, std::function<void(int signal)> handler, bool hangups)
    : impl_(std::make_unique<Impl>()) {
  auto& shard = static_cast<ShardImpl&>(shards.at(0));
  impl_->state = std::make_shared<Impl::State>(shard.io(), std::move(handler), hangups);
  Impl::Wait(impl_->state);
}

SignalWatch::~SignalWatch() {
  impl_->state->over = true;
  IoError ignored;
  impl_->state->signals.cancel(ignored);
}

}  // namespace openseat::net
