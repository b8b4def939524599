#include "load/load_run.h"

#include <algorithm>
#include <utility>

#include "net/websocket_client.h"

namespace openseat::load {
namespace {

constexpr std::size_t kConnecting = 64;  // connections opened concurrently

}  // namespace

double LoadResult::percentile_us(double p) const {
  if (latencies_us.empty()) return 0;
  const auto index = static_cast<std::size_t>(p / 100 * static_cast<double>(latencies_us.size() - 1));
  return latencies_us[index];
}

void LoadRun::Fail(Error reason) {
  if (over_) return;
  error_ = std::move(reason);
  Stop();
}

void LoadRun::Stop() {
  over_ = true;
  shards_.Stop();
}

void LoadRun::Count(Instant since) {
  if (!measuring_) return;
  ++result_.trips;
  result_.latencies_us.push_back(static_cast<std::uint32_t>((shard().clock().Monotonic() - since).count()));
}

void LoadRun::Connect(const std::string& url, std::size_t count, MakeSession make, std::function<void()> all_open) {
  url_ = url;
  wanted_ = count;
  make_ = std::move(make);
  all_open_ = std::move(all_open);
  shard().Post([this] { OpenNext(); });
}

void LoadRun::OpenNext() {
  while (started_ < wanted_ && started_ - open_ < kConnecting) {
    net::ConnectWebSocket(shard(), url_, {}, make_(started_++), [this](Error error) { Fail(std::move(error)); });
  }
}

void LoadRun::Opened() {
  ++open_;
  if (open_ == wanted_) {
    all_open_();
  } else {
    OpenNext();
  }
}

void LoadRun::Closed(std::uint16_t code, std::string_view reason) {
  Fail({ErrorCode::kIo,
        "the server closed a connection (" + std::to_string(code) + " " + std::string(reason) + ")",
        {}});
}

void LoadRun::Measure(Duration warmup, Duration measure, const LoadMarks& marks) {
  shard().After(warmup, [this, measure, marks] {
    measuring_ = true;
    began_ = shard().clock().Monotonic();
    if (marks.begin) marks.begin();
    shard().After(measure, [this, marks] {
      measuring_ = false;
      result_.elapsed = shard().clock().Monotonic() - began_;
      if (marks.end) marks.end();
      Stop();
    });
  });
}

Result<LoadResult> LoadRun::Go() {
  shards_.RunFirstHere();
  if (error_) return openseat::Fail(std::move(*error_));
  std::ranges::sort(result_.latencies_us);
  return std::move(result_);
}

}  // namespace openseat::load
