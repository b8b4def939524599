// Neighbor: who plays by the rules beside an attack, and how long it waits for its answers.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/real_server.h"

namespace openseat::tests {

// What 99 of 100 trips may take beside an attack. Generous: a busy machine takes a tenth of it.
inline constexpr std::chrono::milliseconds kUnnoticed(500);

// What the trips of one kind took.
struct Trips {
  std::size_t count = 0;
  std::chrono::nanoseconds p50{0};
  std::chrono::nanoseconds p99{0};
  std::chrono::nanoseconds longest{0};

  std::string Text() const;  // "1234 trips: half within 0.2 ms, 99 % within 1.0 ms, the longest 3.4 ms"
};

class Neighbor {
 public:
  // Connects before it returns, and from then on asks /healthz, answers a Neuro force's action and plays a Chimera
  // match, again and again: each on two connections that the server has put on two of its shards (where there are two).
  // An answer that is wrong, or a connection that ends, fails the test; so does an answer that takes ten seconds.
  explicit Neighbor(const RealServer& server);
  ~Neighbor();  // Stop
  Neighbor(const Neighbor&) = delete;
  Neighbor& operator=(const Neighbor&) = delete;

  struct Report {
    Trips health;
    Trips neuro;
    Trips chimera;

    // The highest of what waits for no disk: a Chimera action waits for its commit as well, and Text has its time.
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

  std::vector<std::unique_ptr<Guest>> guests_;
  std::vector<std::jthread> threads_;
};

}  // namespace openseat::tests
