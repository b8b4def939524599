// Attack: a real server, and a neighbor that plays next to the attacker. Each attack is one file; `./dev test`
// runs its short form, and with OPENSEAT_ATTACK_SCALE=20 one that is twenty times as long or as large.
//
// An attack is judged first by what the server reports: a refusal, a metric, a line of its log. The limit on the
// neighbor's waits allows for how long the machine delayed a thread that was ready to run (Neighbor::Report::late), the
// limit on turns of a loop for how long it delayed the server's threads (Watch), and the data is in memory: the work of
// other programs, and their use of the disk, must not count against the server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attack/neighbor.h"
#include "attack/watch.h"
#include "support/process.h"
#include "support/real_server.h"

namespace openseat::tests {

// A sanitizer adds time and memory of its own, so attacks run but are not measured.
#ifdef OPENSEAT_SANITIZED
inline constexpr bool kMeasured = false;
#else
inline constexpr bool kMeasured = true;
#endif

class Attack : public ::testing::Test {
 protected:
  explicit Attack(TemporaryDirectory::On data = TemporaryDirectory::On::kMemory) : data_(data) {}

  // Starts the server, and then the neighbor. `config`: TOML. `more`: further arguments. By default with two shards,
  // and agents that choose at random.
  void Start(const std::string& config = {}, const std::vector<std::string>& more = {});
  // Starts only the server, and watches it. By default its log goes to a file in the data directory.
  void StartAlone(const std::string& config = {}, const std::vector<std::string>& more = {},
                  const std::string& log_file = {});
  // As StartAlone, and starts no thread: nobody watches the server.
  void StartUnwatched(const std::string& config = {}, const std::vector<std::string>& more = {},
                      const std::string& log_file = {});
  // Starts the neighbor. REQUIRES a server.
  void BeginNeighbor();

  RealServer& server() { return *server_; }
  Neighbor& neighbor() { return *neighbor_; }  // REQUIRES Start
  const std::string& data_dir() const { return data_.path(); }
  // A new API key of the server.
  std::string NewKey(const std::string& label);

  // Waits until the neighbor has made this many trips on each of its connections, stops it, and checks that it never
  // waited long. REQUIRES Start. Called once.
  void ExpectUnnoticed(std::size_t trips = 50);

  // Checks that no turn of a loop used more processor time than this many seconds, a bound of the server's histogram.
  void ExpectNoWorkOver(const char* bound);
  // Checks that no turn took longer than 50 ms, in processor time or by the clock. Longer turns by the clock are
  // allowed only as often, and by as much, as the machine kept the server's threads waiting for a core. REQUIRES
  // StartAlone.
  void ExpectNoStall();
  // How many turns of a loop took longer than 50 ms.
  std::size_t LongTurns();
  // Checks that the server's resident memory never reached this much.
  void ExpectMemoryBelow(std::uint64_t bytes);

  // Waits for the match's end; fails the test, with what the server last said of it, if it does not come.
  void WaitUntilDone(const std::string& id);

  // All tables, of which the neighbor's may be many.
  json::Array Tables();
  // The id of that game's only table.
  std::string TableOf(const std::string& game);
  // All diagnostics of that game, as JSON.
  std::string DiagnosticsOf(const std::string& game);
  // Polls, for half a minute at most, until a diagnostic of the game contains `what`; returns the diagnostics.
  std::string WaitForDiagnostic(const std::string& game, const std::string& what);

  // `short_form`, times OPENSEAT_ATTACK_SCALE.
  static std::size_t Scaled(std::size_t short_form);

 private:
  const TemporaryDirectory data_;
  std::unique_ptr<RealServer> server_;
  std::optional<Watch> watch_;
  std::unique_ptr<Neighbor> neighbor_;
};

// The server's histogram of the processor time of long turns.
inline constexpr const char* kStallsOfCpu = "openseat_loop_stall_cpu_seconds";

// The token of the server's administrator, and a header that makes a request one from another machine.
inline constexpr std::string_view kToken = "thetokenofthisserversadministrator";
inline constexpr std::string_view kElsewhere = "X-Forwarded-For: 203.0.113.9\r\n";

// Attacks on a server whose administrator has kToken.
class OwnedAttack : public Attack {
 protected:
  void SetUp() override;
  // `line`: "GET /path". `headers`: whole lines.
  net::TestClient::Answer Ask(const std::string& line, const std::string& headers = {}, const std::string& body = {});
};

}  // namespace openseat::tests
