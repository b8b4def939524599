#include "app/replay_against.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands.h"
#include "base/text.h"
#include "net/origin.h"
#include "net/router.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/url.h"
#include "net/websocket.h"
#include "protocols/neuro/neuro_server.h"

namespace openseat::app {
namespace {

constexpr Duration kAgainstGrace = std::chrono::seconds(1);
// A game that does not end when it is asked to has 3 s.
constexpr int kKillAfter = 150;
constexpr unsigned kKillPauseUs = 20'000;
constexpr Duration kWatchGame = std::chrono::milliseconds(50);

// The game, as a process group of its own that ends with the replay.
class GameProcess {
 public:
  GameProcess() = default;
  GameProcess(const GameProcess&) = delete;
  GameProcess& operator=(const GameProcess&) = delete;
  ~GameProcess() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGTERM);
    for (int i = 0; i < kKillAfter && !ended_ && !Ended(); ++i) usleep(kKillPauseUs);
    if (ended_) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  Result<void> Start(const std::string& command, const std::string& url) {
    setenv("NEURO_SDK_WS_URL", url.c_str(), 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    // Our output is the report.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    std::string shell = "sh";
    std::string flag = "-c";
    std::string text = command;
    char* arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
    const int failed = posix_spawn(&pid_, "/bin/sh", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed == 0) return {};
    pid_ = -1;
    return Fail(ErrorCode::kInvalid, "--run: the command cannot be started: " + std::string(std::strerror(failed)));
  }
  // Its exit code, or 128 plus the signal that ended it, once it has ended.
  std::optional<int> Ended() {
    int status = 0;
    if (pid_ <= 0 || ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
};

class AgainstRun final : public relay::ReplayPort {
 public:
  AgainstRun(const AgainstFlags& flags, const relay::Recording& recording, relay::ReplayOptions options)
      : flags_(flags),
        recording_(recording),
        shards_(1),
        replayer_(recording, std::move(options), shards_.at(0), *this) {}

  Result<int> Go(const net::WebSocketUrl& url, const std::vector<std::string>& origins) {
    net::Router router;
    AddRoutes(router, origins);
    net::ListenAddress address;
    address.host = url.host;
    address.port = url.port;
    Result<std::unique_ptr<net::Server>> server = net::Server::Listen(shards_, router, {address}, {}, nullptr);
    if (!server) return Fail(WithFlag(server.error(), "--against"));
    server_ = server->get();
    const std::string host = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
    const std::string here = "ws://" + host + ":" + std::to_string(server_->port()) + url.target;
    net::SignalWatch signals(shards_, [this](int) { replayer_.Stop(); });
    if (!flags_.json) {
      std::printf("%zu messages to send, %zu of \"%s\" to compare; the game connects to %s\n", recording_.to_game,
                  recording_.from_game, Printable(recording_.game).c_str(), here.c_str());
      std::fflush(stdout);
    }
    if (!flags_.run.empty()) {
      if (Result<void> started = process_.Start(flags_.run, here); !started) return Fail(std::move(started).error());
      WatchGame();
    }
    shards_.at(0).Post([this] { replayer_.Start(); });
    shards_.RunFirstHere();
    watch_timer_.Cancel();
    server->reset();
    Print();
    return replayer_.report().same() ? kDone : kFailed;
  }

  // --- ReplayPort ---

  void Send(std::string_view message) override {
    if (socket_) socket_->SendText(message);
  }
  void Cut() override {
    if (const auto socket = std::exchange(socket_, nullptr)) {
      socket->Close(net::close_code::kGoingAway, "the recording has a reconnection here");
    }
  }
  void Found(const relay::Finding& finding) override {
    std::puts(flags_.json ? json::Write(relay::FindingJson(finding)).c_str() : relay::FindingText(finding).c_str());
    std::fflush(stdout);
  }
  void Finished() override {
    if (socket_) socket_->Close(net::close_code::kNormal, "the replay is over");
    server_->Shutdown(kAgainstGrace, [this] { shards_.Stop(); });
  }

 private:
  class Session final : public net::WebSocketSession {
   public:
    explicit Session(AgainstRun& run) : run_(run) {}
    void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
      id_ = socket->id();
      if (run_.socket_ || run_.replayer_.finished()) {
        socket->Close(net::close_code::kTryAgain, "one game at a time");
        return;
      }
      run_.socket_ = std::move(socket);
      run_.replayer_.OnConnected();
    }
    void OnText(std::string_view message) override {
      if (Mine()) run_.replayer_.OnMessage(message, false);
    }
    void OnBinary(std::string_view message) override {
      if (Mine()) run_.replayer_.OnMessage(message, true);
    }
    void OnClosed(const net::Closing&) override {
      if (!Mine()) return;
      run_.socket_.reset();
      run_.replayer_.OnClosed();
    }

   private:
    bool Mine() const { return run_.socket_ && run_.socket_->id() == id_; }

    AgainstRun& run_;
    std::uint64_t id_ = 0;
  };

  void AddRoutes(net::Router& router, const std::vector<std::string>& origins) {
    neuro::AddGameRoutes(router,
                         {.game = [this](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
                           return std::make_unique<Session>(*this);
                         }});
    router.SetGuard([&origins](const net::HttpRequest& request) { return net::CheckGamePage(request, origins); });
  }

  void WatchGame() {
    watch_timer_.Set(shards_.at(0), kWatchGame, [this] {
      const std::optional<int> ended = process_.Ended();
      if (!ended) return WatchGame();
      if (replayer_.finished() || socket_) return;
      Found({relay::Finding::Kind::kNote,
             0,
             "",
             {},
             "the command of --run ended with the exit code " + std::to_string(*ended)});
      replayer_.Stop();
    });
  }

  void Print() const {
    const relay::ReplayReport& report = replayer_.report();
    if (flags_.json) {
      std::puts(json::Write(json::Object{{"kind", "report"},
                                         {"same", report.same()},
                                         {"sent", report.sent},
                                         {"same_bytes", report.same_bytes},
                                         {"same_json", report.same_json},
                                         {"reordered", report.reordered},
                                         {"changed", report.changed},
                                         {"missing", report.missing},
                                         {"unexpected", report.unexpected},
                                         {"not_reached", report.not_reached}})
                    .c_str());
      return;
    }
    std::printf(
        "%s: %zu messages sent; of the game's, %zu the same byte for byte, %zu the same as JSON, %zu changed, "
        "%zu missing, %zu unexpected, %zu not reached\n",
        report.same() ? "the same" : "different", report.sent, report.same_bytes, report.same_json, report.changed,
        report.missing, report.unexpected, report.not_reached);
  }

  const AgainstFlags& flags_;
  const relay::Recording& recording_;
  net::Shards shards_;
  net::Server* server_ = nullptr;
  std::shared_ptr<net::WebSocket> socket_;
  GameProcess process_;
  ScopedTimer watch_timer_;
  relay::Replayer replayer_;
};

// Port 0 is any free one, which is not a port of an address to connect to.
Result<net::WebSocketUrl> ParseGameUrl(std::string text) {
  const std::size_t begin = text.find("://");
  const std::size_t end = std::min(text.find_first_of("/?#", begin == std::string::npos ? 0 : begin + 3), text.size());
  const bool any = std::string_view(text).substr(0, end).ends_with(":0");
  if (any) text[end - 1] = '1';
  Result<net::WebSocketUrl> url = net::ParseWebSocketUrl(text);
  if (url && any) url->port = 0;
  return url;
}

}  // namespace

Result<int> ReplayAgainst(const AgainstFlags& flags, const relay::Recording& recording) {
  const Result<net::WebSocketUrl> url = ParseGameUrl(flags.url);
  if (!url) return Fail(ErrorCode::kInvalid, "--against: " + url.error().message);
  if (url->tls || !net::IsLoopbackHost(url->host)) {
    return Fail(
        ErrorCode::kInvalid,
        "--against must be where the game looks for its server on this machine, as in ws://127.0.0.1:8000; got " +
            flags.url);
  }
  relay::ReplayOptions options;
  options.patience = Duration(static_cast<std::int64_t>(flags.timeout * 1e6));
  options.quiet = Duration(static_cast<std::int64_t>(flags.quiet * 1e6));
  options.in_time = flags.in_time;
  options.max_differences = flags.differences;
  for (const std::string& text : flags.ignored) {
    Result<relay::IgnoreRule> rule = relay::ParseIgnoreRule(text);
    if (!rule) return Fail(ErrorCode::kInvalid, "--ignore: " + rule.error().message);
    options.ignored.push_back(std::move(*rule));
  }
  std::vector<std::string> origins;
  for (const std::string& text : flags.origins) {
    Result<std::string> origin = net::ParseOrigin(text);
    if (!origin) return Fail(std::move(origin).error());
    origins.push_back(std::move(*origin));
  }
  return AgainstRun(flags, recording, std::move(options)).Go(*url, origins);
}

}  // namespace openseat::app
