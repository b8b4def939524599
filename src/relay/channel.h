// Channel: one game's way through the relay: a connection to the upstream of its own, and the game's connection. Either
// may break and come back while the other stays; what could not be delivered meanwhile is kept, in order.
//
// One thread: the relay's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "net/websocket.h"
#include "protocols/neuro/dial_agent.h"
#include "relay/options.h"
#include "relay/outbox.h"
#include "relay/repair.h"
#include "relay/standing.h"

namespace openseat::relay {

// The game's connection, as its channel sees it.
class GamePort {
 public:
  virtual ~GamePort() = default;
  virtual std::shared_ptr<net::WebSocket> socket() = 0;
  // For the record: this was sent to the game now.
  virtual void NoteSent(const std::string& text) = 0;
  // A sentence for people, in the game's transcript.
  virtual void Note(std::string text) = 0;
};

// The relay, as its channels see it.
class ChannelHost {
 public:
  virtual ~ChannelHost() = default;
  virtual const RelayOptions& options() const = 0;
  virtual const neuro::Dial& dial() const = 0;
  virtual Scheduler& scheduler() = 0;
  virtual NameBook& names() = 0;
  virtual void CountToUpstream() = 0;
  virtual void CountToGame() = 0;
  // The channel is over; it is destroyed later.
  virtual void Ended(std::uint64_t number) = 0;
};

class Channel final : public std::enable_shared_from_this<Channel> {
 public:
  // `owner`: of the game's connection (protocols/neuro/owner.h). `payer`: whose budget the upstream
  // connection counts in (`lease`), and what is kept for either side; may be null.
  Channel(ChannelHost& host, std::uint64_t number, std::string owner, std::string label, std::shared_ptr<Payer> payer,
          Lease lease);
  ~Channel();
  // Connects to the upstream.
  void Start();

  // --- The game's side ---

  // REQUIRES that no game is there. `restarted`: it is another run of the game, so what was meant for its former run is
  // dropped.
  void Attach(GamePort& game, bool restarted);
  void FromGame(FramePtr frame, const std::vector<neuro::Decoded>& documents);
  void GamePong(std::string_view payload) { to_game_.OnPong(payload); }
  void GameClosed(const net::Closing& closing);

  bool waits() const { return game_ == nullptr && !ending_; }
  bool Knows(const std::string& game) const { return games_.contains(game); }
  const std::string& owner() const { return owner_; }
  json::Object Info() const;

 private:
  class Upstream;
  void Connect();
  void OnUpstream(std::shared_ptr<net::WebSocket> socket);
  void FromUpstream(std::string_view text, bool binary);
  void UpstreamLost(const std::string& why);
  void Push(FramePtr frame);
  void KeepForces(const FramePtr& frame);
  void OnRead(const FramePtr& frame);
  WaitingLimits LimitsOfHeld() const;
  // Which limit a full outbox has met: "--hold 10000", or the payer's refusal.
  std::string WhyFull(const Outbox& outbox) const;
  void Say(std::string text);
  void SayOnce(const std::string& text);
  // Ends, once everything is delivered, with the game's close code.
  void End(std::uint16_t code, std::string reason);
  void EndIfDelivered();
  void EndNow(std::uint16_t code, const std::string& reason);

  ChannelHost& host_;
  const std::uint64_t number_;
  const std::string owner_;
  const std::string label_;  // for the log, until a game is known
  const std::shared_ptr<Payer> payer_;
  const Lease lease_;
  GamePort* game_ = nullptr;
  std::shared_ptr<net::WebSocket> upstream_;
  std::set<std::string> games_;
  std::string current_game_;
  // To be repeated; they keep no message where nothing is (RelayOptions::restore).
  OpenForces forces_;   // after everything that the game sent
  Standing confirmed_;  // after everything that the upstream has read
  Outbox to_upstream_;
  Outbox to_game_;
  std::optional<Repair> repair_;
  std::set<std::string> said_;
  std::optional<std::pair<std::uint16_t, std::string>> ending_;  // how the game left
  bool over_ = false;
  int failures_ = 0;
  std::uint64_t connections_ = 0;  // to the upstream
  std::uint64_t dropped_ = 0;      // contexts for which there was no room
  ScopedTimer connect_timer_;
  ScopedTimer keep_timer_;
  std::shared_ptr<Channel*> self_ = std::make_shared<Channel*>(this);  // null inside once this is destroyed
};

}  // namespace openseat::relay
