// ServerApp: everything that `openseat serve` consists of, constructed in order in one place.
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
  // Reads the settings again, for SIGHUP.
  using Reread = std::function<Result<Config>()>;
  // Opens the journal and binds the addresses. Nothing runs yet. Without `reread`, SIGHUP does nothing.
  static Result<std::unique_ptr<ServerApp>> Create(Config config, Reread reread = nullptr);
  ~ServerApp();

  // The OpenAPI document of a server with the usual settings, without starting one.
  static Result<json::Object> Describe();

  // The port of the first address, for tests that asked for any.
  std::uint16_t port() const;
  // The port of Chimera's own address; 0 if there is none.
  std::uint16_t chimera_port() const;
  // The admin token if it was made just now; else "".
  const std::string& fresh_token() const;
  // Whether other nodes of a cluster have the same token.
  bool shares_token() const;
  // To be called once that was shown, or before, if it is shared: from now on it is the token; another node may have
  // been faster, then there is no fresh one any more. Errors: kIo, the registry's.
  Result<void> KeepFreshToken();
  // Serves until SIGINT or SIGTERM, then drains. SIGHUP rereads the certificates and the log's level.
  void Run();
  // The same, with one MCP host over standard input and output; the program ends when the host does.
  void RunWithStdio();

 private:
  struct Parts;
  explicit ServerApp(std::unique_ptr<Parts> parts);
  struct StartMatch;
  // Makes the matches of the command line and the config file. Errors: why one of them cannot be made.
  static Result<std::vector<StartMatch>> MatchesAtStart(const Parts& parts);
  // Where other nodes of a cluster reach this one.
  static std::string AdvertisedAddress(const Parts& parts);
  static void OpenMatch(Parts& parts, StartMatch match);
  static void Reload(Parts& parts);
  // Opens the files of the data directory.
  static Result<std::unique_ptr<Parts>> MakeParts(Config config);
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
