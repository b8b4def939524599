// ServiceManager: tells the manager that started this process (systemd's sd_notify(3), by datagrams, without its
// library) that the server is ready, reloads or stops; and, if the manager has a watchdog, that every loop runs.
// Without a manager, all calls do nothing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"

namespace openseat::app {

// What the manager told the process when it started it.
struct ServiceEnvironment {
  std::string socket;    // NOTIFY_SOCKET: a path, or "@" and an abstract name; "": no manager
  Duration watchdog{0};  // WATCHDOG_USEC: a process that is silent for longer is killed; 0: no watchdog
};

// `variable` reads a variable of the environment; `pid` is this process's id, since WATCHDOG_PID may name another.
// Errors: kInvalid with the variable and what was expected.
Result<ServiceEnvironment> ReadServiceEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& variable, std::int64_t pid);

class ServiceManager {
 public:
  // All calls are made on loops[0], or while no loop runs. The loops have stopped when it is destroyed.
  ServiceManager(ServiceEnvironment environment, std::vector<Scheduler*> loops);
  ~ServiceManager();

  // It still takes time until Ready; the manager is to wait that long from now on.
  void Starting(Duration most);
  // The server answers requests. From the first call on, the manager is notified every half of the watchdog's time,
  // unless one of the loops is stuck.
  void Ready();
  // The settings are being read again; Ready says that they were read.
  void Reloading();
  // The server stops.
  void Stopping();

 private:
  void AskLoops();
  void Send(std::string_view state);

  const ServiceEnvironment environment_;
  const std::vector<Scheduler*> loops_;
  int socket_ = -1;
  bool watched_ = false;
  bool warned_ = false;
  std::atomic<std::size_t> silent_{0};  // loops that have not answered yet
  ScopedTimer timer_;                   // on loops[0]
};

}  // namespace openseat::app
