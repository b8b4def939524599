#include "app/cluster_games.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/cluster_links.h"
#include "base/json.h"
#include "base/json_members.h"
#include "net/percent.h"
#include "protocols/neuro/elsewhere.h"
#include "protocols/neuro/owner.h"
#include "protocols/neuro/session.h"

namespace openseat::app {
namespace {

using neuro::Elsewhere;

constexpr const char* kWaitingPath = "/neuro/waiting";
constexpr const char* kGamePath = "/neuro";
// While tables move, or a node does not answer, a table may be there that nobody tells of. A node that died has lost
// its tables to others by then.
constexpr Duration kLookFor = std::chrono::seconds(30);
constexpr Duration kFindAgain = std::chrono::milliseconds(250);
constexpr Duration kLookAtGameEvery = std::chrono::seconds(1);
constexpr std::size_t kMaxGameMessage = std::size_t{32} << 20;

std::string QueryOf(const std::string& game, const std::string& owner) {
  return "?game=" + net::PercentEncode(game) + "&owner=" + net::PercentEncode(owner);
}

std::string Given(const net::HttpRequest& request, std::string_view name) {
  const std::string* text = request.Query(name);
  return text == nullptr ? std::string() : *text;
}

// A game's connection that another node passed on.
class FromNode final : public net::WebSocketSession {
 public:
  FromNode(const ClusterNode& here, store::NodeBeat from, std::unique_ptr<net::WebSocketSession> game)
      : here_(here), from_(std::move(from)), game_(std::move(game)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = socket;
    game_->OnOpen(std::move(socket));
    Watch();
  }
  void OnText(std::string_view message) override { game_->OnText(message); }
  void OnBinary(std::string_view message) override { game_->OnBinary(message); }
  void OnPong(std::string_view payload) override { game_->OnPong(payload); }
  void OnClosed(const net::Closing& closing) override {
    timer_.Cancel();
    game_->OnClosed(closing);
  }
  std::size_t waiting() const override { return game_->waiting(); }

 private:
  // A machine that vanishes, or a process that is frozen, closes no connection.
  void Watch() {
    if (!here_.Lives(from_)) {
      return socket_->Close(net::close_code::kGoingAway, "the server that the game came to gives no sign of life");
    }
    timer_.Set(socket_->scheduler(), kLookAtGameEvery, [this] { Watch(); });
  }

  const ClusterNode& here_;
  const store::NodeBeat from_;
  const std::unique_ptr<net::WebSocketSession> game_;
  std::shared_ptr<net::WebSocket> socket_;
  ScopedTimer timer_;
};

// One connection of a game.
class GameSwitch final : public Elsewhere, NodeLinks::Client {
 public:
  GameSwitch(const ClusterDoor& door, neuro::NeuroServer& games, const net::HttpRequest& request)
      : door_(door), games_(games), request_(request) {
    request_.body.clear();
  }

  void Find(std::shared_ptr<net::WebSocket> socket, const std::string& game, const std::string& owner,
            std::function<void(Found)> found) override;
  void Connect() override {
    const std::string game = search_.game.empty() ? std::string(request_.Param("name")) : search_.game;
    links_.emplace(door_, request_, kGamePath + QueryOf(game, search_.owner) + OurName() + (makes_ ? "&new=1" : ""),
                   kMaxGameMessage, static_cast<NodeLinks::Client&>(*this));
    links_->Connect(*socket_, *to_);
    Watch();
  }
  void Send(std::string_view message) override {
    if (!links_->Send(*socket_, *to_, message)) End("too much waits for another server");
  }
  void End(const net::Closing& closing) override {
    timer_.Cancel();
    links_->Close(neuro::PassedOnCode(closing), closing.reason);
  }

