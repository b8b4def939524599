// WebSocketConnection: one open WebSocket of either side. Small when idle (no buffer, no decoder, one pending wait),
// since a shard has thousands of them. Internal; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/loop_bill.h"
#include "net/connection.h"
#include "net/server_core.h"
#include "net/shard_impl.h"
#include "net/transport.h"
#include "net/websocket.h"
#include "net/websocket_codec.h"

namespace openseat::net {

class WebSocketConnection final : public WebSocket,
                                  public Connection,
                                  public std::enable_shared_from_this<WebSocketConnection> {
 public:
  struct Setup {
    bool client = false;
    bool raw_text = false;
    std::size_t max_message_bytes = 0;
    bool fixed_message_bytes = false;  // they are the protocol's, and no setting
    std::size_t max_outbox_bytes = 0;
    std::string peer;
    Admission admission;  // of a server's connection; released when it ends
  };

  WebSocketConnection(ConnectionRegistry& registry, Transport transport, Setup setup);
  ~WebSocketConnection() override;

  // Sends `greeting` (what remains of the HTTP answer), opens the session, treats `early` as the first bytes received.
  void Start(std::unique_ptr<WebSocketSession> session, std::string greeting, std::string early);

  SendStatus SendText(std::string_view message) override { return Send(Opcode::kText, message); }
  SendStatus SendBinary(std::string_view message) override { return Send(Opcode::kBinary, message); }
  void Ping(std::string_view payload) override { Send(Opcode::kPing, payload); }
  std::size_t unsent() const override { return pending(); }
  void Later(Task task) override;
  void Close(std::uint16_t code, std::string_view reason) override;
  Scheduler& scheduler() override { return shard_; }
  std::uint64_t id() const override { return id_; }
  const std::string& peer() const override { return peer_; }
  std::shared_ptr<Payer> payer() const override { return admission_.payer; }

  void Flush() override;
  void OnTick() override;
  void BeginShutdown() override;
  void Cut(std::string_view reason) override;
  std::size_t held() const override;
  const Payer* holder() const override { return admission_.payer.get(); }
  void CutForMemory(const std::string& reason) override;

 private:
  enum class State : std::uint8_t {
    kOpen,
    kCloseSent,   // our close frame is sent (or in the outbox); the peer's is awaited
    kOverflowed,  // the outbox is over its limit; ends at the next Flush
    kDraining,    // the session has heard the end; the outbox is sent, then the socket closes
    kDone,
  };

  SendStatus Send(Opcode opcode, std::string_view payload);
  void Append(Opcode opcode, std::string_view payload);
  void AppendClose(std::uint16_t code, std::string_view reason);
  void OutboxChanged();
  IoStatus Write();  // what the socket takes now
  std::size_t pending() const { return out_.size() - sent_; }
  // The limit, if so much waits, for this peer or for all of its address, that these bytes may not be added. `touched`:
  // see TouchedBy.
  std::optional<Limit> TooMuchWaits(std::size_t more, std::size_t touched) const;

  void WaitReadable();
  void WaitWritable();
  void WaitEnd();  // without reading
  void OnReadable();
  // Takes these bytes from its rates, and the messages in them, unless they come too fast.
  void Receive(std::span<char> bytes);
  // Takes bytes, and what TLS needed besides data, from its rates. The refusal if they come too fast.
  std::optional<Refusal> Charge(std::size_t bytes);
  // The same. False if they come too fast: it is being closed.
  bool Affords(std::size_t bytes);
  void Consume(std::span<char> bytes);
  // Counts what comes once it is deaf, and decides how long that is read.
  void Discard(std::size_t bytes);
  // Something came too fast, or is too much: closes the connection with that reason.
  void CloseFor(const Refusal& refusal);
  // Counts what the decoder keeps of a message that has not ended; the refusal if that is too much. `again`: it began
  // after another had ended.
  std::optional<Refusal> CountUnfinished(bool again);
  void CountUnread(std::size_t bytes);
  // Adapts read_bytes_: the messages in this many bytes took so long.
  void ReadLess(std::size_t bytes, std::chrono::steady_clock::duration took);
  void OnClosing(Closing closing);
  void OnEnd(std::string_view reason);
  // Tells the session, once.
  void TellClosed(Closing closing);
  void Drain();
  void Finish();

  // Does what the peer has made necessary: now or, if its turns take long, when it is its turn. REQUIRES that nothing
  // of it waits.
  template <typename Do>
  void InTurn(Do act);

  ShardImpl& shard_;
  Transport transport_;
  std::unique_ptr<WebSocketSession> session_;
  std::unique_ptr<MessageDecoder> decoder_;  // while a frame or message is incomplete
  std::string out_;                          // borrowed from the shard while it is not empty
  std::size_t sent_ = 0;                     // of out_
  const std::uint64_t id_;
  const std::string peer_;
  Admission admission_;       // null if we are the client
  const LoopSharePtr share_;  // of its address, or its own if it is a program of this machine
  Pace pace_;
  Lease unfinished_;
  std::size_t unread_ = 0;      // bytes counted as waiting for the peer
  Instant unfinished_since_{};  // when the message in progress began
  Instant last_heard_;
  Instant deadline_{};  // of the close handshake; of the pong; zero: none
  const std::size_t max_message_bytes_;
  const std::size_t max_outbox_bytes_;
  State state_ = State::kOpen;
  Limit overflowed_ = Limit::kCount;  // in kOverflowed: which limit it is over
  const bool client_;
  const bool fixed_message_bytes_;
  const bool raw_text_;
  std::uint32_t sent_messages_ = 0;       // since the last flush, for the metrics
  bool reading_ = false;                  // in Consume: whatever is sent is flushed when it returns
  bool flush_coming_ = false;             // the shard will flush
  bool write_waits_ = false;              // WaitWritable is pending
  bool read_needs_write_ = false;         // TLS
  std::uint32_t read_bytes_ = 16u << 10;  // how much is read in one turn
  bool ping_out_ = false;
  const bool paced_;
  bool deferred_ = false;         // what has come waits for its turn
  bool deaf_ = false;             // further input is discarded,
  bool stopped_reading_ = false;  // or not even read
  std::size_t discarded_ = 0;     // bytes
};

}  // namespace openseat::net
