#include "agents/llm/model_call.h"

#include <algorithm>
#include <utility>

namespace openseat::llm {

void ModelCall::Start(net::HttpCall call, std::uint64_t input_tokens, std::string owner, Failed failed, Done done) {
  call_ = std::move(call);
  input_tokens_ = input_tokens;
  owner_ = std::move(owner);
  failed_ = std::move(failed);
  done_ = std::move(done);
  tries_ = 0;
  busy_ = 0;
  started_ = scheduler_.clock().Monotonic();
  Try();
}

void ModelCall::Cancel() {
  under_way_.Cancel();
  timer_.Cancel();
  pass_.Leave();
  if (reader_ && sent_) purse_.SettleUnanswered(scheduler_.clock().Monotonic() - begun_);
  reader_.reset();
  purse_.Settle({});
}

void ModelCall::Try() {
  ++tries_;
  pass_.Enter(gate_, scheduler_, owner_, [this] { Send(); });
}

void ModelCall::Send() {
  begun_ = scheduler_.clock().Monotonic();
  sent_ = false;
  heard_.reset();
  reader_.emplace(model_.provider);
  net::HttpCall call = call_;
  call.on_sent = [this] { sent_ = true; };
  call.on_body = [this](std::string_view bytes) {
    heard_ = scheduler_.clock().Monotonic();
    reader_->Feed(bytes);
  };
  under_way_.Start(http_, scheduler_, std::move(call),
                   [this](const Result<net::HttpResponse>& response) { OnResponse(response); });
  if (model_.stream) WatchSilence();
}

void ModelCall::WatchSilence() {
  const Duration silent = scheduler_.clock().Monotonic() - heard_.value_or(begun_);
  if (silent < model_.timeout) return timer_.Set(scheduler_, model_.timeout - silent, [this] { WatchSilence(); });
  under_way_.Cancel();
  OnResponse(Fail(ErrorCode::kTimeout, "the provider did not answer in time"));
}

void ModelCall::OnResponse(const Result<net::HttpResponse>& response) {
  timer_.Cancel();
  pass_.Leave();
  tl::expected<Reply, CallFailure> reply = reader_->Finish(response, scheduler_.clock().Now());
  reader_.reset();
  if (!reply && response && response->status / 100 != 2) {
    std::string& message = reply.error().error.message;
    message = call_.url + ": " + message;
  }
  const Duration taken = scheduler_.clock().Monotonic() - begun_;
  if (reply) {
    // A server that counts nothing says nothing, or zero.
    if (reply->usage.value_or(Usage()).tokens() == 0) {
      reply->usage = Usage{.input = input_tokens_, .output = EstimateTokens(reply->text)};
    }
    purse_.Settle(*reply->usage);
    const Done done = std::move(done_);
    done(Answered{std::move(*reply), taken, tries_});
    return;
  }
  if (MayCost(reply.error())) purse_.SettleUnanswered(taken);
  purse_.Settle({});
  std::optional<Duration> wait = Pause(reply.error());
  if (wait && !purse_.SetAsideAgain()) wait.reset();
  failed_(reply.error(), wait);
  if (wait) return timer_.Set(scheduler_, *wait, [this] { Try(); });
  const Done done = std::move(done_);
  done(tl::unexpected(std::move(reply).error()));
}

std::optional<Duration> ModelCall::Pause(const CallFailure& failure) {
  if (!failure.again) return std::nullopt;
  if (failure.busy) ++busy_;
  if (failure.busy && patience_ > Duration(0)) {
    const Duration left = patience_ - (scheduler_.clock().Monotonic() - started_);
    // Not less than our own pause: a provider that says "now" for an hour would be asked without a break.
    const Duration wait = std::max(failure.wait.value_or(Duration(0)), Backoff(busy_));
    return wait <= left ? std::optional(wait) : std::nullopt;
  }
  // Tries that were turned away under patience do not count.
  const int counted = patience_ > Duration(0) ? tries_ - busy_ : tries_;
  if (counted > model_.retries) return std::nullopt;
  if (failure.wait) return *failure.wait <= model_.max_wait ? failure.wait : std::nullopt;
  return Backoff(counted);
}

// An error that the provider answered is free, and so is a request that did not reach it.
bool ModelCall::MayCost(const CallFailure& failure) const {
  return failure.status != 0 ? failure.status < 300 : sent_;
}

Duration ModelCall::Backoff(int tries) {
  // Doubled each time, with jitter for callers that were turned away at the same moment.
  const double pause = static_cast<double>(model_.backoff.count()) * static_cast<double>(1 << std::min(tries - 1, 20));
  const double spread = 0.75 + 0.5 * rng_.Unit();
  return std::min(Duration(static_cast<std::int64_t>(pause * spread)), model_.max_wait);
}

}  // namespace openseat::llm
