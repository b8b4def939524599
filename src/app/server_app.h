// ServerApp: everything that `openseat serve` is made of, constructed in order in one place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "base/json.h"

namespace openseat::app {

class ServerApp {
 public:
  // Opens the journal and binds the addresses. Nothing runs yet.
  static Result<std::unique_ptr<ServerApp>> Create(Config config);
  ~ServerApp();

  // The OpenAPI document of a server with the usual settings, without one that listens.
  static Result<json::Object> Describe();

  // The port of the first address, for tests that asked for any.
  std::uint16_t port() const;
  // Of Chimera's own address; 0 where there is none.
  std::uint16_t chimera_port() const;
  // The admin token, where it was made just now; else "".
  const std::string& fresh_token() const;
  // Serves until SIGINT or SIGTERM, then drains.
  void Run();
  // The same, and one host of MCP over standard input and output, whose end is the program's.
  void RunWithStdio();

 private:
  struct Parts;
  explicit ServerApp(std::unique_ptr<Parts> parts);
  struct StartMatch;
  // The matches of the command line and the config file, or why one of them cannot be made.
  static Result<std::vector<StartMatch>> MatchesAtStart(const Parts& parts);
  static void OpenMatch(Parts& parts, StartMatch match);
  // Opens the files of the data directory.
  static Result<std::unique_ptr<Parts>> MakeParts(Config config);
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
