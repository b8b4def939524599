// Neighbor: who plays by the rules beside an attack, and how long it waits for its answers.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/real_server.h"

namespace openseat::tests {

// What 99 of 100 trips may take beside an attack, and what any may.
inline constexpr std::chrono::milliseconds kUnnoticed(250);
inline constexpr std::chrono::milliseconds kLongest(1000);

// What the trips of one kind took.
struct Trips {
  std::size_t count = 0;
  std::chrono::nanoseconds p50{0};
  std::chrono::nanoseconds p99{0};
  std::chrono::nanoseconds longest{0};

  std::string Text() const;  // "1234 trips: half within 0.2 ms, 99 % within 1.0 ms, the longest 3.4 ms"
};

// What a neighbor waits for.
enum class Trip : std::uint8_t {
  kHealth,     // GET /healthz
  kNeuro,      // a game's force, until its action comes
  kChimera,    // an action of a match, until it is durable and answered
  kStory,      // a turn, until it is narrated and durable
  kNetrunner,  // an action over the Agent API, until it is durable and answered
  kWebhook,    // from what happened in that game until its webhook is there; in whole milliseconds
  kCount,
};

class Neighbor {
 public:
  // kSome asks /healthz, answers a Neuro force's action and plays a Chimera match, again and again, the first two of
  // them on two connections that the server has put on two of its shards (where there are two). kAll has a story told
  // as well and plays both seats of a game of Netrunner by webhooks.
  enum class Who : std::uint8_t { kSome, kAll };
  // Connects before it returns. An answer that is wrong, or a connection that ends, fails the test; so does an answer
  // that takes ten seconds. What is refused because the server's memory is used up (503) is asked again, which is part
  // of the trip.
  explicit Neighbor(const RealServer& server, Who who = Who::kSome);
  ~Neighbor();  // Stop
  Neighbor(const Neighbor&) = delete;
  Neighbor& operator=(const Neighbor&) = delete;

  struct Report {
    std::array<Trips, static_cast<std::size_t>(Trip::kCount)> trips;
    Trips late;  // how late the machine let a thread run that only wanted to wait until some moment

    const Trips& of(Trip trip) const { return trips[static_cast<std::size_t>(trip)]; }
    // The highest of all kinds.
    std::chrono::nanoseconds longest() const;
    std::chrono::nanoseconds p99() const;
    std::string Text() const;
  };
  // Returns once every connection has made so many trips since the beginning (or was cut off).
  void WaitForTrips(std::size_t count) const;
  // Ends the trips under way, and prints and returns what all of them took. Called once.
  Report Stop();

 private:
  class Guest;
  class HealthGuest;
  class NeuroGuest;
  class ChimeraGuest;
  class StoryGuest;
  class NetrunnerGuest;

  std::vector<std::unique_ptr<Guest>> guests_;
  std::vector<std::jthread> threads_;
};

}  // namespace openseat::tests
