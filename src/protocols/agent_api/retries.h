// Retries: the answers to requests that had an Idempotency-Key, so that a repeated request acts only once. The latest
// of each seat are remembered for as long as the process lives; a failed request has changed nothing and may be tried
// again.
//
// Any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "protocols/agent_api/seat_answers.h"

namespace openseat::agent_api {

class Retries {
 public:
  // Per seat, and in total.
  static constexpr std::size_t kKeys = 32;
  static constexpr std::size_t kSeats = 4096;

  // A new `key` of the seat: runs `act`, whose answer goes to `answered`. A key that was used for the same `request`:
  // the same answer, now or when it is there. A key that was used for another request: 400.
  void Once(const std::string& seat, const std::string& key, const std::string& request,
            const std::function<void(Answered)>& act, Answered answered);

 private:
  struct Entry {
    std::string key;
    std::string request;  // its SHA-256
    std::optional<SeatAnswer> answer;
    std::vector<Answered> waiting;  // waiting for the same answer
  };
  using Entries = std::deque<Entry>;

  // The oldest seat that nobody awaits an answer for.
  void ForgetOldest();
  void Finish(const std::string& seat, const std::string& key, const SeatAnswer& answer);

  std::mutex mutex_;
  std::unordered_map<std::string, Entries> seats_;
  std::deque<std::string> order_;  // of the seats, oldest first
};

}  // namespace openseat::agent_api
