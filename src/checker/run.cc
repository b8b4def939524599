#include "checker/run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/json_document.h"
#include "base/text.h"
#include "net/origin.h"
#include "net/router.h"
#include "net/shard.h"
#include "net/url.h"
#include "net/websocket.h"
#include "protocols/neuro/neuro_server.h"

namespace openseat::checker {
namespace {

// A store is rewritten when it changes, but not more often than this, and so that writing takes only a fraction of
// the time: a large store is rewritten in full, while the game waits.
constexpr Duration kStorePause = std::chrono::milliseconds(50);
constexpr int kStoreShare = 10;
constexpr std::size_t kMaxGameStatus = 500;
constexpr Duration kGrace = std::chrono::seconds(1);

class Run final : public CheckerPort {
 public:
  explicit Run(RunOptions options)
      : on_line_(std::move(options.on_line)),
        listen_(std::move(options.listen)),
        origins_(std::move(options.origins)),
        log_dir_(std::move(options.log_dir)),
        run_id_(options.checker.run_id),
        game_status_file_(std::move(options.game_status_file)),
        shards_(1),
        checker_(std::move(options.checker), shards_.at(0), *this) {}

  Result<RunOutcome> Go() {
    net::Router router;
    neuro::AddGameRoutes(router,
                         {.game = [this](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
                           return std::make_unique<Session>(*this);
                         }});
    router.SetNoWebSocket([this](const net::HttpRequest& request) -> Error {
      checker_.OnWrongPath(request.target, request.peer);
      return {ErrorCode::kNotFound,
              "there is no WebSocket at " + request.path + "; a game connects to /, /game, /game/NAME or /neuro", ""};
    });
    router.SetGuard([this](const net::HttpRequest& request) { return CheckPage(request); });
    Result<std::unique_ptr<net::Server>> server = net::Server::Listen(shards_, router, {listen_}, {}, nullptr);
    if (!server) return Fail(server.error());
    server_ = server->get();
    // From here on, a port in use leaves no files behind.
    Result<std::unique_ptr<CheckFiles>> files = CheckFiles::Create(log_dir_, SystemClock().Now(), run_id_);
    if (!files) return Fail(files.error());
    files_ = std::move(*files);
    net::SignalWatch signals(shards_, [this](int) { checker_.Interrupt(GameStatus()); });
    const std::string host = listen_.host.find(':') == std::string::npos ? listen_.host : "[" + listen_.host + "]";
    const std::string scheme = listen_.certificate_file.empty() ? "ws://" : "wss://";
    shards_.at(0).Post([this, url = scheme + host + ":" + std::to_string(server_->port())] { checker_.Start(url); });
    shards_.RunFirstHere();
    server->reset();
    if (failure_) return Fail(*failure_);
    RunOutcome outcome{checker_.result(), files_->junit_file()};
    outcome.result.log_file = files_->log_file();
    outcome.result.actions_store = files_->actions_store();
    outcome.result.context_store = files_->context_store();
    return outcome;
  }

  // --- CheckerPort ---

  void Send(std::string_view packet) override {
    if (game_ != nullptr) game_->SendText(packet);
  }
  void Log(const LogLine& line) override {
    Note(files_->Append(line));
    if (on_line_) on_line_(line);
  }
  void ActionsChanged() override {
    actions_changed_ = true;
    Schedule();
  }
  void ContextChanged() override {
    context_changed_ = true;
    Schedule();
  }
  void Finished() override {
    store_timer_.Cancel();
    WriteStores();
    if (game_ != nullptr) game_->Close(net::close_code::kNormal, "the check is over");
    Leave();
  }

 private:
  Result<void> CheckPage(const net::HttpRequest& request) {
    Result<void> page = net::CheckGamePage(request, origins_);
    if (!page) checker_.OnForeignPage(page.error().message, request.peer);
    return page;
  }

  class Session final : public net::WebSocketSession {
   public:
    explicit Session(Run& run) : run_(run) {}
    void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
      taken_ = run_.checker_.OnConnected(socket->peer());
      if (taken_) {
        run_.game_ = std::move(socket);
      } else {
        socket->Close(net::close_code::kTryAgain, "only one game is checked at a time");
      }
    }
    void OnText(std::string_view message) override {
      if (taken_) run_.checker_.OnPacket(message, false);
    }
    void OnBinary(std::string_view message) override {
      if (taken_) run_.checker_.OnPacket(message, true);
    }
    void OnClosed(const net::Closing& closing) override {
      if (!taken_) return;
      run_.game_.reset();
      run_.checker_.OnClosed(closing);
    }

   private:
    Run& run_;
    bool taken_ = false;
  };

  // "" if the command that starts the game did not fail.
  std::string GameStatus() const {
    if (game_status_file_.empty()) return {};
    const Result<std::string> text = json::ReadFile(game_status_file_);
    if (!text) return {};
    return Ellipsize(std::string_view(*text).substr(0, text->find('\n')), kMaxGameStatus);
  }

  // The first failure to write a file ends the run: an unreadable result is no result.
  void Note(const Result<void>& written) {
    if (written || failure_) return;
    failure_ = written.error();
    shards_.at(0).Post([this] {
      checker_.GiveUp(failure_->message);
      Leave();
    });
  }

  void Leave() {
    if (std::exchange(leaving_, true)) return;
    server_->Shutdown(kGrace, [this] { shards_.Stop(); });
  }

  void Schedule() {
    if (std::exchange(store_scheduled_, true)) return;
    const Instant now = shards_.at(0).clock().Monotonic();
    const Duration pause = std::max(kStorePause, writing_took_ * (kStoreShare - 1));
    const Duration wait = stores_written_ ? *stores_written_ + pause - now : Duration(0);
    store_timer_.Set(shards_.at(0), std::max(wait, Duration(0)), [this] { WriteStores(); });
  }

  void WriteStores() {
    store_scheduled_ = false;
    const Instant begun = shards_.at(0).clock().Monotonic();
    if (std::exchange(actions_changed_, false)) Note(files_->WriteActions(checker_.ActionsStore()));
    if (std::exchange(context_changed_, false)) Note(files_->WriteContext(checker_.context()));
    stores_written_ = shards_.at(0).clock().Monotonic();
    writing_took_ = *stores_written_ - begun;
  }

  const std::function<void(const LogLine&)> on_line_;
  const net::ListenAddress listen_;
  const std::vector<std::string> origins_;
  const std::string log_dir_;
  const std::string run_id_;
  const std::string game_status_file_;
  std::unique_ptr<CheckFiles> files_;
  net::Shards shards_;
  net::Server* server_ = nullptr;
  std::shared_ptr<net::WebSocket> game_;
  std::optional<Error> failure_;
  bool leaving_ = false;
  bool actions_changed_ = false;
  bool context_changed_ = false;
  bool store_scheduled_ = false;
  std::optional<Instant> stores_written_;
  Duration writing_took_{};  // the last time
  ScopedTimer store_timer_;
  Checker checker_;
};

}  // namespace

Result<RunOutcome> RunCheck(RunOptions options) {
  return Run(std::move(options)).Go();
}

}  // namespace openseat::checker
