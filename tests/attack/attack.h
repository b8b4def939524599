// Attack: a real server, and a neighbor that plays beside whoever attacks it. Each attack is one file; `./dev test`
// runs its short form, OPENSEAT_ATTACK_SCALE=20 one that is twenty times as long or as large.
//
// What an attack holds the server to is first what the server says: a refusal, a metric, a line of its log. What the
// neighbor waited for is held against how long the machine itself let a thread wait that only wanted to run
// (Neighbor::Report::late), and the data lie in memory: another program's work, or its disk, is nobody's doing here.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attack/neighbor.h"
#include "support/process.h"
#include "support/real_server.h"

namespace openseat::tests {

// A sanitizer takes time and memory of its own, so that neither is the program's: attacks run, and are not measured.
#ifdef OPENSEAT_SANITIZED
inline constexpr bool kMeasured = false;
#else
inline constexpr bool kMeasured = true;
#endif

class Attack : public ::testing::Test {
 protected:
  explicit Attack(TemporaryDirectory::On data = TemporaryDirectory::On::kMemory) : data_(data) {}

  // Starts the server, and then the neighbor. `config`: TOML. `more`: further arguments. Two shards, and agents that
  // choose at random, unless said otherwise.
  void Start(const std::string& config = {}, const std::vector<std::string>& more = {});
  // The server alone. Its log goes to a file of the data, unless said otherwise.
  void StartAlone(const std::string& config = {}, const std::vector<std::string>& more = {},
                  const std::string& log_file = {});

  RealServer& server() { return *server_; }
  Neighbor& neighbor() { return *neighbor_; }  // REQUIRES Start
  const std::string& data_dir() const { return data_.path(); }

  // Lets the neighbor have made so many trips on each of its connections, and stops it: it has waited for nobody.
  // REQUIRES Start. Called once.
  void ExpectUnnoticed(std::size_t trips = 50);

  // No turn of a loop was long, by what the server says itself.
  void ExpectNoStall();
  // The server has never had so much memory resident.
  void ExpectMemoryBelow(std::uint64_t bytes);

  // Everything that was found wrong with that game's messages, as JSON.
  std::string DiagnosticsOf(const std::string& game);

  // `short_form`, times OPENSEAT_ATTACK_SCALE.
  static std::size_t Scaled(std::size_t short_form);

 private:
  const TemporaryDirectory data_;
  std::unique_ptr<RealServer> server_;
  std::unique_ptr<Neighbor> neighbor_;
};

}  // namespace openseat::tests
