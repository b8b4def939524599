#include "app/service_manager.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace openseat::app {
namespace {

// How long a manager that does not read its socket may block a loop.
constexpr timeval kSendTimeout{.tv_sec = 0, .tv_usec = 100'000};

std::optional<std::int64_t> ParseCount(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

}  // namespace

Result<ServiceEnvironment> ReadServiceEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& variable, std::int64_t pid) {
  ServiceEnvironment environment;
  environment.socket = variable("NOTIFY_SOCKET").value_or("");
  if (environment.socket.empty()) return environment;
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if ((environment.socket[0] != '/' && environment.socket[0] != '@') || environment.socket.size() > kLongest) {
    return Fail(ErrorCode::kInvalid,
                "NOTIFY_SOCKET must be an absolute path or @NAME of at most " + std::to_string(kLongest) +
                    " bytes; got \"" + environment.socket + "\"",
                "NOTIFY_SOCKET");
  }
  const std::string watched = variable("WATCHDOG_PID").value_or("");
  const std::string micros = variable("WATCHDOG_USEC").value_or("");
  if (micros.empty() || (!watched.empty() && ParseCount(watched) != pid)) return environment;
  const std::optional<std::int64_t> count = ParseCount(micros);
  if (!count) {
    return Fail(ErrorCode::kInvalid, "WATCHDOG_USEC must be a number of microseconds above 0; got \"" + micros + "\"",
                "WATCHDOG_USEC");
  }
  environment.watchdog = std::chrono::microseconds(*count);
  return environment;
}

ServiceManager::ServiceManager(ServiceEnvironment environment, std::vector<Scheduler*> loops)
    : environment_(std::move(environment)), loops_(std::move(loops)) {
  if (environment_.socket.empty()) return;
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ >= 0) setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout, sizeof kSendTimeout);
}

ServiceManager::~ServiceManager() {
  if (socket_ >= 0) close(socket_);
}

void ServiceManager::Starting(Duration most) {
  Send("EXTEND_TIMEOUT_USEC=" + std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(most).count()));
}

void ServiceManager::Ready() {
  Send("READY=1");
  if (environment_.watchdog > Duration(0) && !std::exchange(watched_, true)) AskLoops();
}

void ServiceManager::Reloading() {
  const auto now = loops_.front()->clock().Monotonic().time_since_epoch();
  Send("RELOADING=1\nMONOTONIC_USEC=" +
       std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void ServiceManager::Stopping() {
  Send("STOPPING=1");
}

// The next round starts when all loops have answered this one, so a stuck loop silences the watchdog.
void ServiceManager::AskLoops() {
  silent_ = loops_.size();
  for (Scheduler* loop : loops_) {
    loop->Post([this] {
      if (--silent_ > 0) return;
      loops_.front()->Post([this] {
        Send("WATCHDOG=1");
        timer_.Set(*loops_.front(), environment_.watchdog / 2, [this] { AskLoops(); });
      });
    });
  }
}

void ServiceManager::Send(std::string_view state) {
  if (environment_.socket.empty()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, environment_.socket.data(), environment_.socket.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + environment_.socket.size());
  const auto sent =
      sendto(socket_, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
  if (sent < 0 && !std::exchange(warned_, true)) {
    log::Warn("the service manager at {} cannot be told {}: {}", environment_.socket, state, SystemMessage(errno));
  }
}

}  // namespace openseat::app
