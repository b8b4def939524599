// Session: one connection of a game (or of several: a socket may carry more than one game name). It decodes messages
// and hands each to the table of its game. Lives on the connection's shard.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/waiting.h"
#include "net/websocket.h"
#include "protocols/neuro/hub.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

class NeuroServer;
class RemoteTable;

class Session final : public net::WebSocketSession {
 public:
  // `hint`: the game's name as the URL has it, or "". `owner`: whose the connection is (owner.h). `payer`: whose
  // budget pays for it; null: nobody counts.
  Session(NeuroServer& server, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer = nullptr);
  ~Session() override;

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override;
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override;
  void OnClosed(const net::Closing& closing) override;

 private:
  // A game of this connection.
  struct Game {
    TablePlace place;
    RemoteTable* table = nullptr;  // where it lives on this very shard
    bool silent = false;           // taken up without a word from the game
  };
  // A message with all its documents, of which those before `next` are done.
  struct Message {
    std::string raw;
    std::vector<Decoded> documents;
    std::size_t next = 0;
  };
  // One that came while another was under way: small, for it is not decoded yet.
  struct Unread {
    std::string raw;
    bool binary = false;
  };

  void OnMessage(std::string_view message, bool binary);
  void Handle(std::string_view message, bool binary);
  // What has more values than the budget allows is not read.
  std::vector<Decoded> Decode(std::string_view message) const;
  // Routes documents until all are done (true) or the hub has to be asked (false; goes on in Claimed).
  bool Route(std::string_view raw, std::vector<Decoded>& documents, std::size_t& next);
  void Claim(std::string game);
  void Claimed(std::optional<TablePlace> place, bool silent);
  // Where the budget has no table left, the connection is closed, and this is false.
  bool HoldTable(Lease& lease);
  void Resume();
  void Deliver(Game& game, std::string_view raw, Decoded decoded, bool first);
  void OnTable(Game& game, std::function<void(RemoteTable&)> run);
  void Leave(Game& game, const net::Closing& closing);
  // Closes the connection, which has more waiting than it may.
  void Refuse(const WaitingCount& count);
  Game* FindGame(std::string_view name);
  void OnSilent();

  NeuroServer& server_;
  const std::string hint_;
  const std::string owner_;
  const std::shared_ptr<Payer> payer_;
  std::shared_ptr<net::WebSocket> socket_;
  Instant opened_;
  std::vector<std::unique_ptr<Game>> games_;
  Game* current_ = nullptr;                        // the one that spoke last
  bool asking_ = false;                            // the hub; what comes meanwhile waits
  bool resuming_ = false;                          // what waited has its turn; what comes meanwhile waits
  bool startup_claim_ = false;                     // the claim under way began with a startup
  std::optional<Message> routed_;                  // the one that the hub is asked for
  WaitingQueue<Unread> waiting_;                   // behind it
  WaitingQueue<Message> homeless_;                 // nothing usable, before any game was known
  const std::shared_ptr<WaitingCount> under_way_;  // to tables on other shards
  ScopedTimer silent_timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // gone with the session
};

// Accepts a voice socket only to say that there is no voice here, and closes.
std::unique_ptr<net::WebSocketSession> MakeVoiceRefusal();

}  // namespace openseat::neuro
