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
#include "protocols/neuro/elsewhere.h"
#include "protocols/neuro/hub.h"
#include "protocols/neuro/messages.h"

namespace openseat::neuro {

// The name of a game, at most 256 bytes of it.
std::string CutName(std::string_view name);

class NeuroServer;
class RemoteTable;

class Session final : public net::WebSocketSession {
 public:
  // `hint`: the game's name in the URL, or "". `owner`: the connection's owner (owner.h). `payer`: whose budget pays
  // for it; null: no limits.
  Session(NeuroServer& server, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer = nullptr);
  // In a cluster, before OnOpen: the other servers.
  void SetElsewhere(std::unique_ptr<Elsewhere> elsewhere) { elsewhere_ = std::move(elsewhere); }
  // Likewise: another server passed the connection on, because a table waits here, or to have one made.
  void SetPassedOn(bool may_make) {
    passed_on_ = true;
    may_make_ = may_make;
  }
  ~Session() override;

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override;
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override;
  void OnPong(std::string_view payload) override;
  void OnClosed(const net::Closing& closing) override;
  std::size_t waiting() const override { return waiting_.count().bytes() + homeless_.count().bytes(); }

  // For NeuroOptions::relayed, in their order among the game's messages: this message was sent to the game.
  void Relayed(std::string_view message);
  // Likewise: adds a sentence to the transcript of every game of this connection, or of the first one once it is known.
  // It is lost where too much waits already.
  void Note(std::string_view text);

 private:
  // A game of this connection.
  struct Game {
    TablePlace place;
    RemoteTable* table = nullptr;  // if it lives on this very shard
    bool silent = false;           // taken up without a message from the game
  };
  // A message with all its documents, of which those before `next` are done.
  struct Message {
    std::string raw;
    std::vector<Decoded> documents;
    std::size_t next = 0;
    bool note = false;
  };
  // A message that came while another was in progress: small, because it is not decoded yet.
  struct Unread {
    std::string raw;
    bool binary = false;
    bool relayed = false;
    bool note = false;
  };

  void OnMessage(std::string_view message, bool binary);
  void Handle(std::string_view message, bool binary);
  void HandleRelayed(std::string_view message);
  void HandleNote(std::string_view text);
  // A message with more values than the budget allows is not read.
  std::vector<Decoded> Decode(std::string_view message) const;
  // Keeps the documents that nothing can be made of, up to the first that can be used, until a game is known. REQUIRES
  // that none is.
  void KeepHomeless(std::string_view raw, std::vector<Decoded>& documents, std::size_t& next);
  // Whom the connection's lines of the log count for.
  std::string Address() const;
  // Routes documents until all are done (true) or the hub has to be asked (false; continues in Claimed).
  bool Route(std::string_view raw, std::vector<Decoded>& documents, std::size_t& next);
  void Claim(const std::string& game);
  void ClaimHere(const std::string& game, bool may_make);
  void ClaimSilent();
  // In a cluster: this connection has, or looks for, a table of that game.
  void Enter(const std::string& game);
  std::function<void()> ExitOf(const std::string& game);
  // The connection goes on at another server.
  void GoElsewhere();
  void Claimed(std::optional<TablePlace> place, bool silent);
  void EndClaim();
  // If the budget has no table left, closes the connection and returns false.
  bool HoldTable(Lease& lease);
  void Resume();
  void Deliver(Game& game, std::string_view raw, Decoded&& decoded, bool first);
  // `missing`, if any, runs on the table's scheduler if it is gone.
  void OnTable(Game& game, std::function<void(RemoteTable&)> run, std::function<void()> missing = nullptr);
  void Leave(Game& game, const net::Closing& closing);
  // Closes the connection because too much is waiting on it.
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
  bool asking_ = false;                            // waiting for the hub; messages wait meanwhile
  bool resuming_ = false;                          // handling what waited; new messages wait meanwhile
  bool startup_claim_ = false;                     // the claim in progress began with a startup
  std::optional<Message> routed_;                  // the message that the hub is asked for
  WaitingQueue<Unread> waiting_;                   // after it
  WaitingQueue<Message> homeless_;                 // nothing usable, before any game was known
  const std::shared_ptr<WaitingCount> under_way_;  // to tables on other shards
  ScopedTimer silent_timer_;
  std::unique_ptr<Elsewhere> elsewhere_;
  bool went_ = false;                                      // everything goes elsewhere
  bool passed_on_ = false;                                 // by another server, which did what comes before a claim
  bool may_make_ = true;                                   // a table for its first game
  std::optional<std::string> claiming_;                    // what this server's hub is asked for
  std::vector<std::string> entered_;                       // the games for which the hub knows this connection
  std::vector<std::function<void()>> probes_;              // run at the next pong
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // destroyed with the session
};

// A voice socket of a server without voice: it is told so when it asks.
std::unique_ptr<net::WebSocketSession> MakeVoiceRefusal();

}  // namespace openseat::neuro