 private:
  struct Search {
    std::string game{};
    std::string owner{};
    std::function<void(Found)> found{};
  };
  // What waits at a node; of this one, `node` is "".
  struct Waiters {
    std::string node;
    neuro::Hub::Waiters tables;
  };
  void Look();
  void Ask(std::uint64_t serving, const neuro::Hub::Waiters& here);
  void Decide(bool all_known, const std::vector<Waiters>& waiters);
  void Answer(Found found) { std::exchange(search_.found, nullptr)(found); }
  // For `via` and `run` of a connection's path.
  std::string OurName() const {
    return "&via=" + net::PercentEncode(door_.node().name()) + "&run=" + std::to_string(door_.node().run());
  }
  void OnLinkMessage(const std::string& /*node*/, std::string_view message) override { socket_->SendText(message); }
  void OnLinkLost(const std::string& /*node*/, bool was_connected, const net::Closing& closing) override {
    if (!was_connected) return End("the game's server does not answer: " + closing.reason);
    const bool says = closing.cause == net::Closing::Cause::kPeer && closing.code != net::close_code::kNone;
    socket_->Close(says ? closing.code : net::close_code::kGoingAway,
                   closing.reason.empty() ? "the game's table goes on at another server" : closing.reason);
  }
  // Whether the node vanished.
  void Watch() {
    timer_.Set(socket_->scheduler(), kLookAtGameEvery, [this] { Watch(); });
    if (links_->HasGone()) End("the game's server gives no sign of life; come back");
  }
  void End(const std::string& reason) { socket_->Close(net::close_code::kGoingAway, reason); }

