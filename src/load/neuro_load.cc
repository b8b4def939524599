#include "load/neuro_load.h"

#include <array>
#include <memory>
#include <utility>

#include "net/websocket.h"
#include "protocols/neuro/codec.h"

namespace openseat::load {
namespace {

using neuro::ActionDefinition;
using neuro::ForceMessage;
using neuro::ResultMessage;

class LoadSession : public net::WebSocketSession {
 public:
  explicit LoadSession(LoadRun& run) : run_(run) {}
  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = std::move(socket);
    Opened();
    run_.Opened();
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing& closing) override { run_.Closed(closing.code, closing.reason); }
  virtual void Start() = 0;  // all are open

 protected:
  virtual void Opened() {}
  void Send(std::string_view text) { socket_->SendText(text); }
  Instant Now() { return socket_->scheduler().clock().Monotonic(); }
  void Count(Instant since) { run_.Count(since); }
  LoadRun& run_;
  std::shared_ptr<net::WebSocket> socket_;
};

class EchoSession final : public LoadSession {
 public:
  EchoSession(LoadRun& run, std::size_t depth, std::size_t bytes)
      : LoadSession(run), sent_(depth), message_(bytes, 'x') {}
  void Start() override {
    for (Instant& sent : sent_) {
      sent = Now();
      Send(message_);
    }
  }
  void OnText(std::string_view) override {
    // Echoes come back in order.
    Count(sent_[next_]);
    sent_[next_] = Now();
    next_ = (next_ + 1) % sent_.size();
    Send(message_);
  }

 private:
  std::vector<Instant> sent_;
  std::string message_;
  std::size_t next_ = 0;
};

const char kSchema[] =
    R"({"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":2},"y":{"type":"integer","minimum":0,"maximum":2}},"required":["x","y"]})";

class GameSession final : public LoadSession {
 public:
  GameSession(LoadRun& run, std::size_t connection, std::size_t depth) : LoadSession(run) {
    for (std::size_t i = 0; i < depth; ++i) {
      Game game;
      game.name = "Bench " + std::to_string(connection) + "-" + std::to_string(i);
      game.action = "play_" + std::to_string(i);  // identifies the game in answers
      ForceMessage force;
      force.query = "It is your turn. Choose a cell of the board.";
      force.state = "| X |   | O |\n|   | X |   |\n| O |   |   |";
      force.action_names = {game.action};
      neuro::EncodeForce(game.name, force, game.force);
      games_.push_back(std::move(game));
    }
  }
  void Opened() override {
    for (const Game& game : games_) {
      out_.clear();
      neuro::EncodeStartup(game.name, out_);
      Send(out_);
      ActionDefinition action{game.action, "Puts your mark into a cell.", *json::Parse(kSchema)};
      out_.clear();
      neuro::EncodeRegister(game.name, std::span(&action, 1), out_);
      Send(out_);
    }
  }
  void Start() override {
    for (Game& game : games_) {
      game.since = Now();
      Send(game.force);
    }
  }
  void OnText(std::string_view message) override {
    // Messages of our own server have a fixed form; the generator must cost as little as possible.
    const std::string_view id = Member(message, "\"id\":\"");
    const std::string_view name = Member(message, "\"name\":\"play_");
    if (id.empty() || name.empty()) return;  // the acknowledgement of a startup
    std::size_t index = 0;
    for (const char c : name) index = index * 10 + static_cast<std::size_t>(c - '0');
    if (index >= games_.size()) return;
    Game& game = games_[index];
    Count(game.since);
    out_.assign(R"({"command":"action/result","game":")");
    out_ += game.name;
    out_ += R"(","data":{"id":")";
    out_ += id;
    out_ += R"(","success":true}})";
    if (run_.result().bytes_in == 0) {
      run_.result().bytes_in = message.size();
      run_.result().bytes_out = out_.size() + game.force.size();
    }
    Send(out_);
    game.since = Now();
    Send(game.force);
  }

 private:
  struct Game {
    std::string name;
    std::string action;
    std::string force;
    Instant since;
  };
  static std::string_view Member(std::string_view message, std::string_view key) {
    const std::size_t at = message.find(key);
    if (at == std::string_view::npos) return {};
    message.remove_prefix(at + key.size());
    return message.substr(0, message.find('"'));
  }
  std::vector<Game> games_;
  std::string out_;
};

class IdleSession final : public LoadSession {
 public:
  IdleSession(LoadRun& run, std::size_t index, bool bare) : LoadSession(run), index_(index), bare_(bare) {}
  void Opened() override {
    if (bare_) return;
    const std::string game = "Idle " + std::to_string(index_);
    std::string out;
    neuro::EncodeStartup(game, out);
    Send(out);
    ActionDefinition action{"play", "Puts your mark into a cell.", *json::Parse(kSchema)};
    out.clear();
    neuro::EncodeRegister(game, std::span(&action, 1), out);
    Send(out);
  }
  void Start() override {}
  void OnText(std::string_view) override {}

 private:
  std::size_t index_;
  bool bare_;
};

}  // namespace

Result<LoadResult> RunLoad(const LoadOptions& options, const LoadMarks& marks) {
  LoadRun run;
  std::vector<LoadSession*> sessions;
  const auto make = [&](std::size_t index) -> std::unique_ptr<net::WebSocketSession> {
    std::unique_ptr<LoadSession> session;
    if (options.echo) {
      session = std::make_unique<EchoSession>(run, options.depth, options.echo_bytes);
    } else {
      session = std::make_unique<GameSession>(run, index, options.depth);
    }
    sessions.push_back(session.get());
    return session;
  };
  run.Connect(options.url, options.connections, make, [&] {
    for (LoadSession* session : sessions) session->Start();
    run.Measure(options.warmup, options.measure, marks);
  });
  return run.Go();
}

Result<void> RunIdle(const std::string& url, std::size_t count, bool bare, const LoadMarks& marks) {
  LoadRun run;
  const auto make = [&](std::size_t index) { return std::make_unique<IdleSession>(run, index, bare); };
  run.Connect(url, count, make, [&] {
    run.shard().After(kSettle, [&] {
      if (marks.begin) marks.begin();
      run.Stop();
    });
  });
  if (Result<LoadResult> done = run.Go(); !done) return Fail(std::move(done).error());
  return {};
}

}  // namespace openseat::load
