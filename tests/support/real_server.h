// RealServer: `openseat serve` as a child process on a port that it chooses, its API over blocking HTTP, and its costs.
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
  // Serves from `data_dir`, with Chimera at /chimera of its only port. `more`: further arguments; if the first
  // one is "relay", those of `openseat relay`. `log_file`: where its log goes ("": our standard error). Throws if it
  // does not start, which fails the test.
  explicit RealServer(const std::string& data_dir, const std::vector<std::string>& more = {},
                      const std::string& log_file = {});

  std::uint16_t port() const { return port_; }
  std::string chimera_url() const { return "ws://127.0.0.1:" + std::to_string(port_) + "/chimera"; }
  // Kills it (-9), and waits.
  void Kill();
  // Asks it to stop, and waits until it has.
  void Stop();
  void Signal(int signal) { process_.Signal(signal); }
  // Waits for it to exit. Returns the exit code, or 128 plus the signal that killed it.
  int Wait() { return process_.Wait(); }

  pid_t pid() const { return process_.pid(); }

  // The status of a GET; 0 if there was no answer.
  int Status(const std::string& path);
  // The answer's body; throws if the status is not 200 or 201, so that no test waits for a server that is gone.
  json::Value Get(const std::string& path);
  json::Value Post(const std::string& path, const json::Value& body);

  // A sample of /metrics by its full name, including labels: `openseat_loop_stall_seconds_bucket{le="0.05"}`. 0 if
  // there is no such sample.
  double Metric(std::string_view sample);
  // A histogram's number of observations, and how many of them were at most `bound` ("0.5"), both at the same moment.
  struct Observed {
    double all = 0;
    double within = 0;
  };
  Observed Observations(const std::string& histogram, const std::string& bound);
  // Resident memory now, and its peak, in bytes.
  std::uint64_t ResidentBytes() const { return StatusBytes("VmRSS:"); }
  std::uint64_t PeakResidentBytes() const { return StatusBytes("VmHWM:"); }
  // The journal's size on disk, including its write-ahead log.
  std::uint64_t JournalBytes() const;
  // The log so far. REQUIRES a log file.
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

// A blocking WebSocket client, for tests that look at each message.
class WireClient {
 public:
  // `headers`: additional headers, each with its line break.
  explicit WireClient(const RealServer& server, std::string_view path = "/chimera", std::string_view headers = {});

  // Sends bytes as one text message.
  void Send(std::string_view text);
  // The next frame that is neither a ping nor a pong.
  net::TestClient::Frame NextFrame();
  // The next message; null if the connection ended.
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
  // Connects, and sends the startup message.
  WireGame(const RealServer& server, std::string game);

  // Sends a command, without `data` if that is null.
  void Send(std::string_view command, const json::Value& data);
  // Registers one action; a null schema means none.
  void Register(std::string_view name, const json::Value& schema);
  void Force(std::string_view action);
  // The data of the next `action` message; skips other messages. Null if the connection ended.
  json::Value NextAction();
  // Accepts the action with this data.
  void Accept(const json::Value& action);
  WireClient& client() { return client_; }

 private:
  const std::string game_;
  WireClient client_;
};

}  // namespace openseat::tests
