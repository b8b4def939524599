// Shared by the load generators of `openseat bench`: a run with its connections, its clock and its figures. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/shard.h"
#include "net/websocket.h"

namespace openseat::load {

struct LoadResult {
  std::size_t trips = 0;  // answered requests
  Duration elapsed{0};
  std::vector<std::uint32_t> latencies_us;  // sorted
  std::size_t bytes_out = 0;                // per trip
  std::size_t bytes_in = 0;                 // per trip

  double rate() const {
    return elapsed.count() > 0 ? static_cast<double>(trips) * 1e6 / static_cast<double>(elapsed.count()) : 0;
  }
  double percentile_us(double p) const;
};

// Called on the client's thread when measuring begins and ends; either may be empty.
struct LoadMarks {
  std::function<void()> begin = {};
  std::function<void()> end = {};
};

// How long a server is idle before its memory is measured.
inline constexpr Duration kSettle = std::chrono::milliseconds(1500);

class LoadRun {
 public:
  net::Shard& shard() { return shards_.at(0); }
  bool measuring() const { return measuring_; }
  bool over() const { return over_; }
  LoadResult& result() { return result_; }
  // Ends the run; the first reason counts.
  void Fail(Error reason);
  void Stop();
  // A trip that began at `since` is over; counted while measuring.
  void Count(Instant since);

  // Opens `count` connections to `url`, a bounded number at a time, each with the session that `make` returns for its
  // number, and then calls `all_open`. Called once, before Go.
  using MakeSession = std::function<std::unique_ptr<net::WebSocketSession>(std::size_t index)>;
  void Connect(const std::string& url, std::size_t count, MakeSession make, std::function<void()> all_open);
  // Each session calls it when its connection is open.
  void Opened();
  // Each session calls it when its connection is closed; ends the run unless it is over.
  void Closed(std::uint16_t code, std::string_view reason);
  // Called from within the run: warms up, measures between the marks, and stops.
  void Measure(Duration warmup, Duration measure, const LoadMarks& marks);
  // Runs until Stop or Fail; returns the error given to Fail.
  Result<LoadResult> Go();

 private:
  void OpenNext();

  std::string url_;
  std::size_t wanted_ = 0;
  std::size_t started_ = 0;
  std::size_t open_ = 0;
  MakeSession make_;
  std::function<void()> all_open_;
  bool measuring_ = false;
  bool over_ = false;
  Instant began_;
  std::optional<Error> error_;
  LoadResult result_;
  net::Shards shards_{1};  // destroyed first, and with it the sessions, which still close properly
};

}  // namespace openseat::load
