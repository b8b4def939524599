// ServerApp: everything that `openseat serve` is made of, constructed in order in one place.
#pragma once

#include <memory>

#include "app/config.h"

namespace openseat::app {

class ServerApp {
 public:
  // Opens the journal and binds the addresses. Nothing runs yet.
  static Result<std::unique_ptr<ServerApp>> Create(Config config);
  ~ServerApp();

  // The port of the first address, for tests that asked for any.
  std::uint16_t port() const;
  // Of Chimera's own address; 0 where there is none.
  std::uint16_t chimera_port() const;
  // The admin token, where it was made just now; else "".
  const std::string& fresh_token() const;
  // Serves until SIGINT or SIGTERM, then drains.
  void Run();

 private:
  struct Parts;
  explicit ServerApp(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
