// GameSession: a game's connection to the relay. What it says goes to its channel at once, and then, in a later turn of
// the loop, to a Neuro session of this server, which takes note of it: the record, the diagnostics and the console are
// those of a game that is played here.
//
// One thread: the connection's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "base/waiting.h"
#include "net/websocket.h"
#include "protocols/neuro/session.h"
#include "relay/channel.h"

namespace openseat::relay {

class Relay;

class GameSession final : public net::WebSocketSession, private GamePort {
 public:
  GameSession(Relay& relay, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer);
  ~GameSession() override;

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override;
  void OnText(std::string_view message) override { OnMessage(message, false); }
  void OnBinary(std::string_view message) override { OnMessage(message, true); }
  void OnPong(std::string_view payload) override;
  void OnClosed(const net::Closing& closing) override;
  std::size_t waiting() const override { return early_.count().bytes(); }

 private:
  // What the observer is told later.
  struct Seen {
    enum class What : std::uint8_t { kText, kBinary, kSent, kNote } what;
    std::string text;
  };
  // A message that came before its channel was known.
  struct Early {
    FramePtr frame;
    std::vector<neuro::Decoded> documents;
  };

  // --- GamePort ---
  std::shared_ptr<net::WebSocket> socket() override { return socket_; }
  void NoteSent(const std::string& text) override { See(Seen::What::kSent, text); }
  void Note(std::string text) override { See(Seen::What::kNote, std::move(text)); }

  void OnMessage(std::string_view message, bool binary);
  std::vector<neuro::Decoded> Decode(std::string_view message) const;
  // Takes the waiting channel of the game that the messages so far name, or a new one; false if they name none yet.
  bool Pair(bool silent);
  void Join(const std::shared_ptr<Channel>& channel, bool restarted);
  void See(Seen::What what, std::string text);
  void ShowSeen();
  // The observer left something out.
  void NotRecorded(std::string_view reason);

  Relay& relay_;
  const std::string owner_;
  const std::shared_ptr<Payer> payer_;
  std::shared_ptr<net::WebSocket> socket_;
  std::unique_ptr<neuro::Session> observer_;
  std::shared_ptr<Channel> channel_;
  WaitingQueue<Early> early_;
  std::deque<Seen> seen_;
  bool showing_ = false;
  bool behind_ = false;  // NotRecorded was called
  std::string current_game_;
  ScopedTimer silent_timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // destroyed with the session
};

}  // namespace openseat::relay