  const ClusterDoor& door_;
  neuro::NeuroServer& games_;
  net::HttpRequest request_;
  std::optional<NodeLinks> links_;
  std::shared_ptr<net::WebSocket> socket_;
  Search search_;
  std::optional<Instant> until_;  // how long it looks for this game
  std::optional<store::NodeBeat> to_;
  bool makes_ = false;  // that node makes a table
  ScopedTimer timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // destroyed with this
};

void GameSwitch::Find(std::shared_ptr<net::WebSocket> socket, const std::string& game, const std::string& owner,
                      std::function<void(Found)> found) {
  socket_ = std::move(socket);
  if (!until_ || search_.game != game) until_ = socket_->scheduler().clock().Monotonic() + kLookFor;
  search_ = {game, owner, std::move(found)};
  Look();
}

void GameSwitch::Look() {
  games_.hub().CountWaiting(
      socket_->scheduler(), search_.game, search_.owner, socket_->id(),
      [this, before = door_.Served(), alive = std::weak_ptr<int>(alive_)](const neuro::Hub::Waiters& here) {
        if (!alive.expired()) Ask(door_.ServedSince(before), here);
      });
}

void GameSwitch::Ask(std::uint64_t serving, const neuro::Hub::Waiters& here) {
  const auto heard = [this, serving, here, alive = std::weak_ptr<int>(alive_),
                      socket = socket_](const std::vector<net::OtherServers::Answer>& answers) {
    bool all = here.sure;
    std::uint64_t served = serving;
    std::vector<Waiters> waiters{{"", here}};
    for (const net::OtherServers::Answer& answer : answers) {
      const Result<json::Value> told = answer.body ? json::Parse(*answer.body) : Fail(ErrorCode::kIo, "");
      if (!told || !told->is_object()) {
        all = false;
        continue;
      }
      served |= json::WholeOf(told->get_object(), "serving").value_or(0);
      all = all && json::BoolOf(told->get_object(), "sure", false);
      waiters.push_back({answer.node,
                         {json::WholeOf(told->get_object(), "count").value_or(0),
                          Duration(json::WholeOf(told->get_object(), "latest_us").value_or(0))}});
    }
    // A table on its way is at no node. What was heard of the others before may be older than the end of its
    // connection, after which the game comes.
    all = all && served == ~std::uint64_t{0};
    socket->scheduler().Post([this, alive, all, waiters = std::move(waiters)] {
      if (!alive.expired()) Decide(all, waiters);
    });
  };
  door_.AskAll(request_, kWaitingPath + QueryOf(search_.game, search_.owner), heard);
}

void GameSwitch::Decide(bool all_known, const std::vector<Waiters>& waiters) {
  const Waiters* best = nullptr;
  std::size_t count = 0;
  for (const Waiters& each : waiters) {
    count += each.tables.count;
    if (each.tables.count == 0) continue;
    // The one that lost its connection last is the most likely one.
    if (best == nullptr || each.tables.latest < best->tables.latest) best = &each;
  }
  const bool silent = search_.game.empty();
  if (best != nullptr && (!silent || (count == 1 && all_known))) {
    if (best->node.empty()) return Answer(Found::kWaitsHere);
    to_ = door_.node().Other(best->node);
    if (to_) return Answer(Found::kElsewhere);
    all_known = false;  // it has just gone
  }
  const bool owned = !search_.owner.empty();
  if (!all_known && owned && count <= 1 && socket_->scheduler().clock().Monotonic() < until_) {
    timer_.Set(socket_->scheduler(), kFindAgain, [this] { Look(); });
    return;
  }
  if (silent) return Answer(Found::kNowhere);
  // A node that has no part of the cluster yet could not record it.
  if (door_.node().serves() == 0) {
    for (const store::NodeBeat& other : door_.node().Others()) {
      if (other.serves == 0) continue;
      to_ = other;
      makes_ = true;
      return Answer(Found::kElsewhere);
    }
  }
  Answer(Found::kNewHere);
}

}  // namespace

ClusterGames::ClusterGames(const ClusterDoor& door, neuro::NeuroServer& games, net::Shard& home)
    : door_(door), games_(games), home_(home) {
  games_.ShareTables(door.node().name());
}

void ClusterGames::AddRoutes(net::Router& router) const {
  router.Add(net::Method::kGet, kWaitingPath, {},
             [this](const net::HttpRequest& request, net::HttpReply reply) { TellWaiting(request, std::move(reply)); });
}

void ClusterGames::TellWaiting(const net::HttpRequest& request, net::HttpReply reply) const {
  if (!door_.IsPassedOn(request)) {
    return std::move(reply).Send(net::OtherServers::NotForClients());
  }
  const auto waiting = std::make_shared<net::HttpReply>(std::move(reply));
  games_.hub().CountWaiting(
      home_, Given(request, "game"), Given(request, "owner"), 0,
      [this, waiting, before = door_.Served()](const neuro::Hub::Waiters& here) {
        std::move(*waiting).Send(net::HttpResponse::Json(200, json::Object{{"count", here.count},
                                                                           {"latest_us", here.latest.count()},
                                                                           {"sure", here.sure},
                                                                           {"serving", door_.ServedSince(before)}}));
      });
}

net::AdmitUpgrade ClusterGames::Admit(net::AdmitUpgrade others) const {
  return [this, others = std::move(others)](const net::HttpRequest& request, const auto& done) {
    // The node that the game came to has admitted it.
    door_.IsPassedOn(request) ? done({}) : others(request, done);
  };
}

std::unique_ptr<net::WebSocketSession> ClusterGames::PassedOn(const net::HttpRequest& request) const {
  auto session =
      std::make_unique<neuro::Session>(games_, Given(request, "game"), Given(request, "owner"), request.payer);
  session->SetPassedOn(!Given(request, "new").empty());
  store::NodeBeat from{.node = Given(request, "via")};
  const std::string run = Given(request, "run");
  std::from_chars(run.data(), run.data() + run.size(), from.run);
  return std::make_unique<FromNode>(door_.node(), std::move(from), std::move(session));
}

net::SessionFactory ClusterGames::Factory() const {
  return [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
    if (door_.IsPassedOn(request)) return PassedOn(request);
    auto session =
        std::make_unique<neuro::Session>(games_, request.Param("name"), neuro::OwnerOf(request), request.payer);
    session->SetElsewhere(std::make_unique<GameSwitch>(door_, games_, request));
    return session;
  };
}

}  // namespace openseat::app
