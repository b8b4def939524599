// Neighbor: plays by the rules next to an attack, and measures how long it waits for answers.
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

// The limits on 99 of 100 trips, and on any trip, during an attack.
inline constexpr std::chrono::milliseconds kUnnoticed(250);
inline constexpr std::chrono::milliseconds kLongest(1000);

// How long the trips of one kind took.
struct Trips {
  std::size_t count = 0;
  std::chrono::nanoseconds p50{0};
  std::chrono::nanoseconds p99{0};
  std::chrono::nanoseconds longest{0};

  std::string Text() const;  // "1234 trips: half within 0.2 ms, 99 % within 1.0 ms, the longest 3.4 ms"
};

// The kinds of trips.
enum class Trip : std::uint8_t {
  kHealth,     // GET /healthz
  kNeuro,      // a game's force, until its action comes
  kChimera,    // an action of a match, until it is durable and answered
  kStory,      // a turn, until it is narrated and durable
  kNetrunner,  // an action over the Agent API, until it is durable and answered
  kWebhook,    // from an event in that game until its webhook arrives; in whole milliseconds
  kCount,
};

class Neighbor {
 public:
  // kSome requests /healthz, answers a Neuro force's action and plays a Chimera match, again and again; the first two
  // use two connections that the server has put on two of its shards (if it has two). kAll also plays a story and both
  // seats of a Netrunner game through webhooks.
  enum class Who : std::uint8_t { kSome, kAll };
  // Connects before it returns. A wrong answer or a lost connection fails the test, and so does an answer that takes
  // ten seconds. A request that is refused because the server is out of memory (503) is repeated; this is part of the
  // trip.
  explicit Neighbor(const RealServer& server, Who who = Who::kSome);
  ~Neighbor();  // Stop
  Neighbor(const Neighbor&) = delete;
  Neighbor& operator=(const Neighbor&) = delete;

  struct Report {
    std::array<Trips, static_cast<std::size_t>(Trip::kCount)> trips;
    Trips late;  // how late the machine woke a thread that only waited for a point in time

    const Trips& of(Trip trip) const { return trips[static_cast<std::size_t>(trip)]; }
    // The highest value of all kinds.
    std::chrono::nanoseconds longest() const;
    std::chrono::nanoseconds p99() const;
    std::string Text() const;
  };
  // Returns once every connection has made this many trips since the start (or was cut off).
  void WaitForTrips(std::size_t count) const;
  // Finishes the trips in progress, and prints and returns how long all of them took. Called once.
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
