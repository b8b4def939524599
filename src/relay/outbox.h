// Outbox: the messages for one side of the relay, in order, until that side has read them. What is sent is kept until
// the peer has answered a ping that came after it, because a connection that breaks does not say how much of it
// arrived. After a break, everything that is not known to have been read is sent again.
//
// One thread: the connection's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/waiting.h"
#include "net/websocket.h"
#include "relay/frame.h"

namespace openseat::relay {

class Outbox {
 public:
  // `sent` is called for each frame when it is sent; `read` when the peer has read it. What is kept counts toward
  // `limits`, whose bytes include the overhead of keeping a frame (Frame::bytes), and for the payer's address; null:
  // for none.
  Outbox(const WaitingLimits& limits, std::shared_ptr<Payer> payer, std::function<void(const FramePtr&)> sent,
         std::function<void(const FramePtr&)> read);

  // False if there is no room: too much waits that was never sent.
  bool Push(FramePtr frame);
  // Drops the oldest frame that was never sent and has nothing but context. False if there is none.
  bool DropOldestContext();
  // Drops everything; returns how many frames were never sent.
  std::size_t Clear();

  // The peer is here (again). `before` is sent before everything that is kept, `after` behind it.
  void Connect(std::shared_ptr<net::WebSocket> socket, const std::vector<FramePtr>& before,
               const std::vector<FramePtr>& after);
  void Disconnect();
  void OnPong(std::string_view payload);

  bool connected() const { return socket_ != nullptr; }
  bool empty() const { return frames_.empty(); }
  // Frames that were never sent over the present connection.
  std::size_t unsent() const { return frames_.size() - sent_; }
  const std::deque<FramePtr>& frames() const { return frames_; }
  const WaitingCount& count() const { return count_; }

 private:
  void SendMore();
  void Send(const Frame& frame);
  void Ping();
  void PopRead();

  const std::function<void(const FramePtr&)> on_sent_;
  const std::function<void(const FramePtr&)> on_read_;
  std::shared_ptr<net::WebSocket> socket_;
  std::deque<FramePtr> frames_;
  WaitingCount count_;        // of frames_
  std::uint64_t first_ = 0;   // the number of frames_.front(), counted from the beginning
  std::size_t sent_ = 0;      // how many of frames_ were sent over socket_
  std::size_t reported_ = 0;  // how many of frames_ were reported to on_sent_, over any connection
  // Messages, counted from the beginning, that the last ping over socket_ came behind, and the last one that was
  // answered.
  std::uint64_t pinged_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace openseat::relay
