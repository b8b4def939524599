// ModelCall: one question to a model, retried as long as that may help, with pauses that grow or that the provider
// requests. Each try waits for its turn at the model's gate. One thread: its scheduler's. Destroying it cancels
// whatever is in progress.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "agents/llm/call_gate.h"
#include "agents/llm/model.h"
#include "agents/llm/provider.h"
#include "agents/llm/spending.h"
#include "base/rng.h"
#include "base/scheduler.h"
#include "net/http_client.h"

namespace openseat::llm {

// What the process wants of its calls, whichever model is asked.
struct CallPolicy {
  bool record_prompts = false;  // each answer's event holds its whole prompt
  // How long a call is tried again, beyond the model's retries, because the provider limits its rate or is overloaded.
  Duration patience{0};
};

struct Answered {
  Reply reply;          // its usage is estimated if the provider counts nothing
  Duration latency{0};  // of the try that got an answer
  int tries = 1;
};

class ModelCall {
 public:
  // Called for every try that failed; `wait` is the pause before the next one, nullopt if there is no next one.
  using Failed = std::function<void(const CallFailure& failure, std::optional<Duration> wait)>;
  using Done = std::function<void(tl::expected<Answered, CallFailure>)>;

  // All outlive it.
  ModelCall(const Model& model, CallGate& gate, Purse& purse, net::HttpCaller& http, Scheduler& scheduler,
            Duration patience, std::uint64_t seed)
      : model_(model),
        gate_(gate),
        purse_(purse),
        http_(http),
        scheduler_(scheduler),
        patience_(patience),
        rng_(seed) {}
  ~ModelCall() { Cancel(); }
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;

  // REQUIRES that none is in progress, and that what it may cost is set aside in the purse; what it did cost is settled
  // there. `input_tokens`: about how many it has, for a provider that does not count. It waits for its turn among the
  // calls of `owner` (CallGate). `done` may start the next one.
  void Start(net::HttpCall call, std::uint64_t input_tokens, std::string owner, Failed failed, Done done);
  void Cancel();

 private:
  void Try();
  void Send();
  // Gives the try up if nothing arrived for too long, or looks again when that may be so.
  void WatchSilence();
  void OnResponse(const Result<net::HttpResponse>& response);
  // The pause before the next try; nullopt if there is no next try.
  std::optional<Duration> Pause(const CallFailure& failure);
  // Whether the provider may charge for a try that failed like this.
  bool MayCost(const CallFailure& failure) const;
  Duration Backoff(int tries);

  const Model& model_;
  CallGate& gate_;
  Purse& purse_;
  net::HttpCaller& http_;
  Scheduler& scheduler_;
  const Duration patience_;
  Rng rng_;
  net::HttpCall call_;
  std::uint64_t input_tokens_ = 0;
  std::string owner_;
  Failed failed_;
  Done done_;
  int tries_ = 0;
  int busy_ = 0;                       // of these, how many were turned away for a while
  Instant started_;                    // the first try
  Instant begun_;                      // this one
  bool sent_ = false;                  // it reached its provider, or may have
  std::optional<Instant> heard_;       // when something of its answer arrived last
  std::optional<ReplyReader> reader_;  // while it is under way
  CallGate::Pass pass_;
  net::ScopedHttpCall under_way_;
  ScopedTimer timer_;  // a pause, or the silence during a stream
};

}  // namespace openseat::llm
