// ServerApp: everything that `openseat serve` is made of, constructed in order in one place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "base/json.h"

namespace openseat::app {

class ServerApp {
 public:
  // Reads the settings anew, for SIGHUP.
  using Reread = std::function<Result<Config>()>;
  // Opens the journal and binds the addresses. Nothing runs yet. Without `reread` SIGHUP does nothing.
  static Result<std::unique_ptr<ServerApp>> Create(Config config, Reread reread = nullptr);
  ~ServerApp();

  // The OpenAPI document of a server with the usual settings, without one that listens.
  static Result<json::Object> Describe();

  // The port of the first address, for tests that asked for any.
  std::uint16_t port() const;
  // Of Chimera's own address; 0 where there is none.
  std::uint16_t chimera_port() const;
  // The admin token, where it was made just now; else "".
  const std::string& fresh_token() const;
  // Serves until SIGINT or SIGTERM, then drains. With SIGHUP, certificates and the log's level are read anew.
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
  static void Reload(Parts& parts);
  // Opens the files of the data directory.
  static Result<std::unique_ptr<Parts>> MakeParts(Config config);
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
