// RealServer: `openseat serve` as a child on a port of its own choice, its API over blocking HTTP, and what it costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "net/test_client.h"
#include "support/process.h"

namespace openseat::tests {

class RealServer {
 public:
  // Serves from `data_dir`, Chimera at /chimera of its one port. `more`: further arguments. `log_file`: where its log
  // goes ("": our standard error). Fails the test where it does not start.
  explicit RealServer(const std::string& data_dir, const std::vector<std::string>& more = {},
                      const std::string& log_file = {});

  std::uint16_t port() const { return port_; }
  std::string chimera_url() const { return "ws://127.0.0.1:" + std::to_string(port_) + "/chimera"; }
  // kill -9, and waits.
  void Kill();
  // Asks it to end, and waits until it has.
  void Stop();
  void Signal(int signal) { process_.Signal(signal); }
  // Waits for its end: the exit code, or 128 and the signal that killed it.
  int Wait() { return process_.Wait(); }

  pid_t pid() const { return process_.pid(); }

  // The status of a GET; 0: no answer.
  int Status(const std::string& path);
  // The answer's body; fails the test where the status is another than 200 or 201.
  json::Value Get(const std::string& path);
  json::Value Post(const std::string& path, const json::Value& body);

  // A sample of /metrics by its whole name, labels included: `openseat_loop_stall_seconds_bucket{le="0.05"}`. 0 where
  // there is no such sample.
  double Metric(std::string_view sample);
  // Of a histogram, its observations, and how many of them were at most `bound` ("0.5"), both of one moment.
  struct Observed {
    double all = 0;
    double within = 0;
  };
  Observed Observations(const std::string& histogram, const std::string& bound);
  // Resident memory now, and the most there ever was, in bytes.
  std::uint64_t ResidentBytes() const { return StatusBytes("VmRSS:"); }
  std::uint64_t PeakResidentBytes() const { return StatusBytes("VmHWM:"); }
  // What the journal takes on disk, its write-ahead log included.
  std::uint64_t JournalBytes() const;
  // What was logged until now. REQUIRES a log file.
  std::string Log() const { return ReadTextFile(log_file_); }

 private:
  net::TestClient::Answer Ask(std::string_view request);
  json::Value Answer(std::string_view request);
  std::string Metrics();
  std::uint64_t StatusBytes(std::string_view field) const;

  const std::string data_dir_;
  const std::string log_file_;
  Process process_;
  std::uint16_t port_ = 0;
};

// A WebSocket client that waits for what comes: for tests that look at each message.
class WireClient {
 public:
  // `headers`: more of them, each with its line break.
  explicit WireClient(const RealServer& server, std::string_view path = "/chimera", std::string_view headers = {});

  // Sends bytes as one text message.
  void Send(std::string_view text);
  // The next message; null where the connection ended.
  json::Value Next();
  // Sends a Chimera request and returns the next message, its response.
  json::Value Ask(std::string_view operation, const json::Value& params);
  net::TestClient& raw() { return client_; }

 private:
  net::TestClient client_;
};

// A game that speaks the Neuro API.
class WireGame {
 public:
  // Connects, and sends a startup.
  WireGame(const RealServer& server, std::string game);

  // A command without `data` where that is null.
  void Send(std::string_view command, const json::Value& data);
  // Registers one action; null: without a schema.
  void Register(std::string_view name, const json::Value& schema);
  void Force(std::string_view action);
  // The data of the next `action` message, passing others over; null where the connection ended.
  json::Value NextAction();
  // Accepts the action of that data.
  void Accept(const json::Value& action);
  WireClient& client() { return client_; }

 private:
  const std::string game_;
  WireClient client_;
};

}  // namespace openseat::tests
